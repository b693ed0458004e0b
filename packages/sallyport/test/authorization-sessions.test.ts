import { existsSync, readFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { atTheEnd } from './at-the-end.ts';
import { exchange, messageIn, openExchange } from './http-exchange.ts';
import { type Incoming, startHttpUpstream } from './http-upstream.ts';
import { keyHolder } from './keyed-callers.ts';
import { modernHeaders, modernParams, PlainClient, textOf } from './plain-client.ts';
import { newTestFolder, type RunningGateway, startGateway } from './running-sallyport.ts';
import { waitFor } from './wait-for.ts';

/** A handle is data and no credential (checklist 9 and 10): what one caller was given is worth nothing to another. */

const PING = '{"jsonrpc":"2.0","id":1,"method":"ping"}';
const counter = join(newTestFolder(), 'counter');
const timesAsked = () => (existsSync(counter) ? readFileSync(counter, 'utf8').length : 0);

let alice: RunningGateway;
let bob: RunningGateway;
let gateway: RunningGateway;
/** What the modern upstream was sent. */
const heard: (Record<string, unknown> | undefined)[] = [];

beforeAll(async () => {
  const modern = await startHttpUpstream({ modern: true, tools: ['ask', 'other'], behave: askOnce });
  const plain = await startHttpUpstream({ tools: ['a', 'b', 'c', 'secret_d', 'secret_e', 'z'] });
  const asking = new URL('fixtures/upstream-asking.mjs', import.meta.url).pathname;
  gateway = await startGateway({
    gateway: { pageSize: 2 },
    mcpServers: {
      legacy: { command: process.execPath, args: [asking, counter] },
      modern: { url: modern.url },
      plain: { url: plain.url, allow: { tools: ['?', { match: 'secret_*', groups: ['insiders'] }] } },
    },
  });
  alice = await keyHolder(gateway, 'alice', ['--person', 'alice', '--group', 'insiders']);
  bob = await keyHolder(gateway, 'bob', ['--person', 'bob']);
});

/** Asks its caller before it does anything, and keeps nothing: the state is all it knows. */
function askOnce(message: Incoming, response: Parameters<NonNullable<HttpBehaviour>>[1]): boolean {
  const params = message.params as Record<string, unknown> | undefined;
  if (message.method !== 'tools/call' || params === undefined) return false;
  heard.push(params);
  const result =
    params['inputResponses'] === undefined
      ? {
          resultType: 'input_required',
          inputRequests: { q: { method: 'elicitation/create', params: FORM } },
          requestState: 'what the upstream knows',
        }
      : { resultType: 'complete', content: [{ type: 'text', text: `went on with: ${params['requestState']}` }] };
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ jsonrpc: '2.0', id: message.id, result }));
  return true;
}

type HttpBehaviour = Parameters<typeof startHttpUpstream>[0] extends infer Options | undefined
  ? Options extends { behave?: infer Behave }
    ? Behave
    : never
  : never;

const FORM = {
  message: 'Which colour?',
  requestedSchema: { type: 'object', properties: { colour: { type: 'string' } }, required: ['colour'] },
};

async function call(holder: RunningGateway, params: Record<string, unknown>, url = holder.url) {
  const body = { jsonrpc: '2.0', id: 7, method: 'tools/call', params: modernParams(params, { elicitation: {} }) };
  return messageIn(await new PlainClient(holder, url).post(JSON.stringify(body), modernHeaders('tools/call', params)));
}

describe('the session of another caller', () => {
  it('is not there: not for messages, streams, missed events or its end', async () => {
    const owner = await new PlainClient(alice).initialize();
    const thief = { ...bob.headers, ...owner.session };
    expect((await exchange({ url: gateway.url, headers: thief, body: PING })).status).toBe(404);
    for (const more of [{}, { 'last-event-id': '0-0' }, { 'last-event-id': '1-1' }])
      expect((await exchange({ url: gateway.url, method: 'GET', headers: { ...thief, ...more } })).status).toBe(404);
    expect((await exchange({ url: gateway.url, method: 'DELETE', headers: thief })).status).toBe(404);
    expect((await owner.ask('ping')).status).toBe(200);
  });

  it('is not there with its key in another place: address, cookie, body', async () => {
    const owner = await new PlainClient(alice).initialize();
    const { authorization: key = '', ...headers } = alice.headers as Record<string, string>;
    const session = { ...headers, ...owner.session };
    for (const more of [{}, { cookie: `session=${owner.session['mcp-session-id']}; authorization=${key}` }])
      expect((await exchange({ url: gateway.url, headers: { ...session, ...more }, body: PING })).status).toBe(401);
  });

  it('over HTTP+SSE takes no message of anybody else, and its stream stays silent', async () => {
    const { stream, path, said } = await openSse(alice);
    const post = (holder: RunningGateway, body: string, at = path) =>
      exchange({ url: gateway.origin + at, headers: holder.headers, body });
    expect((await post(bob, PING)).status).toBe(404);
    expect((await post(bob, initialize(1))).status).toBe(404);
    expect((await post(gateway, initialize(2))).status).toBe(404);
    // Another door of the same house, and an id nobody has.
    expect((await post(alice, PING, path.replace('/message', '/servers/plain/message'))).status).toBe(404);
    expect((await post(alice, PING, '/message?sessionId=__proto__')).status).toBe(404);
    expect((await post(alice, initialize(3))).status).toBe(202);
    await waitFor(() => expect(said()).toContain('"id":3'));
    expect(said()).not.toMatch(/"id":[12]\D/);
    expect((await post(bob, PING)).status).toBe(404);
    stream.destroy();
  });
});

async function openSse(holder: RunningGateway) {
  const stream: IncomingMessage = await openExchange({
    url: gateway.sse,
    method: 'GET',
    headers: { ...holder.headers, accept: 'text/event-stream' },
  });
  atTheEnd(() => void stream.destroy());
  let text = '';
  stream.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
  });
  const path = await waitFor(() => {
    const found = /^data: (\S*sessionId=\S+)$/m.exec(text)?.[1];
    if (found === undefined) throw new Error('no endpoint yet');
    return found;
  });
  return { stream, path, said: () => text };
}

function initialize(id: number): string {
  const params = { protocolVersion: '2024-11-05', capabilities: {}, clientInfo: { name: 't', version: '1' } };
  return JSON.stringify({ jsonrpc: '2.0', id, method: 'initialize', params });
}

/** The name and arguments of a first round, its state and the answer to its question. */
async function firstRound(name: string) {
  const params = { name, arguments: FORM };
  const { result = {} } = await call(alice, params);
  expect(result).toMatchObject({ resultType: 'input_required', requestState: expect.stringMatching(/^sp1\./) });
  const [key = ''] = Object.keys(result['inputRequests'] as object);
  const inputResponses = { [key]: { action: 'accept', content: { colour: 'green' } } };
  return { params, requestState: String(result['requestState']), inputResponses };
}

describe.each(['legacy_ask', 'modern_ask'])('the state of a call to %s', (name) => {
  const other = name === 'legacy_ask' ? 'modern_ask' : 'legacy_ask';

  it('is refused from anybody else, with anything else, and when somebody touched it', async () => {
    const { params, requestState, inputResponses } = await firstRound(name);
    const [asked, sent] = [timesAsked(), heard.length];
    const retry = { ...params, requestState, inputResponses };
    const middle = Math.floor(requestState.length / 2);
    const turned = requestState[middle] === 'A' ? 'B' : 'A';
    const attacks: [string, RunningGateway, Record<string, unknown>][] = [
      ['another caller', bob, retry],
      ['the key of the laptop', gateway, retry],
      ['other arguments', alice, { ...retry, arguments: { ...FORM, message: 'Another?' } }],
      ['one argument more', alice, { ...retry, arguments: { ...FORM, extra: 1 } }],
      ['another tool', alice, { ...retry, name: other }],
      [
        'a letter changed',
        alice,
        { ...retry, requestState: requestState.slice(0, middle) + turned + requestState.slice(middle + 1) },
      ],
      ['the end cut', alice, { ...retry, requestState: requestState.slice(0, -4) }],
      ['what the upstream itself would understand', alice, { ...retry, requestState: 'what the upstream knows' }],
      ['nothing in it', alice, { ...retry, requestState: '' }],
      ['no text', alice, { ...retry, requestState: { state: 'what the upstream knows' } }],
    ];
    for (const [what, holder, attempt] of attacks)
      expect(await call(holder, attempt), what).toMatchObject({ error: { code: -32602 } });
    // None of it reached anybody.
    expect([timesAsked(), heard.length]).toEqual([asked, sent]);
    const done = await call(alice, retry);
    expect(textOf(done)).toMatch(name === 'legacy_ask' ? /green/ : /^went on with: what the upstream knows$/);
  });

  it('is refused with another method', async () => {
    const { requestState, inputResponses } = await firstRound(name);
    const params = { requestState, inputResponses };
    const body = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: modernParams(params, { elicitation: {} }) };
    const answer = await new PlainClient(alice).post(JSON.stringify(body), modernHeaders('tools/list'));
    expect(messageIn(answer)).toMatchObject({ error: { code: -32602 } });
  });
});

it('the state of a call that waits works once, and the call runs once', async () => {
  const { params, requestState, inputResponses } = await firstRound('legacy_ask');
  const before = timesAsked();
  const retry = { ...params, requestState, inputResponses };
  expect(textOf(await call(alice, retry))).toContain('green');
  for (let i = 0; i < 3; i++)
    expect((await call(alice, retry)).error).toMatchObject({
      code: -32602,
      message: expect.stringContaining('not repeated'),
    });
  expect(timesAsked()).toBe(before);
});

it('two retries at once with one state: one goes on, the call runs once', async () => {
  const { params, requestState, inputResponses } = await firstRound('legacy_ask');
  const before = timesAsked();
  const retries = Array.from({ length: 8 }, () => call(alice, { ...params, requestState, inputResponses }));
  const done = (await Promise.all(retries)).filter(({ result }) => result !== undefined);
  expect(done).toHaveLength(1);
  expect(timesAsked()).toBe(before);
});

it('a cursor of another caller shows what this caller may see and nothing of the other', async () => {
  const url = `${gateway.origin}/servers/plain/mcp`;
  const list = async (holder: RunningGateway, cursor?: string) => {
    const answer = await new PlainClient(holder, url).requestModern(
      'tools/list',
      cursor === undefined ? {} : { cursor },
    );
    const { tools, nextCursor, cacheScope } = answer.result as {
      tools: { name: string }[];
      nextCursor?: string;
      cacheScope: string;
    };
    expect(cacheScope).toBe('private');
    return { names: tools.map((tool) => tool.name), nextCursor };
  };
  const seen: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await list(alice, cursor);
    seen.push(...page.names);
    cursor = page.nextCursor;
    if (cursor !== undefined) {
      expect(Buffer.from(cursor, 'base64url').toString()).not.toContain('secret');
      const stolen = await list(bob, cursor);
      expect(stolen.names.filter((tool) => tool.startsWith('secret'))).toEqual([]);
    }
  } while (cursor !== undefined);
  expect(seen).toEqual(['a', 'b', 'c', 'secret_d', 'secret_e', 'z']);
});
