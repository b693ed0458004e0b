import { beforeAll, describe, expect, it } from 'vitest';
import { idIn } from './approvals-set-up.ts';
import { startHttpUpstream } from './http-upstream.ts';
import { keyHolder } from './keyed-callers.ts';
import { PlainClient, textOf } from './plain-client.ts';
import { type RunningGateway, startGateway } from './running-sallyport.ts';

const OWN = ['find_tools', 'describe_tool', 'call_tool'];

const SEND = {
  name: 'send_email',
  description: 'Sends an email to an address.',
  inputSchema: {
    type: 'object',
    properties: {
      to: { type: 'string', description: 'The address of who gets it.' },
      subject: { type: 'string' },
      priority: { type: 'integer' },
      cc: { type: 'array', items: { type: 'string' } },
    },
    required: ['to', 'subject'],
  },
};
const READ = {
  name: 'read_email',
  description: 'Reads an email.',
  inputSchema: { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] },
  annotations: { readOnlyHint: true },
};
const SALARY = { name: 'email_salary', description: 'Sends the salary by email.', inputSchema: { type: 'object' } };

const PARCEL = { name: 'post_parcel', description: 'Posts a parcel to a house.', inputSchema: { type: 'object' } };

/** A server with these definitions. */
function serve(tools: () => readonly object[]) {
  return startHttpUpstream({
    behave(message, response) {
      if (message.method !== 'tools/list') return false;
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ jsonrpc: '2.0', id: message.id, result: { tools: tools() } }));
      return true;
    },
  });
}

let gateway: RunningGateway;
let mail: Awaited<ReturnType<typeof serve>>;
let outsider: RunningGateway;
let legacy: PlainClient;

beforeAll(async () => {
  mail = await serve(() => [SEND, READ, SALARY]);
  gateway = await startGateway({
    mcpServers: {
      mail: { url: mail.url, allow: { tools: ['*_email', { match: '*_salary', groups: ['admin'] }] } },
      other: { url: (await serve(() => [{ ...READ, name: 'find_tools' }])).url, prefix: '' },
      depot: { url: (await serve(() => [PARCEL])).url },
      annex: { url: (await serve(() => [PARCEL])).url },
    },
    scan: { trusted: ['annex'] },
    bundles: { post: { tools: [{ tool: 'mail.send_email', name: 'post', description: 'Posts a letter.' }] } },
    discovery: { mode: 'on', rules: [{ client: 'plain *', mode: 'off' }] },
    approvals: { asks: ['mail/read_email'] },
  } as Record<string, unknown>);
  outsider = await keyHolder(gateway, 'o', []);
  legacy = await new PlainClient(gateway).initialize();
});

const listed = (result: Record<string, unknown> | undefined) =>
  ((result?.['tools'] ?? []) as { name: string }[]).map(({ name }) => name);
const find = async (client: PlainClient, given: Record<string, unknown>) =>
  textOf(await client.callModern('find_tools', given));

describe('the list', () => {
  it('has three tools in both eras, and is plain at its own path, at that of a server, and where a rule says so', async () => {
    const at = (path: string, holder = gateway) => new PlainClient(holder, `${gateway.origin}${path}`);
    expect(listed((await legacy.request('tools/list')).result)).toEqual(OWN);
    expect(listed((await at('/mcp').requestModern('tools/list')).result)).toEqual(OWN);
    expect(listed((await at('/bundles/post/mcp').requestModern('tools/list')).result)).toEqual(OWN);
    const all = [
      'mail_send_email',
      'mail_read_email',
      'mail_email_salary',
      'find_tools',
      'depot_post_parcel',
      'annex_post_parcel',
    ];
    expect(listed((await at('/mcp/plain').requestModern('tools/list')).result)).toEqual(all);
    expect(listed((await (await at('/mcp/plain').initialize()).request('tools/list')).result)).toEqual(all);
    expect(listed((await at('/bundles/post/mcp/plain').requestModern('tools/list')).result)).toEqual(['post']);
    expect(listed((await at('/servers/mail/mcp').requestModern('tools/list')).result)).toContain('send_email');
  });

  it('stays with the path a session began at', async () => {
    const { session } = await new PlainClient(gateway).initialize();
    const other = new PlainClient(gateway, `${gateway.origin}/mcp/plain`);
    other.session = session;
    expect((await other.ask('tools/list')).status).toBe(404);
  });
});

describe('find_tools', () => {
  it('finds for each step, by server and effect, with the operator’s words of a bundle', async () => {
    const client = new PlainClient(gateway);
    expect(await find(client, { queries: ['send a mail'], limit: 1 })).toBe(
      'mail_send_email(to: string, subject: string, priority?: integer, cc?: string[])\n  Sends an email to an address.',
    );
    expect(await find(client, { queries: ['email'], read_only: true, server: 'mail' })).toBe(
      'mail_read_email(id: string) [read-only]\n  Reads an email.',
    );
    expect(await find(client, { queries: ['email'], bundle: 'post' })).toMatch(/^mail_send_email/);
    const bundle = new PlainClient(gateway, `${gateway.origin}/bundles/post/mcp`);
    expect(await find(bundle, { queries: ['letter'] })).toMatch(/^post\(.*\n {2}Posts a letter\.$/);
  });

  it('shows the tool of a trusted server, and names the one of another server that says the same', async () => {
    const cards = await find(new PlainClient(gateway), { queries: ['parcel'] });
    expect(cards).toMatch(/^annex_post_parcel\(/);
    expect(cards).toContain('depot_post_parcel');
    expect(cards).not.toMatch(/^depot/m);
  });

  it('neither finds, counts nor names what the caller may not use', async () => {
    const client = new PlainClient(outsider);
    expect(await find(new PlainClient(gateway), { queries: ['salary'] })).toMatch(/^mail_email_salary/);
    expect(await find(client, { queries: ['salary'] })).toMatch(/^No tool fits/);
    const hidden = await client.callModern('call_tool', { name: 'mail_email_salary' });
    const missing = await client.callModern('call_tool', { name: 'mail_email_salarx' });
    expect(textOf(hidden)).not.toMatch(/salary.*salary/);
    expect(textOf(hidden)?.replace('salary', 'salarx')).toBe(textOf(missing));
    expect(textOf(await client.callModern('describe_tool', { name: 'mail_email_salary' }))).toBe(textOf(hidden));
  });

  it('is Sallyport’s, although a server has a tool of that name, which the plain path reaches', async () => {
    const direct = await new PlainClient(gateway).callModern('find_tools', { id: '1' });
    expect(textOf(direct)).toContain('"queries" is required and missing');
    const other = new PlainClient(gateway, `${gateway.origin}/mcp/plain`);
    expect(textOf(await other.callModern('find_tools', { id: '1' }))).toBe('find_tools done');
  });
});

describe('call_tool', () => {
  it.each(['legacy', 'modern'])('answers mistakes with what helps (%s)', async (era) => {
    const modern = new PlainClient(gateway);
    const call = (given: Record<string, unknown>) =>
      era === 'legacy' ? legacy.call('call_tool', given) : modern.callModern('call_tool', given);
    const before = mail.calls.get('send_email') ?? 0;
    const wrong = await call({ name: 'mail_send_email', arguments: { to: 'a@example.com' } });
    expect(wrong.result).toMatchObject({ isError: true });
    const [said, schema] = (wrong.result?.['content'] ?? []) as { text: string }[];
    expect(said?.text).toContain('"subject" is required and missing');
    expect(JSON.parse(schema?.text ?? '')).toEqual({
      type: 'object',
      properties: { to: { type: 'string', description: 'The address of who gets it.' }, subject: { type: 'string' } },
      required: ['to', 'subject'],
      $comment: 'Optional arguments not shown: priority, cc',
    });
    expect(mail.calls.get('send_email') ?? 0).toBe(before);
    const unknown = await call({ name: 'mail_send_mail' });
    expect(textOf(unknown)).toMatch(/^There is no tool "mail_send_mail"\. Nearest: mail_send_email/);
    expect(textOf(await call({ arguments: {} }))).toContain('"name" is required and missing');
    expect(textOf(await call({ name: 'call_tool' }))).toContain('does not call itself');
    const right = await call({ name: 'mail_send_email', arguments: { to: 'a@example.com', subject: 'hi' } });
    expect(textOf(right)).toBe('send_email done');
    expect(textOf(await call({ name: 'find_tools', arguments: { queries: ['read an email'] } }))).toMatch(/^mail_read/);
  });

  it('waits for the approval of the tool itself', async () => {
    const client = new PlainClient(gateway);
    idIn(await client.callModern('call_tool', { name: 'mail_read_email', arguments: { id: '7' } }));
    expect(mail.calls.get('read_email')).toBeUndefined();
  });
});

it('without configuration the three are listed once the definitions are too large, and pages go on', async () => {
  let tools: object[] = [SEND, READ, SALARY];
  const growing = await serve(() => tools);
  const { url } = growing;
  const small = await startGateway({ gateway: { pageSize: 2 }, mcpServers: { mail: { url, listTtlMs: 0 } } });
  const client = await new PlainClient(small).initialize();
  const { result } = await client.request('tools/list');
  expect(listed(result)).toEqual(['mail_send_email', 'mail_read_email']);
  const given = { name: 'mail_read_email', arguments: { id: '7' } };
  expect(textOf(await client.call('call_tool', given))).toBe('read_email done');
  const many = Array.from({ length: 100 }, (_, i) => ({
    ...READ,
    name: `read_${i}`,
    description: 'word '.repeat(200),
  }));
  tools = [...tools, ...many];
  await expect.poll(async () => listed((await client.request('tools/list')).result), { timeout: 10_000 }).toEqual(OWN);
  const next = await client.request('tools/list', { cursor: result?.['nextCursor'] });
  expect(listed(next.result)).toEqual(['mail_email_salary', 'mail_read_0']);
  expect(textOf(await client.call('mail_read_email', { id: '7' }))).toBe('read_email done');
  expect(textOf(await client.call('call_tool', given))).toBe('read_email done');
});
