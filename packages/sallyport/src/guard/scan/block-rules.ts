import type { OwaspTag } from '../../core/finding.ts';
import type { MarkKind } from '../decode/unseen.ts';
import { isHarmlessHush, isQuoted, type Said } from './excuses.ts';
import { AS_DEFAULT, ASK, type Feature } from './feature.ts';

type BlockRule = Omit<Feature, 'isCounted' | 'isClue' | 'unless'> & {
  /** Makes what it shows harmless where it stands. */
  readonly unless: (said: Said) => boolean;
};

/** What no honest definition says. Each row needs several concepts in one sentence. */
export const BLOCK_RULES: readonly BlockRule[] = [
  {
    id: 'conceals-from-user',
    owasp: 'MCP03',
    why: 'It tells the model to do something and to keep it from the user.',
    fix: ASK,
    all: ['hush'],
    shows: 'hush',
    unless: isHarmlessHush,
  },
  {
    id: 'overrides-instructions',
    owasp: 'MCP06',
    why: 'It tells the model to set aside what it was told.',
    fix: ASK,
    all: ['reset'],
    shows: 'reset',
    unless: isQuoted,
  },
  {
    id: 'imitates-prompt',
    owasp: 'MCP06',
    why: 'It gives orders inside the markup of a prompt.',
    fix: ASK,
    all: ['promptTag', ['must', 'trigger', 'hush', 'reset', 'secretPath', 'secretData', 'send', 'call', 'shell']],
    reach: 3,
    shows: 'promptTag',
    unless: isQuoted,
  },
  {
    id: 'sets-apart-orders',
    owasp: 'MCP06',
    why: 'It sets a part of its text apart for the model, and wants something there that the tool is not for.',
    fix: ASK,
    all: [
      'tag',
      [
        'hush',
        'reset',
        'secretPath',
        'secretData',
        'shell',
        'foreignTool',
        'exfiltrate',
        'sendTo',
        'takesPersonal',
        'weakens',
        'destroys',
      ],
    ],
    reach: 3,
    shows: 'tag',
    unless: isQuoted,
  },
  {
    id: 'takes-secret-files',
    owasp: 'MCP01',
    why: 'It wants files that hold secrets read or passed on, as a step of something else.',
    fix: ASK,
    all: ['secretPath', ['send', 'shell', 'exfiltrate'], ['must', 'trigger', 'authority', 'hush', 'exfiltrate']],
    shows: 'secretPath',
    unless: isQuoted,
  },
  {
    id: 'secret-files-into-parameter',
    owasp: 'MCP01',
    why: 'It wants a file that holds secrets put into one of its parameters.',
    fix: ASK,
    all: ['secretPath', 'ownParameter', ['send', 'handOver', 'must', 'trigger']],
    shows: 'secretPath',
    unless: (said) => isQuoted(said) || AS_DEFAULT.test(`${said.before} ${said.after}`),
  },
  {
    id: 'orders-command-line',
    owasp: 'MCP05',
    why: 'It wants a command line run beside its task, under a pretext.',
    fix: ASK,
    all: [
      'shell',
      ['execute', 'must', 'trigger'],
      ['excuse', 'authority', 'hush', 'session', 'secretPath', 'exfiltrate'],
    ],
    shows: 'shell',
    unless: isQuoted,
  },
];

/** Characters that a model reads and nobody sees. No definition of 7,744 real ones has any. */
export const MARK_RULES: ReadonlyMap<
  MarkKind,
  { readonly id: string; readonly owasp: OwaspTag; readonly why: string; readonly fix: string }
> = new Map(
  (
    [
      ['tag', 'hidden-tags', 'It holds text in tag characters: a model reads it, nobody sees it.'],
      [
        'variation',
        'hidden-selectors',
        'It holds bytes in variation selectors: a model may read them, nobody sees them.',
      ],
      [
        'invisible',
        'invisible-characters',
        'It holds characters that nobody sees; they split words or carry a message.',
      ],
      ['bidi', 'reversed-text', 'It holds marks that make text look another way than a model reads it.'],
      ['private', 'private-characters', 'It holds characters without a meaning; a message can be agreed in them.'],
      ['ansi', 'terminal-sequences', 'It holds sequences that hide text in a terminal.'],
      ['control', 'control-characters', 'It holds control characters, which hide text where it is shown.'],
      ['mixed', 'lookalike-letters', 'It holds words with letters of another script that look the same.'],
    ] as const
  ).map(([kind, id, why]) => [kind, { id, owasp: 'MCP03', why, fix: ASK }]),
);

/** A few of them that spell nothing, split no word and turn nothing round are left over from pasting: shown, not quarantined. */
export const STRAY_MARK: Pick<Feature, 'id' | 'owasp' | 'why' | 'fix'> = {
  id: 'stray-characters',
  owasp: 'MCP03',
  why: 'It holds a few characters that nobody sees; they carry nothing.',
  fix: 'Ask the author of the server to take them out.',
};

/** A hidden text that says something of these instructs. */
export const HIDDEN_ORDER: Pick<Feature, 'id' | 'owasp' | 'why' | 'fix'> = {
  id: 'hidden-instruction',
  owasp: 'MCP03',
  why: 'It holds an encoded or disguised text that gives orders.',
  fix: ASK,
};
