import fc from 'fast-check';
import { expect, test } from 'vitest';
import { toCanonicalJson } from './canonical-json.ts';

test.each<[unknown, string]>([
  [{ b: 1, a: { d: 2, c: [3, { f: 4, e: null }] } }, '{"a":{"c":[3,{"e":null,"f":4}],"d":2},"b":1}'],
  // By UTF-16 code units, also where JavaScript puts numbers first.
  [{ '10': 1, '9': 2, '€': 3, '\r': 4, '😂': 5, ﬁ: 6 }, '{"\\r":4,"10":1,"9":2,"€":3,"😂":5,"ﬁ":6}'],
  [JSON.parse('{"__proto__":1,"constructor":2}'), '{"__proto__":1,"constructor":2}'],
  [[1e21, 1.0, -0, 'a"b'], '[1e+21,1,0,"a\\"b"]'],
  [{ a: undefined, b: [undefined] }, '{"b":[null]}'],
  [new Map([['b', new Map([['a', 1]])]]), '[["b",[["a",1]]]]'],
  [undefined, 'null'],
])('%j', (value, text) => expect(toCanonicalJson(value)).toBe(text));

test('it says the same as the value, and whoever orders the members otherwise says it, too', () => {
  const turned = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(turned);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries([...Object.entries(value)].reverse().map(([key, one]) => [key, turned(one)]));
  };
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 5 }), (value) => {
      const text = toCanonicalJson(value);
      expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)));
      expect(toCanonicalJson(turned(JSON.parse(JSON.stringify(value))))).toBe(text);
    }),
    { numRuns: 200 },
  );
});
