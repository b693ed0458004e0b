import { z } from 'zod';
import { matchesGlob } from '../core/glob.ts';
import { SINK_CLASSES } from '../core/sink.ts';
import type { Path } from './parse-file.ts';
import type { StarterSet } from './policy-section.ts';

/** How private data is. Each level is meant where the ones before it are named. */
export const PRIVACY = ['public', 'internal', 'personal', 'secret'] as const;
/** What a run or a value bears. */
export const LABELS = ['untrusted', 'internal', 'personal', 'secret'] as const;
/** What an argument decides. `content` decides nothing by itself; `other` is what has a name that tells nothing. */
export const ROLES = ['recipient', 'address', 'path', 'command', 'amount', 'content', 'other'] as const;

const pattern = z.string().min(1).max(512);

const sourceSchema = z.strictObject({
  match: pattern.describe('"<server>", "<server>.<tool>" or a pattern; the first entry that fits counts.'),
  trust: z
    .enum(['trusted', 'untrusted'])
    .default('untrusted')
    .describe(
      'trusted: nobody but you and people you trust can write what it returns. untrusted, because only you can know.',
    ),
  privacy: z
    .enum(PRIVACY)
    .default('public')
    .describe('How private its results are. public: what you do not call private may leave.'),
});

const flowSchema = z.strictObject({
  name: z
    .string()
    .regex(/^[a-z0-9][a-z0-9-]{0,63}$/, { error: 'expected a name like "private-leaves"' })
    .describe('Stands in every stop it causes.'),
  from: z.enum(LABELS).describe('The label; internal holds for personal and secret too, personal for secret.'),
  by: z
    .enum(['value', 'run'])
    .describe(
      'value: data with the label is found in an argument. run: the conversation has read such data, and nobody vouches for the call.',
    ),
  to: z
    .strictObject({
      sinks: z.array(z.enum(SINK_CLASSES)).min(1).optional().describe('Only calls with one of these effects.'),
      acts: z
        .boolean()
        .optional()
        .describe(
          'true: only calls that reach others or destroy something: one of the effects, a booking, a device, a comment, a write outside the roots.',
        ),
      changes: z
        .boolean()
        .optional()
        .describe(
          'true: only calls that change what the server has of its own: files inside the roots, notes, records. By run, only where the request of the user is known.',
        ),
      servers: z.array(pattern).min(1).optional().describe('Only calls of these servers; patterns.'),
      roles: z.array(z.enum(ROLES)).min(1).optional().describe('Only arguments that decide this.'),
      outside: z
        .boolean()
        .optional()
        .describe(
          'true: only where the data leaves: another server than its own that is not in inside, or an effect that sends out.',
        ),
      hidden: z
        .boolean()
        .optional()
        .describe(
          "true: only text of another server where honest work has no use for it: in an address whose host a third text named, encoded in a parameter that asks for no encoding, in a parameter that asks for the conversation, in the answer of the client's model to a server.",
        ),
      opaque: z
        .boolean()
        .optional()
        .describe(
          'true: only arguments with a part that nobody can read and that no result and no list gave as it is: more than 48 letters and digits in a row (64 of hexadecimal) without a word, as mixed as noise. What was encrypted looks so.',
        ),
    })
    .prefault({})
    .describe('Where the data must not go; all members must fit.'),
  action: z
    .enum(['ask', 'deny', 'note'])
    .default('ask')
    .describe('ask: a person may let the call through. deny: nobody may. note: only the log tells of it.'),
});

/** The section `taint` of the file. */
export const taintSchema = z.strictObject({
  mode: z
    .enum(['on', 'off'])
    .default('on')
    .describe('off: nothing is labelled and no result is remembered, whatever policy.set says.'),
  sources: z
    .array(sourceSchema)
    .max(1_000)
    .default([])
    .describe('What results bear. A result that no entry speaks of is untrusted and public.'),
  content: z
    .boolean()
    .default(true)
    .describe(
      'Whether keys of providers and private keys found in a result are secret, whatever its source is. true: a log holds them, too.',
    ),
  inside: z
    .array(pattern)
    .max(1_000)
    .default([])
    .describe('Servers that private data may go to; patterns. Empty: back to its own server only.'),
  flows: z
    .array(flowSchema)
    .max(100)
    .optional()
    .describe('What may not flow where. Left out: the rules of policy.set.'),
  trustedHosts: z
    .array(pattern)
    .max(100)
    .default([])
    .describe(
      'Callers (id or agent; patterns) whose _meta["dev.sallyport/user"] is believed to be what the user asked for. Empty: nobody, since whoever writes a client can make it say anything.',
    ),
  idleMs: z
    .int()
    .min(60_000)
    .max(7 * 86_400_000)
    .default(8 * 3_600_000)
    .describe('A conversation that rests so long is forgotten, labels included. 8 h, a working day.'),
  printsPerRun: z
    .int()
    .min(1_000)
    .max(16_000_000)
    .default(500_000)
    .describe(
      'Fingerprints kept of one conversation, 12 to 24 bytes each. 500,000 are 1.7 MB of text; more counts as unknown, and unknown asks.',
    ),
  prints: z
    .int()
    .min(1_000)
    .max(256_000_000)
    .default(4_000_000)
    .describe('Fingerprints kept of all conversations. 4,000,000 take about 100 MB.'),
  runs: z
    .int()
    .min(10)
    .max(1_000_000)
    .default(20_000)
    .describe(
      'Conversations kept apart; one more bears the marks of all that share its place, so that no flood makes another one forget. 20,000: a day of a large team.',
    ),
});

export type Privacy = (typeof PRIVACY)[number];
export type Label = (typeof LABELS)[number];
export type Role = (typeof ROLES)[number];
export type TaintFlow = Readonly<z.output<typeof flowSchema>>;
export type TaintSettings = Omit<z.output<typeof taintSchema>, 'mode' | 'flows'> & {
  readonly flows: readonly TaintFlow[];
};

const VALUE_FLOWS: readonly TaintFlow[] = [
  { name: 'secret-elsewhere', from: 'secret', by: 'value', to: { outside: true }, action: 'deny' },
  { name: 'private-outside', from: 'internal', by: 'value', to: { outside: true }, action: 'ask' },
  {
    name: 'untrusted-decides',
    from: 'untrusted',
    by: 'value',
    to: { acts: true, roles: ['recipient', 'address', 'path', 'command', 'amount'] },
    action: 'ask',
  },
];

/** Without a word of the operator: no honest work hides what one server said on its way to another. */
const HIDDEN: TaintFlow = {
  name: 'hidden-elsewhere',
  from: 'untrusted',
  by: 'value',
  to: { hidden: true },
  action: 'ask',
};

/** What is encrypted is found by no reader: it is enough that nobody can say what it is. */
const OPAQUE: TaintFlow = {
  name: 'opaque-outside',
  from: 'internal',
  by: 'run',
  to: { opaque: true, outside: true },
  action: 'ask',
};

const STRICT: readonly TaintFlow[] = [
  ...VALUE_FLOWS,
  HIDDEN,
  OPAQUE,
  { name: 'untrusted-acts', from: 'untrusted', by: 'run', to: { acts: true }, action: 'ask' },
  { name: 'unasked-change', from: 'untrusted', by: 'run', to: { changes: true }, action: 'ask' },
  // An address that no result and no user gave was made up by somebody: what is in it leaves.
  { name: 'made-address', from: 'untrusted', by: 'run', to: { roles: ['address'] }, action: 'ask' },
];

/** The rules that come with the starter sets of policies. */
export const STARTER_FLOWS: Readonly<Record<StarterSet, readonly TaintFlow[]>> = {
  // The user's words are unknown here, so nothing asks for the mere reason that something was read: money alone is gone for good.
  laptop: [
    ...VALUE_FLOWS,
    HIDDEN,
    OPAQUE,
    { name: 'untrusted-pays', from: 'untrusted', by: 'run', to: { sinks: ['pay'] }, action: 'ask' },
  ],
  team: STRICT,
  locked: STRICT,
};

/** @returns `undefined`: taint is off */
export function resolveTaint(
  written: z.output<typeof taintSchema> | undefined,
  from: { readonly set: StarterSet; readonly servers: readonly string[] },
  report: (path: Path, message: string) => void,
): TaintSettings | undefined {
  const { set, servers } = from;
  const { mode, flows, ...rest } = written ?? taintSchema.parse({});
  if (mode === 'off') return undefined;
  const isKnown = (glob: string) => servers.some((server) => matchesGlob(glob, server));
  rest.sources.forEach(({ match }, index) => {
    if (!servers.some((server) => fitsServer(match, server)))
      report(['sources', index, 'match'], 'fits no server of this file, so it would label nothing');
  });
  rest.inside.forEach((glob, index) => {
    if (!isKnown(glob)) report(['inside', index], 'matches no server of this file');
  });
  flows?.forEach(({ to }, index) => {
    to.servers?.forEach((glob, place) => {
      if (!isKnown(glob))
        report(['flows', index, 'to', 'servers', place], 'matches no server of this file, so it would stop nothing');
    });
  });
  return { ...rest, flows: flows ?? STARTER_FLOWS[set] };
}

/** The server part of "<server>.<tool>"; names of servers may hold dots themselves. */
function fitsServer(match: string, server: string): boolean {
  if (matchesGlob(match, server)) return true;
  for (let dot = match.indexOf('.'); dot >= 0; dot = match.indexOf('.', dot + 1))
    if (matchesGlob(match.slice(0, dot), server)) return true;
  return false;
}
