import { z } from 'zod';
import { fitsLister, type Lister, listerRule } from './lister-rule.ts';
import { findSearchingClient } from './searching-clients.ts';

const mode = z.enum(['auto', 'on', 'off']);

/** The section `discovery` of the file. */
export const discoverySchema = z.strictObject({
  mode: mode
    .default('auto')
    .describe(
      'auto: a list of tools that is too large for the context is replaced by find_tools, describe_tool and call_tool, unless the client is known to search by itself; on: always; off: never.',
    ),
  contextTokens: z
    .int()
    .min(1_000)
    .max(100_000_000)
    .default(200_000)
    .describe('The context of the model, in tokens. 200,000: what most models have today.'),
  share: z
    .number()
    .min(0)
    .max(1)
    .default(0.1)
    .describe('auto: definitions above this share of the context are too large. 0.1: the rest is for the work.'),
  resultTokens: z
    .int()
    .min(200)
    .max(100_000)
    .default(1_500)
    .describe('Most tokens of one result of find_tools or describe_tool. 1,500: a dozen tools, or one large schema.'),
  rules: z
    .array(
      z.strictObject({
        ...listerRule,
        mode: mode.describe('What holds for them in place of discovery.mode.'),
      }),
    )
    .max(1_000)
    .default([])
    .describe(
      'Who gets another mode; the first that fits counts. A rule that names a client also holds for clients that search by themselves.',
    ),
});

export type DiscoverySettings = Readonly<z.output<typeof discoverySchema>>;
export type DiscoveryMode = DiscoverySettings['mode'];

export const DEFAULT_DISCOVERY: DiscoverySettings = Object.freeze(discoverySchema.parse({}));

/** The mode for one caller. */
export function discoveryModeFor(settings: DiscoverySettings, lister: Lister): DiscoveryMode {
  const rule = settings.rules.find((one) => fitsLister(one, lister));
  if (rule?.client !== undefined) return rule.mode;
  if (findSearchingClient(lister.client) !== undefined) return 'off';
  return rule?.mode ?? settings.mode;
}
