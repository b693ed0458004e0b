import { expect, test } from 'vitest';
import type { JsonObject } from '../core/json.ts';
import { toParamHeaders } from './param-headers.ts';

const PATHS = new Map([
  ['Region', ['where', 'region']],
  ['Count', ['count']],
]);

test.each<[string, JsonObject, Record<string, string>]>([
  ['a text in an object', { where: { region: 'eu' } }, { 'Mcp-Param-Region': 'eu' }],
  [
    'a number and a truth value',
    { where: { region: false }, count: 0 },
    { 'Mcp-Param-Region': 'false', 'Mcp-Param-Count': '0' },
  ],
  ['what is no text, number or truth value is left out', { where: { region: ['eu'] }, count: null }, {}],
  ['what is not given is left out', { where: 'eu' }, {}],
  ['a name that every object has is not given', { count: {} }, {}],
])('%s', (_, given, headers) => {
  expect(toParamHeaders(PATHS, given)).toEqual(headers);
});

test('a tool without marked arguments has no headers', () => {
  expect(toParamHeaders(undefined, { count: 1 })).toBeUndefined();
  expect(toParamHeaders(new Map(), { count: 1 })).toBeUndefined();
});

test('a member of the prototype is no argument', () => {
  expect(toParamHeaders(new Map([['X', ['constructor', 'name']]]), {})).toEqual({});
});
