import { expect, test } from 'vitest';
import { toCall, toTool } from '../../../test/sample-call.ts';
import type { JsonObject } from '../../core/json.ts';
import { readDeed } from './effects.ts';

const PLACES = { rootsOf: () => undefined, home: '/home/ann' };

/** What a call of a tool that runs what it is given does. */
function deedOf(body: JsonObject): string {
  const definition = {
    name: 'run_code',
    description: 'Executes the given code.',
    inputSchema: { type: 'object', properties: { code: { type: 'string' }, query: { type: 'string' } } },
  };
  return readDeed(toCall({ tool: toTool(definition), body }), [], PLACES);
}

test.each<[string, JsonObject]>([
  ['a program', { code: 'import os; os.remove("a")' }],
  ['a statement that writes', { query: 'DELETE FROM people' }],
  ['a statement that writes behind one that reads', { code: 'select 1; drop table people' }],
])('%s is an effect', (_, body) => {
  expect(deedOf(body)).toBe('effect');
});

test.each<[string, JsonObject]>([
  ['a calculation', { code: 'sqrt(2) * (3 + 4)' }],
  ['a statement that only reads', { query: 'SELECT name FROM people WHERE note = 1' }],
  ['a number beside it', { code: '2 + 2', timeout: 30 }],
  ['names beside it', { code: '2 + 2', options: { drop: true } }],
])('%s is none', (_, body) => {
  expect(deedOf(body)).toBe('none');
});
