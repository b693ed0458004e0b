import { mkdtempSync, readFileSync, rmSync, truncateSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { GENESIS, hashLine, toLine } from './record-line.ts';
import { findRetired } from './retire.ts';
import { toSegmentName } from './segments.ts';

const DAY_MS = 86_400_000;
const NOW = Date.parse('2026-06-01T00:00:00.000Z');

/** Four segments of two records, whose files say they are 100 days old; the records say how old those are. */
function writeSegments(days: readonly [number, number, number, number]) {
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-retire-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  let seq = 0;
  let hash = GENESIS;
  const paths = days.map((old) => {
    const path = join(folder, toSegmentName(seq + 1, 'abcdef'));
    const time = new Date(NOW - old * DAY_MS).toISOString();
    const lines = [1, 2].map(() => {
      const line = toLine(++seq, hash, `"time":"${time}","kind":"outcome"}`);
      hash = hashLine(line);
      return `${line}\n`;
    });
    writeFileSync(path, lines.join(''));
    return path;
  });
  const touch = () => {
    for (const path of paths) utimesSync(path, new Date(NOW - 100 * DAY_MS), new Date(NOW - 100 * DAY_MS));
  };
  touch();
  return { folder, paths, touch };
}

test('the oldest segments go, up to the first that is young; the last one stays', async () => {
  const { folder } = writeSegments([100, 90, 10, 80]);
  expect(await findRetired(folder, 30, NOW)).toMatchObject({
    names: [expect.any(String), expect.any(String)],
    upTo: 4,
  });
  expect(await findRetired(writeSegments([100, 90, 80, 70]).folder, 30, NOW)).toMatchObject({ upTo: 6 });
  expect(await findRetired(folder, 0, NOW)).toBeUndefined();
});

test('a file that only says it is old stays', async () => {
  expect(await findRetired(writeSegments([1, 1, 1, 1]).folder, 30, NOW)).toBeUndefined();
});

test.each<[string, (path: string) => void]>([
  ['says something else', (path) => writeFileSync(path, readFileSync(path, 'utf8').replaceAll('outcome', 'overdue'))],
  ['was cut', (path) => truncateSync(path, 200)],
  ['lost its second record', (path) => truncateSync(path, 114)],
  ['was added to', (path) => writeFileSync(path, 'x\n', { flag: 'a' })],
])('one that %s stays as evidence, and all after it', async (_, bend) => {
  const { folder, paths, touch } = writeSegments([100, 90, 80, 70]);
  bend(paths[1] ?? '');
  touch();
  expect(await findRetired(folder, 30, NOW)).toMatchObject({ upTo: 2 });
});
