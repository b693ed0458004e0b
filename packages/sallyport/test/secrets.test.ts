import { readdirSync, readFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { type HttpUpstream, type Incoming, startHttpUpstream } from './http-upstream.ts';
import { PlainClient, textOf } from './plain-client.ts';
import { type RunningGateway, startGateway } from './running-sallyport.ts';

/** Made of parts, so that no tool that reads this repository takes it for a key. */
const KEY = `ghp_${'a7Kq2Zx9Lm4Tp8Rv3Wn6Yb5Hc1Jd0GfQ2w9e'}`;
const TOKEN = /\{\{secret:github-token:[a-z2-7]{16}\}\}/;

/** Gives a key away and remembers what it is sent. */
async function startKeeper(): Promise<HttpUpstream & { readonly got: unknown[] }> {
  const got: unknown[] = [];
  const behave = (message: Incoming, response: ServerResponse) => {
    if (message.method !== 'tools/call') return false;
    const given = (message.params as { arguments?: unknown } | undefined)?.arguments;
    if (message.params?.name === 'read_config')
      answer(response, message.id, `token = ${KEY}\nurl = https://api.acme.dev`);
    else {
      got.push(given);
      answer(response, message.id, 'done');
    }
    return true;
  };
  const tools = ['read_config', 'write_config', 'post'];
  return { ...(await startHttpUpstream({ tools, behave })), got };
}

function answer(response: ServerResponse, id: unknown, text: string): void {
  const body = JSON.stringify({ jsonrpc: '2.0', id, result: { content: [{ type: 'text', text }] } });
  response.writeHead(200, { 'content-type': 'application/json' }).end(body);
}

function recordsOf({ process }: RunningGateway): string {
  const folder = join(process.stateDir, 'audit');
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.endsWith('.tmp'))
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8'))
    .join('');
}

describe('with secrets watched', () => {
  let hub: Awaited<ReturnType<typeof startKeeper>>;
  let chat: Awaited<ReturnType<typeof startKeeper>>;
  let gateway: RunningGateway;
  let client: PlainClient;
  let masked: string;

  beforeAll(async () => {
    [hub, chat] = await Promise.all([startKeeper(), startKeeper()]);
    gateway = await startGateway({
      mcpServers: { hub: { url: hub.url }, chat: { url: chat.url } },
      secrets: {},
      audit: { values: 'full', mode: 'strict' },
    } as Record<string, unknown>);
    client = new PlainClient(gateway);
    masked = textOf(await client.callModern('hub_read_config', {})) ?? '';
  });

  it('a key in a result is masked, and the rest of it is there', () => {
    expect(masked).toMatch(TOKEN);
    expect(masked).not.toContain('a7Kq');
    expect(masked).toContain('url = https://api.acme.dev');
  });

  it('it returns to its own server as it was', async () => {
    expect(textOf(await client.callModern('hub_write_config', { text: masked, n: 1 }))).toBe('done');
    expect(hub.got).toEqual([{ text: `token = ${KEY}\nurl = https://api.acme.dev`, n: 1 }]);
  });

  it('it goes to no other server', async () => {
    const said = textOf(await client.callModern('chat_post', { text: masked }));
    expect(said).toContain('came from "hub" and may not go to "chat"');
    expect(chat.got).toEqual([]);
  });

  it('a key that nobody masked asks a person', async () => {
    const said = textOf(await client.callModern('chat_post', { text: `look: ${KEY}` }));
    expect(said).toMatch(/approv/i);
    expect(said).not.toContain('a7Kq');
    expect(chat.got).toEqual([]);
  });

  it('words go through', async () => {
    expect(textOf(await client.callModern('chat_post', { text: 'The token has expired.' }))).toBe('done');
    expect(chat.got).toEqual([{ text: 'The token has expired.' }]);
  });

  it('no record and no log holds the value', () => {
    const records = recordsOf(gateway);
    expect(records).toContain('{{secret:github-token:');
    expect(records).not.toContain('a7Kq');
    expect(gateway.process.stderr).not.toContain('a7Kq');
  });
});

describe('without a section', () => {
  it('secrets pass, and what is never harmless does not', async () => {
    const hub = await startKeeper();
    const gateway = await startGateway({ mcpServers: { hub: { url: hub.url } } });
    const client = new PlainClient(gateway);
    expect(textOf(await client.callModern('hub_read_config', {}))).toContain(KEY);
    expect(textOf(await client.callModern('hub_post', { text: KEY }))).toBe('done');
    const { result } = await client.callModern('hub_post', { url: 'http://2852039166/latest/meta-data/' });
    expect(result).toMatchObject({
      isError: true,
      _meta: { 'dev.sallyport/verdict': { kind: 'deny', guard: 'argument-safety' } },
    });
    expect(hub.got).toEqual([{ text: KEY }]);
  });
});
