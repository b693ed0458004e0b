import { appendFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { waitFor } from '../../test/wait-for.ts';
import { silentLog } from '../core/log.ts';
import { createAuditIndex } from '../storage/audit-index.ts';
import { openDatabase } from '../storage/database.ts';
import { createAuditReader } from '../telemetry/audit/audit-reader.ts';
import { indexSegments } from '../telemetry/audit/index-segments.ts';
import { keepIndex } from '../telemetry/audit/keep-index.ts';
import { GENESIS, hashLine, toLine } from '../telemetry/audit/record-line.ts';
import { toSegmentName } from '../telemetry/audit/segments.ts';

const START = Date.parse('2026-02-03T00:00:00.000Z');

type Members = Record<string, unknown>;

/** Writes records as the writer does, one millisecond apart. */
class Chain {
  readonly directory = mkdtempSync(join(tmpdir(), 'sallyport-index-'));
  file = '';
  #seq = 0;
  #hash = GENESIS;

  constructor() {
    onTestFinished(() => rmSync(this.directory, { recursive: true, force: true }));
    mkdirSync(join(this.directory, '0'));
    this.next();
  }

  next(): void {
    this.file = join(this.directory, '0', toSegmentName(this.#seq + 1, 'abcdef'));
    writeFileSync(this.file, '');
  }

  add(kind: string, members: Members): void {
    const time = new Date(START + this.#seq).toISOString();
    const line = toLine(++this.#seq, this.#hash, JSON.stringify({ time, kind, ...members }).slice(1));
    this.#hash = hashLine(line);
    appendFileSync(this.file, `${line}\n`);
  }

  call(id: string, { members = {}, end = {} }: { members?: Members; end?: Members | undefined } = {}): void {
    const who = { callId: id, method: 'tools/call', principal: ANN, upstream: 'git', tool: 'read', ...members };
    this.add('admitted', who);
    this.add('outcome', { ...who, outcome: 'ok', ...end });
  }
}

const ANN = { id: 'key:k1', kind: 'key', person: 'ann', agent: 'desktop' };
const BOB = { id: 'key:k2', kind: 'key', person: 'bob' };

async function open(chain: Chain) {
  const database = await openDatabase(':memory:');
  onTestFinished(() => database.destroy());
  const index = createAuditIndex(database);
  return { database, index, reader: createAuditReader({ directory: chain.directory, index }) };
}

const ids = ({ items }: { items: readonly Members[] }) => items.map(({ callId }) => callId);

describe('what a search finds', () => {
  const chain = () => {
    const made = new Chain();
    made.add('start', { version: '1' });
    made.call('c1');
    made.call('c2', { members: { principal: BOB, tool: 'write_file' } });
    made.add('denied', {
      callId: 'c3',
      principal: BOB,
      upstream: 'bank',
      tool: 'pay',
      outcome: 'denied',
      guard: 'policy',
      reason: 'Not on a Sunday 100%',
    });
    made.add('admitted', {
      callId: 'c4',
      principal: ANN,
      upstream: 'bank',
      tool: 'pay',
      guard: 'redact',
      verdict: 'rewrite',
    });
    made.add('approval_answer', { approval: 'ap_1', by: 'os:ann', person: 'ann', answer: 'allow' });
    made.call('c5', { members: { guard: 'redact', verdict: 'rewrite' }, end: { guard: undefined } });
    return made;
  };

  test.each([
    [{}, ['c5', 'c4', 'c3', 'c2', 'c1']],
    [{ principal: 'bob' }, ['c3', 'c2']],
    [{ principal: 'key:k2' }, ['c3', 'c2']],
    [{ person: 'ann' }, ['c5', 'c4', 'c1']],
    [{ agent: 'desktop', upstream: 'bank' }, ['c4']],
    [{ tool: 'bank_pay' }, ['c4', 'c3']],
    [{ tool: 'pay' }, ['c4', 'c3']],
    [{ outcome: 'unfinished' }, ['c4']],
    [{ outcome: 'ok' }, ['c5', 'c2', 'c1']],
    [{ guard: 'policy' }, ['c3']],
    [{ guard: 'redact' }, ['c5', 'c4']],
    [{ callId: 'c2' }, ['c2']],
    [{ callId: 'c2', person: 'ann' }, []],
    [{ text: 'SUNDAY 100%' }, ['c3']],
    [{ text: '%' }, ['c3']],
    [{ text: 'write_' }, ['c2']],
    [{ text: 'writeX' }, []],
    [{ since: new Date(START + 5).toISOString(), until: new Date(START + 6).toISOString() }, ['c4', 'c3']],
    [{ kind: 'event' }, [undefined, undefined]],
    [{ kind: 'approval_answer' }, [undefined]],
    [{ kind: 'approval_answer', principal: 'os:ann' }, [undefined]],
  ])('%j', async (filter, expected) => {
    const { reader } = await open(chain());
    expect(ids(await reader.search(filter, 100))).toEqual(expected);
  });

  test('a call is one object, read from the segments; its records are shown with their places', async () => {
    const made = chain();
    const { reader } = await open(made);
    const { items } = await reader.search({ callId: 'c5' }, 1);
    expect(items).toMatchObject([
      {
        chain: '0',
        seq: 10,
        time: new Date(START + 8).toISOString(),
        outcome: 'ok',
        guard: 'redact',
        verdict: 'rewrite',
      },
    ]);
    const records = await reader.recordsOf('c5');
    expect(records).toMatchObject([{ record: { kind: 'admitted' } }, { record: { kind: 'outcome' } }]);
    const { offset, record } = records[1] ?? { offset: 0, record: {} };
    expect(readFileSync(made.file, 'utf8').slice(offset)).toMatch(new RegExp(`^{"seq":${record['seq']},`));
  });

  test('page by page, every call once, also over many segments', async () => {
    const made = new Chain();
    for (let i = 0; i < 60; i++) {
      if (i % 17 === 0) made.next();
      made.call(`c${i}`);
    }
    const { reader } = await open(made);
    const seen: unknown[] = [];
    let cursor: string | undefined;
    do {
      const page = await reader.search({}, 7, cursor);
      seen.push(...ids(page));
      cursor = page.next;
    } while (cursor !== undefined);
    expect(seen).toEqual(Array.from({ length: 60 }, (_, i) => `c${59 - i}`));
    await expect(reader.search({}, 7, 'x')).rejects.toMatchObject({ code: 'usage' });
  });
});

describe('the segments are the truth', () => {
  test('it goes on where it stopped; half a record waits for its end', async () => {
    const made = new Chain();
    made.call('c1');
    const { reader, index } = await open(made);
    expect(ids(await reader.search({}, 10))).toEqual(['c1']);
    const before = readFileSync(made.file);
    made.call('c2');
    const after = readFileSync(made.file);
    writeFileSync(made.file, after.subarray(0, after.length - 9));
    expect(await reader.search({}, 10)).toMatchObject({
      items: [{ callId: 'c2', outcome: 'unfinished' }, { callId: 'c1' }],
    });
    writeFileSync(made.file, after);
    expect(await reader.search({}, 10)).toMatchObject({ items: [{ callId: 'c2', outcome: 'ok' }, { callId: 'c1' }] });
    expect((await index.segments())[0]?.bytes).toBe(after.length);
    expect(before.length).toBeLessThan(after.length);
  });

  test.each([
    ['rows are gone', 'delete'],
    ['rows say something else', 'change'],
    ['a row points elsewhere', 'move'],
    ['a row was put in', 'add'],
    ['the tables are empty', 'clear'],
  ])('%s: it is made anew by itself', async (_, damage) => {
    const made = new Chain();
    for (let i = 0; i < 20; i++) made.call(`c${i}`);
    const { database, index } = await open(made);
    await indexSegments(index, made.directory);
    const rows = database.selectFrom('audit_record').selectAll();
    if (damage === 'delete') await database.deleteFrom('audit_record').where('call_id', '=', 'c7').execute();
    if (damage === 'change')
      await database.updateTable('audit_record').set({ tool: 'other' }).where('call_id', '=', 'c7').execute();
    if (damage === 'move')
      await database
        .updateTable('audit_record')
        .set({ offset: 7, bytes: 20 })
        .where('call_id', '=', 'c7')
        .where('kind', '=', 'outcome')
        .execute();
    if (damage === 'add') {
      const [row] = await rows.where('call_id', '=', 'c7').execute();
      if (row !== undefined)
        await database
          .insertInto('audit_record')
          .values({ ...row, offset: 3 })
          .execute();
    }
    if (damage === 'clear')
      for (const table of ['audit_record', 'audit_segment'] as const) await database.deleteFrom(table).execute();
    const reader = createAuditReader({ directory: made.directory, index });
    const filter = damage === 'change' ? { tool: 'other' } : {};
    const found = await reader.search(filter, 100);
    expect(found.items).toHaveLength(damage === 'change' ? 0 : 20);
    expect(await rows.execute()).toHaveLength(40);
    expect(ids(await reader.search({ tool: 'read' }, 100))).toHaveLength(20);
  });

  test('segments that were retired, cut, or belong to another audit leave the index', async () => {
    const made = new Chain();
    made.call('c1');
    const first = made.file;
    made.next();
    made.call('c2');
    const { reader, index, database } = await open(made);
    expect(ids(await reader.search({}, 10))).toEqual(['c2', 'c1']);
    rmSync(first);
    expect(ids(await reader.search({}, 10))).toEqual(['c2']);
    truncateSync(made.file, readFileSync(made.file, 'utf8').indexOf('\n') + 1);
    expect(await reader.search({}, 10)).toMatchObject({ items: [{ callId: 'c2', outcome: 'unfinished' }] });
    const other = new Chain();
    other.call('d1');
    expect(ids(await createAuditReader({ directory: other.directory, index }).search({}, 10))).toEqual(['d1']);
    expect(await database.selectFrom('audit_segment').selectAll().execute()).toHaveLength(1);
  });

  test('two that index at once put in each record once', async () => {
    const made = new Chain();
    for (let i = 0; i < 600; i++) made.call(`c${i}`);
    const { reader, index, database } = await open(made);
    await Promise.all([reader.search({}, 1), indexSegments(index, made.directory), reader.search({}, 1)]);
    await reader.search({}, 1);
    expect(await database.selectFrom('audit_record').select('seq').execute()).toHaveLength(1_200);
    await reader.rebuild();
    expect(await database.selectFrom('audit_record').select('seq').execute()).toHaveLength(1_200);
  });

  test('what a kill left half forgotten is made anew', async () => {
    const made = new Chain();
    for (let i = 0; i < 600; i++) made.call(`c${i}`);
    const { reader, index, database } = await open(made);
    await indexSegments(index, made.directory);
    await database.deleteFrom('audit_record').where('offset', '<', 9_000).execute();
    await database.updateTable('audit_segment').set({ bytes: -1 }).execute();
    expect(ids(await reader.search({ callId: 'c0' }, 1))).toEqual(['c0']);
    expect(await database.selectFrom('audit_record').select('seq').execute()).toHaveLength(1_200);
  });

  test('other calls go on while it is forgotten', async () => {
    const made = new Chain();
    for (let i = 0; i < 3_000; i++) made.call(`c${i}`);
    const { reader, index, database } = await open(made);
    await indexSegments(index, made.directory);
    let turns = 0;
    const timer = setInterval(() => turns++, 0);
    await index.forget(await index.segments());
    clearInterval(timer);
    expect(turns).toBeGreaterThan(3);
    expect(await database.selectFrom('audit_record').select('seq').execute()).toEqual([]);
    expect(ids(await reader.search({ callId: 'c0' }, 1))).toEqual(['c0']);
  });

  test('what is no record is left to verify', async () => {
    const made = new Chain();
    made.call('c1');
    appendFileSync(made.file, 'not json\n{"seq":"x"}\n[]\n{"constructor":1}\n');
    made.call('c2');
    const { reader } = await open(made);
    expect(ids(await reader.search({}, 10))).toEqual(['c2', 'c1']);
  });
});

test('the index is kept behind, beside that of another folder, until it is told to stop', async () => {
  const [made, other] = [new Chain(), new Chain()];
  other.call('d1');
  made.call('c1');
  const { index, database } = await open(made);
  await indexSegments(index, other.directory);
  const stop = new AbortController();
  const keeping = keepIndex(
    { directory: made.directory, index: async () => index, log: silentLog, lookMs: 5 },
    stop.signal,
  );
  const rows = () => database.selectFrom('audit_record').select('call_id').distinct().orderBy('call_id').execute();
  await waitFor(async () => expect((await rows()).map((row) => row.call_id)).toEqual(['c1', 'd1']));
  made.call('c2');
  await waitFor(async () => expect((await rows()).map((row) => row.call_id)).toEqual(['c1', 'c2', 'd1']));
  stop.abort();
  await keeping;
});
