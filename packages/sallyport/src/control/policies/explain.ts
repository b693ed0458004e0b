import { FaultError } from '../../core/errors.ts';
import { isObject, type Json, type JsonObject, member } from '../../core/json.ts';
import type { Policy } from '../../guard/policy/compile-policies.ts';
import { preparePolicies } from '../../guard/policy/prepare-policies.ts';
import type { ControlPorts } from '../ports.ts';
import { NULLABLE_TEXT, objectOf, type Schema, TEXT, TEXTS } from '../route.ts';

const DECISION: Schema = {
  type: 'object',
  required: ['effect', 'policies', 'version'],
  properties: {
    effect: { enum: ['allow', 'ask', 'deny'] },
    policies: { ...TEXTS, description: 'Ids of the policies that decided; none where nothing permits.' },
    version: { type: 'string', description: 'Digest of the policies that decided.' },
    reason: TEXT,
    people: { type: 'integer' },
  },
};

/** A recorded call and what the policies said of it. */
export const EXPLAINED: Schema = {
  type: 'object',
  required: ['callId', 'time', 'method', 'principal', 'server', 'target', 'outcome', 'guard', 'reason', 'enforced'],
  properties: {
    callId: TEXT,
    time: TEXT,
    method: TEXT,
    principal: TEXT,
    server: NULLABLE_TEXT,
    target: NULLABLE_TEXT,
    outcome: TEXT,
    guard: { ...NULLABLE_TEXT, description: 'Which guard stopped it or changed it.' },
    reason: NULLABLE_TEXT,
    enforced: { type: 'boolean', description: 'False in shadow mode: the decision was noted and not carried out.' },
    decision: {
      ...DECISION,
      title: 'CallDecision',
      description: 'Before the call; absent where the policies were not asked.',
    },
    release: {
      ...DECISION,
      title: 'ReleaseDecision',
      description: 'Before the result; absent where no policy speaks of results.',
    },
    candidate: { ...DECISION, title: 'CandidateDecision', description: 'Of the policies that are only tried.' },
  },
};

export const WHY_RESULT: Schema = {
  ...EXPLAINED,
  required: [...(EXPLAINED['required'] as string[]), 'policies', 'explanation'],
  properties: {
    ...(EXPLAINED['properties'] as Record<string, Json>),
    policies: {
      type: 'array',
      description: 'Those that decided, as they read now; absent ones were removed since.',
      items: objectOf({
        id: TEXT,
        file: TEXT,
        line: { type: 'integer' },
        effect: { enum: ['permit', 'forbid'] },
        text: TEXT,
        isCurrent: { type: 'boolean', description: 'The policies in force are those that decided.' },
      }),
    },
    explanation: { type: 'string', description: 'In one sentence.' },
  },
};

/** What the audit says of one call, and the policies that decided. @throws FaultError `not_found` */
export async function explainCall(ports: ControlPorts, callId: string): Promise<Json> {
  const { items } = await ports.recordedCalls({ callId }, 1);
  const record = items[0];
  if (record === undefined)
    throw new FaultError(
      'not_found',
      `The audit holds no call "${callId.slice(0, 64)}". The callId of the log names one.`,
    );
  const explained = toExplained(record);
  return { ...explained, policies: await findPolicies(ports, record), explanation: explain(record) };
}

/** A call of the audit, without what it brought. */
export function toExplained(record: JsonObject): JsonObject {
  const text = (name: string) => (typeof record[name] === 'string' ? record[name] : null);
  const decisions = { decision: record['policy'], release: record['release'], candidate: record['candidate'] };
  return {
    callId: String(record['callId']),
    time: String(record['time']),
    method: String(record['method']),
    principal: String(member(record['principal'], 'id')),
    server: text('upstream'),
    target: text('tool'),
    outcome: String(record['outcome']),
    guard: text('guard'),
    reason: text('reason'),
    enforced: record['policyMode'] !== 'shadow',
    ...Object.fromEntries(
      Object.entries(decisions).flatMap(([name, decision]) => (isObject(decision) ? [[name, decision]] : [])),
    ),
  };
}

async function findPolicies(ports: ControlPorts, record: JsonObject): Promise<readonly Json[]> {
  const decisions = [record['policy'], record['release'], record['candidate']].filter((one) => isObject(one));
  if (decisions.length === 0) return [];
  const prepared = await preparePolicies(ports.snapshot()).catch(() => undefined);
  const sets = [prepared?.slices.compiled, prepared?.candidate?.slices.compiled];
  const found = new Map<string, Json>();
  for (const decision of decisions) {
    const ids = member(decision, 'policies');
    const version = member(decision, 'version');
    for (const id of Array.isArray(ids) ? ids : []) {
      const set = sets.find((one) => one?.version === version) ?? sets[0];
      const policy = set?.policies.find((one) => one.id === id);
      if (policy !== undefined) found.set(policy.id, show(policy, set?.version === version));
    }
  }
  return [...found.values()];
}

function show({ id, file, line, effect, text }: Policy, isCurrent: boolean): Json {
  return { id, file, line, effect, text, isCurrent };
}

function explain(record: JsonObject): string {
  const { policy, policyMode, outcome, guard, release } = record;
  const effect = member(policy, 'effect');
  const reason = member(policy, 'reason');
  if (outcome === 'denied' && guard !== 'policy' && effect === undefined)
    return `The guard "${String(guard)}" stopped it before the policies were asked: ${String(record['reason'])}`;
  if (effect === undefined)
    return outcome === 'failed' && record['upstream'] === undefined
      ? `It failed before anything was decided: ${String(record['reason'])}`
      : 'No policies were in force, or they do not speak of this method.';
  if (policyMode === 'shadow') return `The policies would have said ${String(effect)}; they were in shadow mode.`;
  if (effect === 'deny') return `The policies denied it: ${String(reason)}`;
  if (member(release, 'effect') === 'deny') return `The result was held back: ${String(member(release, 'reason'))}`;
  if (outcome === 'denied')
    return `The policies said ${String(effect)}; the guard "${String(guard)}" stopped it: ${String(record['reason'])}`;
  if (effect === 'ask') return `The policies wanted a person to agree (${String(reason)}), who did.`;
  return 'The policies allowed it.';
}
