import { z } from 'zod';
import { matchesGlob } from '../core/glob.ts';
import type { Principal } from '../core/principal.ts';

const pattern = z.string().min(1).max(256);

/** Whom a rule about lists of tools is for. */
export const listerRule = {
  client: pattern.optional().describe('Clients by the name they give themselves (clientInfo.name). Patterns.'),
  bundle: pattern.optional().describe('Only on the endpoint of these bundles. Patterns.'),
  caller: pattern.optional().describe('Callers by id or by the name of their program. Patterns.'),
  group: z.string().min(1).max(256).optional().describe('Callers of this group.'),
};

export interface ListerRule {
  readonly client?: string | undefined;
  readonly bundle?: string | undefined;
  readonly caller?: string | undefined;
  readonly group?: string | undefined;
}

/** Who lists tools, and where. */
export interface Lister {
  /** The name the client gives itself. */
  readonly client: string;
  /** `undefined`: not at the endpoint of a bundle. */
  readonly bundle: string | undefined;
  readonly principal: Principal;
}

/** What a rule does not name, it holds for. */
export function fitsLister(rule: ListerRule, { client, bundle, principal }: Lister): boolean {
  const { id, agent, groups } = principal;
  if (rule.client !== undefined && !matchesGlob(rule.client, client)) return false;
  if (rule.bundle !== undefined && (bundle === undefined || !matchesGlob(rule.bundle, bundle))) return false;
  if (rule.group !== undefined && !groups.includes(rule.group)) return false;
  if (rule.caller === undefined) return true;
  return matchesGlob(rule.caller, id) || (agent !== undefined && matchesGlob(rule.caller, agent));
}

type Report = (path: readonly (string | number)[], message: string) => void;

/** A rule that can never match is a mistake: it would look like a setting and be none. */
export function reportUnknownBundles(rules: readonly ListerRule[], bundles: readonly string[], report: Report): void {
  for (const [at, { bundle }] of rules.entries())
    if (bundle !== undefined && !bundles.some((name) => matchesGlob(bundle, name)))
      report(['rules', at, 'bundle'], `no bundle is called ${JSON.stringify(bundle)}; write the name of one`);
}
