import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type AnsweringClient, openAnsweringClients } from './answering-clients.ts';
import { approval } from './approvals-set-up.ts';
import { atTheEnd } from './at-the-end.ts';
import { messageIn } from './http-exchange.ts';
import { ownTasks } from './own-task.ts';
import { modernHeaders, modernParams, PlainClient } from './plain-client.ts';
import { type RunningGateway, startGateway } from './running-sallyport.ts';

/** What a client answers to questions of servers leaves as arguments do: servers and clients of both eras, on all wires. */

const PROGRAM = fileURLToPath(new URL('fixtures/upstream-channels.mjs', import.meta.url));
const ACCOUNT = '7719004412';
const PASSPHRASE = 'zq-live-8fK2mQ7xT4vB9nR1wY6pL3dH';
const OWN = 'The order of Monday is 5530017745.';
const TOKEN = `ghp_${'a1B2c3D4e5F6'.repeat(3)}`;
const SERVERS = ['stdio-legacy', 'stdio-modern', 'http-legacy', 'http-modern'] as const;
const CLIENTS = ['HTTP, legacy', 'HTTP, modern', 'SSE', 'stdio, legacy', 'stdio, modern'] as const;
type Fields = Record<string, unknown>;

async function serve(text: string, era: string, transport: string): Promise<Fields> {
  const args = [PROGRAM, JSON.stringify({ text, era, transport })];
  if (transport === 'stdio') return { command: process.execPath, args, era };
  const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  atTheEnd(() => child.kill());
  const [port] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
  return { url: `http://127.0.0.1:${port}/mcp`, era };
}

let gateway: RunningGateway;
let clients: readonly AnsweringClient[];
beforeAll(async () => {
  const mcpServers: Record<string, Fields> = {
    bank: await serve(`The account is ${ACCOUNT}.`, 'legacy', 'stdio'),
    vault: await serve(PASSPHRASE, 'legacy', 'stdio'),
    hub: await serve(`Use ${TOKEN}`, 'legacy', 'stdio'),
  };
  for (const name of SERVERS) {
    const [transport = '', era = ''] = name.split('-');
    mcpServers[name] = await serve(OWN, era, transport);
  }
  const config = {
    mcpServers,
    policy: { set: 'laptop' },
    secrets: {},
    approvals: { elicit: false },
    taint: {
      sources: [
        { match: 'bank', trust: 'trusted', privacy: 'personal' },
        { match: 'vault', trust: 'trusted', privacy: 'secret' },
        { match: '*', trust: 'trusted', privacy: 'internal' },
      ],
    },
  } as Fields;
  gateway = await startGateway(config);
  await ownTasks(
    gateway,
    ['stdio-modern', 'http-modern'].map((server) => [server, 'open'] as const),
  );
  clients = await openAnsweringClients(gateway, config);
});
afterAll(() => gateway.process.stop());

const written = (text: string, more: Fields = {}) => ({
  'sampling/createMessage': { role: 'assistant', model: 'm', content: { type: 'text', text }, ...more },
});
const typed = (colour: string) => ({ 'elicitation/create': { action: 'accept', content: { colour } } });
const rooted = (name: string) => ({ 'roots/list': { roots: [{ uri: 'file:///srv/work', name }] } });

/** What the server asks for, what it gets, and what of it must not arrive. */
const ATTACKS: readonly [name: string, kind: string, answers: Record<string, Fields>, harm: string][] = [
  ['private text that a model wrote', 'a summary', written(`It says ${ACCOUNT}.`), ACCOUNT],
  [
    'the same, encoded',
    'a summary',
    written(Buffer.from(`account ${ACCOUNT}`).toString('base64')),
    Buffer.from(`account ${ACCOUNT}`).toString('base64').slice(0, 16),
  ],
  ['the same, in parts', 'a summary', written('', { content: ['7719', '004412'].map(toPart) }), '004412'],
  ['the same, where a model has its name', 'a summary', written('Done.', { model: `m ${ACCOUNT}` }), ACCOUNT],
  ['a secret of another server', 'a summary', written(`${PASSPHRASE}!`), PASSPHRASE],
  ['a key that nobody read', 'a summary', written(`Use ${TOKEN}`), TOKEN],
  ['private text in a form', 'a form', typed(ACCOUNT), ACCOUNT],
  ['a secret in a form', 'a form', typed(PASSPHRASE), PASSPHRASE],
  ['a key in a form', 'a form', typed(TOKEN), TOKEN],
  ['private text among the roots', 'roots', rooted(`Account ${ACCOUNT}`), ACCOUNT],
];

const HARMLESS: readonly [name: string, kind: string, answers: Record<string, Fields>][] = [
  ['a summary', 'a summary', written('They spoke of trains, and of the weather in the north.')],
  ['what the server itself said', 'a summary', written(`They spoke of it: ${OWN}`)],
  [
    'a call of a tool',
    'a summary',
    written('', { content: { type: 'tool_use', id: 't1', name: 'x', input: { a: 1 } } }),
  ],
  ['a form', 'a form', typed('blue')],
  ['a form nobody filled in', 'a form', { 'elicitation/create': { action: 'decline' } }],
  ['roots', 'roots', rooted('Work')],
];

function toPart(text: string): Fields {
  return { type: 'text', text };
}

let lastRun = 0;

/** One conversation that has read everything, and the answer it gives. */
async function answer(at: { client: string; server: string }, kind: string, answers: Record<string, Fields>) {
  const client = clients.find(({ name }) => name === at.client)!;
  const meta = { 'dev.sallyport/run': `run-${++lastRun}` };
  const call = (name: string, given: Fields = {}) =>
    client.call({ name, arguments: given, _meta: { progressToken: 'p', ...meta } }, answers);
  for (const name of ['bank', 'vault', at.server]) await call(`${name}_say`, { kind: 'text' });
  const heard = await call(`${at.server}_say`, { kind });
  return { heard, told: await call(`${at.server}_told`) };
}

const places = CLIENTS.flatMap((client) => SERVERS.map((server) => ({ client, server })));

describe.each(places)('$client, to $server', (at) => {
  test.each(ATTACKS)('%s does not leave', async (_, kind, answers, harm) => {
    const { heard, told } = await answer(at, kind, answers);
    expect(told).not.toContain(harm);
    expect(told).toMatch(/\[\\?"?\]|not passed on|decline/);
    expect(heard).toMatch(/"result"|"error"/);
    expect(heard).not.toContain(harm);
  });

  test.each(HARMLESS)('%s arrives as it was given', async (_, kind, answers) => {
    const { told } = await answer(at, kind, answers);
    const [given = {}] = Object.values(answers);
    const [text = ''] = (JSON.parse(told) as { result: { content: { text: string }[] } }).result.content.map(
      ({ text: one }) => one,
    );
    expect(JSON.parse(text)).toEqual([given]);
  });
});

const HTTP_CLIENTS = CLIENTS.filter((name) => name.startsWith('HTTP'));

describe.each(HTTP_CLIENTS.flatMap((client) => SERVERS.map((server) => ({ client, server }))))(
  'of $client, to $server',
  (at) => {
    test('a person may let an answer go, once', async () => {
      const kept = `For ${at.client} and ${at.server}`;
      const text = `${kept}: ${ACCOUNT}`;
      const { heard, told } = await answer(at, 'a summary', written(text));
      expect(told).not.toContain(ACCOUNT);
      const [id = 'none'] = /ap_[0-9a-f]{16}/.exec(told + heard) ?? [];
      const { stateDir } = gateway.process;
      expect((await approval(stateDir, 'show', id)).json()).toMatchObject({
        ...{ upstream: at.server, tool: 'sampling/createMessage', state: 'waiting' },
        arguments: { content: { text } },
        reasons: [{ guard: 'taint', reason: expect.stringContaining('from bank.say.') }],
      });
      const database = readdirSync(stateDir).filter((name) => name.startsWith('sallyport.db'));
      for (const name of database) expect(readFileSync(join(stateDir, name)).includes(kept)).toBe(false);
      expect((await approval(stateDir, 'allow', id)).exit).toBe(0);
      expect((await answer(at, 'a summary', written(text))).told).toContain(text);
      expect((await answer(at, 'a summary', written(text))).told).not.toContain(text);
    });

    test('the log and the audit tell of it, and the value stands in neither', async () => {
      await answer(at, 'a summary', written(`Secret: ${PASSPHRASE}`));
      const line = new RegExp(
        `"upstream":"${at.server}","tool":"sampling/createMessage","outcome":"denied","guard":"taint","reason":"[^\n]*vault\\.say`,
      );
      await gateway.process.logged(line);
      expect(gateway.process.stderr).not.toContain(PASSPHRASE);
      const record = `"kind":"denied"[^\\n]*"method":"sampling/createMessage"[^\\n]*"upstream":"${at.server}"`;
      await expect.poll(readRecords).toMatch(new RegExp(record));
      expect(readRecords()).not.toContain(PASSPHRASE);
    });

    test('a masked value comes back to its own server, and goes to no other', async () => {
      const client = clients.find(({ name }) => name === at.client)!;
      const meta = { 'dev.sallyport/run': `run-${++lastRun}` };
      const call = (name: string, kind: string, answers = {}) =>
        client.call({ name, arguments: { kind }, _meta: { progressToken: 'p', ...meta } }, answers);
      const [token = 'none'] = /\{\{secret:github-token:[a-z2-7]{16}\}\}/.exec(await call('hub_say', 'text')) ?? [];
      await call(`${at.server}_say`, 'a summary', written(`It is ${token}`));
      const elsewhere = await call(`${at.server}_told`, '');
      expect(elsewhere).not.toMatch(/secret:github-token|ghp_/);
      await call('hub_say', 'a summary', written(`It is ${token}`));
      // A value that it says would be masked again, so it says what came of it.
      const [given] = Object.values(written(`It is ${TOKEN}`));
      const digest = createHash('sha256')
        .update(JSON.stringify([given]))
        .digest('hex')
        .slice(0, 12);
      expect(await call('hub_told', 'digest')).toContain(digest);
    });
  },
);

describe.each(['stdio-modern', 'http-modern'])('answers with other requests, to %s', (server) => {
  const client = () => new PlainClient(gateway);
  const send = (method: string, params: Fields) =>
    client()
      .post(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: modernParams(params, { sampling: {} }) }), {
        ...modernHeaders(method, params),
        ...(method === 'tasks/update' ? { 'mcp-name': String(params['taskId']) } : {}),
      })
      .then(messageIn);

  test.each<[string, Fields]>([
    ['prompts/get', { name: `${server}_message` }],
    ['resources/read', { uri: `${server}+note://text` }],
    ['tools/call', { name: `${server}_say`, arguments: { kind: 'a summary' } }],
    ['tasks/update', { taskId: `${server}:open` }],
  ])('%s', async (method, params) => {
    const _meta = { 'dev.sallyport/run': `run-${++lastRun}` };
    await send('tools/call', { name: 'vault_say', arguments: { kind: 'text' }, _meta });
    const inputResponses = { one: written(`It is ${PASSPHRASE}.`)['sampling/createMessage'] };
    const stopped = await send(method, { ...params, inputResponses, _meta });
    expect(JSON.stringify(stopped)).toMatch(/"guard":"taint"/);
    const told = await send('tools/call', { name: `${server}_told`, arguments: {} });
    expect(JSON.stringify(told)).not.toContain(PASSPHRASE);
  });
});

function readRecords(): string {
  const folder = join(gateway.process.stateDir, 'audit');
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.endsWith('.tmp'))
    .map(({ parentPath, name }) => readFileSync(join(parentPath, name), 'utf8'))
    .join('');
}
