import type { SettingsName } from './settings.ts';

const EVERY: readonly SettingsName[] = ['laptop', 'team', 'locked', 'guide-team'];
const TEAM: readonly SettingsName[] = ['team', 'locked', 'guide-team'];
/** Honest work to anybody whom the operator did not tell of sources and bindings; `locked` permits neither. */
const TOLD: readonly SettingsName[] = ['locked', 'guide-team'];

/** Which settings contain a threat: docs/threats.md is written from this table, and test/drill.more.test.ts holds the drill to it. */
const CONTAINED_WITH: Readonly<Record<string, readonly SettingsName[]>> = {
  'capability-injection': EVERY,
  shadowing: EVERY,
  'poisoned-description': EVERY,
  'poisoned-schema': EVERY,
  'injected-result': EVERY,
  'rug-pull': EVERY,
  'name-squat': EVERY,
  'exfiltration-by-argument': TOLD,
  'exfiltration-by-url': EVERY,
  'exfiltration-by-image': TOLD,
  'exfiltration-by-encoding': EVERY,
  'exfiltration-in-pieces': TOLD,
  'elicitation-for-secrets': EVERY,
  'sampling-abuse': EVERY,
  'sampling-exfiltration': EVERY,
  'resource-link': EVERY,
  'confused-deputy': TOLD,
  'over-broad-token': TEAM,
  'out-of-scope-parameters': EVERY,
  'replayed-approval': EVERY,
};

export function containedWith(threat: string): readonly SettingsName[] {
  return CONTAINED_WITH[threat] ?? [];
}

export interface Promised {
  readonly contained: boolean;
  /** The honest work goes through untouched. With a bare set `team` callers need groups, and with `locked` policies of the operator. */
  readonly honest: boolean;
}

export function isPromised(threat: string, settings: SettingsName): Promised {
  return {
    contained: containedWith(threat).includes(settings),
    honest: settings === 'laptop' || settings === 'guide-team',
  };
}
