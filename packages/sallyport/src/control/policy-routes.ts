import { createHash } from 'node:crypto';
import { policiesOf, STARTER_SETS } from '../config/policy-section.ts';
import { FaultError, toFault } from '../core/errors.ts';
import { isObject, type Json, member } from '../core/json.ts';
import type { CompiledPolicies, Policy } from '../guard/policy/compile-policies.ts';
import { preparePolicies, toSources } from '../guard/policy/prepare-policies.ts';
import { readLimit } from './page.ts';
import { EXPLAINED, explainCall, toExplained, WHY_RESULT } from './policies/explain.ts';
import { readKnownTools } from './policies/known-tools.ts';
import { openPolicySet, POLICIES } from './policies/policy-set.ts';
import { SHADOW_REQUEST, SHADOW_RESULT, shadowCalls } from './policies/shadow.ts';
import { TEST_REQUEST, TEST_RESULT, testUse } from './policies/test-use.ts';
import type { ControlPorts } from './ports.ts';
import { objectOf, PAGE_PARAMETERS, pageOf, type Route, type Schema, TEXT } from './route.ts';

const POLICY: Schema = {
  title: 'Policy',
  ...objectOf({
    id: TEXT,
    file: TEXT,
    line: { type: 'integer' },
    effect: { enum: ['permit', 'forbid'] },
    server: { type: ['string', 'null'], description: 'The one server its scope names; null: any.' },
    reads: {
      type: 'array',
      items: { enum: ['arguments', 'labels', 'client', 'time'] },
      description: 'What of the context it reads: such a policy is asked on every call.',
    },
  }),
};

const SOURCE: Schema = objectOf({ file: TEXT, sha256: TEXT, use: { enum: ['set', 'file', 'shadow'] }, text: TEXT });

/** The policies: what is in force, what would be, and what they decided. */
export function policyRoutes(ports: ControlPorts): readonly Route[] {
  return [...setRoutes(ports), ...decisionRoutes(ports)];
}

function setRoutes(ports: ControlPorts): readonly Route[] {
  return [
    {
      method: 'GET',
      path: '/policies',
      id: 'listPolicies',
      summary: 'The policies of the configuration: their sources with digests, and each of them',
      role: 'viewer',
      result: objectOf({
        set: { enum: [...STARTER_SETS], description: 'The starter set in force.' },
        mode: { enum: ['off', 'enforce', 'shadow'], description: 'off: no policy has to be evaluated.' },
        version: { type: ['string', 'null'] },
        sources: { type: 'array', items: SOURCE },
        policies: { type: 'array', items: POLICY },
        candidates: { type: 'array', items: POLICY, description: 'Those that are only tried.' },
      }),
      problems: [422],
      handle: () => listPolicies(ports),
    },
    {
      method: 'POST',
      path: '/policies/check',
      id: 'checkPolicies',
      summary: 'Checks policies: syntax, names, types and rules that can never match',
      role: 'viewer',
      body: { type: 'object', properties: { policies: POLICIES } },
      result: {
        type: 'object',
        required: ['sources', 'policies', 'problems'],
        properties: {
          version: { type: 'string', description: 'Absent where there are problems.' },
          sources: { type: 'array', items: TEXT },
          policies: { type: 'array', items: POLICY },
          problems: {
            type: 'array',
            items: objectOf({ file: TEXT, line: { type: 'integer' }, message: TEXT }),
          },
          message: { type: 'string', description: 'All problems as one text.' },
        },
      },
      handle: ({ body }) => checkPolicies(ports, body),
    },
    {
      method: 'POST',
      path: '/policies/test',
      id: 'testPolicies',
      summary: 'What policies would decide about a call, and which of them',
      role: 'viewer',
      body: TEST_REQUEST,
      result: TEST_RESULT,
      problems: [422],
      handle: ({ body }) => testUse(ports, body),
    },
  ];
}

function decisionRoutes(ports: ControlPorts): readonly Route[] {
  return [
    {
      method: 'GET',
      path: '/policies/decisions',
      id: 'listDecisions',
      summary: 'Recorded calls with what the policies decided about each, the newest first',
      role: 'viewer',
      query: PAGE_PARAMETERS,
      result: pageOf(EXPLAINED),
      handle: async ({ query }) => {
        const page = await ports.recordedCalls({}, readLimit(query), query.get('cursor') ?? undefined);
        const items = page.items.map(toExplained);
        return page.next === undefined ? { items } : { items, next: page.next };
      },
    },
    {
      method: 'GET',
      path: '/policies/why/{callId}',
      id: 'explainDecision',
      summary: 'Why a recorded call was let through or refused',
      role: 'viewer',
      result: WHY_RESULT,
      problems: [404],
      handle: ({ path }) => explainCall(ports, path.get('callId') ?? ''),
    },
    {
      method: 'POST',
      path: '/policies/shadow',
      id: 'shadowPolicies',
      summary: 'What policies would have decided about the recorded calls',
      role: 'operator',
      body: SHADOW_REQUEST,
      result: SHADOW_RESULT,
      problems: [422],
      handle: ({ body }) => shadowCalls(ports, body),
    },
  ];
}

async function listPolicies(ports: ControlPorts): Promise<Json> {
  const snapshot = ports.snapshot();
  const prepared = await preparePolicies(snapshot);
  const { set } = snapshot;
  const policy = policiesOf(snapshot);
  if (policy === undefined || prepared === undefined)
    return { set, mode: 'off', version: null, sources: [], policies: [], candidates: [] };
  const { compiled } = prepared.slices;
  const uses = new Map(policy.files.map(({ file }) => [file, 'file']));
  const tried = policy.shadow ?? [];
  const own = new Set(compiled.policies.map(({ id }) => id));
  return {
    set,
    mode: policy.mode,
    version: compiled.version,
    sources: [
      ...toSources(policy).map((one) => ({ ...toSource(one), use: uses.get(one.file) ?? 'set' })),
      ...tried.map((one) => ({ ...toSource(one), use: 'shadow' })),
    ],
    policies: compiled.policies.map(toPolicy),
    candidates: (prepared.candidate?.slices.compiled.policies ?? []).filter(({ id }) => !own.has(id)).map(toPolicy),
  };
}

function toSource({ file, text }: { readonly file: string; readonly text: string }) {
  return { file, sha256: createHash('sha256').update(text).digest('hex'), text };
}

function toPolicy({ id, file, line, effect, server, reads }: Policy): Json {
  return { id, file, line, effect, server: server ?? null, reads: [...reads].sort() };
}

async function checkPolicies(ports: ControlPorts, body: Json | undefined): Promise<Json> {
  const given = member(body, 'policies');
  const known = await readKnownTools(ports);
  const tools = (server: string) => {
    const names = known.get(server)?.keys();
    return names === undefined ? undefined : new Set(names);
  };
  try {
    const { compiled, sources } = await openPolicySet(given, ports.snapshot(), tools);
    return { ...toChecked(compiled), sources: sources.map(({ file }) => file) };
  } catch (error) {
    const { message, data } = toFault(error);
    const problems = error instanceof FaultError && isObject(data) ? data['problems'] : undefined;
    if (!Array.isArray(problems)) throw error;
    return { sources: [], policies: [], problems, message };
  }
}

function toChecked({ version, policies }: CompiledPolicies) {
  return { version, policies: policies.map(toPolicy), problems: [] };
}
