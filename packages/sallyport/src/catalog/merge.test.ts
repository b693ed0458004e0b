import { expect, it } from 'vitest';
import { joinInstructions, mergeCapabilities } from './merge.ts';

it('unites what servers declare', () => {
  const hostile = JSON.parse('{"__proto__":{"polluted":true},"tools":{"listChanged":true}}');
  const merged = mergeCapabilities([
    { tools: {}, resources: { subscribe: true }, extensions: { a: { x: 1 } } },
    { tools: { listChanged: false }, extensions: { a: { x: 2, y: 3 }, b: {} }, logging: {} },
    hostile,
  ]);
  expect(JSON.parse(JSON.stringify(merged))).toEqual(
    JSON.parse(
      '{"tools":{"listChanged":true},"resources":{"subscribe":true},"extensions":{"a":{"x":1,"y":3},"b":{}},"logging":{},"__proto__":{"polluted":true}}',
    ),
  );
  expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
});

it('puts each server under its own heading', () => {
  const parts = [
    { server: 'a', instructions: ' Say please. ' },
    { server: 'b', instructions: undefined },
    { server: 'c', instructions: 'Be quick.' },
  ];
  expect(joinInstructions(parts)).toBe('## a\n\nSay please.\n\n## c\n\nBe quick.');
  expect(joinInstructions([{ server: 'b', instructions: undefined }])).toBeUndefined();
});
