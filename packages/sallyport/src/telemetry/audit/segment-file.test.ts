import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { GENESIS } from './record-line.ts';
import { RecordQueue } from './record-queue.ts';
import type { Head } from './recover.ts';
import { SegmentFile } from './segment-file.ts';
import { toSegmentName } from './segments.ts';

const FIRST = { seq: 0, hash: GENESIS };
/** Beyond this many pieces a round of comparing is over. */
const ROUND = 8;

/** A segment of six pieces, and what appends one more record to it. */
async function openLarge(): Promise<{ path: string; file: SegmentFile; add: (text: string) => Promise<void> }> {
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-segment-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, toSegmentName(1, 'abcdef'));
  const file = new SegmentFile(path, { bytes: 0, last: FIRST, isDurable: false });
  onTestFinished(() => file.close());
  let last: Head = FIRST;
  const add = async (text: string, times = 1): Promise<void> => {
    const queue = new RecordQueue(last, String);
    for (let i = 0; i < times; i++) queue.push(`"time":"2026-01-02T03:04:05.678Z","kind":"test","text":"${text}"}`);
    await file.append(queue.bytes, queue.last);
    last = queue.last;
  };
  await add('x'.repeat(1_000), 2_700);
  return { path, file, add };
}

async function compareAll(file: SegmentFile): Promise<ReturnType<SegmentFile['check']>> {
  for (let i = 0; i < ROUND; i++) await file.compare();
  return file.check();
}

test('what we wrote is found to be that, however often it grows between two looks', async () => {
  const { file, add } = await openLarge();
  for (let i = 0; i < 10; i++) {
    expect(await compareAll(file)).toBeUndefined();
    await add('one more');
    await file.compare();
  }
});

test.each([0, 1_100, 1_048_570, 2_000_000, 2_999_000])(
  'a change at byte %i that carries the time of our own write is found within a round',
  async (at) => {
    const { path, file, add } = await openLarge();
    expect(await compareAll(file)).toBeUndefined();
    const descriptor = openSync(path, 'r+');
    writeSync(descriptor, '~', at);
    closeSync(descriptor);
    await add('ours, after it');
    expect(file.check()).toBeUndefined();
    expect(await compareAll(file)).toBe('touched');
  },
);

test('what is appended while a sync runs is not part of it, and both are in the file', async () => {
  const { path, file, add } = await openLarge();
  const syncing = file.sync();
  await add('beside it');
  await syncing;
  expect(readFileSync(path, 'utf8')).toContain('beside it');
  expect(file.check()).toBeUndefined();
  const last = file.sync();
  // Closed under a sync: the descriptor lives as long as that.
  file.close();
  await last;
});
