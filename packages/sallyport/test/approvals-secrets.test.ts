import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { approval, idIn, rest, setUp } from './approvals-set-up.ts';
import { atTheEnd } from './at-the-end.ts';
import { cli } from './cli-terminal.ts';
import { messageIn } from './http-exchange.ts';
import { modernHeaders, modernParams, PlainClient, textOf } from './plain-client.ts';
import { startGateway } from './running-sallyport.ts';
import { waitFor } from './wait-for.ts';

/** Made of parts, so that no tool that reads this repository takes it for a key. */
const KEY = `ghp_${'a7Kq2Zx9Lm4Tp8Rv3Wn6Yb5Hc1Jd0GfQ2w9e'}`;
const OTHER_KEY = `ghp_${'b8Lr3Ay0Mn5Uq9Sw4Xo7Zc6Id2Ke1HgR3x0f'}`;
const PIN = 73915;
const MARK = /^\{\{hidden:[a-z-]+(?: …\d{4})?:[a-z2-7]{16}\}\}$/;

const schema = {
  type: 'object',
  properties: {
    note: { type: 'string' },
    pin: { type: 'integer', 'x-sensitive': true },
    key: { type: 'string' },
    keys: { type: 'array' },
  },
};
const given = { note: `Deploy with ${KEY}, please.`, pin: PIN, key: KEY, iban: 'DE89370400440532013000' };
/** Longer than what stands side by side by chance. */
const BEGINNING = KEY.slice(0, 12);

/** Everything that is told of approvals, and everything that is kept. */
async function start() {
  const told: string[] = [];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    told.push(body);
    response.writeHead(204).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  atTheEnd(() => server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`;
  const { config } = setUp({ webhook: { url, secretEnv: 'HOOK_SECRET' } }, { schema });
  const gateway = await startGateway(config as never, [], { HOOK_SECRET: 'long enough to sign with' });
  const state = gateway.process.stateDir;
  const client = await new PlainClient(gateway).initialize();
  const abort = new AbortController();
  atTheEnd(() => abort.abort());
  const heard = { events: '' };
  const stream = await fetch(`${gateway.origin}/api/v1/approvals/events`, {
    headers: gateway.headers,
    signal: abort.signal,
  });
  void (async () => {
    for await (const piece of stream.body ?? []) heard.events += Buffer.from(piece).toString('utf8');
  })().catch(() => undefined);
  const kept = () =>
    readdirSync(state, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && !entry.name.endsWith('.tmp'))
      .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1'))
      .join('\n');
  return { gateway, state, client, told, heard, kept };
}

function expectHidden(text: string): void {
  for (const secret of [KEY, OTHER_KEY, String(PIN), 'DE89370400440532013000']) expect(text).not.toContain(secret);
}

test('a call that waits holds no secret where it is kept, shown, sent or streamed, and a yes is for these very arguments', async () => {
  const { client, state, gateway, told, heard, kept } = await start();
  const first = await client.call('a_echo', given);
  const id = idIn(first);
  expectHidden(JSON.stringify(first));
  const listed = (await rest(gateway, 'GET', '/approvals')).body;
  const shown = (await approval(state, 'show', id)).json() as { arguments: Record<string, string> };
  expect(shown.arguments).toEqual({
    note: expect.stringMatching(/^Deploy with \{\{hidden:github-token:[a-z2-7]{16}\}\}, please\.$/),
    pin: expect.stringMatching(MARK),
    key: expect.stringMatching(MARK),
    iban: expect.stringMatching(/^\{\{hidden:iban …3000:/),
  });
  // The same value has the same mark: a person sees what is one and the same.
  expect(shown.arguments['note']).toContain(shown.arguments['key']);
  const onTerminal = await cli(['approval', 'show', id], { env: { SALLYPORT_STATE: state } });
  await waitFor(() => expect(told).toHaveLength(1));
  await waitFor(() => expect(heard.events).toContain(id));

  // With another key it is another call, and the difference says so.
  const second = idIn(await client.call('a_echo', { ...given, key: OTHER_KEY }));
  expect(second).not.toBe(id);
  expect((await approval(state, 'allow', id)).exit).toBe(0);
  idIn(await client.call('a_echo', { ...given, pin: PIN + 1 }));
  const third = idIn(await client.call('a_echo', { ...given, key: `${OTHER_KEY.slice(0, -1)}g` }));
  const { difference } = (await approval(state, 'show', third)).json() as { difference: { path: string }[] };
  expect(difference.map(({ path }) => path)).toEqual(['/key']);

  const sent = textOf(await client.call('a_echo', given));
  expect(sent).toContain(JSON.stringify(given).slice(1, -1));
  await waitFor(() => expect(told.length).toBeGreaterThanOrEqual(4));
  for (const text of [told.join(), heard.events, JSON.stringify([listed, shown]), onTerminal.stdout, kept()])
    expectHidden(text);
});

test('a mark that a person sends back is put back, one of another call is not; secrets of their own are not taken', async () => {
  const { client, state, kept } = await start();
  const id = idIn(await client.call('a_echo', given));
  const shown = (await approval(state, 'show', id)).json() as { arguments: Record<string, string> };
  const typed = await approval(state, 'allow', id, '--arguments', JSON.stringify({ key: OTHER_KEY }));
  expect(typed.exit).toBe(1);
  expect(typed.stderr).toContain('github-token at /key');
  const changed = { ...shown.arguments, note: `Only ${shown.arguments['key']}` };
  expect((await approval(state, 'allow', id, '--arguments', JSON.stringify(changed))).exit).toBe(0);
  const sent = textOf(await client.call('a_echo', given));
  expect(sent).toContain(JSON.stringify({ ...given, note: `Only ${KEY}` }).slice(1, -1));

  const next = idIn(await client.call('a_echo', given));
  const forged = {
    ...given,
    pin: undefined,
    iban: undefined,
    note: '',
    key: '{{hidden:github-token:aaaaaaaaaaaaaaaa}}',
  };
  expect((await approval(state, 'allow', next, '--arguments', JSON.stringify(forged))).exit).toBe(0);
  expect(textOf(await client.call('a_echo', given))).toContain('a hidden value that this call does not have');
  expectHidden(kept());
});

test('a pattern is written with marks, too, and holds for the value behind them', async () => {
  const { client, state } = await start();
  const few = { note: 'Deploy', key: KEY };
  const id = idIn(await client.call('a_echo', few));
  const shown = (await approval(state, 'show', id)).json() as { arguments: Record<string, string> };
  const inClear = await approval(
    state,
    'allow',
    id,
    '--for',
    'always',
    '--pattern',
    JSON.stringify({ note: '*', key: KEY }),
  );
  expect(inClear.exit).toBe(1);
  const pattern = JSON.stringify({ note: '*', key: shown.arguments['key'] });
  expect((await approval(state, 'allow', id, '--for', 'always', '--pattern', pattern)).exit).toBe(0);
  expect(textOf(await client.call('a_echo', { ...few, note: 'Again' }))).toContain(KEY);
  idIn(await client.call('a_echo', { ...few, key: OTHER_KEY }));
});

/** Letters of a list or codes of them, however they are written. */
function expectNothingSpelled(text: string): void {
  const letters = text.replace(/\\+[nt"]|[^A-Za-z0-9_]/g, '');
  expect(letters).not.toContain(BEGINNING);
  expect(letters).not.toContain([...Buffer.from(BEGINNING)].join(''));
}

test('a key that is spelled letter by letter is shown to nobody, and leaves as it was', async () => {
  const { client, gateway, state, told, heard } = await start();
  for (const keys of [[...KEY], [...Buffer.from(KEY)]]) {
    const spelled = { note: 'Deploy', keys };
    const before = told.length;
    const id = idIn(await client.call('a_echo', spelled));
    const listed = (await rest(gateway, 'GET', '/approvals')).body;
    const shown = await approval(state, 'show', id);
    const onTerminal = await cli(['approval', 'show', id], { env: { SALLYPORT_STATE: state } });
    await waitFor(() => expect(told.length).toBeGreaterThan(before));
    await waitFor(() => expect(heard.events).toContain(id));
    const modern = new PlainClient(gateway);
    const params = { name: 'a_echo', arguments: { ...spelled, note: 'In a form' } };
    const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: modernParams(params, { elicitation: {} }) };
    const { result } = messageIn(await modern.post(JSON.stringify(body), modernHeaders('tools/call', params)));
    expect(result?.['resultType']).toBe('input_required');
    for (const text of [JSON.stringify([listed, result]), shown.stdout, onTerminal.stdout, told.join(), heard.events]) {
      expect(text).toContain('{{hidden:github-token:');
      expectNothingSpelled(text);
    }
    expect((await approval(state, 'allow', id)).exit).toBe(0);
    expect(textOf(await client.call('a_echo', spelled))).toContain(JSON.stringify(spelled).slice(1, -1));
  }
});

test('the form in a client shows marks', async () => {
  const { gateway, state } = await start();
  const client = new PlainClient(gateway);
  const params = { name: 'a_echo', arguments: given };
  const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: modernParams(params, { elicitation: {} }) };
  const { result } = messageIn(await client.post(JSON.stringify(body), modernHeaders('tools/call', params)));
  expect(result?.['resultType']).toBe('input_required');
  expect(JSON.stringify(result)).toContain('{{hidden:github-token:');
  expectHidden(JSON.stringify(result));
  expect((await approval(state, 'list')).json()).toMatchObject({ approvals: [{ state: 'waiting' }] });
});
