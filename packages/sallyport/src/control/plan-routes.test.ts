import { expect, test } from 'vitest';
import { openSampleControl } from '../../test/sample-control.ts';
import type { Catalog, View } from '../catalog/catalog.ts';
import type { Client } from '../core/client.ts';
import { KEY_HOLDER } from '../core/principal.ts';
import type { PlanPorts } from '../guard/plan/plan-guard.ts';
import { createPlanMemory } from '../state/plan-memory.ts';
import { planRoutes } from './plan-routes.ts';

const PLAN = { steps: [{ tool: 'web_fetch', arguments: { url: { equals: 'https://docs.example/a' } } }] };
const GIVEN = { run: 'task-7', principal: 'key:a', plan: PLAN };

/** What the servers offer, as far as it is known. */
function viewOf({
  tools = ['web_fetch', 'mail_send', 'bank_pay'],
  unavailable = [] as View['unavailable'],
} = {}): View {
  const named = (name: string) => (name.startsWith('web') ? { upstream: 'web', name } : undefined);
  return {
    unavailable,
    upstreams: () => ['web'],
    tool: (name: string) => (tools.includes(name) && name !== 'bank_pay' ? { name } : undefined),
    hiddenTool: (name: string) => (name === 'bank_pay' ? { name } : undefined),
    prompt: named,
    resource: (uri: string) => [named(uri) ?? []].flat(),
    whyHeld: () => undefined,
    list: () => ({ items: JSON.stringify(tools.map((name) => ({ name }))), nextCursor: undefined }),
  } as unknown as View; // what is asked of it
}

async function open(hasRead: ReadonlySet<string> = new Set(), view = viewOf()) {
  const limits = () => ({ minutes: 10, plans: 3 });
  const plan: PlanPorts = {
    settings: () => ({ ...limits(), handles: [], required: [], texts: 1, megabytes: 1 }),
    plans: createPlanMemory({ now: () => 0, limits }),
    hasReadUntrusted: async (run) => hasRead.has(run.split('\n')[1] ?? ''),
    now: () => 1_700_000_000_000,
  };
  const catalog = { view: () => view } as unknown as Catalog; // nothing else is asked of it
  const viewer = { principal: KEY_HOLDER } as Client; // nothing else of it is looked at
  const servers = { web: {}, mail: {} };
  return openSampleControl((ports) => planRoutes({ ...ports, catalog, viewer, plans: () => plan }), {
    servers,
  });
}

test('an operator fixes a plan, everyone with a role sees that it is there, operators what is in it', async () => {
  const { ask, notes } = await open();
  const { status, value } = await ask('operator', 'POST /plans', GIVEN);
  expect(status).toBe(200);
  expect(value).toMatchObject({ run: 'task-7', principal: 'key:a', agent: null, state: 'in_force', plan: PLAN });
  expect(notes).toEqual([
    {
      kind: 'plan_register',
      ...{ by: 'key:operator', run: 'task-7', principal: 'key:a', agent: '', endpoint: 'all', digest: value.digest },
    },
  ]);
  const listed = await ask('viewer', 'GET /plans');
  expect(listed.value.items).toMatchObject([{ id: value.id, fixedBy: 'key:operator', steps: 1 }]);
  expect(JSON.stringify(listed.value)).not.toContain('docs.example');
  expect((await ask('viewer', `GET /plans/${value.id}`)).status).toBe(403);
  expect((await ask('operator', `GET /plans/${value.id}`)).value.plan).toEqual(PLAN);
  expect((await ask('viewer', 'POST /plans', GIVEN)).status).toBe(403);
});

test('a plan is registered again and changed until the run has read, and not after', async () => {
  const hasRead = new Set<string>();
  const { ask, notes } = await open(hasRead);
  await ask('operator', 'POST /plans', GIVEN);
  const wider = { ...GIVEN, plan: { steps: [...PLAN.steps, { tool: 'mail_send' }] } };
  expect((await ask('operator', 'POST /plans', wider)).value.steps).toBe(2);
  hasRead.add('task-7');
  expect((await ask('operator', 'POST /plans', wider)).status).toBe(200);
  const noted = notes.length;
  const late = await ask('operator', 'POST /plans', GIVEN);
  expect(late).toMatchObject({ status: 409, value: { detail: expect.stringContaining('has read untrusted data') } });
  expect(notes).toHaveLength(noted);
});

test('a run that was ended stays ended', async () => {
  const { ask, notes } = await open();
  const { id } = (await ask('operator', 'POST /plans', GIVEN)).value;
  expect((await ask('operator', `POST /plans/${id}/end`)).value.state).toBe('ended');
  expect(notes.at(-1)).toMatchObject({ kind: 'plan_end', by: 'key:operator', plan: id, run: 'task-7' });
  expect((await ask('operator', 'POST /plans', GIVEN)).status).toBe(409);
  expect((await ask('viewer', 'GET /plans')).value.items).toMatchObject([{ id, state: 'ended' }]);
  expect((await ask('operator', 'POST /plans/pl_0000000000000000/end')).status).toBe(404);
});

test('two callers that choose one id have two plans', async () => {
  const { ask } = await open();
  const ids = [];
  for (const who of [{}, { principal: 'key:b' }, { agent: 'x' }])
    ids.push((await ask('operator', 'POST /plans', { ...GIVEN, ...who })).value.id);
  expect(new Set(ids).size).toBe(3);
  expect((await ask('operator', 'POST /plans', { ...GIVEN, run: 'one-more' })).status).toBe(503);
});

test.each([
  [
    'a tool that nobody offers',
    { plan: { steps: [...PLAN.steps, { tool: 'web_fecth' }] } },
    'Step 2 of the plan names the tool "web_fecth", which no server offers at the endpoint "all". Did you mean "web_fetch"? Correct the plan.',
  ],
  [
    'nothing near it',
    { plan: { steps: [{ tool: 'x' }] } },
    'Step 1 of the plan names the tool "x", which no server offers at the endpoint "all". Correct the plan.',
  ],
  ['a prompt', { plan: { steps: [{ prompt: 'talk_greet' }] } }, 'Step 1 of the plan names the prompt "talk_greet"'],
  ['a resource', { plan: { steps: [{ resource: 'talk://a' }] } }, 'Step 1 of the plan names the resource "talk://a"'],
  [
    'a server',
    { endpoint: 'server/nosuch' },
    'The endpoint "server/nosuch" is not there: the configuration has no server of this name.',
  ],
  ['a slip in a server', { endpoint: 'server/wbe' }, 'Did you mean "server/web"?'],
  ['a bundle', { endpoint: 'bundle/web' }, 'the configuration has no bundle of this name.'],
])('what can never work is refused with the step: %s', async (_, change, message) => {
  const { ask, notes } = await open();
  const { status, value } = await ask('operator', 'POST /plans', { ...GIVEN, ...change });
  expect({ status, detail: value.detail }).toEqual({ status: 400, detail: expect.stringContaining(message) });
  expect(notes).toEqual([]);
});

test('a plan is fixed with a warning while a server has not said what it offers', async () => {
  const view = viewOf({ unavailable: [{ upstream: 'mail', reason: 'no answer' }] });
  const { ask } = await open(new Set(), view);
  const plan = { steps: [{ tool: 'web_fetch' }, { tool: 'mail_read' }] };
  expect(await ask('operator', 'POST /plans', { ...GIVEN, plan })).toMatchObject({
    status: 200,
    value: {
      steps: 2,
      warnings: [
        'Step 2 of the plan names the tool "mail_read", which no server offers at the endpoint "all". Not all is known of "mail": it may be there later.',
      ],
    },
  });
});

test('a tool that policies hide from operators is there', async () => {
  const { ask } = await open();
  const plan = { steps: [{ tool: 'bank_pay' }, { prompt: 'web_greet' }, { resource: 'web+docs://a' }] };
  expect((await ask('operator', 'POST /plans', { ...GIVEN, plan })).value.warnings).toEqual([]);
});

let deep: unknown = 1;
for (let i = 0; i < 200; i++) deep = [deep];

test.each([
  ['a run of two words', { run: 'task 7' }, 400],
  ['an endpoint of no kind', { endpoint: 'everything' }, 400],
  ['no steps', { plan: { steps: [] } }, 422],
  [
    'a number that is another one as well',
    { plan: { steps: [{ tool: 'a', arguments: { b: { equals: 2 ** 53 } } }] } },
    422,
  ],
  ['a depth nobody reads', { plan: { steps: [{ tool: 'a', arguments: { b: { equals: deep } } }] } }, 422],
  [
    'values that nobody could list',
    { plan: { steps: [{ tool: 'a', arguments: { b: { oneOf: Array.from({ length: 3_000 }, (_, i) => i) } } }] } },
    422,
  ],
  ['a handle for a prompt', { plan: { steps: [{ prompt: 'a', arguments: { b: { handle: true } } }] } }, 422],
  ['two things in a step', { plan: { steps: [{ tool: 'a', prompt: 'a' }] } }, 422],
])('refused, and nothing is recorded: %s', async (_, change, status) => {
  const { ask, notes } = await open();
  expect((await ask('operator', 'POST /plans', { ...GIVEN, ...change })).status).toBe(status);
  expect(notes).toEqual([]);
  expect((await ask('viewer', 'GET /plans')).value.items).toEqual([]);
});

test('what cannot be recorded is not fixed', async () => {
  const { ask, audit } = await open();
  audit.fails = true;
  expect((await ask('operator', 'POST /plans', GIVEN)).status).toBe(503);
  expect((await ask('viewer', 'GET /plans')).value.items).toEqual([]);
});
