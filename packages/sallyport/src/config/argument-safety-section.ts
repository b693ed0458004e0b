import { z } from 'zod';
import { matchesGlob } from '../core/glob.ts';
import type { Path } from './parse-file.ts';
import type { StarterSet } from './policy-section.ts';

/** Dangers of arguments that the operator weighs; the rest is never harmless and always denied. */
export const ARGUMENT_DANGERS = [
  'traversal',
  'outsideRoots',
  'sensitivePath',
  'command',
  'disguisedCommand',
  'privateAddress',
  'dataInHost',
  'nestedEncoding',
  'instructions',
] as const;

export type ArgumentDanger = (typeof ARGUMENT_DANGERS)[number];
export type DangerAction = 'allow' | 'ask' | 'deny';

export interface ArgumentSafetyRule {
  /** Patterns; left out: all. */
  readonly upstream: string | undefined;
  readonly tool: string | undefined;
  readonly dangers: ReadonlySet<string> | undefined;
  readonly action: DangerAction;
}

/** The section `argumentSafety`, resolved. */
export interface ArgumentSafetySettings {
  /** What is never harmless is denied: metadata addresses, line breaks in headers, NUL, encoded traversal. */
  readonly enabled: boolean;
  readonly dangers: Readonly<Record<ArgumentDanger, DangerAction>>;
  /** Directories that paths may lie in; empty: none are declared, and `outsideRoots` finds nothing. */
  readonly roots: readonly string[];
  /** Longest single text. Characters. */
  readonly maxText: number;
  readonly rules: readonly ArgumentSafetyRule[];
}

const action = z.enum(['allow', 'ask', 'deny']);
const MAX_RULES = 256;
const glob = z.string().min(1).max(256);

export const argumentSafetySchema = z.strictObject({
  enabled: z
    .boolean()
    .default(true)
    .describe(
      'Denies what is never harmless: metadata services of clouds in every notation, line breaks in values of headers, NUL characters in paths, addresses, headers and commands, encoded path traversal. false: nothing is looked at.',
    ),
  traversal: action
    .default('allow')
    .describe('A path that climbs above where it starts (../../x). allow: coding agents name neighbours so.'),
  outsideRoots: action
    .default('deny')
    .describe('An absolute path outside roots, where roots are declared. deny: whoever declares roots means them.'),
  sensitivePath: action
    .default('allow')
    .describe(
      'Files that hold credentials or start programs: .ssh, .env, /etc/shadow, crontabs. allow: some tools are for them.',
    ),
  command: action
    .default('allow')
    .describe(
      'Shell syntax that starts a program, in a parameter that is no command; a command that runs what it downloads, or hands a shell to another machine. allow: texts may quote it.',
    ),
  disguisedCommand: action
    .default('allow')
    .describe(
      'A command written so that it is not recognised: look-alike letters, r\\m, {rm,}, decoded and piped to a shell. allow: texts about security quote such commands.',
    ),
  privateAddress: action
    .default('allow')
    .describe(
      'A URL to loopback or a private network, in every notation. allow: on a laptop that is what local servers are.',
    ),
  dataInHost: action
    .default('allow')
    .describe(
      'A host name that carries data in its labels, as DNS tunnels do. allow: hosts that a cloud names look like it.',
    ),
  nestedEncoding: action
    .default('allow')
    .describe(
      'Letters of a URL that are percent-encoded more than once. allow: an address inside an address is written so.',
    ),
  instructions: action
    .default('allow')
    .describe(
      'A text that gives orders to a model, on its way to somebody who may be one. allow: reports quote such texts.',
    ),
  roots: z
    .array(
      z
        .string()
        .regex(/^(?:\/|[A-Za-z]:[\\/])/, { error: 'expected an absolute path' })
        .max(1024),
    )
    .max(64)
    .default([])
    .describe('Directories that paths in arguments may lie in. Empty: any.'),
  maxText: z
    .int()
    .min(1_024)
    .max(1_073_741_824)
    .default(1_073_741_824)
    .describe(
      'Longest single text of the arguments, in characters. Left out: gateway.limits.bodyBytes alone bounds it.',
    ),
  rules: z
    .array(
      z.strictObject({
        upstream: glob.optional().describe('A server by its name here; patterns.'),
        tool: glob.optional().describe('A tool by its own name at the server; patterns.'),
        dangers: z.array(z.enum(ARGUMENT_DANGERS)).min(1).optional().describe('Left out: all of the above.'),
        action: action.describe('What is done instead.'),
      }),
    )
    .max(MAX_RULES)
    .default([])
    .describe('Exceptions; the first that matches decides.'),
});

/**
 * @param written `undefined`: the starter set decides
 * @param from names that stand in the file, and the set in force
 */
export function resolveArgumentSafety(
  written: z.output<typeof argumentSafetySchema> | undefined,
  { servers, set }: { readonly servers: readonly string[]; readonly set: StarterSet },
  report: (path: Path, message: string) => void,
): ArgumentSafetySettings {
  return written === undefined ? toStarterSafety(set) : toSettings(written, servers, report);
}

function toSettings(
  written: z.output<typeof argumentSafetySchema>,
  servers: readonly string[],
  report: (path: Path, message: string) => void,
): ArgumentSafetySettings {
  const { enabled, roots, maxText, rules, ...dangers } = written;
  return {
    enabled,
    dangers,
    roots: roots.map((root) => (root.length > 1 ? root.replace(/[/\\]$/, '') : root)),
    maxText,
    rules: rules.map(({ upstream, tool, dangers: named, action: chosen }, index) => {
      if (upstream !== undefined && !servers.some((server) => matchesGlob(upstream, server)))
        report(['rules', index, 'upstream'], 'matches no server of this file, so the rule would do nothing');
      return { upstream, tool, dangers: named === undefined ? undefined : new Set(named), action: chosen };
    }),
  };
}

const LAPTOP: ArgumentSafetySettings = Object.freeze(toSettings(argumentSafetySchema.parse({}), [], () => {}));
const TEAM: ArgumentSafetySettings = Object.freeze<ArgumentSafetySettings>({
  ...LAPTOP,
  dangers: {
    traversal: 'ask',
    outsideRoots: 'deny',
    sensitivePath: 'ask',
    command: 'ask',
    disguisedCommand: 'deny',
    privateAddress: 'ask',
    dataInHost: 'deny',
    nestedEncoding: 'ask',
    instructions: 'ask',
  },
});
const LOCKED: ArgumentSafetySettings = Object.freeze<ArgumentSafetySettings>({
  ...TEAM,
  dangers: {
    traversal: 'deny',
    outsideRoots: 'deny',
    sensitivePath: 'deny',
    command: 'deny',
    disguisedCommand: 'deny',
    privateAddress: 'deny',
    dataInHost: 'deny',
    nestedEncoding: 'deny',
    instructions: 'deny',
  },
});

/** What holds where the file has no section of its own. */
export function toStarterSafety(set: StarterSet): ArgumentSafetySettings {
  return { laptop: LAPTOP, team: TEAM, locked: LOCKED }[set];
}
