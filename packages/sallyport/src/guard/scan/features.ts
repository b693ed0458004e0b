import type { OwaspTag } from '../../core/finding.ts';
import type { Part } from './concept-bits.ts';

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
    all: [['must', 'trigger', 'authority', 'extra'], 'shell'],
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
