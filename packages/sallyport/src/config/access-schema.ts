import { z } from 'zod';
import { SINK_CLASSES } from '../core/sink.ts';

/** Who may use what, as people write it. Resolved in `resolve-access.ts`. */

/** Names in the file that are patterns: `*` is any run of characters, `?` one. */
const pattern = z.string().min(1).max(512);
const groups = z.array(z.string().min(1).max(256)).min(1);
/** Names callers know: what every client accepts. */
const PUBLIC_NAME = /^[A-Za-z0-9_.-]{1,64}$/;
const TOOL_NAME = 'expected 1 to 64 of the characters A-Z a-z 0-9 _ . -';

const entry = z.union([
  pattern,
  z.strictObject({
    match: pattern.describe('A name or a pattern.'),
    groups: groups.describe('Only callers in one of these groups.'),
  }),
]);

const KINDS = {
  tools: 'Tools, by the server’s own names.',
  resources: 'Resources and templates, by URI.',
  prompts: 'Prompts, by the server’s own names.',
};

const allowSchema = z.strictObject({
  tools: z.array(entry).optional().describe(KINDS.tools),
  resources: z.array(entry).optional().describe(KINDS.resources),
  prompts: z.array(entry).optional().describe(KINDS.prompts),
});

const denySchema = z.strictObject({
  tools: z.array(pattern).optional().describe(KINDS.tools),
  resources: z.array(pattern).optional().describe(KINDS.resources),
  prompts: z.array(pattern).optional().describe(KINDS.prompts),
});

/** Keys of a server. */
export const serverAccess = {
  allow: allowSchema
    .optional()
    .describe(
      'Only what is named here is there, in lists and calls alike; a kind that is left out stays open. Patterns with * and ?.',
    ),
  deny: denySchema.optional().describe('What is named here is not there, whatever allow says.'),
  groups: groups.optional().describe('Only callers in one of these groups know of this server.'),
  shared: z
    .boolean()
    .default(false)
    .describe(
      'All callers share one credential at this server: writing tools need a binding, or the call is refused. false: one person’s laptop.',
    ),
  readOnlyTools: z
    .array(pattern)
    .optional()
    .describe('Tools of a shared server that change nothing although they do not say so themselves.'),
};

const reference = z
  .string()
  .min(3)
  .max(512)
  .regex(/^[^.].*\../, { error: 'expected "<server>.<name>"; patterns with * and ? are fine' });

const bundleTool = z.union([
  reference,
  z.strictObject({
    tool: reference.describe('"<server>.<tool>".'),
    name: z
      .string()
      .regex(PUBLIC_NAME, { error: TOOL_NAME })
      .optional()
      .describe('What callers of the bundle call it.'),
    description: z.string().min(1).max(8192).optional().describe('What callers of the bundle read about it.'),
  }),
]);

export const bundlesSchema = z.record(
  z.string().regex(/^(?!\.{1,2}$)[A-Za-z0-9_.-]{1,64}$/),
  z.strictObject({
    title: z.string().min(1).max(256).optional().describe('For people.'),
    description: z.string().min(1).max(8192).optional().describe('What it is for.'),
    instructions: z
      .string()
      .min(1)
      .max(65_536)
      .optional()
      .describe(
        'What a model is told first. The servers’ own instructions are not passed on: they speak of other tools.',
      ),
    tools: z
      .array(bundleTool)
      .default([])
      .describe('"<server>.<tool>", patterns, or with a name and description of its own.'),
    resources: z.array(reference).default([]).describe('"<server>.<uri>", patterns.'),
    prompts: z.array(reference).default([]).describe('"<server>.<prompt>", patterns.'),
    groups: groups.optional().describe('Only callers in one of these groups know of this bundle.'),
  }),
);

const action = z.enum(['allow', 'ask', 'deny']);

export const sinksSchema = z.strictObject({
  floor: z
    .partialRecord(z.enum(SINK_CLASSES), action)
    .default({})
    .describe(
      'What a call with this effect needs, whichever tool causes it. Empty: nothing, as suits one person’s laptop.',
    ),
  overrides: z
    .record(reference, z.array(z.enum(SINK_CLASSES)))
    .default({})
    .describe('"<server>.<tool>" or a pattern: the effects it has, in place of those found.'),
});

export const bindingsSchema = z.array(
  z.strictObject({
    upstream: z.string().min(1).describe('The server.'),
    argument: z
      .union([z.string().min(1).max(256), z.array(z.string().min(1).max(256)).min(1).max(16)])
      .describe(
        'The argument: its name, dotted for one inside another; a JSON pointer (/file/path); or a list of names. Lists on the way are looked at element by element.',
      ),
    attribute: z
      .union([z.string().min(1).max(128), z.array(z.string().min(1).max(128)).min(1).max(16)])
      .describe(
        'The attribute of the caller it must agree with; of several, any. An attribute may have several values.',
      ),
    match: z
      .enum(['equal', 'path'])
      .default('equal')
      .describe(
        'equal: the same text. path: the same path or one below it, with nothing in it that could lead elsewhere.',
      ),
    ignoreCase: z
      .boolean()
      .default(false)
      .describe('true: the server takes A and a for the same. false: where it does not, they are two people.'),
    tools: z.array(pattern).optional().describe('Only these tools; patterns.'),
    writingOnly: z
      .boolean()
      .default(true)
      .describe(
        'true: only tools that do more than read. false: those that read, too, where reading is not for everybody.',
      ),
  }),
);

export type WrittenAllow = z.output<typeof allowSchema>;
export type WrittenDeny = z.output<typeof denySchema>;
export type WrittenBundles = z.output<typeof bundlesSchema>;
export type WrittenSinks = z.output<typeof sinksSchema>;
export type WrittenBindings = z.output<typeof bindingsSchema>;
