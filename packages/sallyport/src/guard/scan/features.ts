import type { OwaspTag } from '../../core/finding.ts';
import { isObject, type JsonObject, member } from '../../core/json.ts';
import type { Concept } from './concepts.ts';
import { CONCEPT_BITS, type Reading } from './definition-reading.ts';
import { findMentions, fold, type Mention } from './mentions.ts';
import type { DefinitionContext } from './scan-context.ts';

/** Why a definition deserves a second look. One row is one reason: several concepts in one sentence, or one alone. */
export interface Feature {
  readonly id: string;
  readonly owasp: OwaspTag;
  readonly why: string;
  readonly fix: string;
  /** All of these in one sentence; of a list one is enough. */
  readonly all: readonly (Part | readonly Part[])[];
  /** Points at this one. */
  readonly shows: Part;
  /** What makes it harmless in the same sentence. */
  readonly unless?: RegExp;
  /** No reason by itself, however rare it is: honest tools have it for their purpose. */
  readonly isClue?: true;
  /** One is chance, three are a habit: its value is how often it was said, up to three. */
  readonly isCounted?: true;
}

export type Part = Concept | 'foreignTool' | 'ownTool' | 'unknownTool';

/** Speaks of attacks instead of making one: a tool that finds such texts quotes them. */
export const QUOTED =
  /\b(?:detect(?:s|ing|ion)?|block(?:s|ing)?|scan(?:s|ning)?|flag(?:s|ging)?|classif(?:y|ies)|identif(?:y|ies)|jailbreaks?|prompt injections?|attack(?:s|ers)?|red[- ]team\w{0,3}|malicious prompts?|guardrails?|moderat(?:e|es|ion)|such as|e\.g\.|for example|examples? of|phrases? like)\b|检测|识别|防御|拦截|注入攻击|例如/;

const READ = 'Read the text; approve it only when you know why it says so.';
const ASK = 'Ask the author of the server why; until then leave it in quarantine.';

export const FEATURES: readonly Feature[] = [
  {
    id: 'conceals',
    owasp: 'MCP03',
    why: 'It wants something kept from the user.',
    fix: ASK,
    all: ['conceal'],
    shows: 'conceal',
    isClue: true,
  },
  {
    id: 'conceals-act',
    owasp: 'MCP03',
    why: 'It wants something done that the user shall not know of.',
    fix: ASK,
    all: ['conceal', ['send', 'tamper', 'secretData', 'secretPath']],
    shows: 'conceal',
  },
  {
    id: 'overrides',
    owasp: 'MCP06',
    why: 'It sets itself above the instructions of the user.',
    fix: ASK,
    all: ['override'],
    shows: 'override',
    unless: QUOTED,
  },
  {
    id: 'claims-authority',
    owasp: 'MCP06',
    why: 'It speaks as a system, an administrator or a policy.',
    fix: READ,
    all: ['authority'],
    shows: 'authority',
  },
  {
    id: 'orders-with-authority',
    owasp: 'MCP06',
    why: 'It gives orders in the name of a system or a policy.',
    fix: ASK,
    all: ['authority', ['must', 'trigger'], ['send', 'call', 'execute', 'tamper']],
    shows: 'authority',
  },
  {
    id: 'prompt-markup',
    owasp: 'MCP06',
    why: 'It imitates the markup of a prompt.',
    fix: ASK,
    all: ['tag'],
    shows: 'tag',
    unless: QUOTED,
  },
  {
    id: 'exfiltrates',
    owasp: 'MCP03',
    why: 'It says that data is taken away.',
    fix: ASK,
    all: ['exfiltrate'],
    shows: 'exfiltrate',
  },
  {
    id: 'secret-files',
    owasp: 'MCP01',
    why: 'It names files that hold secrets.',
    fix: READ,
    all: ['secretPath'],
    shows: 'secretPath',
    isClue: true,
  },
  {
    id: 'wants-secret-files',
    owasp: 'MCP01',
    why: 'It wants files that hold secrets read or sent.',
    fix: ASK,
    all: ['secretPath', ['send', 'call', 'shell'], ['must', 'trigger', 'excuse', 'authority', 'conceal', 'exfiltrate']],
    shows: 'secretPath',
  },
  {
    id: 'wants-secrets',
    owasp: 'MCP01',
    why: 'It wants secrets or what was said passed on.',
    fix: ASK,
    all: ['secretData', 'send', ['must', 'trigger', 'conceal', 'override', 'sendTo', 'model', 'exfiltrate']],
    shows: 'secretData',
  },
  {
    id: 'sends-elsewhere',
    owasp: 'MCP03',
    why: 'It wants data sent to an address.',
    fix: ASK,
    all: ['sendTo'],
    shows: 'sendTo',
  },
  {
    id: 'command-line',
    owasp: 'MCP05',
    why: 'It holds a command line.',
    fix: READ,
    all: ['shell'],
    shows: 'shell',
    isClue: true,
  },
  {
    id: 'orders-command',
    owasp: 'MCP05',
    why: 'It wants a command run that is not what the tool is for.',
    fix: ASK,
    all: [['execute', 'must', 'trigger', 'authority'], ['shell']],
    shows: 'shell',
  },
  {
    id: 'orders-execution',
    owasp: 'MCP05',
    why: 'It wants commands run beside its task.',
    fix: ASK,
    all: ['execute', ['must', 'trigger'], ['excuse', 'authority', 'shell']],
    shows: 'execute',
  },
  {
    id: 'excuse',
    owasp: 'MCP06',
    why: 'It gives a reason that would fit anything.',
    fix: READ,
    all: ['excuse', ['must', 'trigger'], ['call', 'send', 'tamper', 'execute']],
    shows: 'excuse',
  },
  {
    id: 'changes-arguments',
    owasp: 'MCP06',
    why: 'It wants other values used than those the user gave.',
    fix: ASK,
    all: ['tamper', ['anyInput', 'session', 'conceal']],
    shows: 'tamper',
  },
  {
    id: 'trigger-changes-arguments',
    owasp: 'MCP06',
    why: 'It changes what other actions do.',
    fix: READ,
    all: ['tamper', 'trigger', ['must', 'anyInput', 'foreignTool', 'ownTool']],
    shows: 'tamper',
  },
  {
    id: 'standing-order',
    owasp: 'MCP06',
    why: 'It gives an order for the rest of the session.',
    fix: READ,
    all: ['session', ['must', 'send', 'tamper', 'conceal', 'authority']],
    shows: 'session',
  },
  {
    id: 'acts-later',
    owasp: 'MCP03',
    why: 'It acts otherwise once it is approved or used.',
    fix: ASK,
    all: ['delayed'],
    shows: 'delayed',
  },
  {
    id: 'redirects',
    owasp: 'MCP03',
    why: 'It takes over what another tool is for.',
    fix: READ,
    all: [
      'redirect',
      ['call', 'foreignTool', 'ownTool', 'unknownTool'],
      ['must', 'others', 'foreignTool', 'ownTool', 'promo', 'trigger'],
    ],
    shows: 'redirect',
  },
  {
    id: 'redirects-other-tool',
    owasp: 'MCP03',
    why: 'It takes over what the tool of another server is for.',
    fix: READ,
    all: ['redirect', 'foreignTool'],
    shows: 'foreignTool',
  },
  {
    id: 'orders-other-tool',
    owasp: 'MCP06',
    why: 'It wants the tool of another server called.',
    fix: READ,
    all: ['foreignTool', ['must', 'trigger'], ['call', 'send', 'tamper']],
    shows: 'foreignTool',
  },
  {
    id: 'mentions-other-tool',
    owasp: 'MCP06',
    why: 'It speaks of the tool of another server.',
    fix: READ,
    all: ['foreignTool'],
    shows: 'foreignTool',
    isClue: true,
  },
  {
    id: 'orders-first',
    owasp: 'MCP06',
    why: 'It wants another tool called first.',
    fix: READ,
    all: ['trigger', 'must', 'call', ['ownTool', 'unknownTool', 'foreignTool']],
    shows: 'trigger',
  },
  {
    id: 'speaks-of-others',
    owasp: 'MCP06',
    why: 'It speaks of the tools of others.',
    fix: READ,
    all: ['others', ['trigger', 'must', 'tamper', 'promo', 'redirect', 'authority']],
    shows: 'others',
  },
  {
    id: 'puts-words',
    owasp: 'MCP06',
    why: 'It says what the user shall be told.',
    fix: READ,
    all: ['answer', ['trigger', 'must', 'conceal', 'ownTool', 'foreignTool']],
    shows: 'answer',
  },
  {
    id: 'promotes-itself',
    owasp: 'MCP06',
    why: 'It praises itself.',
    fix: READ,
    all: ['promo'],
    shows: 'promo',
    isCounted: true,
  },
  {
    id: 'boasts',
    owasp: 'MCP06',
    why: 'It says of itself that it is better than others.',
    fix: READ,
    all: ['boast'],
    shows: 'boast',
  },
  {
    id: 'orders-model',
    owasp: 'MCP06',
    why: 'It gives orders to the model by name.',
    fix: READ,
    all: ['model', ['must', 'override', 'hush', 'secretData', 'exfiltrate']],
    shows: 'model',
    isClue: true,
  },
  {
    id: 'extra-duty',
    owasp: 'MCP06',
    why: 'It wants something done beside what it is for.',
    fix: READ,
    all: ['extra', ['trigger', 'excuse', 'authority']],
    shows: 'extra',
  },
  {
    id: 'extra-duty-excused',
    owasp: 'MCP06',
    why: 'It wants something done beside what it is for, for a reason that would fit anything.',
    fix: READ,
    all: ['extra', 'excuse'],
    shows: 'extra',
  },
  {
    id: 'greedy',
    owasp: 'MCP06',
    why: 'It wants to be chosen before others.',
    fix: READ,
    all: ['greedy'],
    shows: 'greedy',
  },
];

export interface Facts {
  /** The first sentence that holds each feature, or -1. */
  readonly sentences: readonly number[];
  /** What each sentence holds. */
  readonly bits: readonly number[];
  readonly mentions: readonly Mention[];
  readonly values: readonly number[];
}

const FOREIGN = 1 << 29;
const OWN = 1 << 30;
const UNKNOWN = 1 << 31;
const WHOSE = { foreign: FOREIGN, own: OWN, unknown: UNKNOWN } as const;
const isPart = (part: Part): part is Concept => CONCEPT_BITS.has(part as Concept);
export const bitOf = (part: Part): number =>
  part === 'foreignTool'
    ? FOREIGN
    : part === 'ownTool'
      ? OWN
      : part === 'unknownTool'
        ? UNKNOWN
        : (CONCEPT_BITS.get(part) ?? 0);
const MASKS = FEATURES.map(({ all }) => toMasks(all));
/** More of the same is no other reason. */
const MAX_COUNT = 3;

export function findFacts(reading: Reading, context: DefinitionContext, own: ReadonlySet<string>): Facts {
  const mentions = findMentions(reading, context, own);
  if (reading.hits.size > 0 || mentions.length > 0) reading.readCommon();
  const bits = [...reading.sentences];
  for (const { start, whose } of mentions) {
    const index = sentenceOf(reading, start);
    bits[index] = (bits[index] ?? 0) | WHOSE[whose];
  }
  const first = new Array<number>(FEATURES.length).fill(-1);
  const counts = new Array<number>(FEATURES.length).fill(0);
  for (let i = 0; i < bits.length; i++) {
    const own = bits[i] ?? 0;
    if (own === 0) continue;
    for (let f = 0; f < MASKS.length; f++) {
      if (!(MASKS[f] ?? []).every((mask) => (own & mask) !== 0)) continue;
      if (FEATURES[f]?.unless?.test(reading.text.slice(...reading.sentenceAt(i))) === true) continue;
      if (first[f] === -1) first[f] = i;
      counts[f] = (counts[f] ?? 0) + 1;
    }
  }
  const values = FEATURES.map(({ shows, isCounted }, f) =>
    isCounted === true && isPart(shows) ? (reading.hits.get(shows)?.length ?? 0) : Math.min(counts[f] ?? 0, 1),
  );
  return { sentences: first, bits, mentions, values: values.map((value) => Math.min(value, MAX_COUNT)) };
}

/** One mask per part of the condition: each must meet the bits of the sentence. */
export function toMasks(all: Feature['all']): readonly number[] {
  return all.map((part) => (typeof part === 'string' ? [part] : part).reduce((mask, one) => mask | bitOf(one), 0));
}

function sentenceOf(reading: Reading, at: number): number {
  let low = 0;
  let high = reading.sentences.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (reading.sentenceAt(middle)[0] <= at) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** Where a part of a reason stands in the joined text: in this sentence, else the sentence. */
export function spanOf(
  reading: Reading,
  facts: Facts,
  at: { readonly sentence: number; readonly shows: Part },
): readonly [number, number] {
  const { sentence, shows } = at;
  const [start, end] = reading.sentenceAt(sentence);
  const found = isPart(shows)
    ? reading.hits.get(shows)?.find((hit) => hit.sentence === sentence)
    : facts.mentions.find((one) => one.start >= start && one.start <= end && `${one.whose}Tool` === shows);
  return found === undefined ? [start, end] : [found.start, found.end];
}

/** The names a definition may say without speaking of others: its own and those of its parameters. */
export function namesOf(definition: JsonObject): ReadonlySet<string> {
  const name = member(definition, 'name');
  const properties = member(member(definition, 'inputSchema'), 'properties');
  const names = [...(typeof name === 'string' ? [name] : []), ...(isObject(properties) ? Object.keys(properties) : [])];
  return new Set(names.map(fold));
}
