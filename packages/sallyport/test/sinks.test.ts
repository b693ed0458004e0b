import { beforeAll, expect, it } from 'vitest';
import { type HttpUpstream, startHttpUpstream } from './http-upstream.ts';
import { PlainClient } from './plain-client.ts';
import { startGateway } from './running-sallyport.ts';

let upstream: HttpUpstream;
let client: PlainClient;

beforeAll(async () => {
  upstream = await startHttpUpstream({
    tools: ['delete_file', 'run_sql', 'get_file', 'remove_tag', 'http', 'pay_invoice'],
  });
  const gateway = await startGateway({
    mcpServers: { work: { url: upstream.url } },
    sinks: { floor: { delete: 'deny', pay: 'ask' }, overrides: { 'work.remove_*': [], 'work.get_file': ['delete'] } },
  } as Record<string, unknown>);
  client = new PlainClient(gateway);
});

it.each<[string, Record<string, unknown>]>([
  ['delete_file', {}],
  ['run_sql', { sql: 'DROP TABLE users' }],
  ['http', { method: 'DELETE', url: 'https://example.com/1' }],
  ['get_file', {}],
  ['pay_invoice', { invoice: 'a' }],
])('%s with %j does not reach the upstream', async (name, given) => {
  const before = upstream.calls.get(name) ?? 0;
  const { result } = await client.callModern(`work_${name}`, given);
  expect(result).toMatchObject({ isError: true });
  expect(JSON.stringify(result)).toMatch(/deletes something|moves money|approv/);
  expect(upstream.calls.get(name) ?? 0).toBe(before);
});

it.each<[string, Record<string, unknown>]>([
  ['run_sql', { sql: 'SELECT 1' }],
  ['http', { method: 'GET', url: 'https://example.com/delete' }],
  ['remove_tag', { tag: 'x' }],
])('%s with %j does', async (name, given) => {
  const before = upstream.calls.get(name) ?? 0;
  expect((await client.callModern(`work_${name}`, given)).result).not.toHaveProperty('isError');
  expect(upstream.calls.get(name)).toBe(before + 1);
});
