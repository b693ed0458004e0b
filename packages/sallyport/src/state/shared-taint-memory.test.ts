import { beforeEach, describe, expect, it } from 'vitest';
import { faultOf, SharedMemories } from '../../test/shared-memories.ts';
import { CLEAN, UNTRUSTED, VOUCHED } from '../guard/taint/labels.ts';
import type { Recall, Remembered } from '../guard/taint/taint-ports.ts';

const SECRET = 3;

let memories: SharedMemories;
type Taint = ReturnType<SharedMemories['replica']>['taint'];

beforeEach(async () => {
  memories = await SharedMemories.open();
});

function printsOf(numbers: readonly number[]) {
  return {
    high: Uint32Array.from(numbers, (n) => Math.imul(n, 0x9e37_79b1)),
    low: Uint32Array.from(numbers, (n) => Math.imul(n, 0x85eb_ca6b)),
    size: numbers.length,
  };
}

const upTo = (count: number, from = 1) => Array.from({ length: count }, (_, i) => from + i);

function result(numbers: readonly number[], marks = UNTRUSTED, upstream = 'web'): Remembered {
  return { source: { callId: `call-${numbers[0]}`, upstream, target: 'get', marks }, marks, prints: printsOf(numbers) };
}

/** As the guard does: the marks first, which bring everything that others wrote. */
async function ask(taint: Taint, run: string, numbers: readonly number[]): Promise<Recall | undefined> {
  await taint.marksOf(run);
  return taint.recall(run, printsOf(numbers));
}

describe('what one process remembers, the other knows', () => {
  it('values, marks, origins and sources, once the promise is fulfilled', async () => {
    const [a, b] = [memories.replica(), memories.replica()];
    await a.taint.remember('run', [result([1, 2]), result([3], SECRET | VOUCHED, 'vault')]);
    expect(await b.taint.marksOf('run')).toBe(UNTRUSTED | SECRET | VOUCHED);
    expect(await b.taint.originsOf('run')).toEqual(['web', 'vault']);
    const known = await ask(b.taint, 'run', [1, 2, 3, 4]);
    expect([0, 1, 2, 3].map((i) => known?.marksOf(i))).toEqual([UNTRUSTED, UNTRUSTED, SECRET | VOUCHED, 0]);
    expect(known?.sourceOf(2)).toMatchObject({ upstream: 'vault', callId: 'call-3' });
    expect(known?.isFull).toBe(false);
    expect(b.taint.met.marksOf('run')).toBe(UNTRUSTED | SECRET | VOUCHED);
  });

  it('in both directions and in any order, and runs stay apart', async () => {
    const [a, b] = [memories.replica(), memories.replica()];
    for (let n = 1; n <= 20; n++) await (n % 2 === 0 ? a : b).taint.remember('run', [result([n])]);
    for (const { taint } of [a, b, memories.replica()]) {
      const known = await ask(taint, 'run', upTo(20));
      expect(upTo(20).every((n) => known?.has(n - 1))).toBe(true);
    }
    expect(await a.taint.marksOf('other')).toBe(0);
  });

  it('written at the same time by both, nothing is lost', async () => {
    const both = [memories.replica(), memories.replica()];
    await Promise.all(upTo(40).map((n) => both[n % 2]?.taint.remember('run', [result([n])])));
    for (const { taint } of both) {
      const known = await ask(taint, 'run', upTo(40));
      expect(upTo(40).filter((n) => known?.has(n - 1))).toEqual(upTo(40));
    }
  });

  it('what the client gave first is the client’s in the other process, too, and costs no wait', async () => {
    const [a, b] = [memories.replica(), memories.replica()];
    expect(a.taint.remember('run', [{ marks: CLEAN, prints: printsOf([7]) }])).toBeUndefined();
    await a.taint.remember('run', [result([7, 8])]);
    const known = await ask(b.taint, 'run', [7, 8]);
    expect([known?.marksOf(0), known?.marksOf(1)]).toEqual([CLEAN, UNTRUSTED]);
    const rows = await memories.database.selectFrom('shared_run_row').selectAll().execute();
    expect(rows).toHaveLength(1);
  });

  it('and is written at the end where no result came', async () => {
    const [a, b] = [memories.replica(), memories.replica()];
    void a.taint.remember('run', [{ marks: CLEAN, prints: printsOf([7]) }]);
    await a.taint.close();
    expect((await ask(b.taint, 'run', [7]))?.marksOf(0)).toBe(CLEAN);
  });

  it('what is read twice is written once', async () => {
    const [a, b] = [memories.replica(), memories.replica()];
    for (let i = 0; i < 5; i++) await (i % 2 === 0 ? a : b).taint.remember('run', [result(upTo(50))]);
    const { seq, size } = await memories.database.selectFrom('shared_run').selectAll().executeTakeFirstOrThrow();
    expect([seq, size]).toEqual([1, 50]);
  });
});

describe('bounds', () => {
  it('a run that overflowed is full for everybody, and takes no more room', async () => {
    const [a, b] = [memories.replica(), memories.replica()];
    for (let i = 0; i < 5; i++) await a.taint.remember('run', [result(upTo(400, 1 + i * 400))]);
    const known = await ask(b.taint, 'run', [1, 1_000, 1_001]);
    expect(known?.isFull).toBe(true);
    expect([0, 1, 2].map((i) => known?.has(i))).toEqual([true, true, false]);
    const { size } = await memories.database.selectFrom('shared_run').selectAll().executeTakeFirstOrThrow();
    expect(size).toBe(1_000);
  });

  it('of all runs together the values of the one that was used longest ago go, and it is full', async () => {
    memories.limits.prints = 1_500;
    const a = memories.replica();
    for (const run of ['one', 'two', 'three']) {
      await a.taint.remember(run, [result(upTo(700))]);
      memories.now += 1_000;
    }
    const { sum } = await memories.database
      .selectFrom('shared_run')
      .select((select) => select.fn.sum<number>('size').as('sum'))
      .executeTakeFirstOrThrow();
    expect(Number(sum)).toBeLessThanOrEqual(1_500);
    const b = memories.replica();
    expect(await b.taint.marksOf('one')).toBe(UNTRUSTED);
    expect(await ask(b.taint, 'one', [1])).toMatchObject({ isFull: true });
    expect((await ask(b.taint, 'three', [1]))?.has(0)).toBe(true);
  });

  it('who finds no room for a run of their own bears what all others of that kind have read', async () => {
    const [a, b] = [memories.replica(), memories.replica()];
    for (const n of upTo(10)) await a.taint.remember(`run-${n}`, [result([n], VOUCHED)]);
    await a.taint.remember('late', [result([1])]);
    await b.taint.remember('later', [result([2], SECRET)]);
    expect(await a.taint.marksOf('late')).toBe(UNTRUSTED | SECRET);
    expect(await ask(b.taint, 'never seen', [1])).toMatchObject({ isFull: true, marks: UNTRUSTED | SECRET });
    expect(await b.taint.marksOf('run-1')).toBe(VOUCHED);
    const rows = await memories.database.selectFrom('shared_run').select('run').execute();
    expect(rows).toHaveLength(11);
  });

  it('a run that rests is forgotten, and its rows are deleted; one that is used is not', async () => {
    const a = memories.replica();
    await a.taint.remember('used', [result([1])]);
    await a.taint.remember('left', [result([2])]);
    for (let i = 0; i < 6; i++) {
      memories.now += 30_000;
      expect(await a.taint.marksOf('used')).toBe(UNTRUSTED);
    }
    expect(await memories.replica().taint.marksOf('left')).toBe(0);
    await a.taint.remember('new', [result([3])]);
    const rows = await memories.database.selectFrom('shared_run').select('run').execute();
    expect(rows).toHaveLength(2);
    expect((await ask(memories.replica().taint, 'used', [1]))?.has(0)).toBe(true);
  });

  it('used by another process alone, it is known here as well when it comes back', async () => {
    const [a, b] = [memories.replica(), memories.replica()];
    await a.taint.remember('run', [result([1])]);
    for (let i = 0; i < 4; i++) {
      memories.now += 40_000;
      await b.taint.remember('run', [result([10 + i])]);
    }
    const known = await ask(a.taint, 'run', [1, 13]);
    expect([known?.has(0), known?.has(1)]).toEqual([true, true]);
  });
});

describe('trouble means no, and says why', () => {
  const damage = async (what: { sealed?: string; body?: string }) => {
    await memories.database.updateTable('shared_run_row').set(what).execute();
  };

  it('a changed row stops every process that has to read it, and no other run', async () => {
    const [a, b] = [memories.replica(), memories.replica()];
    await a.taint.remember('run', [result([1])]);
    await damage({ body: Buffer.alloc(60).toString('base64') });
    expect(await faultOf(b.taint.marksOf('run'))).toMatch(
      /^Reading what this run has read failed: a row in the database is damaged.*seal-key/,
    );
    await b.taint.remember('other', [result([2])]);
    expect(await b.taint.marksOf('other')).toBe(UNTRUSTED);
  });

  it('a row of another run opens nowhere else', async () => {
    const [a, b] = [memories.replica(), memories.replica()];
    await a.taint.remember('bad', [result([1])]);
    await a.taint.remember('good', [result([2], VOUCHED)]);
    const [one, two] = await memories.database.selectFrom('shared_run_row').selectAll().execute();
    await memories.database
      .updateTable('shared_run_row')
      .set({ sealed: two?.sealed ?? '', body: two?.body ?? '' })
      .where('run', '=', one?.run ?? '')
      .execute();
    expect(await faultOf(b.taint.marksOf('bad'))).toContain('damaged');
  });

  it('with another key nothing opens, and runs have other names', async () => {
    const { createRowKeys } = await import('./row-keys.ts');
    await memories.replica().taint.remember('run', [result([1])]);
    expect(await memories.replica(createRowKeys(Buffer.alloc(32, 8))).taint.marksOf('run')).toBe(0);
  });

  it('rows that are gone are written anew by who knows them, and the run is full', async () => {
    const [a, b] = [memories.replica(), memories.replica()];
    await a.taint.remember('run', [result([1])]);
    await memories.database.deleteFrom('shared_run').execute();
    await memories.database.deleteFrom('shared_run_row').execute();
    expect(await a.taint.marksOf('run')).toBe(UNTRUSTED);
    expect(await ask(a.taint, 'run', [1])).toMatchObject({ isFull: true });
    expect(memories.errors.join()).toContain('rows of a run are gone');
    await a.taint.close();
    expect(await b.taint.marksOf('run')).toBe(UNTRUSTED);
    expect(await ask(b.taint, 'run', [1])).toMatchObject({ isFull: true });
  });

  it('a gap in the middle stops the run', async () => {
    const [a, b] = [memories.replica(), memories.replica()];
    for (const n of [1, 2, 3]) await a.taint.remember('run', [result([n])]);
    await memories.database.deleteFrom('shared_run_row').where('seq', '=', 2).execute();
    expect(await faultOf(b.taint.marksOf('run'))).toContain('damaged');
  });

  it('a store that fails keeps the result back, and is asked again the next time', async () => {
    const a = memories.replica();
    await memories.database.schema.alterTable('shared_run_row').renameTo('away').execute();
    expect(await faultOf(a.taint.remember('run', [result([1])]))).toMatch(
      /^Remembering what this run has read failed: .*shared_run_row/,
    );
    await memories.database.schema.alterTable('away').renameTo('shared_run_row').execute();
    await a.taint.remember('run', [result([1])]);
    expect((await ask(memories.replica().taint, 'run', [1]))?.has(0)).toBe(true);
  });
});
