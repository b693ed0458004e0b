import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, existsSync, openSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createDestination } from './destination.ts';

let folder = '';
const children: ChildProcess[] = [];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sallyport-log-'));
});
afterEach(async () => {
  for (const child of children.splice(0)) {
    if (child.exitCode !== null || child.signalCode !== null) continue;
    child.kill('SIGKILL');
    await once(child, 'exit');
  }
  await rm(folder, { recursive: true });
});

describe('createDestination', () => {
  test('writes lines in order, collected into few writes', async () => {
    const writes: string[] = [];
    const stream = new Writable({
      write(chunk: Buffer, _, done) {
        if (chunk.length > 0) writes.push(chunk.toString());
        done();
      },
    });
    const destination = createDestination({ stream });
    for (let i = 0; i < 100; i++) destination.write(`line ${i}\n`);
    expect(writes).toEqual([]);
    await destination.close();
    expect(writes).toHaveLength(1);
    expect(writes.join('')).toBe(Array.from({ length: 100 }, (_, i) => `line ${i}\n`).join(''));
  });

  test('writes soon without being flushed', async () => {
    const stream = new Writable({
      write(chunk: Buffer, _, done) {
        stream.emit('seen', chunk.toString());
        done();
      },
    });
    const seen = once(stream, 'seen');
    const destination = createDestination({ stream });
    destination.write('line\n');
    expect(await seen).toEqual(['line\n']);
    await destination.close();
  });

  test('flush returns when the file has the lines', async () => {
    const path = join(folder, 'log');
    const stream = createWriteStream(path);
    const destination = createDestination({ stream });
    destination.write('one\ntwo\n');
    await destination.flush();
    expect(await readFile(path, 'utf8')).toBe('one\ntwo\n');
    await destination.close();
    stream.destroy();
  });

  test('a reader that does not read loses lines, which are counted and reported, and nobody waits', async () => {
    const held: (() => void)[] = [];
    const writes: string[] = [];
    const stream = new Writable({
      write(chunk: Buffer, _, done) {
        writes.push(chunk.toString());
        held.push(done);
      },
    });
    const destination = createDestination({ stream, maxBytes: 200_000 });
    const line = `${'x'.repeat(999)}\n`;
    for (let i = 0; i < 300; i++) destination.write(line);
    expect(destination.dropped).toBe(100);
    const released = setInterval(() => held.shift()?.(), 1);
    await destination.flush();
    destination.write('after\n');
    await destination.close();
    clearInterval(released);
    const text = writes.join('');
    expect(text.split('\n').filter((each) => each.startsWith('xxx'))).toHaveLength(200);
    expect(text.match(/"dropped":100,"msg":"log lines were dropped/g)).toHaveLength(1);
    expect(text.endsWith('\nafter\n')).toBe(true);
  });

  test('a reader that is gone costs lines, not the process', async () => {
    const child = spawn('true', { stdio: ['pipe', 'ignore', 'ignore'] });
    children.push(child);
    await once(child, 'exit');
    const destination = createDestination({ stream: child.stdin });
    destination.write('one\n');
    await destination.flush();
    destination.write('two\nthree\n');
    await destination.flush();
    expect(destination.dropped).toBe(3);
    await destination.close();
    await destination.close();
  });
});

// What happens at the end of a process can only be seen from outside; the built file is what runs there.
const built = fileURLToPath(new URL('../../dist/telemetry/destination.js', import.meta.url));

function run(body: string, stdio: 'pipe' | number): ChildProcess {
  expect(existsSync(built), `${built} is missing: run npx tsc -b`).toBe(true);
  const script = `import { createDestination } from ${JSON.stringify(built)}; const destination = createDestination(); ${body}`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: ['ignore', 'ignore', stdio] });
  children.push(child);
  return child;
}

describe('at the end of the process', () => {
  test.each([
    ['a pipe', 'process.exit(7)'],
    ['a pipe, by running out of work', 'process.exitCode = 7'],
  ])('what was not written yet is written to %s', async (_, end) => {
    const child = run(`for (let i = 0; i < 50; i++) destination.write('line ' + i + '\\n'); ${end};`, 'pipe');
    let text = '';
    child.stderr?.on('data', (chunk) => {
      text += chunk;
    });
    expect(await once(child, 'close')).toEqual([7, null]);
    expect(text).toBe(Array.from({ length: 50 }, (_, i) => `line ${i}\n`).join(''));
  });

  test('a file gets it too', async () => {
    const path = join(folder, 'log');
    expect(await once(run(`destination.write('line\\n'); process.exit(7);`, openSync(path, 'w')), 'exit')).toEqual([
      7,
      null,
    ]);
    expect(await readFile(path, 'utf8')).toBe('line\n');
  });

  test('a parent that never reads cannot keep it alive', async () => {
    const body = `for (let i = 0; i < 300; i++) destination.write('x'.repeat(9999) + '\\n');
      setTimeout(() => process.exit(destination.dropped === 0 ? 7 : 8), 100);`;
    const child = run(body, 'pipe');
    child.stderr?.pause();
    expect(await once(child, 'exit')).toEqual([7, null]);
  });

  test('a full disk costs lines, not the process', async () => {
    const body = `destination.write('line\\n'); await destination.flush(); process.exit(destination.dropped === 1 ? 7 : 8);`;
    expect(await once(run(body, openSync('/dev/full', 'w')), 'exit')).toEqual([7, null]);
  });
});
