import { describe, expect, onTestFinished, test } from 'vitest';
import { FaultError } from '../core/errors.ts';
import { silentLog } from '../core/log.ts';
import type { Principal } from '../core/principal.ts';
import { type ControlReply, createApi } from './api.ts';
import { pageOfItems } from './page.ts';
import type { Route } from './route.ts';

const routes: readonly Route[] = [
  {
    method: 'GET',
    path: '/things/{name}',
    id: 'showThing',
    summary: 'One',
    role: 'viewer',
    query: [{ name: 'deep', description: 'x', schema: { type: 'boolean' } }],
    result: { type: 'object' },
    handle: ({ path, query }) => ({ name: path.get('name') ?? '', deep: query.get('deep') ?? '' }),
  },
  {
    method: 'POST',
    path: '/things/{name}',
    id: 'makeThing',
    summary: 'Make',
    role: 'admin',
    body: { type: 'object' },
    result: { type: 'object' },
    handle: ({ body }) => ({ made: body ?? null }),
  },
  {
    method: 'GET',
    path: '/broken',
    id: 'breakThing',
    summary: 'Break',
    role: 'viewer',
    result: {},
    handle: () => {
      throw new TypeError('secret detail');
    },
  },
  {
    method: 'GET',
    path: '/missing',
    id: 'missThing',
    summary: 'Miss',
    role: 'viewer',
    result: {},
    handle: () => Promise.reject(new FaultError('not_found', 'There is none.')),
  },
  {
    method: 'GET',
    path: '/feed',
    id: 'followThings',
    summary: 'Follow',
    role: 'viewer',
    handle: () => ({
      follow(emit) {
        emit('made', { name: 'a\nb' });
        return () => {};
      },
    }),
  },
];

const api = createApi({
  routes,
  version: '1.2.3',
  log: silentLog,
  roles: () => roles,
});
let roles = { viewer: ['staff'], operator: [] as string[], admin: ['admin'] };

const as = (...groups: string[]): Principal => ({ id: 'key:x', kind: 'key', groups });

async function ask(
  method: string,
  path: string,
  { principal = as('admin'), type, body = '' }: { principal?: Principal; type?: string; body?: string } = {},
): Promise<{ status: number; type: string; value: Record<string, unknown>; reply: ControlReply }> {
  const [at = '', query = ''] = path.split('?');
  const reply = await api.handle({
    method,
    path: `/api/v1${at}`,
    query,
    principal,
    contentType: type,
    body: Buffer.from(body),
  });
  if (reply.kind === 'events') return { status: 200, type: 'text/event-stream', value: {}, reply };
  return { status: reply.status, type: reply.type, value: JSON.parse(reply.body) as Record<string, unknown>, reply };
}

describe('a request is served', () => {
  test('with its path and query decoded', async () => {
    expect(await ask('GET', '/things/a%2Fb?deep=1')).toMatchObject({ status: 200, value: { name: 'a/b', deep: '1' } });
  });

  test('with keys that stand twice, but not in one object', async () => {
    const body = '{"a":{"a":1},"b":[{"a":1},{"a":2}],"c":"\\"a\\":1"}';
    expect(await ask('POST', '/things/a', { type: 'application/json', body })).toMatchObject({ status: 200 });
  });

  test('with its body', async () => {
    expect(
      await ask('POST', '/things/a', { type: 'application/json; charset=utf-8', body: '{"x":[1]}' }),
    ).toMatchObject({
      value: { made: { x: [1] } },
    });
  });

  test('as events', async () => {
    const { reply } = await ask('GET', '/feed');
    const written: string[] = [];
    if (reply.kind === 'events') reply.follow((event) => written.push(event))();
    expect(written).toEqual(['event: made\ndata: {"name":"a\\nb"}\n\n']);
  });

  test('as events for as long as the caller has the role it came in', async () => {
    const { reply } = await ask('GET', '/feed', { principal: as('staff') });
    const mayHear = () => reply.kind === 'events' && reply.mayHear();
    expect(mayHear()).toBe(true);
    const before = roles;
    onTestFinished(() => {
      roles = before;
    });
    for (const changed of [{ viewer: [] }, { operator: ['staff'] }]) {
      roles = { ...before, ...changed };
      expect(mayHear()).toBe(false);
    }
  });

  test('by the highest role of the caller', async () => {
    expect((await ask('GET', '/things/a', { principal: as('staff') })).status).toBe(200);
    expect(
      (await ask('POST', '/things/a', { principal: as('staff', 'admin'), type: 'application/json', body: '{}' }))
        .status,
    ).toBe(200);
  });
});

describe('a credential with scopes', () => {
  test.each([
    ['admin', undefined, 'POST', 200],
    ['admin', [], 'GET', 403],
    ['admin', ['mcp:use', 'admin'], 'GET', 403],
    ['admin', ['control:viewer'], 'GET', 200],
    ['admin', ['control:viewer'], 'POST', 403],
    ['admin', ['mcp:use', 'control:admin'], 'POST', 200],
    // Scopes limit, they give nothing.
    ['staff', ['control:admin'], 'GET', 200],
    ['staff', ['control:admin'], 'POST', 403],
    ['nobody', ['control:admin'], 'GET', 403],
  ] as const)('of %s with %j: %s gets %i', async (group, scopes, method, status) => {
    const principal: Principal = { ...as(group), ...(scopes === undefined ? {} : { scopes }) };
    const sent = method === 'POST' ? { type: 'application/json', body: '{}' } : {};
    expect((await ask(method, '/things/a', { principal, ...sent })).status).toBe(status);
  });
});

describe('a request is refused with a problem', () => {
  test.each([
    ['nothing there', 'GET', '/nothing', {}, 404, 'not_found', /openapi\.json/],
    ['an empty parameter', 'GET', '/things/', {}, 404, 'not_found', /nothing at/],
    ['a parameter that cannot be decoded', 'GET', '/things/%zz', {}, 404, 'not_found', /nothing at/],
    ['another method', 'DELETE', '/things/a', {}, 405, 'usage', /GET, POST is/],
    ['no role', 'GET', '/things/a', { principal: as() }, 403, 'forbidden', /needs the role viewer; key:x has none/],
    ['a group nobody gave a role', 'GET', '/things/a', { principal: as('Admin') }, 403, 'forbidden', /has none/],
    [
      'too low a role',
      'POST',
      '/things/a',
      { principal: as('staff') },
      403,
      'forbidden',
      /role admin; key:x has viewer/,
    ],
    ['an unknown query', 'GET', '/things/a?depth=1', {}, 400, 'usage', /no query parameter "depth"/],
    ['no type', 'POST', '/things/a', { body: '{}' }, 415, 'media_type', /application\/json/],
    ['a form', 'POST', '/things/a', { type: 'text/plain', body: '{}' }, 415, 'media_type', /application\/json/],
    ['no JSON', 'POST', '/things/a', { type: 'application/json', body: '{' }, 400, 'parse', /not JSON/],
    [
      'a key that stands twice',
      'POST',
      '/things/a',
      { type: 'application/json', body: '{"scope":"once","scope":"always"}' },
      400,
      'invalid_request',
      /"scope" twice/,
    ],
    [
      'a key that stands twice, escaped and deeper',
      'POST',
      '/things/a',
      { type: 'application/json', body: '{"arguments":[{"path":"/a","\\u0070ath":"/b"}]}' },
      400,
      'invalid_request',
      /"path" twice/,
    ],
    [
      'a body without end',
      'POST',
      '/things/a',
      { type: 'application/json', body: `{"a":${'['.repeat(5000)}${']'.repeat(5000)}}` },
      400,
      'invalid_request',
      /nested deeper/,
    ],
    ['another body', 'POST', '/things/a', { type: 'application/json', body: '[]' }, 422, 'schema', /must be object/],
    ['what a handler refuses', 'GET', '/missing', {}, 404, 'not_found', /There is none/],
  ] as const)('%s', async (_name, method, path, options, status, code, detail) => {
    const { type, value, ...rest } = await ask(method, path, options);
    expect(rest.status).toBe(status);
    expect(type).toBe('application/problem+json');
    expect(value).toMatchObject({
      status,
      code,
      type: `urn:sallyport:problem:${code}`,
      detail: expect.stringMatching(detail),
    });
  });

  test('without what went wrong inside', async () => {
    const { status, value } = await ask('GET', '/broken');
    expect(status).toBe(500);
    expect(JSON.stringify(value)).not.toContain('secret detail');
  });
});

test('the document tells of every route, and needs no role', async () => {
  const { value } = await ask('GET', '/openapi.json', { principal: as() });
  expect(value).toMatchObject({ openapi: '3.1.0', info: { title: 'Sallyport', version: '1.2.3' } });
  expect(Object.keys(value['paths'] as object)).toEqual([
    '/api/v1/things/{name}',
    '/api/v1/broken',
    '/api/v1/missing',
    '/api/v1/feed',
  ]);
});

describe('pages', () => {
  const items = Array.from({ length: 250 }, (_, index) => ({ name: `n${String(index).padStart(3, '0')}` }));
  const page = (query: string) => pageOfItems(items, new URLSearchParams(query), ({ name }) => name);

  test('follow one another to the end', () => {
    const seen: string[] = [];
    for (let query = 'limit=100'; ; ) {
      const { items: some, next } = page(query);
      seen.push(...some.map(({ name }) => name));
      if (next === undefined) break;
      query = `limit=100&cursor=${next}`;
    }
    expect(seen).toEqual(items.map(({ name }) => name));
  });

  test('go on after an item that is gone, and end after the last', () => {
    expect(page('cursor=n0995').items[0]?.name).toBe('n100');
    expect(page('cursor=z')).toEqual({ items: [] });
  });

  test.each(['0', '1001', '-1', '1.5', 'x', ''])('of %j items are refused', (limit) => {
    expect(() => page(`limit=${limit}`)).toThrow('limit is a whole number from 1 to 1000.');
  });
});
