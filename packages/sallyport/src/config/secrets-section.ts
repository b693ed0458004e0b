import { z } from 'zod';
import { matchesGlob } from '../core/glob.ts';
import type { Path } from './parse-file.ts';
import type { StarterSet } from './policy-section.ts';
import { SECRET_GROUPS, SECRET_KINDS, type SecretGroup } from './secret-kinds.ts';

/**
 * What is done with a secret. `mask`: a token stands for it, and goes back to the value where it came from. `drop`: gone for
 * good. `ask` and `deny` stop the call or the result.
 */
const SECRET_MODES = ['allow', 'mask', 'drop', 'ask', 'deny'] as const;

export type SecretMode = (typeof SECRET_MODES)[number];
export type SecretDirection = 'arguments' | 'results';

export interface SecretRule {
  readonly direction: SecretDirection | undefined;
  /** Patterns; left out: all. */
  readonly upstream: string | undefined;
  readonly tool: string | undefined;
  /** JSON pointer, with patterns. */
  readonly field: string | undefined;
  /** Kinds, groups and names of custom patterns; `undefined`: all. */
  readonly kinds: ReadonlySet<string> | undefined;
  readonly mode: SecretMode;
}

export interface CustomSecret {
  readonly name: string;
  /** RE2 syntax. */
  readonly pattern: string;
}

/** The section `secrets`, resolved. */
export interface SecretSettings {
  readonly arguments: Readonly<Record<SecretGroup, SecretMode>>;
  readonly results: Readonly<Record<SecretGroup, SecretMode>>;
  /** The first that matches decides; none: the group does. */
  readonly rules: readonly SecretRule[];
  readonly custom: readonly CustomSecret[];
  /** A masked value on its way to a server it did not come from. */
  readonly foreign: 'ask' | 'deny';
  readonly vault: { readonly minutes: number; readonly entries: number };
}

const mode = z.enum(SECRET_MODES);
const resultMode = z.enum(['allow', 'mask', 'drop', 'deny'], {
  error: 'expected allow, mask, drop or deny; nobody can be asked about a result',
});

const OF_GROUP: Readonly<Record<SecretGroup, string>> = {
  credentials: 'Keys, tokens, passwords, private keys and recovery phrases.',
  financial: 'Card numbers and IBANs.',
  wallets: 'Addresses of wallets (Bitcoin, Ethereum).',
  identity: 'Identity numbers: US social security, Chinese resident id.',
  contact: 'Phone numbers and mail addresses.',
  network: 'Addresses of hosts in private networks.',
  marked:
    'Fields a schema calls sensitive (format password, writeOnly, x-sensitive, our _meta key), whatever they hold.',
  custom: 'Patterns of your own.',
};

const argumentGroups = z.strictObject({
  credentials: mode.default('ask').describe(`${OF_GROUP.credentials} ask: a person sees where it goes.`),
  financial: mode.default('ask').describe(`${OF_GROUP.financial} ask, as above.`),
  wallets: mode.default('ask').describe(`${OF_GROUP.wallets} ask: money goes there.`),
  identity: mode.default('ask').describe(`${OF_GROUP.identity} ask, as above.`),
  contact: mode.default('allow').describe(`${OF_GROUP.contact} allow: most tools are about people.`),
  network: mode.default('allow').describe(`${OF_GROUP.network} allow: they mean little outside.`),
  marked: mode.default('allow').describe(`${OF_GROUP.marked} allow: the tool asks for it, and detectors still look.`),
  custom: mode.default('ask').describe(`${OF_GROUP.custom} ask: you call them secret.`),
});

const resultGroups = z.strictObject({
  credentials: resultMode.default('mask').describe(`${OF_GROUP.credentials} mask: the model has no use for the value.`),
  financial: resultMode.default('mask').describe(`${OF_GROUP.financial} mask, as above.`),
  wallets: resultMode.default('allow').describe(`${OF_GROUP.wallets} allow: they are public.`),
  identity: resultMode.default('mask').describe(`${OF_GROUP.identity} mask, as above.`),
  contact: resultMode.default('allow').describe(`${OF_GROUP.contact} allow: answers are about people.`),
  network: resultMode.default('allow').describe(`${OF_GROUP.network} allow: who looks after machines needs them.`),
  marked: resultMode.default('mask').describe(`${OF_GROUP.marked} mask: the server says so itself.`),
  custom: resultMode.default('mask').describe(`${OF_GROUP.custom} mask: you call them secret.`),
});

/** Each is looked for in every text. */
const MAX_CUSTOM = 32;
const MAX_RULES = 256;

const glob = z.string().min(1).max(256);

const ruleSchema = z.strictObject({
  direction: z.enum(['arguments', 'results']).optional().describe('Left out: both.'),
  upstream: glob.optional().describe('A server by its name here; * stands for any characters, ? for one.'),
  tool: glob.optional().describe('A tool by its own name at the server; * as above.'),
  field: glob
    .optional()
    .describe('A JSON pointer into the arguments or the result, e.g. /headers/*; * crosses slashes.'),
  kinds: z
    .array(z.string().min(1).max(64))
    .min(1)
    .max(64)
    .optional()
    .describe('Kinds (github-token), groups (credentials) or names of custom patterns. Left out: all.'),
  mode: mode.describe('What is done with it.'),
});

export const secretsSchema = z.strictObject({
  mode: z.enum(['on', 'off']).default('on').describe('off: nothing is looked at, whatever policy.set says.'),
  arguments: argumentGroups.prefault({}).describe('Secrets on their way to a server.'),
  results: resultGroups.prefault({}).describe('Secrets on their way to the client and its model.'),
  rules: z
    .array(ruleSchema)
    .max(MAX_RULES)
    .default([])
    .describe('Exceptions by direction, server, tool, field and kind; the first that matches decides.'),
  custom: z
    .array(
      z.strictObject({
        name: z
          .string()
          .regex(/^[a-z][a-z0-9-]{0,39}$/, { error: 'expected 1 to 40 of the characters a-z 0-9 -, a letter first' })
          .describe('Shown in reasons and in the token that stands for the value.'),
        pattern: z
          .string()
          .min(2)
          .max(512)
          .describe('RE2 syntax: no look-around, no back-references, and no text that makes it slow.'),
      }),
    )
    .max(MAX_CUSTOM)
    .default([])
    .describe('Patterns of your own, e.g. for customer numbers.'),
  foreign: z
    .enum(['ask', 'deny'])
    .default('deny')
    .describe(
      'A token on its way to a server its value did not come from. The value never goes there; ask: a person may let the token go as it is.',
    ),
  vault: z
    .strictObject({
      minutes: z
        .int()
        .min(1)
        .max(1_440)
        .default(60)
        .describe('How long a masked value is kept. 60: a long conversation.'),
      entries: z
        .int()
        .min(10)
        .max(100_000)
        .default(1_000)
        .describe('How many are kept for each caller; the oldest makes room. 1,000 keys take about 200 KB.'),
    })
    .prefault({})
    .describe('Where masked values wait: in memory, or sealed in the database with state.shared.'),
});

export type WrittenSecrets = z.output<typeof secretsSchema>;

export interface SecretsContext {
  /** The set in force; it decides where the section is left out. */
  readonly set: StarterSet;
  /** Names that stand in the file. */
  readonly servers: readonly string[];
  /** What RE2 has against a pattern; `undefined`: nothing. Left out, every pattern is a problem. */
  readonly refusePattern?: ((pattern: string) => string | undefined) | undefined;
}

/** @returns `undefined`: nothing is looked at */
export function resolveSecrets(
  written: WrittenSecrets | undefined,
  { set, ...context }: SecretsContext,
  report: (path: Path, message: string) => void,
): SecretSettings | undefined {
  if (written === undefined) return toStarterSecrets(set);
  const settings = toSettings(written, context, report);
  return written.mode === 'off' ? undefined : settings;
}

function toSettings(
  written: WrittenSecrets,
  { servers, refusePattern = () => 'nothing here can read it' }: Omit<SecretsContext, 'set'>,
  report: (path: Path, message: string) => void,
): SecretSettings {
  const names = new Set<string>();
  written.custom.forEach(({ name, pattern }, index) => {
    if (names.has(name) || SECRET_KINDS.has(name) || (SECRET_GROUPS as readonly string[]).includes(name))
      report(['custom', index, 'name'], `"${name}" is the name of another kind; choose a name of its own`);
    names.add(name);
    // The engine itself is asked: what it refuses later stops every call.
    const refused = refusePattern(pattern);
    if (refused !== undefined) report(['custom', index, 'pattern'], `is no pattern in RE2 syntax (${refused}); ${FIX}`);
  });
  const rules = written.rules.map((rule, index): SecretRule => {
    const { direction, upstream, tool, field, kinds, mode: chosen } = rule;
    const path = ['rules', index];
    if (upstream !== undefined && !servers.some((server) => matchesGlob(upstream, server)))
      report([...path, 'upstream'], 'matches no server of this file, so the rule would do nothing');
    for (const kind of kinds ?? [])
      if (!SECRET_KINDS.has(kind) && !names.has(kind) && !(SECRET_GROUPS as readonly string[]).includes(kind))
        report([...path, 'kinds'], `"${kind}" is no kind, no group and no custom pattern`);
    if (chosen === 'ask' && direction !== 'arguments')
      report(
        [...path, 'mode'],
        'nobody can be asked about a result; add "direction": "arguments", or use mask or deny',
      );
    return { direction, upstream, tool, field, kinds: kinds === undefined ? undefined : new Set(kinds), mode: chosen };
  });
  const { arguments: args, results, custom, foreign, vault } = written;
  return { arguments: args, results, rules, custom, foreign, vault };
}

const FIX =
  'leave out look-around, back-references and repeats above 1000, and write \\x{4e00} for \\u4e00 and (?s:.) for [^]';

/** What a starter set brings where the file has no section of its own; laptop: nothing is looked at. */
export function toStarterSecrets(set: StarterSet): SecretSettings | undefined {
  if (set === 'laptop') return undefined;
  return set === 'team' ? TEAM : LOCKED;
}

const TEAM: SecretSettings = Object.freeze(toSettings(secretsSchema.parse({}), { servers: [] }, () => {}));
const LOCKED: SecretSettings = Object.freeze<SecretSettings>({
  ...TEAM,
  arguments: { ...TEAM.arguments, credentials: 'deny', financial: 'deny', identity: 'deny', contact: 'ask' },
  results: { ...TEAM.results, contact: 'mask' },
});
