import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { openSampleControl } from '../../test/sample-control.ts';
import { keyRoutes } from './key-routes.ts';

const DAY_MS = 86_400_000;

test('a key is made, shown once, listed without its secret, and ended', async () => {
  const { ask, database } = await openSampleControl(keyRoutes);
  const made = await ask('admin', 'POST /keys', {
    name: 'ci',
    person: 'ann',
    groups: ['builders'],
    scopes: ['tools:read'],
    attributes: { tenant: 'acme' },
  });
  expect(made).toMatchObject({
    status: 200,
    value: {
      ...{ name: 'ci', state: 'active', person: 'ann', account: null, groups: ['builders'], scopes: ['tools:read'] },
      ...{ attributes: { tenant: 'acme' }, revokedAt: null, lastUsedAt: null },
      key: expect.stringMatching(/^sp_[\w-]{43}$/),
    },
  });
  const { key: secret, id } = made.value;
  expect(Date.parse(made.value.expiresAt) - Date.parse(made.value.createdAt)).toBe(90 * DAY_MS);
  const { digest } = await database.selectFrom('api_key').selectAll().executeTakeFirstOrThrow();
  expect(digest).toBe(createHash('sha256').update(secret).digest('hex'));

  const listed = await ask('viewer', 'GET /keys');
  expect(listed.value.items).toEqual([expect.objectContaining({ id, name: 'ci', state: 'active' })]);
  expect(JSON.stringify(listed.value)).not.toMatch(/sp_|digest/);
  expect((await ask('viewer', 'GET /keys/ci')).value).toEqual(listed.value.items[0]);
  expect((await ask('viewer', `GET /keys/${id}`)).value).toEqual(listed.value.items[0]);

  const ended = await ask('admin', 'POST /keys/ci/revoke');
  expect(ended).toMatchObject({ status: 200, value: { id, state: 'revoked' } });
  // Again changes nothing.
  expect((await ask('admin', `POST /keys/${id}/revoke`)).value).toEqual(ended.value);
});

test('what is done stands in the record first, without secrets; no record, no change', async () => {
  const { ask, notes, audit } = await openSampleControl(keyRoutes);
  const { value } = await ask('admin', 'POST /keys', { name: 'a', groups: ['x', 'y'], expiresAt: null });
  await ask('admin', 'POST /keys/a/revoke');
  expect((await ask('admin', 'POST /keys', { name: 'a' })).status).toBe(400);
  expect(notes).toEqual([
    { kind: 'key_create', by: 'key:admin', name: 'a', groups: 'x y', expires: 'never' },
    { kind: 'key_revoke', by: 'key:admin', id: value.id, name: 'a' },
    expect.objectContaining({ kind: 'key_create', name: 'a' }),
    expect.objectContaining({ kind: 'key_create_failed', name: 'a', reason: 'usage' }),
  ]);
  expect(JSON.stringify(notes)).not.toContain('sp_');
  audit.fails = true;
  expect(await ask('admin', 'POST /keys', { name: 'b' })).toMatchObject({ status: 503, value: { code: 'unrecorded' } });
  audit.fails = false;
  expect((await ask('viewer', 'GET /keys/b')).status).toBe(404);
});

test.each([
  ['viewer', 'POST /keys', { name: 'a' }],
  ['operator', 'POST /keys', { name: 'a' }],
  ['operator', 'POST /keys/a/revoke', undefined],
  ['nobody', 'GET /keys', undefined],
  ['nobody', 'GET /keys/a', undefined],
])('%s may not %s', async (group, line, body) => {
  const { ask, notes } = await openSampleControl(keyRoutes);
  expect(await ask(group, line, body)).toMatchObject({ status: 403, value: { code: 'forbidden' } });
  expect(notes).toEqual([]);
});

test.each([
  ['no name', {}, 422, /required/],
  ['a name with a line break', { name: 'a\nb' }, 400, /letters, digits/],
  ['a name that is too long', { name: 'a'.repeat(65) }, 400, /letters, digits/],
  ['a member nobody knows', { name: 'a', admin: true }, 422, /admin/],
  ['groups that are no list', { name: 'a', groups: 'admin' }, 422, /groups/],
  ['a scope with a blank', { name: 'a', scopes: ['a b'] }, 400, /scope/],
  ['an attribute that is a number', { name: 'a', attributes: { tenant: 1 } }, 422, /attributes|tenant/],
  ['an end that has been', { name: 'a', expiresAt: '2020-01-01T00:00:00Z' }, 400, /time to come/],
  ['an end that is no time', { name: 'a', expiresAt: 'tomorrow' }, 400, /time to come/],
])('%s is refused', async (_, body, status, detail) => {
  const { ask, notes } = await openSampleControl(keyRoutes);
  expect(await ask('admin', 'POST /keys', body)).toMatchObject({
    status,
    value: { detail: expect.stringMatching(detail) },
  });
  expect(notes).toEqual([]);
});

test('pages and filters', async () => {
  const { ask } = await openSampleControl(keyRoutes);
  for (const name of ['c', 'a', 'b']) await ask('admin', 'POST /keys', { name, groups: [name] });
  await ask('admin', 'POST /keys/a/revoke');
  const names: string[] = [];
  for (let query = '?limit=2'; query !== ''; ) {
    const { value } = await ask('viewer', `GET /keys${query}`);
    names.push(...value.items.map(({ name }: { name: string }) => name));
    query = value.next === undefined ? '' : `?limit=2&cursor=${encodeURIComponent(value.next)}`;
  }
  expect(names.sort()).toEqual(['a', 'b', 'c']);
  const of = async (query: string) =>
    (await ask('viewer', `GET /keys?${query}`)).value.items.map(({ name }: { name: string }) => name).sort();
  expect(await of('state=active')).toEqual(['b', 'c']);
  expect(await of('state=revoked')).toEqual(['a']);
  expect(await of('state=expired')).toEqual([]);
  expect(await of('group=b')).toEqual(['b']);
  expect((await ask('viewer', 'GET /keys?state=gone')).status).toBe(400);
});
