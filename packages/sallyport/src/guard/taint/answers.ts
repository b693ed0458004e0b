import type { Call } from '../../core/call.ts';
import { ALLOW } from '../../core/verdict.ts';
import type { Guard } from '../guard.ts';
import { snapshotOf } from '../snapshot-of.ts';
import { isBelieved } from './label-source.ts';
import { privateFlows } from './private-flows.ts';
import { type TaintPorts, taint } from './taint.ts';

/** Names of the questions whose answers are not what the client's model wrote. */
const FORM = 'elicitation/create';
const ROOTS = 'roots/list';

/**
 * Holds what a client answers to a server's question to the rules about private values, as an argument of a call would be.
 * In a form that a believed host put to its user only secrets count: what the user typed is the user's to give. From all
 * others a form may have been filled in by a model. What a server asked for is never kept as the client's own, since the
 * server chose the words; which folders there are, no server says.
 */
export function answersTaint(ports: TaintPorts): Guard {
  const toGuard = (reduce: ReturnType<typeof privateFlows>): Guard =>
    taint({
      ...ports,
      settings: (snapshot) => {
        const settings = ports.settings(snapshot);
        return settings && reduce(settings);
      },
      sinksOf: () => [],
      mayKeep: ({ tool }) => tool.name === ROOTS,
    });
  const all = toGuard(
    privateFlows(
      (flow) => flow,
      ({ to }) => to.hidden === true,
    ),
  );
  const secretsOnly = toGuard(privateFlows((flow) => ({ ...flow, from: 'secret' })));
  return {
    name: all.name,
    request: (call) => (isTypedForm(call, ports) ? secretsOnly : all).request?.(call) ?? ALLOW,
  };
}

function isTypedForm(call: Call, { settings }: Pick<TaintPorts, 'settings'>): boolean {
  const { tool, client } = call;
  const now = settings(snapshotOf(call));
  return now !== undefined && tool.name === FORM && isBelieved(now, client.principal);
}
