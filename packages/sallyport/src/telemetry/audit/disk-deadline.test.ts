import { execFileSync } from 'node:child_process';
import { closeSync, constants, mkdtempSync, openSync, rmSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { newFolder, openTestAudit, record, subject } from '../../../test/open-audit.ts';

/** As docs/audit.md says. */
const DEADLINE_MS = 5_000;
const THREADS = Number(process.env['UV_THREADPOOL_SIZE'] ?? 4);

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
afterEach(() => void vi.useRealTimers());

/** No write and no sync ends until what is returned is called: every thread that does them waits for a pipe. */
function hangDisk(): () => Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-pipes-'));
  const pipes = Array.from({ length: THREADS }, (_, i) => join(folder, `${i}`));
  execFileSync('mkfifo', pipes);
  const opening: Promise<FileHandle>[] = pipes.map((pipe) => open(pipe, 'r'));
  return async () => {
    // Both ends, which waits for nobody.
    const ends = pipes.map((pipe) => openSync(pipe, constants.O_RDWR));
    for (const opened of await Promise.all(opening)) await opened.close();
    for (const end of ends) closeSync(end);
    rmSync(folder, { recursive: true });
  };
}

/** What comes of a promise, once the clock has gone so far. */
async function outcomeAfter(ms: number, promise: Promise<unknown> | undefined): Promise<unknown> {
  let outcome: unknown = 'waits';
  promise?.then(
    () => {
      outcome = 'admitted';
    },
    (error: unknown) => {
      outcome = error;
    },
  );
  // The batch is begun in the next turn.
  for (let turn = 0; turn < 3; turn++) await nextTurn();
  await vi.advanceTimersByTimeAsync(ms);
  return outcome;
}

const REFUSED = { code: 'unrecorded', message: expect.stringContaining('the disk does not answer') };

test('a disk that does not answer: a strict call is refused after five seconds, and taken when it answers again', async () => {
  const audit = await openTestAudit(newFolder(), { mode: 'strict' });
  await record(audit, 'one');
  const mend = hangDisk();
  try {
    const admission = audit.admit(subject('two'), undefined);
    expect(await outcomeAfter(DEADLINE_MS - 1, admission)).toBe('waits');
    expect(await outcomeAfter(1, admission)).toMatchObject(REFUSED);
  } finally {
    await mend();
  }
  await record(audit, 'three');
});

test('a sync that does not end: a batched call that has to wait for it is refused after as long', async () => {
  const withinMs = 60_000;
  const audit = await openTestAudit(newFolder(), { mode: 'batched', withinMs });
  await record(audit, 'one');
  const mend = hangDisk();
  try {
    // Its record is in the file; the sync of it begins after half of the stated time.
    expect(await outcomeAfter(withinMs / 2, audit.admit(subject('two'), undefined))).toBe('admitted');
    for (let turn = 0; turn < 3; turn++) await nextTurn();
    const admission = audit.admit(subject('three'), undefined);
    expect(await outcomeAfter(DEADLINE_MS - 1, admission)).toBe('waits');
    expect(await outcomeAfter(1, admission)).toMatchObject(REFUSED);
  } finally {
    await mend();
  }
  await record(audit, 'four');
});
