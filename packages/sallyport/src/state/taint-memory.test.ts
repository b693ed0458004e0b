import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createPrinter } from '../guard/taint/fingerprints.ts';
import { CLEAN, PUBLIC, UNTRUSTED } from '../guard/taint/labels.ts';
import { PrintList } from '../guard/taint/print-list.ts';
import { createTaintMemory, type TaintLimits } from './taint-memory.ts';

const printer = createPrinter(Buffer.alloc(32, 3));
const PERSONAL = 2;
const SECRET = 3;

function prints(...values: readonly string[]): PrintList {
  const list = new PrintList();
  for (const value of values) printer.add('value', value, list);
  return list;
}

function bench(given: Partial<TaintLimits> = {}) {
  const clock = { now: 0 };
  const limits = { printsPerRun: 1_000, prints: 10_000, runs: 100, idleMs: 1_000_000, ...given };
  const memory = createTaintMemory({ now: () => clock.now, limits: () => limits });
  const remember = (run: string, values: readonly string[], marks = UNTRUSTED, upstream = 'web') =>
    memory.remember(run, [
      { source: { callId: `c-${run}`, upstream, target: 't', marks }, marks, prints: prints(...values) },
    ]);
  return { clock, memory, remember };
}

test('what was remembered is found, with its marks and where it is from', () => {
  const { memory, remember } = bench();
  remember('a', ['one value', 'another']);
  remember('a', ['another', 'third'], SECRET, 'vault');
  const recall = memory.recall('a', prints('one value', 'another', 'third', 'fourth'));
  expect(recall).toMatchObject({ marks: UNTRUSTED | SECRET, origins: ['web', 'vault'], isFull: false });
  expect([0, 1, 2, 3].map((at) => recall?.marksOf(at))).toEqual([UNTRUSTED, UNTRUSTED | SECRET, SECRET, 0]);
  // A value of two sources is explained with the more private one.
  expect([0, 1, 2, 3].map((at) => recall?.sourceOf(at)?.upstream)).toEqual(['web', 'vault', 'vault', undefined]);
  expect(memory.recall('b', prints('one value'))).toBeUndefined();
  expect(memory.marksOf('b')).toBe(PUBLIC);
});

test('what the user gave first stays the user’s', () => {
  const { memory, remember } = bench();
  memory.remember('a', [{ marks: CLEAN, prints: prints('mine') }]);
  remember('a', ['mine', 'not mine']);
  const recall = memory.recall('a', prints('mine', 'not mine'));
  expect([recall?.marksOf(0), recall?.marksOf(1)]).toEqual([CLEAN, UNTRUSTED]);
  expect(recall?.sourceOf(0)).toBeUndefined();
});

test('a run is as marked as everything it read together, whatever its user gave', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom(PUBLIC, UNTRUSTED, PERSONAL, SECRET, CLEAN)), (all) => {
      const { memory, remember } = bench();
      for (const [at, marks] of all.entries()) remember('a', [`value ${at}`], marks);
      const read = all.filter((marks) => marks !== CLEAN);
      const privacy = Math.max(0, ...read.map((marks) => marks & 3));
      expect(memory.marksOf('a')).toBe(privacy | (read.includes(UNTRUSTED) ? UNTRUSTED : 0));
    }),
  );
});

describe('bounds are closed', () => {
  const many = (from: number, count: number) => Array.from({ length: count }, (_, at) => `value ${from + at}`);

  test('a run that read more than it may keep is full, and keeps its marks', () => {
    const { memory, remember } = bench({ printsPerRun: 100 });
    remember('a', many(0, 100));
    expect(memory.recall('a', prints())).toMatchObject({ isFull: false });
    remember('a', many(100, 1), PERSONAL);
    const recall = memory.recall('a', prints('value 0', 'value 100'));
    expect(recall).toMatchObject({ isFull: true, marks: UNTRUSTED | PERSONAL });
    expect([recall?.has(0), recall?.has(1)]).toEqual([true, false]);
  });

  test('a result of which only a part was looked at makes the run full', () => {
    const { memory } = bench();
    memory.remember('a', [{ marks: UNTRUSTED, prints: prints('x'), isPartial: true }]);
    expect(memory.recall('a', prints('x'))).toMatchObject({ isFull: true });
  });

  test('room for one run is made at the cost of the one used longest ago, which is full from then on', () => {
    const { memory, remember } = bench({ printsPerRun: 100, prints: 250 });
    for (const run of ['a', 'b']) remember(run, many(0, 100));
    memory.recall('a', prints());
    remember('c', many(0, 100));
    expect(memory.recall('b', prints('value 1'))).toMatchObject({ isFull: true, marks: UNTRUSTED });
    for (const run of ['a', 'c']) {
      const recall = memory.recall(run, prints('value 1'));
      expect(recall).toMatchObject({ isFull: false });
      expect(recall?.has(0)).toBe(true);
    }
  });

  test('a flood of runs makes no run forget, and those without room bear the marks of all of them', () => {
    const { memory, remember } = bench({ runs: 10 });
    remember('honest', ['a value']);
    for (let i = 0; i < 1_000; i++) remember(`flood-${i}`, ['x'], i === 500 ? SECRET : UNTRUSTED);
    const recall = memory.recall('honest', prints('a value'));
    expect(recall).toMatchObject({ isFull: false, marks: UNTRUSTED });
    expect(memory.recall('flood-999', prints('x'))).toMatchObject({ isFull: true, marks: UNTRUSTED | SECRET });
    // One that read nothing yet cannot be told from those.
    expect(memory.marksOf('never seen')).toBe(UNTRUSTED | SECRET);
  });

  test('runs that read nothing make room for those that do', () => {
    const { memory, remember } = bench({ runs: 10 });
    for (let i = 0; i < 1_000; i++) memory.remember(`idle-${i}`, [{ marks: CLEAN, prints: prints('x') }]);
    remember('new', ['a value']);
    expect(memory.recall('new', prints('a value'))).toMatchObject({ isFull: false });
  });

  test('held prints never exceed what all runs may hold', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(12), fc.nat(40)), { maxLength: 60 }), (steps) => {
        const { memory, remember } = bench({ printsPerRun: 60, prints: 150, runs: 8 });
        let at = 0;
        for (const [run, count] of steps) {
          remember(`r${run}`, many(at, count));
          at += count;
        }
        const all = prints(...many(0, at));
        const held = Array.from({ length: 13 }, (_, run) => {
          const recall = memory.recall(`r${run}`, all);
          return Array.from({ length: at }, (_, i) => i).filter((i) => recall?.has(i) === true).length;
        });
        expect(held.reduce((sum, one) => sum + one, 0)).toBeLessThanOrEqual(150);
      }),
    );
  });
});

test('a run is forgotten after its rest, and not before', () => {
  const { clock, memory, remember } = bench({ idleMs: 1_000 });
  remember('a', ['x']);
  clock.now = 999;
  expect(memory.marksOf('a')).toBe(UNTRUSTED);
  clock.now = 1_998;
  expect(memory.marksOf('a')).toBe(UNTRUSTED);
  clock.now = 2_998;
  expect(memory.marksOf('a')).toBe(PUBLIC);
  expect(memory.recall('a', prints('x'))).toBeUndefined();
});
