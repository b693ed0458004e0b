import { type AddressInfo, createServer } from 'node:net';
import { beforeAll, describe, expect, it } from 'vitest';
import { atTheEnd } from './at-the-end.ts';
import { startHttpUpstream } from './http-upstream.ts';
import { INITIALIZE } from './message-channels.ts';
import { PlainClient, textOf } from './plain-client.ts';
import { misbehaving, type RunningGateway, startGateway } from './running-sallyport.ts';
import { waitFor } from './wait-for.ts';

let gateway: RunningGateway;

beforeAll(async () => {
  const dead = await startHttpUpstream();
  await dead.close();
  const status = (code: number, headers: Record<string, string> = {}) =>
    startHttpUpstream({
      behave: (_message, response) => Boolean(response.writeHead(code, headers).end('the reason')) || true,
    });
  const silent = createServer((socket) => socket.on('error', () => {}));
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  atTheEnd(() => silent.close());
  const mute = `http://127.0.0.1:${(silent.address() as AddressInfo).port}/mcp`;
  const html = await startHttpUpstream({
    behave: (_m, response) => Boolean(response.writeHead(200, { 'content-type': 'text/html' }).end('<html>')) || true,
  });
  const limits = { startTimeoutMs: 700, timeoutMs: 700 };
  gateway = await startGateway({
    mcpServers: {
      exits: misbehaving({ start: 'exit' }),
      hangs: misbehaving({ start: 'hang' }, limits),
      halves: misbehaving({ start: 'half' }),
      // It has to come up first, beside all the others.
      listless: misbehaving({ list: 'hang' }, { startTimeoutMs: 3_000, timeoutMs: 700 }),
      endless: misbehaving({ list: 'endless' }),
      missing: { command: 'no-such-program-anywhere' },
      nofolder: { command: 'node', cwd: '/no/such/folder' },
      dead: { url: dead.url },
      mute: { url: mute, ...limits },
      error500: { url: (await status(500)).url },
      error503: { url: (await status(503)).url },
      redirects: { url: (await status(302, { location: 'http://elsewhere.example/mcp?x=1' })).url },
      locked: { url: (await status(401, { 'www-authenticate': 'Bearer' })).url },
      html: { url: html.url },
      nohost: { url: 'http://no-such-host.invalid/mcp' },
      noise: misbehaving({ start: 'noise', tools: ['echo'] }),
      good: misbehaving({ tools: ['echo'] }),
    },
  });
});

const ROWS: readonly [name: string, step: string, message: RegExp][] = [
  [
    'exits',
    'the process',
    /exited with code 9 after [\d.]+ s\. Its last lines on stderr:\n {2}cannot open its database/,
  ],
  [
    'hangs',
    'the handshake',
    /[Nn]o answer within 700 ms of starting it; raise startTimeoutMs|did not answer .*raise its startTimeoutMs/,
  ],
  ['halves', 'the process', /exited with code 4 after [\d.]+ s(?: in the middle of a line|\. The next try)/],
  [
    'missing',
    'the command',
    /the command "no-such-program-anywhere" was not found\. Install it, or give its full path in "command"/,
  ],
  [
    'nofolder',
    'the directory',
    /its working directory "\/no\/such\/folder" does not exist\. Create it or correct "cwd"/,
  ],
  [
    'dead',
    'connecting',
    /cannot be reached\. connecting: nothing listens there \(ECONNREFUSED\)\. Start the server or correct its url/,
  ],
  [
    'mute',
    'the answer',
    /[Nn]o answer within 700 ms of starting it; raise startTimeoutMs|did not answer .*raise its startTimeoutMs/,
  ],
  ['error500', 'HTTP', /answered HTTP 500: the reason/],
  ['error503', 'HTTP', /answered HTTP 503: the reason/],
  [
    'redirects',
    'HTTP',
    /redirects \(302\) to http:\/\/elsewhere\.example\/mcp\. Redirects are not followed: use that url if it is right/,
  ],
  ['locked', 'credentials', /answered 401: it wants credentials that are missing or no longer valid\. Set its headers/],
  ['html', 'MCP', /answered with text\/html, not with JSON or an event stream\. Is its url that of the MCP endpoint\?/],
  ['nohost', 'DNS', /DNS: the host name is unknown \(E[A-Z_]+\)\. Correct the host in its url/],
  [
    'listless',
    'the list',
    /did not answer tools\/list in time\. Try again, or raise its timeoutMs|did not answer within \d+ ms when asked for its lists\. .*raise/,
  ],
];

describe('an upstream that does not come up', () => {
  it('leaves the list of the others alone, and one that lists without end is cut', async () => {
    const client = await new PlainClient(gateway).initialize();
    // What takes longer than a list waits is in the next one.
    await waitFor(async () => {
      const { result } = await client.request('tools/list');
      const names = ((result?.['tools'] ?? []) as { name: string }[]).map(({ name }) => name);
      expect(names).toContain('good_echo');
      expect(names).toContain('noise_echo');
      expect(names.filter((name) => name.startsWith('endless_'))).toHaveLength(100);
      expect(names).toHaveLength(102);
    });
  });

  it.each(ROWS)(
    '%s: the error names the step (%s), the cause and the fix, in both eras and on both endpoints',
    async (name, _step, message) => {
      const shared = await new PlainClient(gateway).initialize();
      const own = new PlainClient(gateway, gateway.servers[name]);
      const opened = await own.request('initialize', INITIALIZE);
      for (const answer of [
        await shared.call(`${name}_echo`),
        // There is no session before the server has said who it is.
        opened.error === undefined ? await (await own.initialize()).call('echo') : opened,
        await shared.callModern(`${name}_echo`),
        await own.callModern('echo'),
      ]) {
        expect(answer.error).toMatchObject({ code: -32000, message: expect.stringMatching(message) });
        expect(answer.error?.message).toContain(`"${name}" cannot be used now. `);
      }
      expect(textOf(await shared.call('good_echo'))).toContain('"tools/call"');
    },
  );

  it.each(ROWS)('%s is told to people in the log, too', async (name, _, message) => {
    await gateway.process.until(() =>
      gateway.process.stderr
        .split('\n')
        .filter((line) => line.includes(`"upstream":"${name}"`) && line.endsWith('}'))
        .map((line) => JSON.stringify(JSON.parse(line)).replaceAll('\\n', '\n').replaceAll('\\"', '"'))
        .some((line) => message.test(line)),
    );
  });
});
