import { ALLOW } from '../../core/verdict.ts';
import type { Guard } from '../guard.ts';
import { snapshotOf } from '../snapshot-of.ts';
import { privacyOf } from './labels.ts';
import { privateFlows } from './private-flows.ts';
import { type TaintPorts, taint } from './taint.ts';

/** Whether private data leaves with what is no call of a tool: the rules about private values. What asks elsewhere is no here. */
export function outgoingTaint(ports: TaintPorts): Guard {
  const guard = taint({
    ...ports,
    settings: (snapshot) => {
      const settings = ports.settings(snapshot);
      return settings === undefined ? undefined : privateOnly(settings);
    },
    sinksOf: () => [],
  });
  return {
    name: guard.name,
    request(call) {
      if (ports.settings(snapshotOf(call)) === undefined) return ALLOW;
      const decide = (marks: number) => (privacyOf(marks) === 0 ? undefined : guard.request?.(call)) ?? ALLOW;
      const marks = ports.memory.marksOf(call.run);
      return typeof marks === 'number' ? decide(marks) : marks.then(decide);
    },
  };
}

const privateOnly = privateFlows((flow) => (flow.action === 'ask' ? { ...flow, action: 'deny' } : flow));
