import { beforeAll, describe, expect, it } from 'vitest';
import { startHttpUpstream } from './http-upstream.ts';
import { keyHolder } from './keyed-callers.ts';
import { PlainClient, textOf } from './plain-client.ts';
import { misbehaving, type RunningGateway, startGateway } from './running-sallyport.ts';

const NOTHING_HERE = /nothing at this path/;

let gateway: RunningGateway;
let writer: RunningGateway;
let outsider: RunningGateway;
let code: Awaited<ReturnType<typeof startHttpUpstream>>;

beforeAll(async () => {
  code = await startHttpUpstream({ tools: ['read_file', 'write_file', 'delete_file', 'list_issues'] });
  const chat = await startHttpUpstream({ tools: ['post', 'read'] });
  const staff = await startHttpUpstream({ tools: ['salary'] });
  gateway = await startGateway({
    mcpServers: {
      code: {
        url: code.url,
        allow: { tools: ['read_*', 'list_*', { match: 'write_*', groups: ['writers'] }] },
        deny: { tools: ['*_issues'] },
      },
      chat: { url: chat.url },
      staff: { url: staff.url, groups: ['personnel'] },
    },
    bundles: {
      review: {
        title: 'Review',
        instructions: 'Read, then say.',
        tools: [
          { tool: 'code.read_file', name: 'look', description: 'Look at a file of the repository.' },
          'chat.*',
          'code.write_*',
          'staff.*',
        ],
      },
      secret: { tools: ['chat.read'], groups: ['personnel'] },
    },
  } as Record<string, unknown>);
  writer = await keyHolder(gateway, 'w', ['--group', 'writers']);
  outsider = await keyHolder(gateway, 'o', []);
});

const namesIn = (result: Record<string, unknown> | undefined) =>
  ((result?.['tools'] ?? []) as { name: string }[]).map(({ name }) => name);

async function listed(holder: RunningGateway, path: string): Promise<string[]> {
  const client = new PlainClient(holder, `${gateway.origin}${path}`);
  return namesIn((await client.requestModern('tools/list')).result).sort();
}

describe('allow lists', () => {
  it('show each caller what it may use', async () => {
    expect(await listed(outsider, '/mcp')).toEqual(['chat_post', 'chat_read', 'code_read_file']);
    expect(await listed(writer, '/mcp')).toEqual(['chat_post', 'chat_read', 'code_read_file', 'code_write_file']);
    expect(await listed(outsider, '/servers/code/mcp')).toEqual(['read_file']);
    const personnel = await keyHolder(gateway, 'p', ['--group', 'personnel']);
    expect(await listed(personnel, '/mcp')).toContain('staff_salary');
  });

  it.each(['code_write_file', 'code_delete_file', 'code_list_issues', 'staff_salary'])(
    'answer %s like a tool that does not exist',
    async (name) => {
      const client = new PlainClient(outsider);
      const unknown = await client.callModern('code_nothing_like_it');
      const hidden = await client.callModern(name);
      const text = JSON.stringify(hidden.error).replaceAll(name, 'code_nothing_like_it');
      expect(hidden.error).toMatchObject({ code: -32602 });
      expect(text).toBe(JSON.stringify(unknown.error));
      expect(code.calls.get(name.replace('code_', ''))).toBeUndefined();
    },
  );

  it('let calls through that they show', async () => {
    expect(textOf(await new PlainClient(writer).callModern('code_write_file'))).toBe('write_file done');
    expect(textOf(await (await new PlainClient(outsider).initialize()).call('code_read_file'))).toBe('read_file done');
  });

  it('hide a whole server, door included', async () => {
    const hidden = await new PlainClient(outsider, `${gateway.origin}/servers/staff/mcp`).askModern('tools/list');
    const missing = await new PlainClient(outsider, `${gateway.origin}/servers/nobody/mcp`).askModern('tools/list');
    expect([hidden.status, hidden.body]).toEqual([missing.status, missing.body]);
    expect(hidden.body).toMatch(NOTHING_HERE);
  });
});

describe('bundles', () => {
  const bundle = (holder: RunningGateway, name = 'review') =>
    new PlainClient(holder, `${gateway.origin}/bundles/${name}/mcp`);

  it('have names, descriptions and instructions of their own', async () => {
    const { result } = await bundle(outsider).requestModern('tools/list');
    const tools = result?.['tools'] as { name: string; description?: string }[];
    expect(tools.map(({ name }) => name)).toEqual(['look', 'chat_post', 'chat_read']);
    expect(tools[0]?.description).toBe('Look at a file of the repository.');
    const about = await bundle(outsider).requestModern('server/discover');
    expect(about.result).toMatchObject({
      instructions: 'Read, then say.',
      _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'review', title: 'Review' } },
    });
  });

  it('map renamed tools back, in both eras', async () => {
    const before = code.calls.get('read_file') ?? 0;
    expect(textOf(await bundle(outsider).callModern('look'))).toBe('read_file done');
    expect(textOf(await (await bundle(outsider).initialize()).call('look'))).toBe('read_file done');
    expect(code.calls.get('read_file')).toBe(before + 2);
  });

  it.each(['code_read_file', 'code_write_file', 'code_list_issues', 'staff_salary'])('do not know %s', async (name) => {
    expect((await bundle(outsider).callModern(name)).error).toMatchObject({ code: -32602 });
  });

  it('never give more than the servers’ own lists', async () => {
    const { result } = await bundle(writer).requestModern('tools/list');
    expect(namesIn(result)).toContain('code_write_file');
  });

  it('are not there for callers outside their groups', async () => {
    const hidden = await bundle(outsider, 'secret').askModern('tools/list');
    const missing = await bundle(outsider, 'none').askModern('tools/list');
    expect([hidden.status, hidden.body]).toEqual([missing.status, missing.body]);
  });

  it('keep sessions to themselves', async () => {
    const client = await bundle(outsider).initialize();
    const elsewhere = new PlainClient(outsider);
    elsewhere.session = client.session;
    expect((await elsewhere.ask('tools/list')).status).toBe(404);
  });

  it('have the first revision’s doors too', async () => {
    const response = await fetch(`${gateway.origin}/bundles/review/sse`, { headers: outsider.headers });
    const reader = response.body?.getReader();
    const { value } = (await reader?.read()) ?? {};
    await reader?.cancel();
    expect(Buffer.from(value ?? []).toString()).toContain('data: /bundles/review/message?sessionId=');
  });
});

it('refuses two tools of one name, naming both', async () => {
  const { process } = await startGateway({ mcpServers: { a: misbehaving(), b: misbehaving() } });
  process.write({
    mcpServers: { a: misbehaving(), b: misbehaving() },
    bundles: {
      x: {
        tools: [
          { tool: 'a.echo', name: 'same' },
          { tool: 'b.echo', name: 'same' },
        ],
      },
    },
  } as Record<string, unknown>);
  await process.logged(/\\?"a\.echo\\?" and \\?"b\.echo\\?" would both be/);
});
