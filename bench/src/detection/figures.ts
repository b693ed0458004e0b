import { atLeast, atMost, type Goal } from './judged.ts';

export const PARTS = ['definitions', 'shadow', 'change', 'result', 'egress', 'containment'] as const;
export type Part = (typeof PARTS)[number];

/** Every share with its goal, in the order of the table. Names, meanings and goals keep for good: see bench/README.md. */
export const SHARES: readonly (readonly [Part, string, Goal | undefined])[] = [
  ['definitions', 'detection.explicit.found', atLeast(0.9)],
  ['definitions', 'detection.explicit.false_alarms', atMost(0.01)],
  ['definitions', 'detection.promotional.found', atLeast(0.7)],
  ['definitions', 'detection.schema.found', atLeast(0.7)],
  ['definitions', 'detection.context.found', atLeast(0.6)],
  ['definitions', 'detection.block.found', atLeast(0.45)],
  ['definitions', 'detection.block.false_alarms', atMost(0.0002)],
  ['definitions', 'detection.block.plugin_alarms', atMost(0.01)],
  ['result', 'detection.block.security_alarms', atMost(0.05)],
  ['definitions', 'detection.block.payloads', atLeast(1)],
  ['definitions', 'detection.plugin.false_alarms', undefined],
  ['definitions', 'detection.parameter.found', atLeast(0.9)],
  ['definitions', 'detection.parameter.found_named', undefined],
  ['definitions', 'detection.parameter.false_alarms', atMost(0.005)],
  ['shadow', 'detection.shadow.found', atLeast(0.92)],
  ['shadow', 'detection.shadow.false_alarms', atMost(0.005)],
  ['change', 'detection.change.found', atLeast(0.9)],
  ['change', 'detection.change.false_alarms', atMost(0.01)],
  ['change', 'detection.change.held', atLeast(1)],
  ['result', 'detection.result.found', atLeast(0.8)],
  ['result', 'detection.result.false_alarms', atMost(0.01)],
  ['result', 'detection.result.security_alarms', atMost(0.1)],
  ['result', 'detection.result.found_weak', undefined],
  ['result', 'detection.result.found_implicit', undefined],
  ['result', 'detection.result.blocked', undefined],
  ['result', 'detection.result.block_alarms', undefined],
  ['egress', 'detection.egress.contained', atLeast(0.92)],
  ['egress', 'detection.egress.allowed_stopped', atMost(0)],
  ['containment', 'containment.harmed', atMost(0.002)],
  ['containment', 'containment.honest_asked', atMost(0.03)],
  ['containment', 'containment.approved', atLeast(0.85)],
  ['containment', 'containment.approved_asked', atMost(0.03)],
];
