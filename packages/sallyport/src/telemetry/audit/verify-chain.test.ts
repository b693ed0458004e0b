import { createPublicKey } from 'node:crypto';
import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { GENESIS, hashLine, toLine } from './record-line.ts';
import { createSealer, makeSealKey, readPublicKey, toPem } from './sealer.ts';
import { type ChainReport, type Expectations, verifyChain } from './verify-chain.ts';

const RECORDS = 10_000;
const SEAL_EVERY = 1_000;
const KEY = makeSealKey();
const publicKey = readPublicKey(KEY);
const sealer = createSealer(KEY);

interface Chain {
  readonly lines: readonly string[];
  readonly head: { readonly seq: number; readonly hash: string };
}

/** As the writer makes them: a line of the size of a real one, every thousandth a seal, the last one too. */
function makeChain(count: number, salt = ''): Chain {
  const lines: string[] = [];
  let hash = GENESIS;
  for (let seq = 1; seq <= count; seq++) {
    const isSeal = seq % SEAL_EVERY === 0 || seq === count;
    const kind = isSeal ? 'seal","chain":"0' : 'outcome';
    const filler = `,"callId":"${salt}abcdefghijk-${seq}","principal":{"id":"local","kind":"key"},"upstream":"github","tool":"create_issue","outcome":"ok","ms":12.3,"resultBytes":4711,"result":"${hash}"`;
    const line = toLine(seq, hash, `"time":"2026-01-02T03:04:05.678Z","kind":"${kind}"${filler}}`);
    const written = isSeal ? sealer.seal(line) : line;
    hash = hashLine(written);
    lines.push(written);
  }
  return { lines, head: { seq: count, hash } };
}

let chain: Chain;
let bytes: Buffer;
beforeAll(() => {
  chain = makeChain(RECORDS);
  bytes = toBytes(chain.lines);
});

const toBytes = (lines: readonly string[]) => Buffer.from(`${lines.join('\n')}\n`);

function verify(content: Buffer, expectations: Partial<Expectations> = {}): Promise<ChainReport> {
  const file = { name: '000000000001-abcdef.jsonl', read: () => Promise.resolve(content) };
  return verifyChain('0', [file], { key: publicKey, head: chain.head, ...expectations });
}

/** Where record `seq` begins. */
function offsetOf(seq: number): number {
  let at = 0;
  for (const line of chain.lines.slice(0, seq - 1)) at += line.length + 1;
  return at;
}

test('ten thousand records are found good', async () => {
  await verify(bytes);
  expect(await verify(bytes)).toMatchObject({ records: RECORDS, seals: 10, unsealed: 0, bad: undefined, first: 1 });
});

const anySeq = fc.integer({ min: 1, max: RECORDS - 1 });
const RUNS = { numRuns: 10 };

describe('whatever is done to one of ten thousand records is found and named', () => {
  test('a bit flipped anywhere', async () => {
    await fc.assert(
      fc.asyncProperty(anySeq, fc.nat(), fc.integer({ min: 0, max: 7 }), async (seq, somewhere, bit) => {
        const start = offsetOf(seq);
        const at = start + (somewhere % (chain.lines[seq - 1]!.length + 1));
        const bent = Buffer.from(bytes);
        bent[at] = bent[at]! ^ (1 << bit);
        expect((await verify(bent)).bad?.seq).toBe(seq);
      }),
      { numRuns: 30 },
    );
  });

  test('dropped', async () => {
    await fc.assert(
      fc.asyncProperty(anySeq, async (seq) => {
        const lines = [...chain.lines];
        lines.splice(seq - 1, 1);
        const { bad } = await verify(toBytes(lines));
        expect(bad?.seq).toBe(seq);
      }),
      RUNS,
    );
  });

  test('two that change places', async () => {
    await fc.assert(
      fc.asyncProperty(anySeq, fc.integer({ min: 1, max: 50 }), async (seq, distance) => {
        const other = Math.min(seq + distance, RECORDS);
        const lines = [...chain.lines];
        [lines[seq - 1], lines[other - 1]] = [lines[other - 1]!, lines[seq - 1]!];
        expect((await verify(toBytes(lines))).bad?.seq).toBe(seq);
      }),
      RUNS,
    );
  });

  test('the end cut off', async () => {
    await fc.assert(
      fc.asyncProperty(anySeq, async (seq) => {
        const { bad } = await verify(toBytes(chain.lines.slice(0, seq)));
        expect(bad).toMatchObject({ seq: seq + 1, problem: expect.stringContaining('the end was cut off') });
      }),
      RUNS,
    );
  });

  test('repeated', async () => {
    await fc.assert(
      fc.asyncProperty(anySeq, async (seq) => {
        const lines = [...chain.lines];
        lines.splice(seq, 0, chain.lines[seq - 1]!);
        expect((await verify(toBytes(lines))).bad?.seq).toBe(seq);
      }),
      RUNS,
    );
  });

  test.each(['fork', 'insert'])('a record of somebody else put in: %s', async (name) => {
    await fc.assert(
      fc.asyncProperty(anySeq, fc.nat(), async (seq, by) => {
        const lines = [...chain.lines];
        const bad = DEEDS[name]!(lines, seq, by);
        expect((await verify(toBytes(lines))).bad?.seq).toBe(bad);
      }),
      { numRuns: 5 },
    );
  });

  test('another history from some record on, hashed well by somebody without the key', async () => {
    const thief = createSealer(makeSealKey());
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 2, max: RECORDS - 1 }), fc.boolean(), async (seq, resealed) => {
        const lines = chain.lines.slice(0, seq - 1);
        let hash = hashLine(lines.at(-1)!);
        for (let at = seq; at <= RECORDS; at++) {
          const body = chain.lines[at - 1]!.replace(/^.{0,80}"time"/, '"time"').replace('create_issue', 'delete_repo');
          const isSeal = body.includes('"kind":"seal"');
          const line = toLine(at, hash, body);
          const unsigned = `${line.replace(/,"sig":.*/, '')}}`;
          const forged = isSeal && resealed ? thief.seal(unsigned) : line;
          hash = hashLine(forged);
          lines.push(forged);
        }
        const seal = Math.ceil(seq / SEAL_EVERY) * SEAL_EVERY;
        const { bad } = await verify(toBytes(lines));
        expect(bad?.seq).toBe(seal);
        expect(bad?.problem).toContain('is a seal that this key did not make');
      }),
      { numRuns: 5 },
    );
  });

  test('a fork that goes on from an old record in a segment of its own', async () => {
    const other = makeChain(2_000, 'x').lines.slice(1_000);
    const files = [bytes, toBytes(other)].map((content, index) => ({
      name: `${index}`,
      read: () => Promise.resolve(content),
    }));
    const { bad } = await verifyChain('0', files, { key: publicKey, head: chain.head });
    expect(bad).toMatchObject({ seq: 1_001, problem: expect.stringContaining('fork') });
  });
});

/** What is done at record `seq` of `lines` (`seq` - 1 in the list), and the first record that is bad then. */
const DEEDS: Readonly<Record<string, (lines: string[], seq: number, by: number) => number>> = {
  flip(lines, seq, by) {
    const bytes = Buffer.from(lines[seq - 1]!);
    const at = by % bytes.length;
    bytes[at] = bytes[at]! ^ (1 << (by % 7));
    lines[seq - 1] = bytes.toString('latin1');
    return seq;
  },
  drop(lines, seq) {
    lines.splice(seq - 1, 1);
    return seq;
  },
  swap(lines, seq, by) {
    const other = seq + 1 + (by % (lines.length - seq));
    [lines[seq - 1], lines[other - 1]] = [lines[other - 1]!, lines[seq - 1]!];
    return seq;
  },
  cut(lines, seq) {
    lines.splice(seq);
    return seq + 1;
  },
  repeat(lines, seq, by) {
    lines.splice(seq + (by % (lines.length - seq)), 0, lines[seq - 1]!);
    return seq;
  },
  /** A twin with the same number that follows the same record. */
  fork(lines, seq) {
    lines.splice(seq, 0, lines[seq - 1]!.replace('"ok"', '"no"').replace('"kind":"seal"', '"kind":"zeal"'));
    return seq;
  },
  /** One more record, made as ours are: the one after it knows another. */
  insert(lines, seq) {
    const body = `"time":"2026-01-02T03:04:05.678Z","kind":"outcome","callId":"forged"}`;
    lines.splice(seq, 0, toLine(seq + 1, hashLine(lines[seq - 1]!), body));
    return seq + 1;
  },
};

test('whatever is done at any place of a chain is found, and the first bad record named', async () => {
  const small = makeChain(1_100);
  const deeds = fc.constantFrom(...Object.entries(DEEDS));
  await fc.assert(
    fc.asyncProperty(deeds, fc.integer({ min: 1, max: 1_099 }), fc.nat(), async ([, deed], seq, by) => {
      const lines = [...small.lines];
      const bad = deed(lines, seq, by);
      // A twin or a flipped bit may have become a line break: bytes as they are, not as characters.
      const content = Buffer.from(`${lines.join('\n')}\n`, 'latin1');
      expect((await verify(content, { head: small.head })).bad?.seq).toBe(bad);
    }),
    { numRuns: 400 },
  );
});

test('the beginning cut off, the head removed or forged, an old copy, another chain: each is found', async () => {
  const short = makeChain(2_500);
  const file = (lines: readonly string[]) => [{ name: 'a', read: () => Promise.resolve(toBytes(lines)) }];
  const check = async (lines: readonly string[], given: Partial<Expectations> = {}, name = '0') =>
    (await verifyChain(name, file(lines), { key: publicKey, head: short.head, ...given })).bad;
  expect(await check(short.lines)).toBeUndefined();
  expect(await check(short.lines.slice(1_000))).toMatchObject({ seq: 1 });
  expect(await check(short.lines, { head: undefined })).toMatchObject({ problem: expect.stringContaining('head') });
  expect(await check(short.lines, { head: 'forged' })).toMatchObject({ problem: expect.stringContaining('head') });
  expect(await check(short.lines, { head: { seq: 2_500, hash: GENESIS } })).toMatchObject({ seq: 2_500 });
  expect(await check(short.lines, {}, '1')).toMatchObject({ seq: 1_000 });
  const old = { head: { seq: 1_000, hash: hashLine(short.lines[999]!) } };
  const known = [{ ...short.head, source: 'the database' }];
  expect(await check(short.lines.slice(0, 1_000), { ...old, known })).toMatchObject({ seq: 1_001 });
  expect(await check(short.lines, { known: [{ seq: 700, hash: GENESIS, source: 'the database' }] })).toMatchObject({
    seq: 700,
  });
});

test('records that were retired are not missed, when a record says so', async () => {
  const lines = makeChain(3_000).lines.slice(1_000);
  const tail = { seq: 3_000, hash: hashLine(lines.at(-1)!) };
  const tell = (hash: string) =>
    toLine(3_001, tail.hash, `"time":"2026-01-02T03:04:05.678Z","kind":"retired","upTo":1000,"hash":"${hash}"}`);
  const retire = (hash: string) => sealer.seal(tell(hash));
  const prev = /"prev":"(.{43})"/.exec(lines[0]!)![1]!;
  const check = async (last: string) =>
    (
      await verifyChain('0', [{ name: 'a', read: () => Promise.resolve(toBytes([...lines, last])) }], {
        key: publicKey,
        head: tail,
      })
    ).bad;
  expect(await check(retire(prev))).toBeUndefined();
  expect(await check(retire(GENESIS))).toMatchObject({ seq: 1 });
  const unsigned = { seq: 3_001, problem: expect.stringContaining('did not sign') };
  expect(await check(tell(prev))).toMatchObject(unsigned);
  expect(await check(createSealer(makeSealKey()).seal(tell(prev)))).toMatchObject(unsigned);
});

test('half a record at the very end is what a kill leaves, not a forgery', async () => {
  const torn = Buffer.concat([bytes, Buffer.from('{"seq":10001,"pr')]);
  expect((await verify(torn)).bad).toBeUndefined();
});

test('the public key in PEM is all that is needed to verify', () => {
  expect(createPublicKey(toPem(readPublicKey(KEY))).equals(publicKey)).toBe(true);
  expect(readPublicKey(toPem(readPublicKey(KEY))).equals(publicKey)).toBe(true);
  expect(() => readPublicKey('nothing')).toThrow(expect.objectContaining({ code: 'config' }));
});
