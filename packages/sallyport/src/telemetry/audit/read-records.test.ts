import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { RecordFollower } from './read-records.ts';
import { toSegmentName } from './segments.ts';

test('whoever follows is not told again what stands before a segment that was set aside', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'sallyport-follow-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  mkdirSync(join(directory, '0'));
  const write = (seq: number) => {
    const path = join(directory, '0', toSegmentName(seq, 'abcdef'));
    writeFileSync(path, `{"seq":${seq}}\n`);
    return path;
  };
  const follower = new RecordFollower(directory);
  const told = async () => (await follower.next()).map(({ value }) => value['seq']);
  write(1);
  expect(await told()).toEqual([]);
  const second = write(2);
  expect(await told()).toEqual([2]);
  renameSync(second, `${second}.set-aside-1`);
  expect(await told()).toEqual([]);
  write(3);
  expect(await told()).toEqual([3]);
});
