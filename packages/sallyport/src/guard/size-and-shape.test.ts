import { describe, expect, test } from 'vitest';
import { toCall } from '../../test/sample-call.ts';
import type { JsonObject } from '../core/json.ts';
import { inspect } from './guard.ts';
import { sizeAndShape } from './size-and-shape.ts';

const guard = sizeAndShape(() => ({ bodyBytes: 1000, depth: 8 }));
const json = (text: string): JsonObject => JSON.parse(text) as JsonObject;
const nested = (levels: number): JsonObject => json(`${'{"a":'.repeat(levels - 1)}{}${'}'.repeat(levels - 1)}`);

describe('attacks', () => {
  test.each<[string, JsonObject, string]>([
    ['an array instead of an object', [] as unknown as JsonObject, 'one JSON object'],
    ['nothing', null as unknown as JsonObject, 'one JSON object'],
    ['too deep', nested(9), 'deeper than 8 levels'],
    ['too deep by lists', json('{"a":[[[[[[[[1]]]]]]]]}'), 'deeper than 8 levels'],
    ['far too deep', json(`{"a":${'['.repeat(4000)}${']'.repeat(4000)}}`), 'deeper than 8 levels'],
    ['too many elements', { a: Array.from({ length: 200_001 }, () => 0) }, 'more than 200000 members'],
    [
      'too many members',
      Object.fromEntries(Array.from({ length: 200_001 }, (_, i) => [`k${i}`, 0])),
      'more than 200000 members',
    ],
    ['a name that is too long', { ['k'.repeat(1025)]: 1 }, 'longer than 1024 characters'],
    ['__proto__', json('{"__proto__":{"isAdmin":true}}'), '"__proto__"'],
    ['__proto__ written otherwise', json('{"\\u005f_proto__":1}'), '"__proto__"'],
    ['__proto__ inside', json('{"a":[{"b":{"__proto__":1}}]}'), '"__proto__"'],
    ['constructor.prototype', json('{"constructor":{"prototype":{"isAdmin":true}}}'), '"constructor"'],
    ['a number beyond every number', json('{"a":1e400}'), 'too large to be read'],
    ['the same in a list', json('{"a":[-1e400]}'), 'too large to be read'],
    ['half of a surrogate pair', json('{"a":"x\\ud83d"}'), 'half of a character'],
    ['the other half, in a list', json('{"a":["\\ude00x"]}'), 'half of a character'],
    ['both in the wrong order', json('{"a":"\\ude00\\ud83d"}'), 'half of a character'],
    ['half of one in a name', json('{"a":{"\\ud83d":1}}'), 'half of a character'],
  ])('%s', (_, args, reason) => {
    const decision = inspect([guard], toCall({ body: args }));
    expect(decision).toMatchObject({
      guard: 'size-and-shape',
      verdict: { kind: 'deny', code: 'invalid_params', reason: expect.stringContaining(reason) },
    });
  });

  test('a message over the limit', () => {
    expect(inspect([guard], toCall({ bytes: 1001 }))).toMatchObject({
      verdict: {
        kind: 'deny',
        code: 'too_large',
        reason: 'The call has 1001 bytes and the limit is 1000. Send less, or in parts.',
      },
    });
  });
});

describe('harmless', () => {
  test.each<[string, JsonObject]>([
    ['nothing', {}],
    ['plain', { text: 'a', n: 1, yes: true, none: null, list: [1, 'a', {}] }],
    ['as deep as allowed', nested(8)],
    ['a racing team', { constructor: 'ferrari', year: 2025 }],
    ['a racing team with details', { constructor: { name: 'ferrari' } }],
    ['words that programs inherit', { toString: 1, hasOwnProperty: 2, prototype: {}, valueOf: 3 }],
    ['a long text', { text: 'x'.repeat(2_000_000) }],
    ['the largest number', { n: Number.MAX_VALUE, id: 2 ** 53 + 2 }],
    ['whole pairs, written either way', json('{"a😀":"😀\\ud83d\\ude00"}')],
    ['an empty name and one of another script', { '': 1, 城市: '上海' }],
    ['many elements', { a: Array.from({ length: 190_000 }, () => 0) }],
  ])('%s', (_, args) => {
    expect(inspect([guard], toCall({ body: args, bytes: 1000 }))).toMatchObject({
      verdict: { kind: 'allow' },
    });
  });

  test('limits follow the configuration', () => {
    let bodyBytes = 10;
    const following = sizeAndShape(() => ({ bodyBytes, depth: 8 }));
    expect(inspect([following], toCall({ bytes: 20 }))).toMatchObject({ verdict: { kind: 'deny' } });
    bodyBytes = 20;
    expect(inspect([following], toCall({ bytes: 20 }))).toMatchObject({ verdict: { kind: 'allow' } });
  });
});
