import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startHttpUpstream } from './http-upstream.ts';
import { PlainClient, textOf } from './plain-client.ts';
import { startGateway } from './running-sallyport.ts';

/** Made of parts, so that no tool that reads this repository takes it for a key. */
const KEY = `ghp_${'a7Kq2Zx9Lm4Tp8Rv3Wn6Yb5Hc1Jd0GfQ2w9e'}`;
const TOKEN = /\{\{secret:github-token:[a-z2-7]{16}\}\}/;

/** What reached a server to be read. */
let arrived: { readonly server: string; readonly uri: string }[] = [];

/** Its tool tells a key, and it reads whatever it is asked for that is not nowhere. */
function server(name: string) {
  return startHttpUpstream({
    behave({ id, method, params }, response) {
      const uri = String((params as { uri?: unknown } | undefined)?.uri);
      const said = answerOf(name, method, uri);
      if (said === undefined) return false;
      if (method === 'resources/read') arrived.push({ server: name, uri });
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ jsonrpc: '2.0', id, ...said }));
      return true;
    },
  });
}

function answerOf(name: string, method: string | undefined, uri: string): Record<string, unknown> | undefined {
  switch (method) {
    case 'initialize': {
      const capabilities = { tools: {}, resources: { subscribe: true } };
      return { result: { protocolVersion: '2025-06-18', capabilities, serverInfo: { name, version: '1' } } };
    }
    case 'tools/call':
      return { result: { content: [{ type: 'text', text: `token = ${KEY}` }] } };
    case 'resources/list':
      return { result: { resources: [] } };
    case 'resources/templates/list':
      return { result: { resourceTemplates: [] } };
    case 'resources/read':
      if (uri.startsWith('nowhere:')) return { error: { code: -32002, message: 'Resource not found' } };
      return { result: { contents: [{ uri: 'note://a', text: 'A note.' }] } };
    default:
      return undefined;
  }
}

let client: PlainClient;
/** What stands for the key, by the server it came from. The hub comes first among owners. */
const tokens = { hub: '', chat: '' };

beforeAll(async () => {
  const [hub, chat] = await Promise.all([server('hub'), server('chat')]);
  const gateway = await startGateway({
    mcpServers: { hub: { url: hub.url }, chat: { url: chat.url } },
    secrets: {},
  });
  client = await new PlainClient(gateway).initialize('2025-06-18');
  for (const name of ['hub', 'chat'] as const)
    tokens[name] = TOKEN.exec(textOf(await client.call(`${name}_echo`)) ?? '')?.[0] ?? 'none';
});

beforeEach(() => {
  arrived = [];
});

const read = (uri: string) => client.request('resources/read', { uri });

describe('a URI that several servers may own', () => {
  it('is read by the one that may have what is masked in it', async () => {
    for (const name of ['hub', 'chat'] as const) {
      arrived = [];
      expect((await read(`note://of/${tokens[name]}`)).result).toBeDefined();
      expect(arrived).toEqual([{ server: name, uri: `note://of/${KEY}` }]);
    }
  });

  it('is refused where none of them may', async () => {
    const { error } = await read(`note://of/${tokens.hub}/${tokens.chat}`);
    expect(error).toMatchObject({ data: { 'dev.sallyport/verdict': { kind: 'deny', guard: 'secrets' } } });
    expect(error?.message).toContain('came from "chat" and may not go to "hub".');
    expect(error?.message).toMatch(/ the URI may not go to "chat" either\.$/);
    expect(arrived).toEqual([]);
  });

  it('is refused where the one that may does not know it, unless that one comes first', async () => {
    const { error } = await read(`nowhere://of/${tokens.chat}`);
    expect(error?.message).toMatch(/may not go to "hub"\..* Asked instead, without finding it: "chat"\.$/);
    expect((await read(`nowhere://of/${tokens.hub}`)).error).toMatchObject({ code: -32002 });
    expect(arrived.map((one) => one.server)).toEqual(['chat', 'hub']);
  });

  it('is refused where the value is not kept, and so far as it is a secret itself', async () => {
    const gone = tokens.hub.replace(/:[a-z2-7]{16}\}/, ':aaaaaaaaaaaaaaaa}');
    const { error } = await read(`note://of/${gone}`);
    expect(error?.message).toContain('whose value is not kept');
    expect(error?.message).not.toContain('either');
    // A person may let the key go to one of them; it is not sent before.
    expect((await read(`note://of/${tokens.chat}?key=${KEY}`)).error?.message).toContain('A person must allow');
    expect(arrived).toEqual([]);
  });
});

describe.each<[string, (token: string) => string]>([
  ['a template', encodeURIComponent],
  ['a parser of URLs', encodeURI],
])('a masked value in a URI that %s has encoded', (_, encode) => {
  it('is the value, encoded as well, for its own server', async () => {
    expect((await read(`note://of/${encode(tokens.chat)}/a`)).result).toBeDefined();
    expect(arrived).toEqual([{ server: 'chat', uri: `note://of/${KEY}/a` }]);
  });

  it('is refused by its own name', async () => {
    const { error } = await read(`note://of/${encode(tokens.hub)}/${encode(tokens.chat)}`);
    expect(error).toMatchObject({ data: { 'dev.sallyport/verdict': { kind: 'deny', guard: 'secrets' } } });
    expect(error?.message).toContain('github-token that came from "chat" and may not go to "hub"');
    const followed = await client.request('resources/subscribe', { uri: `note://of/${encode(tokens.hub)}` });
    expect(followed.error?.message).toContain('is read and called, not followed');
    expect(arrived).toEqual([]);
  });
});
