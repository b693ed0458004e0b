import type { Endpoint } from '../core/endpoint.ts';
import type { Json, JsonObject } from '../core/json.ts';
import { isRunId, type NamedRun } from '../core/run-key.ts';
import {
  endPlan,
  type GivenPlan,
  getPlan,
  type KnownPlan,
  listPlans,
  mayRegister,
  readGivenPlan,
  registerPlan,
} from '../guard/plan/administer.ts';
import { toEndpointText } from '../guard/plan/plan.ts';
import { checkPlan } from './check-plan.ts';
import { describePage, pageOfItems } from './page.ts';
import { toBy } from './people.ts';
import type { ControlPorts } from './ports.ts';
import { wrong } from './problem.ts';
import { recorded } from './recorded.ts';
import { objectOf, PAGE_PARAMETERS, pageOf, type Route, type Schema, TEXT } from './route.ts';

const NAME: Schema = { type: 'string', minLength: 1, maxLength: 512 };

const PROPERTIES: Readonly<Record<string, Schema>> = {
  id: TEXT,
  run: { type: 'string', description: 'As the client writes it in `_meta["dev.sallyport/run"]`.' },
  principal: { type: 'string', description: 'Whose run it is.' },
  agent: { type: ['string', 'null'], description: 'The program of that caller, where its credential names one.' },
  endpoint: { type: 'string', description: '`all`, `server/NAME` or `bundle/NAME`: where its names mean something.' },
  digest: {
    type: 'string',
    description: 'SHA-256 of the plan; a client may send it to be refused when it is not in force.',
  },
  steps: { type: 'integer' },
  state: { enum: ['in_force', 'ended'] },
  fixedBy: { type: ['string', 'null'], description: 'The operator; null: the client itself.' },
  fixedAt: { type: 'string', format: 'date-time' },
};

const PLAN: Schema = { title: 'Plan', ...objectOf(PROPERTIES) };

const WHOLE: Schema = {
  title: 'WholePlan',
  ...objectOf({ ...PROPERTIES, plan: { type: 'object', description: 'As it was written.' } }),
};

const REGISTERED: Schema = {
  ...WHOLE,
  title: 'RegisteredPlan',
  required: [...Object.keys(PROPERTIES), 'plan', 'warnings'],
  properties: {
    ...(WHOLE['properties'] as JsonObject), // as it stands above
    warnings: {
      type: 'array',
      items: TEXT,
      description: 'Steps that name what is not known now. What cannot be there is refused.',
    },
  },
};

const GIVEN: Schema = {
  type: 'object',
  additionalProperties: false,
  required: ['run', 'principal', 'plan'],
  properties: {
    run: { type: 'string', minLength: 1, maxLength: 128 },
    principal: NAME,
    agent: { type: 'string', maxLength: 512 },
    endpoint: { type: 'string', maxLength: 512, default: 'all' },
    plan: { type: 'object', description: '{"steps": [{"tool": …, "arguments": …}]}' },
  },
};

interface Given {
  readonly run: string;
  readonly principal: string;
  readonly agent?: string;
  readonly endpoint?: string;
  readonly plan: JsonObject;
}

/** Plans, by whoever plans beside the conversation: fixed before the run has read anything untrusted (requirement H8). */
export function planRoutes(ports: ControlPorts): readonly Route[] {
  return [listRoute(ports), registerRoute(ports), showRoute(ports), endRoute(ports)];
}

function listRoute({ plans }: ControlPorts): Route {
  return {
    method: 'GET',
    path: '/plans',
    id: 'listPlans',
    summary: 'Plans of runs, those that have ended and are not forgotten included',
    role: 'viewer',
    query: PAGE_PARAMETERS,
    result: pageOf(PLAN),
    handle: async ({ query }) => {
      const page = pageOfItems(await listPlans(plans()), query, ({ id }) => id);
      return describePage(page, describe);
    },
  };
}

function registerRoute(ports: ControlPorts): Route {
  const { plans, note } = ports;
  return {
    method: 'POST',
    path: '/plans',
    id: 'registerPlan',
    summary: 'Fixes the plan of a run that has read nothing untrusted yet; no client changes it',
    role: 'operator',
    body: GIVEN,
    result: REGISTERED,
    problems: [409, 503],
    handle: async ({ body, principal }) => {
      const given = read(body as unknown as Given, principal.id); // as its schema says
      const opened = plans();
      await mayRegister(opened, given);
      const { run, endpoint, plan } = given;
      const warnings = await checkPlan(ports, endpoint, plan);
      const about = { run: run.id, principal: run.principal, agent: run.agent, endpoint: toEndpointText(endpoint) };
      const record = { kind: 'plan_register', ...toBy(principal), ...about, digest: plan.digest };
      const fixed = await recorded(note, record, () => registerPlan(opened, given));
      return { ...describeWhole(fixed), warnings: [...warnings] };
    },
  };
}

function showRoute({ plans }: ControlPorts): Route {
  return {
    method: 'GET',
    path: '/plans/{id}',
    id: 'showPlan',
    summary: 'One plan with its steps; they hold arguments',
    role: 'operator',
    result: WHOLE,
    problems: [404],
    handle: async ({ path }) => describeWhole(await getPlan(plans(), path.get('id') ?? '')),
  };
}

function endRoute({ plans, note }: ControlPorts): Route {
  return {
    method: 'POST',
    path: '/plans/{id}/end',
    id: 'endPlan',
    summary: 'Ends a run that has a plan: whatever it asks for from now on is refused',
    role: 'operator',
    result: PLAN,
    problems: [404, 503],
    handle: async ({ path, principal }) => {
      const opened = plans();
      const { id, run, plan } = await getPlan(opened, path.get('id') ?? '');
      const about = { plan: id, run: run.id, principal: run.principal, agent: run.agent, digest: plan.digest };
      const record = { kind: 'plan_end', ...toBy(principal), ...about };
      return describe(await recorded(note, record, () => endPlan(opened, id, principal.id)));
    },
  };
}

/** @throws FaultError `usage`, `schema`. */
function read({ run, principal, agent = '', endpoint = 'all', plan }: Given, by: string): GivenPlan {
  if (!isRunId(run)) wrong('run is a text of 1 to 128 visible ASCII characters.');
  const named: NamedRun = { id: run, principal, agent };
  return { run: named, endpoint: readEndpoint(endpoint), plan: readGivenPlan(plan), by };
}

function readEndpoint(text: string): Endpoint {
  if (text === 'all') return { kind: 'all' };
  const [, kind, name] = /^(server|bundle)\/(.{1,256})$/s.exec(text) ?? [];
  if ((kind !== 'server' && kind !== 'bundle') || name === undefined)
    wrong('endpoint is "all", "server/NAME" or "bundle/NAME".');
  return { kind, name };
}

function describe({ id, run, plan }: KnownPlan): JsonObject {
  return {
    id,
    run: run.id,
    principal: run.principal,
    agent: run.agent === '' ? null : run.agent,
    endpoint: plan.endpoint,
    digest: plan.digest,
    steps: plan.steps.length,
    state: plan.isEnded === true ? 'ended' : 'in_force',
    fixedBy: plan.by ?? null,
    fixedAt: new Date(plan.fixedAt).toISOString(),
  } satisfies Record<string, Json>;
}

function describeWhole(known: KnownPlan): JsonObject {
  return { ...describe(known), plan: known.plan.written };
}
