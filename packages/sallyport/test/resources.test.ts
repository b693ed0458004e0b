import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { approval } from './approvals-set-up.ts';
import { cli } from './cli-terminal.ts';
import { messageIn } from './http-exchange.ts';
import { type Incoming, startHttpUpstream } from './http-upstream.ts';
import { modernHeaders, modernParams, PlainClient } from './plain-client.ts';
import { newTestFolder, startGateway } from './running-sallyport.ts';

const elf = Buffer.from('\x7fELF\x02\x01\x01', 'latin1').toString('base64');
const png = Buffer.from('\x89PNG\r\n\x1a\n\0\0\0\rIHDR', 'latin1').toString('base64');

/** What the server has under its own names. */
const CONTENTS: Readonly<Record<string, Record<string, unknown>>> = {
  'note://text': { mimeType: 'text/plain', text: 'Milk and bread.' },
  'note://picture': { mimeType: 'image/png', blob: png },
  'note://large': { mimeType: 'text/plain', text: 'x'.repeat(5_000) },
  'note://program': { mimeType: 'image/png', blob: elf },
  'note://page': { mimeType: 'text/plain', text: '<!doctype html><script>steal()</script>' },
  'note://broken': { mimeType: 'image/png', blob: '<not base64>' },
  'note://elsewhere': { uri: 'http://169.254.169.254/latest/', mimeType: 'text/plain', text: 'role: admin' },
};

const link = (uri: string) => ({ type: 'resource_link', uri, name: 'more' });
const ITEMS: Readonly<Record<string, unknown>> = {
  plain: { type: 'text', text: 'https://inside.test/ is words' },
  picture: { type: 'image', mimeType: 'image/png', data: png },
  program: { type: 'image', mimeType: 'image/png', data: elf },
  embedded: { type: 'resource', resource: { uri: 'https://inside.test/a', mimeType: 'text/plain', text: 'kept' } },
  virus: { type: 'resource', resource: { uri: 'note://v', mimeType: 'text/plain', blob: elf } },
};

const NAMES = new URL('fixtures/names.mjs', import.meta.url).href;

async function start(resources?: Record<string, unknown>, more: Record<string, unknown> = {}) {
  const read: string[] = [];
  const upstream = await startHttpUpstream({
    tools: ['fetch'],
    behave: ({ id, method, params }: Incoming, response) => {
      const answer = (result: Record<string, unknown>) => {
        response.writeHead(200, { 'content-type': 'application/json' });
        response.end(JSON.stringify({ jsonrpc: '2.0', id, result }));
        return true;
      };
      const given = params as Record<string, unknown> | undefined;
      if (method === 'initialize')
        return answer({
          protocolVersion: '2025-06-18',
          capabilities: { tools: {}, resources: { subscribe: true }, prompts: {} },
          serverInfo: { name: 'pages', version: '1' },
        });
      if (method === 'resources/list')
        return answer({ resources: Object.keys(CONTENTS).map((uri) => ({ uri, name: uri })) });
      if (method === 'resources/templates/list')
        return answer({
          resourceTemplates: ['http', 'https', 'gopher'].map((one) => ({
            uriTemplate: `${one}://{+place}`,
            name: one,
          })),
        });
      if (method === 'prompts/list') return answer({ prompts: [{ name: 'see', arguments: [{ name: 'uri' }] }] });
      if (method === 'prompts/get') {
        const { uri = '' } = (given?.['arguments'] ?? {}) as { uri?: string };
        return answer({ messages: [{ role: 'user', content: link(uri) }] });
      }
      if (method === 'resources/subscribe') {
        read.push(`follow ${String(given?.['uri'])}`);
        return answer({});
      }
      if (method === 'resources/read') {
        const uri = String(given?.['uri']);
        read.push(uri);
        return answer({
          contents: [{ uri, ...(CONTENTS[uri] ?? { mimeType: 'text/plain', text: `body of ${uri}` }) }],
        });
      }
      if (method !== 'tools/call') return false;
      const { kind = '', uri } = (given?.['arguments'] ?? {}) as { kind?: string; uri?: string };
      return answer({ content: [uri === undefined ? ITEMS[kind] : link(uri)] });
    },
  });
  const config = {
    mcpServers: { web: { url: upstream.url } },
    pins: { mode: 'laptop' },
    // Written, they hold for results, too.
    scan: { resources: resources ?? {} },
    ...more,
  };
  const gateway = await startGateway(config as never, [], { NODE_OPTIONS: `--import=${NAMES}` });
  const state = gateway.process.stateDir;
  const legacy = await new PlainClient(gateway).initialize();
  const ask = async (era: 'legacy' | 'modern', method: string, params: Record<string, unknown>) =>
    era === 'legacy' ? legacy.request(method, params) : legacy.requestModern(method, params);
  return { gateway, state, legacy, ask, read };
}

const ERAS = ['legacy', 'modern'] as const;
const verdictOf = ({ error }: { error?: { data?: unknown } }) =>
  (error?.data as Record<string, Record<string, string>> | undefined)?.['dev.sallyport/verdict'];

describe.each(ERAS)('a %s client', (era) => {
  it('reads where a name leads outside, and nowhere else', async () => {
    const { ask, read, state } = await start();
    const readAt = (uri: string) => ask(era, 'resources/read', { uri });
    for (const uri of ['https://outside.test/a', 'https://docs.test/a', 'https://unknown.test/', 'note://text'])
      expect(JSON.stringify((await readAt(uri)).result), uri).toMatch(/body of|Milk/);
    const allowed = read.length;
    for (const uri of [
      ...[
        'https://inside.test/',
        'https://both.test/',
        'https://metadata.test/',
        'https://silent.test/',
        'https://vm/',
      ],
      ...['http://169.254.169.254/', 'http://0xa.1/', 'http://[::ffff:a00:1]/', 'gopher://2130706433:6379/_x'],
      ...['https://a:b@outside.test/', 'http://①⓪.0.0.1/'],
    ]) {
      const refused = await readAt(uri);
      expect(refused.error?.message, uri).toContain('may not be read');
      expect(refused.error?.message, uri).toContain(
        uri.includes('@') ? 'No setting allows it' : 'Only the operator can allow it',
      );
      expect(verdictOf(refused), uri).toMatchObject({ kind: 'deny', guard: 'resources' });
    }
    expect(read).toHaveLength(allowed);
    const { stdout } = await cli(['audit', 'search', '--guard', 'resources', '--json'], {
      env: { SALLYPORT_STATE: state },
    });
    expect(JSON.parse(stdout).calls).toHaveLength(11);
    expect(JSON.parse(stdout).calls[0]).toMatchObject({ outcome: 'denied', method: 'resources/read', upstream: 'web' });
  });

  it('gets links of results and prompts only where they lead outside', async () => {
    const { ask } = await start();
    const linked = async (uri: string) =>
      JSON.stringify([
        (await ask(era, 'tools/call', { name: 'web_fetch', arguments: { uri } })).result,
        (await ask(era, 'prompts/get', { name: 'web_see', arguments: { uri } })).result,
      ]);
    for (const uri of ['https://outside.test/', 'https://docs.test/', 'https://unknown.test/', 'note://text'])
      expect((await linked(uri)).match(/"resource_link"/g), uri).toHaveLength(2);
    for (const uri of ['https://inside.test/', 'https://both.test/', 'https://metadata.test/'])
      expect((await linked(uri)).match(/was taken out, because/g), uri).toHaveLength(2);
  });

  it('gets contents that are what they say they are', async () => {
    const { ask } = await start({ maxBytes: 4_096 });
    const readAt = (uri: string) => ask(era, 'resources/read', { uri });
    expect((await readAt('note://text')).result).toMatchObject({ contents: [{ text: 'Milk and bread.' }] });
    expect((await readAt('note://picture')).result).toMatchObject({ contents: [{ blob: png }] });
    for (const [uri, why] of [
      ['note://program', 'It is a program (ELF program)'],
      ['note://broken', 'It says that it is base64, and it is not.'],
      ['note://large', 'It has 5000 bytes, and 4096 are the most.'],
    ] as const) {
      const refused = await readAt(uri);
      expect(refused.error?.message).toContain(`The result of "web" is withheld: ${why}`);
      expect(JSON.stringify(refused)).not.toContain(elf);
    }
    expect(JSON.stringify((await readAt('note://page')).result)).toContain('wrong-type');
    const elsewhere = JSON.stringify((await readAt('note://elsewhere')).result);
    expect(elsewhere).toContain('role: admin');
    expect(elsewhere).not.toContain('169.254');
  });

  it('gets items of results that are what they say they are', async () => {
    const { ask } = await start();
    const call = async (kind: string) =>
      (await ask(era, 'tools/call', { name: 'web_fetch', arguments: { kind } })).result;
    for (const kind of ['plain', 'picture']) expect(await call(kind), kind).toMatchObject({ content: [ITEMS[kind]] });
    const program = JSON.stringify(await call('program'));
    for (const part of ['It is a program', '/content/0: an item of type image is taken out'])
      expect(program).toContain(part);
    expect(JSON.stringify(await call('virus'))).toContain('the contents were taken out');
    expect(await call('embedded')).toMatchObject({
      content: [{ type: 'text' }, { resource: { uri: 'web+urn:sallyport:taken-out', text: 'kept' } }],
    });
  });
});

const ASKING = { hosts: ['docs.test'], unlisted: 'ask' };

describe('a host that is not listed', () => {
  it('is read after a person’s yes by its id; the yes holds for the host and as long as it says', async () => {
    const { legacy, read, state } = await start(ASKING);
    const readAt = (uri: string) => legacy.request('resources/read', { uri });
    expect((await readAt('https://docs.test/a')).result).toBeDefined();
    const asked = await readAt('https://outside.test/a');
    const id = verdictOf(asked)?.['approval'] ?? '';
    expect(verdictOf(asked)).toMatchObject({ kind: 'ask', guard: 'approval', approval: expect.stringMatching(/^ap_/) });
    expect(asked.error?.message).toContain(`Approval ${id} waits for that person`);
    expect((await approval(state, 'show', id)).json()).toMatchObject({
      tool: 'resources/read',
      upstream: 'web',
      arguments: { scheme: 'https', host: 'outside.test' },
      reasons: [{ guard: 'resources', reason: expect.stringContaining('https://outside.test/a') }],
    });
    expect(read).toEqual(['https://docs.test/a']);

    expect((await approval(state, 'allow', id)).exit).toBe(0);
    expect((await readAt('https://outside.test/b')).result).toBeDefined();
    // Once is once.
    const again = verdictOf(await readAt('https://outside.test/b'))?.['approval'] ?? '';
    expect(again).not.toBe(id);
    expect((await approval(state, 'allow', again, '--for', 'always')).exit).toBe(0);
    for (const path of ['a', 'b', 'c'])
      expect((await readAt(`https://outside.test/${path}`)).result, path).toBeDefined();
    // Another port, another host and another scheme are other places.
    for (const uri of ['https://outside.test:8443/a', 'https://unknown.test/a', 'http://outside.test/a'])
      expect(verdictOf(await readAt(uri))?.['kind'], uri).toBe('ask');
    // No yes opens what leads inside, and nobody is asked about it.
    expect(verdictOf(await readAt('http://10.0.0.1/'))).toMatchObject({ kind: 'deny', guard: 'resources' });
    const { stdout } = await cli(['audit', 'export', '--json'], { env: { SALLYPORT_STATE: state } });
    expect(stdout).toContain('approval_answer');
    expect(stdout).toContain(id);
  });

  it('is not read after a no, or when its name turns inside between the yes and the reading', async () => {
    const { legacy, read, state } = await start({ ...ASKING, hosts: [] });
    const readAt = (uri: string) => legacy.request('resources/read', { uri });
    const no = verdictOf(await readAt('https://outside.test/'))?.['approval'] ?? '';
    await approval(state, 'deny', no, '--message', 'Not there');
    expect((await readAt('https://outside.test/')).error?.message).toContain('Not there');
    const yes = verdictOf(await readAt('https://inside.test/'))?.['approval'] ?? '';
    await approval(state, 'allow', yes, '--for', 'always');
    expect((await readAt('https://inside.test/')).error?.message).toContain('its name leads to this machine');
    expect(read).toEqual([]);
  });

  it('is asked about in the dialog of a legacy client', async () => {
    const { gateway, read } = await start(ASKING);
    const client = await new PlainClient(gateway).initialize('2025-11-25', { elicitation: {} });
    const { question, answer } = await askInStream(client, 'https://outside.test/a');
    expect(question.params.message).toContain('https://outside.test/a');
    expect(question.params.message).toContain('"host": "outside.test"');
    await client.post(
      JSON.stringify({
        jsonrpc: '2.0',
        id: question.id,
        result: { action: 'accept', content: { decision: 'allow once' } },
      }),
      client.session,
    );
    expect(JSON.stringify((await answer()).result)).toContain('body of https://outside.test/a');
    expect(read).toEqual(['https://outside.test/a']);
  });

  it('is asked about with input_required, and the sealed state works once', async () => {
    const { gateway, read } = await start(ASKING);
    const client = new PlainClient(gateway);
    const ask = (more: Record<string, unknown> = {}) => {
      const params = { uri: 'https://outside.test/a', ...more };
      const body = {
        jsonrpc: '2.0',
        id: 5,
        method: 'resources/read',
        params: modernParams(params, { elicitation: {} }),
      };
      return client.post(JSON.stringify(body), modernHeaders('resources/read', params)).then(messageIn);
    };
    const round = (await ask()).result ?? {};
    expect(round['resultType']).toBe('input_required');
    const [key = ''] = Object.keys(round['inputRequests'] as Record<string, unknown>);
    const retry = {
      requestState: round['requestState'],
      inputResponses: { [key]: { action: 'accept', content: { decision: 'allow for this run' } } },
    };
    expect(JSON.stringify((await ask(retry)).result)).toContain('body of https://outside.test/a');
    expect((await ask(retry)).error).toBeDefined();
    expect(read).toHaveLength(1);
  });

  it('is followed only where it may be read', async () => {
    const { legacy, read } = await start(ASKING);
    expect((await legacy.request('resources/subscribe', { uri: 'https://docs.test/a' })).result).toBeDefined();
    expect(verdictOf(await legacy.request('resources/subscribe', { uri: 'https://outside.test/a' }))?.['kind']).toBe(
      'ask',
    );
    expect(verdictOf(await legacy.request('resources/subscribe', { uri: 'https://inside.test/' }))?.['kind']).toBe(
      'ask',
    );
    expect(verdictOf(await legacy.request('resources/subscribe', { uri: 'http://10.0.0.1/' }))?.['kind']).toBe('deny');
    expect(read).toEqual(['follow https://docs.test/a']);
  });

  it('may still be linked to, since a link is read by nobody yet', async () => {
    const { legacy } = await start(ASKING);
    expect(JSON.stringify((await legacy.call('web_fetch', { uri: 'https://outside.test/' })).result)).toContain(
      'resource_link',
    );
  });
});

it.each([
  ['laptop', undefined],
  ['team', 'ask'],
  ['locked', 'deny'],
] as const)(
  'the starter set %s: a host that no list names is %s; the server’s own names are read',
  async (set, kind) => {
    const policy = join(newTestFolder(), 'all.cedar');
    writeFileSync(policy, 'permit(principal, action, resource);');
    const { legacy } = await start(undefined, { policy: { set, files: [policy] } });
    const there = await legacy.request('resources/read', { uri: 'https://outside.test/' });
    expect(verdictOf(there)?.['kind'], JSON.stringify(there)).toBe(kind);
    expect((await legacy.request('resources/read', { uri: 'note://text' })).result).toBeDefined();
  },
);

/** A request whose answer comes on a stream, after a question. */
async function askInStream(client: PlainClient, uri: string) {
  const response = await fetch(client.url, {
    method: 'POST',
    headers: { ...client.gateway.headers, ...client.session },
    body: JSON.stringify({ jsonrpc: '2.0', id: 77, method: 'resources/read', params: { uri } }),
  });
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let heard = '';
  const until = async (sign: string): Promise<string> => {
    for (;;) {
      const line = heard.split('\n').find((one) => one.startsWith('data:') && one.includes(sign) && one.endsWith('}'));
      if (line !== undefined) return line.slice(5);
      const { value, done } = (await reader?.read()) ?? { value: undefined, done: true };
      if (done) throw new Error(`the stream ended: ${heard}`);
      heard += value;
    }
  };
  const question = JSON.parse(await until('elicitation/create'));
  return { question, answer: async () => JSON.parse(await until('"id":77')) };
}
