import { createHash, randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { toCall } from '../../../test/sample-call.ts';
import { KINDS } from '../../core/envelope.ts';
import type { JsonObject } from '../../core/json.ts';
import { ownKeys } from './own-keys.ts';
import { TO_SERVERS } from './secrets.ts';

const LAPTOP = `sp_${randomBytes(24).toString('base64url')}`;
const SEAL = randomBytes(32).toString('hex');
const TOKEN = randomBytes(32).toString('base64url');
const BEARER = `sp_${randomBytes(32).toString('base64url')}`;
const digest = (text: string) => createHash('sha256').update(text).digest('hex');

const guard = ownKeys({
  secrets: () => [LAPTOP, SEAL, TOKEN],
  isKey: (found) => found === digest(BEARER),
});
const judge = (body: JsonObject, fixed: JsonObject = {}) => guard.judge({ ...toCall({ body }), fixed });

test('judges all that goes to a server', () => {
  expect(guard.kinds).toBe(TO_SERVERS);
  expect(guard.isOn).toBeUndefined();
  expect([...guard.kinds].filter((kind) => !(kind in KINDS))).toEqual([]);
});

describe.each([
  ['the key of the gateway', LAPTOP],
  ['a seal key', SEAL],
  ['the control token', TOKEN],
  ['the key of a caller', BEARER],
])('%s', (_, key) => {
  test.each<[string, JsonObject, string]>([
    ['as it is', { text: key }, '/text'],
    ['in a text', { text: `Authorization: Bearer ${key}\nsend it` }, '/text'],
    ['in an address', { url: `https://example.com/?q=${key}&x=1` }, '/url'],
    ['without a border', { text: `x${key}x` }, '/text'],
    ['deep down', { a: [{ b: [[{ c: key }]] }] }, '/a/0/b/0/0/c'],
    ['as a name', { a: { [key]: 1 } }, '/a'],
    ['behind what looks like one', { text: `sp_sp_${'x'.repeat(50)} sp_${key}` }, '/text'],
    ['in a long text', { text: `${'word '.repeat(10_000)}${key}` }, '/text'],
  ])('%s is refused, and not quoted', (_where, body, place) => {
    const verdict = judge(body);
    expect(verdict).toMatchObject({ kind: 'deny', code: 'denied', reason: expect.stringContaining(` at ${place}`) });
    expect(JSON.stringify(verdict)).not.toContain(key);
  });

  test('beside the arguments is refused', () => {
    expect(judge({}, { uri: `file:///x?${key}` })).toMatchObject({ kind: 'deny' });
    expect(judge({ a: 1 }, { others: { task: { note: key } } })).toMatchObject({ kind: 'deny' });
  });
});

test.each<[string, JsonObject]>([
  ['nothing', {}],
  ['a word', { text: 'sp_' }],
  ['a long random id', { id: randomBytes(32).toString('base64url') }],
  ['a digest', { sha: randomBytes(32).toString('hex') }],
  ['an id of that form', { id: `sp_${randomBytes(32).toString('base64url')}` }],
  ['ids of that form', { ids: Array.from({ length: 900 }, () => `sp_${randomBytes(32).toString('base64url')}`) }],
  ['a part of a key', { text: LAPTOP.slice(0, -1), more: BEARER.slice(0, -1) }],
  ['the digest of a key', { text: digest(BEARER) }],
  ['names in a program', { text: `${'sp_configure sp_executesql sp_helptext '.repeat(2_000)}` }],
  ['numbers and flags', { a: 1, b: true, c: null, d: [1, 2] }],
])('%s passes', (_, body) => {
  expect(judge(body)).toEqual({ kind: 'allow' });
});

test('so many texts of that form are refused before each is weighed', () => {
  const text = Array.from({ length: 2_000 }, () => `sp_${randomBytes(32).toString('base64url')}`).join(' ');
  expect(judge({ text })).toMatchObject({ kind: 'deny' });
  expect(judge({ text: 'sp_'.repeat(1_000_000) })).toMatchObject({ kind: 'deny' });
});
