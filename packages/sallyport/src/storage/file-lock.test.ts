import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { takeFileLock } from './file-lock.ts';

const LOCK = new URL('../../dist/storage/file-lock.js', import.meta.url).pathname;
/** Containers with one volume differ in this: the same process ids stand for other processes. */
const CONTAINER = ['unshare', '--pid', '--fork', '--kill-child', '--mount-proc'];
const hasContainers = spawnSync(CONTAINER[0] ?? '', [...CONTAINER.slice(1), 'true']).status === 0;

function newFile(): string {
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-lock-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return join(folder, 'a.lock');
}

/** A process that says whether it got the lock, and keeps it until it is killed. */
async function hold(file: string, before: readonly string[] = []): Promise<{ child: ChildProcess; got: boolean }> {
  const code = `const { takeFileLock } = await import(${JSON.stringify(LOCK)}); console.log(takeFileLock(${JSON.stringify(file)}) !== undefined); setInterval(() => {}, 1000);`;
  const [program = '', ...args] = [...before, process.execPath, '--input-type=module', '--eval', code];
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  const [said] = await once(child.stdout, 'data');
  return { child, got: String(said).trim() === 'true' };
}

async function end(child: ChildProcess): Promise<void> {
  child.kill('SIGKILL');
  await once(child, 'close');
}

test('one at a time, in one process as well, and again once it is given up', () => {
  const file = newFile();
  const held = takeFileLock(file);
  expect(takeFileLock(file)).toBeUndefined();
  expect(takeFileLock(`${file}.other`)).toBeDefined();
  held?.release();
  held?.release();
  const next = takeFileLock(file);
  expect(next).toBeDefined();
  next?.release();
});

test.each([['a process', []], ...(hasContainers ? [['a container', CONTAINER] as const] : [])])(
  '%s that is killed does not hold it any longer',
  async (_, before) => {
    const file = newFile();
    const first = await hold(file, before);
    expect(first.got).toBe(true);
    expect(takeFileLock(file)).toBeUndefined();
    expect((await hold(file, before)).got).toBe(false);
    await end(first.child);
    await expect
      .poll(
        () => {
          const lock = takeFileLock(file);
          lock?.release();
          return lock !== undefined;
        },
        { timeout: 10_000 },
      )
      .toBe(true);
  },
);

test('what cannot be locked says how to mend it', () => {
  expect(() => takeFileLock('/nowhere/at/all.lock')).toThrow(
    /Locking \/nowhere\/at\/all\.lock failed .*SALLYPORT_STATE/,
  );
});
