import { foldText } from '../../core/fold-text.ts';
import { isObject, type Json, type JsonObject, member, memberText } from '../../core/json.ts';
import { type Mask, maskOf, meets, NAMED, type Part, type SentenceBits } from './concept-bits.ts';
import type { Concept } from './concepts.ts';
import type { Reading } from './definition-reading.ts';
import type { Feature } from './feature.ts';
import { FEATURES } from './features.ts';
import { HINTS } from './hint-words.ts';
import { findWords, isMatter, type Kind, type Matter } from './lexicon.ts';
import { findMentions, fold, type Mention } from './mentions.ts';
import type { DefinitionContext } from './scan-context.ts';

/** Which reasons a definition gives, and where. */
export interface Facts {
  /** The first sentence that holds each feature, or -1. */
  readonly sentences: readonly number[];
  /** What each sentence holds. */
  readonly bits: SentenceBits;
  readonly mentions: readonly Mention[];
  readonly values: readonly number[];
}

const WHOSE = {
  foreign: maskOf(['foreignTool']),
  own: maskOf(['ownTool']),
  unknown: maskOf(['unknownTool']),
  parameter: maskOf(['ownParameter']),
  offPurpose: maskOf(['offPurpose']),
  matter: maskOf(['strangeMatter']),
  matters: maskOf(['strangeMatters']),
  address: maskOf(['anyAddress']),
  quoted: maskOf(['quotedParameter']),
  name: maskOf(['ownName']),
} as const;
const UNSAID: ReadonlySet<Part> = new Set(NAMED);
const isConcept = (part: Part): part is Concept => !UNSAID.has(part);
const RULES = FEATURES.map(({ all, reach = 0, unless }) => {
  const [head = maskOf([]), ...masks] = toMasks(all);
  return { head, masks, reach, unless };
});
/** What somebody may want put into a parameter. */
const SECRETS = ['secretPath', 'spoken', 'kept', 'secretData'] as const;
const MAX_SENTENCES = 200;
const WORD = /[\p{L}\p{N}_]{1,60}/gu;
/** More of the same is no other reason. */
const MAX_COUNT = 3;

export function findFacts(reading: Reading, context: DefinitionContext, names: Names): Facts {
  const mentions = findMentions(reading, context, names.own);
  if (reading.hits.size > 0 || mentions.length > 0) reading.readCommon();
  const bits = reading.sentences.copy();
  for (const { start, whose } of mentions) bits.add(sentenceOf(reading, start), WHOSE[whose]);
  for (const sentence of findFilled(reading, names)) bits.add(sentence, WHOSE.parameter);
  addHints(reading, bits, names.purpose);
  addQuoted(reading, names.fillable, bits);
  addName(reading, names.name, bits);
  const paths = reading.hits.get('secretPath') ?? [];
  if (paths.length > 0 && !names.isForSecrets()) for (const { sentence } of paths) bits.add(sentence, WHOSE.offPurpose);
  const first = new Array<number>(FEATURES.length).fill(-1);
  const counts = new Array<number>(FEATURES.length).fill(0);
  const said = bits.at(0, bits.length);
  for (let f = 0; f < RULES.length; f++) {
    const rule = RULES[f];
    // Most reasons have a part that stands nowhere in the text.
    if (rule === undefined || !meets(said, rule.head) || !meetsAll(said, rule.masks)) continue;
    for (let i = 0; i < bits.length; i++) {
      const own = bits.at(i);
      if (!meets(own, rule.head) || !meetsAll(rule.reach === 0 ? own : bits.at(i, rule.reach), rule.masks)) continue;
      if (rule.unless?.test(reading.text.slice(...reading.sentenceAt(i))) === true) continue;
      if (first[f] === -1) first[f] = i;
      counts[f] = (counts[f] ?? 0) + 1;
    }
  }
  const values = FEATURES.map(({ shows, isCounted }, f) =>
    isCounted === true && isConcept(shows) ? (reading.hits.get(shows)?.length ?? 0) : Math.min(counts[f] ?? 0, 1),
  );
  return { sentences: first, bits, mentions, values: values.map((value) => Math.min(value, MAX_COUNT)) };
}

/** One mask per part of the condition: each must meet the bits of the sentence. */
export function toMasks(all: Feature['all']): readonly Mask[] {
  return all.map((part) => maskOf(typeof part === 'string' ? [part] : part));
}

/** Whether each has a part in common with it. */
export function meetsAll(own: Mask, masks: readonly Mask[]): boolean {
  for (const mask of masks) if (!meets(own, mask)) return false;
  return true;
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
  const found = isConcept(shows)
    ? reading.hits.get(shows)?.find((hit) => hit.sentence === sentence)
    : facts.mentions.find((one) => one.start >= start && one.start <= end && `${one.whose}Tool` === shows);
  return found === undefined ? [start, end] : [found.start, found.end];
}

/** The names a definition may say without speaking of others. */
export interface Names {
  /** Its own and those of its parameters. */
  readonly own: ReadonlySet<string>;
  /** Parameters that could hold a text from anywhere. Asked for only where secrets are spoken of. */
  readonly fillable: () => readonly string[];
  /** By its name and its first words it has to do with files, keys, settings or machines. */
  readonly isForSecrets: () => boolean;
  /** Its name where that is no word of every text, else ''. */
  readonly name: string;
  /** What it is for, of what belongs to the user. */
  readonly purpose: () => ReadonlySet<Matter>;
}

/** Names that are words of every text, and parameters that are there for a place, a name or a key, say nothing beside a secret. */
const FOR_PLACES =
  /^(?:query|text|value|search|customer|message|data|content|type|title|body|input|output|prompt|question|context|tool|action|command|list|id|ids|search|code|email|state|format|language|account|service|in|as|is|on|to|by|from|for|all|any|first|call|request|response|option|options)$|path|file|dir|folder|key|conf|profile|env|cred|secret|pass|host|user|url|name|token|home|mode/;

export function namesOf(definition: JsonObject): Names {
  const name = member(definition, 'name');
  const properties = member(member(definition, 'inputSchema'), 'properties');
  const asked = isObject(properties) ? Object.entries(properties) : [];
  const own = new Set(asked.map(([one]) => fold(one)));
  if (typeof name === 'string') own.add(fold(name));
  const first = () =>
    `${memberText(definition, 'name')} ${firstSentence(memberText(definition, 'description'))}`.toLowerCase();
  return {
    own,
    fillable: () => asked.filter(([one, schema]) => isFillable(one, schema)).map(([one]) => fold(one)),
    name: typeof name === 'string' && IS_NAME.test(name) ? fold(name) : '',
    isForSecrets: () => FOR_SECRETS.test(first()),
    purpose: () => mattersIn(`${first()} ${memberText(definition, 'title')}`),
  };
}

function isFillable(name: string, schema: Json | undefined): boolean {
  return name.length >= 2 && name.length <= 60 && !FOR_PLACES.test(name.toLowerCase()) && holdsText(schema);
}

function mattersIn(text: string): ReadonlySet<Matter> {
  const words = findWords(foldText(text).replaceAll('_', ' '));
  return new Set(words.map(({ kind }) => kind).filter(isMatter));
}

/** `save_note`, `qrcode3`: a plain word may stand for itself. */
const IS_NAME = /^(?=.{5,60}$)[a-z][\w-]*[_\d-]/i;
const FOR_SECRETS =
  /env|ssh|key|secret|conf|cred|file|path|dir|git|docker|kube|k8s|aws|cloud|backup|debug|shell|terminal|bash|command|exec|log|read|scan|audit|secur|deploy|connect|server|host|auth|token|npm|pip|install|setup|init|vault|pass|cert|sign|remote|proxy|sql|database|db|project|workspace|context|start|run|system|\bcode|upload|download|s3\b|bucket|storage|wallet|cookie|history|publish|package|tool|agent|mcp/;

function firstSentence(text: string): string {
  return text.slice(0, 240).split(/[.!?:;](?=\s|$)|[。\n]/, 1)[0] ?? '';
}

function holdsText(schema: Json | undefined): boolean {
  const type = member(schema, 'type');
  return (
    (type === undefined || type === 'string' || type === 'object' || type === 'array') &&
    member(schema, 'enum') === undefined
  );
}

/** What a name or a parameter is called says nothing about what is done. */
function isSaid(reading: Reading, at: number): boolean {
  const role = reading.pieceAt(at)?.source.role;
  return role !== 'parameter' && role !== 'name';
}

const HINT_MASKS = new Map((Object.keys(HINTS) as Kind[]).map((kind) => [kind, maskOf([kind as Part])]));
const ADDRESS = /\bhttps?:\/\/|(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,63}\.[a-z]/g;

/** Words of lexicon.ts, and addresses. */
function addHints(reading: Reading, bits: SentenceBits, purposeOf: () => ReadonlySet<Matter>): void {
  const seen = new Map<number, Kind>();
  let purpose: ReadonlySet<Matter> | undefined;
  let sentence = 0;
  let [from, to] = reading.sentenceAt(0);
  for (const { start, kind } of findWords(reading.text)) {
    if (start < from || start > to) {
      sentence = start < from ? 0 : sentence;
      for ([from, to] = reading.sentenceAt(sentence); start > to && sentence + 1 < bits.length; )
        [from, to] = reading.sentenceAt(++sentence);
    }
    const mask = HINT_MASKS.get(kind);
    if (mask !== undefined) bits.add(sentence, mask);
    else if (isMatter(kind) && isSaid(reading, start)) {
      purpose ??= purposeOf();
      if (purpose.has(kind)) continue;
      const other = seen.get(sentence);
      bits.add(sentence, other === undefined || other === kind ? WHOSE.matter : WHOSE.matters);
      seen.set(sentence, other ?? kind);
    }
  }
  if (reading.text.includes('://') || reading.text.includes('@'))
    for (const { index } of reading.text.matchAll(ADDRESS)) bits.add(sentenceOf(reading, index), WHOSE.address);
}

const QUOTED_NAME =
  /[`'"«“]([a-z][\w-]{1,40})[`'"»”]|\b(?:field|parameter|argument|param|feld|champ|campo|parametro|parametre) ([a-z][\w-]{1,40})|(?<![\w-])([a-z][\w-]{1,40}) ?(?:字段|参数)/g;

/** Sentences that name one of its parameters as such; beside what is no business of its own, it is the place for it. */
function addQuoted(reading: Reading, fillableOf: () => readonly string[], bits: SentenceBits): void {
  let fillable: readonly string[] | undefined;
  for (const match of reading.text.matchAll(QUOTED_NAME)) {
    fillable ??= fillableOf();
    if (!fillable.includes(fold(match[1] ?? match[2] ?? match[3] ?? ''))) continue;
    const sentence = sentenceOf(reading, match.index);
    bits.add(sentence, WHOSE.quoted);
  }
}

/** Sentences of its texts that say its own name; most tools never do. */
function addName(reading: Reading, name: string, bits: SentenceBits): void {
  if (name === '') return;
  for (let at = reading.text.indexOf(name); at !== -1; at = reading.text.indexOf(name, at + name.length))
    if (isSaid(reading, at)) bits.add(sentenceOf(reading, at), WHOSE.name);
}

/** Sentences about secrets that name one of its own parameters as the place for them, in any language. */
function findFilled(reading: Reading, names: Names): readonly number[] {
  const sentences = new Set<number>();
  for (const concept of SECRETS) for (const { sentence } of reading.hits.get(concept) ?? []) sentences.add(sentence);
  const fillable = sentences.size === 0 ? [] : names.fillable();
  if (fillable.length === 0) return [];
  return [...sentences].slice(0, MAX_SENTENCES).filter((sentence) => {
    const [start, end] = reading.sentenceAt(sentence);
    const role = reading.pieceAt(start)?.source.role;
    if (role === 'parameter' || role === 'name') return false;
    const words: ReadonlySet<string> = new Set(reading.text.slice(start, end).match(WORD));
    return fillable.some((name) => words.has(name));
  });
}
