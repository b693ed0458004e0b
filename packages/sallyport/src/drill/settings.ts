import type { Json, JsonObject } from '../core/json.ts';
import type { DrillServer, Scenario } from './scenario.ts';

/** The starter sets; a test compares them with those of the configuration, which this folder does not import. */
export const DRILL_SETS = ['laptop', 'team', 'locked'] as const;
export type DrillSet = (typeof DRILL_SETS)[number];

/** What Sallyport is configured with in a drill, beside the servers. */
export type DrillSettings =
  /** What a new user has: nothing but `mcpServers`. */
  | { readonly kind: 'default' }
  /** Exactly this set. */
  | { readonly kind: 'set'; readonly set: DrillSet }
  /** As docs/guide-team.md has it: the operator says which servers are their own, and approves definitions. */
  | { readonly kind: 'guide' };

/** A column of docs/threats.md. */
export type SettingsName = DrillSet | 'guide-team';

export function nameOf(settings: DrillSettings): SettingsName {
  if (settings.kind === 'set') return settings.set;
  return settings.kind === 'guide' ? 'guide-team' : 'laptop';
}

/** The set that is in force. */
export function setOf(settings: DrillSettings): DrillSet {
  if (settings.kind === 'set') return settings.set;
  return settings.kind === 'guide' ? 'team' : 'laptop';
}

/** The sections beside `mcpServers` that all threats have in common. */
export function toSections(settings: DrillSettings): JsonObject {
  if (settings.kind === 'default') return {};
  if (settings.kind === 'set') return { policy: { set: settings.set } };
  return {
    // The code of these servers is ours; what they say is what the drill is about.
    pins: { mode: 'team', programs: false },
    policy: { set: 'team' },
    approvals: { elicit: false, selfApproval: false },
    // The team believes its own host about what the user typed.
    taint: { trustedHosts: ['agent-*'] },
  };
}

/** Those and what an operator says of the servers of one threat, where the settings have such an operator. */
export function toScenarioSections(
  settings: DrillSettings,
  { own, config = {} }: { readonly own: readonly DrillServer[]; readonly config?: Scenario['config'] },
): JsonObject {
  const sections = toSections(settings);
  if (settings.kind !== 'guide') return sections;
  const sources: Json[] = own.map(({ name, own: privacy = 'internal' }) => ({
    match: name,
    trust: 'trusted',
    privacy,
  }));
  return { ...sections, taint: { ...(sections['taint'] as JsonObject), sources }, ...(config as JsonObject) }; // both are data of ours
}
