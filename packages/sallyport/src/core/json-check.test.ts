import { describe, expect, test } from 'vitest';
import { cpuTimeOf } from '../../test/cpu-time.ts';
import { checkMembers } from './json-check.ts';
import { objectMembers } from './json-scan.ts';

const isJson = (bytes: Buffer, maxDepth: number): boolean => checkMembers(bytes, maxDepth) !== undefined;

const parses = (text: string): boolean => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};

/** A fixed sequence, the same in every run. */
function* numbers(seed: number): Generator<number, never> {
  let state = seed;
  for (;;) {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    yield (state >>> 0) / 2 ** 32;
  }
}

const LONG = 'a text long enough for the native search to take over, and then some more of it. '.repeat(40);
const DOCUMENTS = [
  '{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"x"}],"n":[-0.5e+10,0,1E5],"b":[true,false,null]}}',
  ' [ ] ',
  '{ "a" : { } , "b" : [ [ ] , { } ] }',
  JSON.stringify({ text: LONG, escaped: `${LONG}\n${LONG}"\\\u0001é世`, list: [LONG, '', LONG] }),
  `"${'\\n0123456789'.repeat(200)}"`,
  `"${LONG}\\u00e9${LONG}\\\\"`,
];

describe('agrees with JSON.parse', () => {
  test.each([...DOCUMENTS, '1', '-1', '"a"', 'true', '', ' ', '{', '[', '"', '-', '01', '1.', '.5', '1e', '+1', 'NaN'])(
    '%.60s',
    (text) => {
      expect(isJson(Buffer.from(text), 512)).toBe(parses(text));
    },
  );

  test.each([
    '{"a":1,}',
    '[1,]',
    '[,1]',
    '{,}',
    '{"a"}',
    '{"a":}',
    '{a:1}',
    '{"a":1 "b":2}',
    '[1 2]',
    '[1]]',
    '[1}',
    '{"a":1]',
    '"\t"',
    '"\u007f"',
    '"\\x41"',
    '"\\u12g4"',
    '"\\u123',
    '"a\\"',
    'tru',
    'trueish',
    '1 2',
    '\u00a01',
    '"a" b',
    '1.2.3',
    '1e5.5',
    '--1',
    '-01',
    `"${LONG}\u0000${LONG}"`,
    `"${LONG}\u001f"`,
    `"${LONG}`,
    `"${LONG}\\`,
  ])('%.40j', (text) => {
    expect(isJson(Buffer.from(text), 512)).toBe(parses(text));
  });

  test('on twenty thousand mutations, wherever in memory they stand', () => {
    const random = numbers(0x5a11);
    const below = (limit: number) => Math.floor(random.next().value * limit);
    let bad = 0;
    for (let round = 0; round < 20_000; round++) {
      const source = DOCUMENTS[below(DOCUMENTS.length)] as string;
      const from = below(3) === 0 ? below(source.length) : 0;
      const characters = [...source.slice(from, from + 40 + below(400))];
      for (let change = 0; change < 1 + below(3); change++) {
        const at = below(characters.length + 1);
        const kind = below(3);
        const insert = kind === 2 ? [] : [String.fromCharCode(below(128))];
        characters.splice(at, kind === 1 ? 0 : 1, ...insert);
      }
      const text = characters.join('');
      const room = Buffer.alloc(Buffer.byteLength(text) + 3);
      const offset = below(4);
      const bytes = room.subarray(offset, offset + room.write(text, offset));
      if (isJson(bytes, 512) !== parses(text)) throw new Error(`differs: ${JSON.stringify(text)}`);
      if (!parses(text)) bad++;
    }
    expect(bad).toBeGreaterThan(2_000);
    expect(bad).toBeLessThan(20_000);
  });
});

test('depth is bounded, and a million brackets are no trouble', () => {
  const nested = (depth: number) => Buffer.from('['.repeat(depth) + ']'.repeat(depth));
  expect(isJson(nested(512), 512)).toBe(true);
  expect(isJson(nested(514), 512)).toBe(false);
  expect(isJson(Buffer.from(`["\\n",${nested(511)}]`), 512)).toBe(true);
  expect(isJson(Buffer.from(`["\\n",${nested(512)}]`), 512)).toBe(false);
  expect(isJson(nested(1_000_000), 512)).toBe(false);
});

test('a long text of short lines is read once, not once for each line', () => {
  const lines = 'a line of a log file that has some eighty characters in it, as most of them do, yes\n'.repeat(120_000);
  const bytes = Buffer.from(JSON.stringify({ text: lines }));
  expect(cpuTimeOf(() => expect(isJson(bytes, 512)).toBe(true))).toBeLessThan(1_500);
});

test.each(DOCUMENTS)('finds the members that a scan of %.40s finds', (text) => {
  const bytes = Buffer.from(`  { "first" :${text} ,"\\u0061":[{"b":1},{}],"last" : ${text}}  `);
  expect(checkMembers(bytes, 512)).toEqual(objectMembers(bytes, 2));
});
