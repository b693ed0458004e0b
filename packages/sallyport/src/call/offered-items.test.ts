import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { clientOf, FakeUpstreams, serverSettings } from '../../test/fake-upstreams.ts';
import { FaultError } from '../core/errors.ts';
import { askForItems, type OfferedPorts } from './offered-items.ts';
import { digestProgram } from './program-gate.ts';

const TOOL = '{"tools":[{"name":"read","inputSchema":{"type":"object"}}]}';
const NOTHING = '{"tools":[],"resources":[],"resourceTemplates":[],"prompts":[]}';
const answer = (method: string) => (method === 'tools/list' ? TOOL : NOTHING);
const ask = (upstreams: FakeUpstreams, servers: Parameters<typeof askForItems>[0], more: Partial<OfferedPorts> = {}) =>
  askForItems(servers, { upstreams, client: clientOf(), signal: new AbortController().signal, ...more });

const FILE = fileURLToPath(import.meta.url);
/** A program that is on this machine, so that there is something to look at. */
const NODE = serverSettings('s', {
  transport: { type: 'stdio', command: process.execPath, args: [FILE], env: {}, cwd: dirname(FILE) } as never,
});

test('a server is asked for its words and for each list that it says it has', async () => {
  const upstreams = new FakeUpstreams({ s: { answer, instructions: 'be kind', capabilities: { tools: {} } } });
  const [offered] = await ask(upstreams, [serverSettings('s')]);
  expect(offered).toMatchObject({
    ...{ server: 's', fault: undefined },
    items: [
      { server: 's', kind: 'instructions', name: '', text: expect.stringContaining('be kind') },
      { server: 's', kind: 'serverInfo', name: '', text: expect.stringContaining('"version"') },
      { server: 's', kind: 'tools', name: 'read', text: expect.stringContaining('"read"'), digest: expect.any(String) },
    ],
  });
  expect(upstreams.asked).toEqual(['s identify', 's tools/list']);
});

test('the trouble of one server does not hide the others', async () => {
  const down = () => {
    throw new FaultError('unreachable', 'it does not start');
  };
  const names = Array.from({ length: 18 }, (_, i) => `s${i}`);
  const upstreams = new FakeUpstreams(
    Object.fromEntries(names.map((name, i) => [name, i === 3 ? { start: down } : { answer }])),
  );
  const all = await ask(
    upstreams,
    names.map((name) => serverSettings(name)),
  );
  expect(all.map(({ server }) => server)).toEqual(names);
  expect(all[3]).toMatchObject({ items: [], fault: { code: 'unreachable', message: 'it does not start' } });
  expect(all.filter(({ fault }) => fault !== undefined)).toHaveLength(1);
});

test('a server that does not answer in time is said not to', async () => {
  const upstreams = new FakeUpstreams({
    s: { answer: (_method, _params) => new Promise<string>(() => undefined), capabilities: { tools: {} } },
  });
  const send = upstreams.send.bind(upstreams);
  // As the real port does: a request that is given up ends.
  upstreams.send = (upstream, request, exchange) =>
    Promise.race([
      send(upstream, request, exchange),
      new Promise<never>((_, reject) => {
        exchange.onCancel = () => reject(new FaultError('cancelled', 'given up'));
      }),
    ]);
  const settings = serverSettings('s', { startTimeoutMs: 5, timeoutMs: 5 });
  const [offered] = await ask(upstreams, [settings]);
  expect(offered?.fault).toMatchObject({ code: 'timeout', message: 'It did not answer in time.' });
  await expect(ask(upstreams, [settings], { signal: AbortSignal.abort() })).rejects.toThrow('aborted');
});

test('a program that is not the expected one is not started', async () => {
  const digest = await digestProgram(NODE.transport);
  const held = new FakeUpstreams({ s: { answer } });
  expect(await ask(held, [NODE], { programs: new Map([['s', 'another']]) })).toEqual([
    { server: 's', items: [{ server: 's', kind: 'program', name: '', digest }], fault: undefined, isHeld: true },
  ]);
  expect(held.asked).toEqual([]);
});

test('a program that is the expected one, or of which nothing is expected, is started and named', async () => {
  const digest = await digestProgram(NODE.transport);
  for (const programs of [new Map([['s', digest ?? '']]), new Map<string, string>()]) {
    const [offered] = await ask(new FakeUpstreams({ s: { answer } }), [NODE], { programs });
    expect(offered?.isHeld).toBeUndefined();
    expect(offered?.items).toContainEqual({ server: 's', kind: 'program', name: '', digest });
  }
  const [unlooked] = await ask(new FakeUpstreams({ s: { answer } }), [NODE]);
  expect(unlooked?.items.map(({ kind }) => kind)).toEqual(['instructions', 'serverInfo', 'tools']);
});
