import { z } from 'zod';
import { matchesGlob } from '../core/glob.ts';
import type { Principal } from '../core/principal.ts';
import { findSearchingClient } from './searching-clients.ts';

const pattern = z.string().min(1).max(256);

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
        client: pattern.optional().describe('Clients by the name they give themselves (clientInfo.name). Patterns.'),
        bundle: pattern.optional().describe('Only on the endpoint of these bundles. Patterns.'),
        caller: pattern.optional().describe('Callers by id or by the name of their program. Patterns.'),
        group: z.string().min(1).max(256).optional().describe('Callers of this group.'),
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

/** Who lists tools, and where. */
export interface Lister {
  /** The name the client gives itself. */
  readonly client: string;
  /** `undefined`: not at the endpoint of a bundle. */
  readonly bundle: string | undefined;
  readonly principal: Principal;
}

/** The mode for one caller. */
export function discoveryModeFor(settings: DiscoverySettings, lister: Lister): DiscoveryMode {
  const rule = settings.rules.find((one) => fits(one, lister));
  if (rule?.client !== undefined) return rule.mode;
  if (findSearchingClient(lister.client) !== undefined) return 'off';
  return rule?.mode ?? settings.mode;
}

function fits(rule: DiscoverySettings['rules'][number], { client, bundle, principal }: Lister): boolean {
  const { id, agent, groups } = principal;
  if (rule.client !== undefined && !matchesGlob(rule.client, client)) return false;
  if (rule.bundle !== undefined && (bundle === undefined || !matchesGlob(rule.bundle, bundle))) return false;
  if (rule.group !== undefined && !groups.includes(rule.group)) return false;
  if (rule.caller === undefined) return true;
  return matchesGlob(rule.caller, id) || (agent !== undefined && matchesGlob(rule.caller, agent));
}

type Report = (path: readonly (string | number)[], message: string) => void;

/** A rule that can never match is a mistake: it would look like a setting and be none. */
export function resolveDiscovery(
  written: DiscoverySettings,
  bundles: readonly string[],
  report: Report,
): DiscoverySettings {
  for (const [at, { bundle }] of written.rules.entries())
    if (bundle !== undefined && !bundles.some((name) => matchesGlob(bundle, name)))
      report(['rules', at, 'bundle'], `no bundle is called ${JSON.stringify(bundle)}; write the name of one`);
  return written;
}
