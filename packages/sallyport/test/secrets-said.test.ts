import { readdirSync, readFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Incoming, startHttpUpstream } from './http-upstream.ts';
import { PlainClient } from './plain-client.ts';
import { type RunningGateway, startGateway } from './running-sallyport.ts';

/** Made of parts, so that no tool that reads this repository takes it for a key. */
const KEY = `ghp_${'a7Kq2Zx9Lm4Tp8Rv3Wn6Yb5Hc1Jd0GfQ2w9e'}`;
const ABOUT = {
  protocolVersion: '2025-06-18',
  capabilities: { tools: {}, resources: {}, prompts: {}, logging: {} },
  serverInfo: { name: 'loose', version: '1' },
};

/** What a server may say besides the results of its tools. */
const SAYS: Readonly<Record<string, unknown>> = {
  initialize: ABOUT,
  'tools/list': {
    tools: ['refuse', 'crash', 'tell', 'ask'].map((name) => ({ name, inputSchema: { type: 'object' } })),
  },
  'resources/list': { resources: [{ uri: 'file:///a', name: 'a' }] },
  'prompts/list': { prompts: [{ name: 'p' }] },
  'resources/read': { contents: [{ uri: 'file:///a', text: `x ${KEY}`, _meta: { [KEY]: KEY } }] },
  'prompts/get': { messages: [{ role: 'user', content: { type: 'text', text: `x ${KEY}` } }] },
};

function behave({ id, method = '', params }: Incoming, response: ServerResponse): boolean {
  const send = (message: object, status = 200) => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(message));
    return true;
  };
  const known = SAYS[method];
  if (known !== undefined) return send({ jsonrpc: '2.0', id, result: known });
  if (method !== 'tools/call') return false;
  if (params?.name === 'refuse')
    return send({ jsonrpc: '2.0', id, error: { code: -32000, message: `no ${KEY}`, data: { [KEY]: KEY } } });
  if (params?.name === 'crash') return send({ dump: KEY }, 500);
  const stream = (message: object) => response.write(`data: ${JSON.stringify({ jsonrpc: '2.0', ...message })}\n\n`);
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const progressToken = params?._meta?.['progressToken'];
  stream({ method: 'notifications/message', params: { level: 'error', data: { [KEY]: `log ${KEY}` } } });
  stream({ method: 'notifications/progress', params: { progressToken, progress: 1, message: `at ${KEY}` } });
  if (params?.name === 'ask')
    stream({
      id: 'q',
      method: 'sampling/createMessage',
      params: { maxTokens: 1, messages: [{ role: 'user', content: { type: 'text', text: KEY } }] },
    });
  stream({ id, result: { content: [{ type: 'text', text: 'done' }] } });
  response.end();
  return true;
}

function recordsOf({ process }: RunningGateway): string {
  return readdirSync(process.stateDir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.endsWith('.tmp'))
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1'))
    .join('');
}

describe('with secrets watched, what a server says besides its results', () => {
  let gateway: RunningGateway;
  let client: PlainClient;

  beforeAll(async () => {
    const hub = await startHttpUpstream({ behave });
    gateway = await startGateway({
      mcpServers: { hub: { url: hub.url } },
      secrets: { rules: [{ direction: 'arguments', tool: 'tell', mode: 'allow' }] },
      audit: { values: 'full', mode: 'strict' },
    } as Record<string, unknown>);
    client = new PlainClient(gateway);
  });

  const meta = { progressToken: 5, 'io.modelcontextprotocol/logLevel': 'debug' };
  it.each<[string, string, Record<string, unknown>, string]>([
    ['an error', 'tools/call', { name: 'hub_refuse', arguments: {} }, '"message":"no {{secret:'],
    ['the body of a failure', 'tools/call', { name: 'hub_crash', arguments: {} }, 'HTTP 500: {'],
    ['logs and progress', 'tools/call', { name: 'hub_tell', arguments: {}, _meta: meta }, 'at [removed: github-token]'],
    ['a resource', 'resources/read', { uri: 'file:///a' }, 'x {{secret:'],
    ['a prompt', 'prompts/get', { name: 'hub_p' }, 'x {{secret:'],
  ])('%s', async (_name, method, params, rest) => {
    const { body } = await client.askModern(method, params);
    expect(body).not.toContain('a7Kq');
    expect(body).toContain(rest);
  });

  it('a question to the model is not put', async () => {
    const own = await new PlainClient(gateway).initialize('2025-11-25', { sampling: {} });
    const { body } = await own.ask('tools/call', { name: 'hub_ask', arguments: {} });
    expect(body).not.toContain('a7Kq');
    expect(body).not.toContain('createMessage');
  });

  it('what a rule lets through is not written into the audit', async () => {
    const given = { open: `x ${KEY}`, [KEY]: 4539578763621486 };
    expect((await client.askModern('tools/call', { name: 'hub_tell', arguments: given })).body).toContain('done');
  });

  it('nothing that is kept or logged holds it', () => {
    expect(recordsOf(gateway)).not.toMatch(/a7Kq|453957/);
    expect(gateway.process.stderr).not.toContain('a7Kq');
  });
});
