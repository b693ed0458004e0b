import { expect, test } from 'vitest';
import { createKeyedDigest } from './keyed-digest.ts';
import { GENESIS, hashLine, NO_DIGEST } from './record-line.ts';
import { RecordQueue } from './record-queue.ts';

const digest = createKeyedDigest(Buffer.alloc(32, 7));

/** Short, long, empty, and more of them than are kept beside the records. */
const VALUES = [
  ...['', '{}', '{"a":"ü 名"}', 'x'.repeat(2_048), 'x'.repeat(2_049), 'y'.repeat(100_000)],
  ...Array.from({ length: 60 }, (_, at) => `${at} `.repeat(500)),
].map((text) => Buffer.from(text));

test('every record names the one before it and ends with the digest of its value, whatever the value and the text', () => {
  const queue = new RecordQueue({ seq: 41, hash: GENESIS }, digest);
  for (const [at, value] of VALUES.entries()) {
    const reused = Buffer.from(value);
    queue.push(`"text":"名 ${at}","digest":"${NO_DIGEST}"}`, { value: reused });
    // Its memory may hold something else before the record is written.
    reused.fill(0);
    queue.push(`"text":"without ${'ö'.repeat(at)}"}`);
    if (at % 7 === 0) queue.push('"text":"signed"}', { finish: (line) => `${line.slice(0, -1)},"sig":"${at}"}` });
  }
  const lines = queue.bytes.toString('utf8').split('\n').slice(0, -1);
  expect(lines).toHaveLength(queue.length);
  let before = { seq: 41, hash: GENESIS };
  const digests: unknown[] = [];
  for (const line of lines) {
    const record = JSON.parse(line) as { seq: number; prev: string; digest?: string };
    expect(record).toMatchObject({ seq: before.seq + 1, prev: before.hash });
    before = { seq: record.seq, hash: hashLine(line) };
    if (record.digest !== undefined) digests.push(record.digest);
  }
  expect(queue.last).toEqual(before);
  expect(digests).toEqual(VALUES.map(digest));
});

test('records that cannot be written again and again take no more memory each time, and none is lost', () => {
  let queue = new RecordQueue({ seq: 0, hash: GENESIS }, digest);
  queue.push('"text":"first"}');
  const before = process.memoryUsage().arrayBuffers;
  // Four attempts a second: 100 s of a full disk.
  for (let attempt = 0; attempt < 400; attempt++) {
    const batch = queue;
    queue = new RecordQueue(batch.last, digest);
    if (attempt % 100 === 0) queue.push(`"text":"${attempt}"}`);
    queue = batch.followedBy(queue);
  }
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(64 * 1_048_576);
  const lines = queue.bytes.toString('utf8').split('\n').slice(0, -1);
  expect(lines.map((line) => (JSON.parse(line) as { text: string }).text)).toEqual(['first', '0', '100', '200', '300']);
});
