import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { serverSettings } from '../../test/fake-upstreams.ts';
import { PinBook } from '../catalog/pins/pin-book.ts';
import type { PinMode } from '../config/pins-section.ts';
import { silentLog } from '../core/log.ts';
import { toCacheKey } from '../upstream/program/find-npm-package.ts';
import { createProgramGate } from './program-gate.ts';

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'sallyport-gate-'));
});
afterEach(() => rmSync(home, { recursive: true }));

function write(name: string, value: unknown): void {
  const file = join(home, name);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, typeof value === 'string' ? value : JSON.stringify(value));
}

const MODULES = `.npm/_npx/${toCacheKey('notes@1.0.0')}/node_modules`;

/** What npm does last is to note what it installed. */
const unpack = (code: string) => {
  write(`${MODULES}/notes/package.json`, { name: 'notes', version: '1.0.0', bin: 'index.js' });
  write(`${MODULES}/notes/index.js`, code);
};
const finish = () =>
  write(`${MODULES}/.package-lock.json`, {
    packages: { 'node_modules/notes': { version: '1.0.0', integrity: 'sha512-x' } },
  });

function open(mode: PinMode = 'laptop') {
  const book = new PinBook({ rules: () => ({ mode, lock: undefined }), keep: () => {}, log: silentLog });
  const environment = { HOME: home, PATH: join(home, 'bin') };
  const gate = createProgramGate({ pins: book, mode: () => mode, log: silentLog, environment });
  const transport = {
    type: 'stdio',
    command: 'npx',
    args: ['-y', 'notes@1.0.0'],
    env: { HOME: home },
    cwd: home,
  } as const;
  const settings = serverSettings('notes', { transport });
  return {
    book,
    admit: () => gate.admit(settings, environment),
    isOther: () => gate.isOtherSinceStart(settings),
  };
}

test('a package that npx is still unpacking is pinned when it is whole', async () => {
  const { book, admit, isOther } = open();
  unpack('// half');
  await admit();
  expect(await isOther()).toBe(false);
  expect(book.approvedProgram('notes')).toBeUndefined();
  unpack('// whole');
  finish();
  expect(await isOther()).toBe(false);
  expect(book.approvedProgram('notes')).toContain('sha512-x');
  await admit();
});

test('a program that was pinned does not get past its pin by looking half unpacked', async () => {
  const { admit } = open();
  unpack('// whole');
  finish();
  await admit();
  unpack('// other');
  rmSync(join(home, MODULES, '.package-lock.json'));
  await expect(admit()).rejects.toMatchObject({ code: 'denied', message: expect.stringContaining('is not started') });
});

test('team: nobody is asked about a half of a package', async () => {
  const { admit } = open('team');
  unpack('// half');
  await expect(admit()).rejects.toMatchObject({ message: expect.stringContaining('not on this machine yet') });
});

/** Its files take too long to read: the deadline passes before the first one is there. */
async function admitLate(admit: () => Promise<void>): Promise<void> {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  try {
    const admitted = admit();
    vi.advanceTimersByTime(30_000);
    await admitted;
  } finally {
    vi.useRealTimers();
  }
}

test('files that could not be read in time are no pin: the program is met at the next start', async () => {
  const { book, admit } = open();
  unpack('// whole');
  finish();
  await admitLate(admit);
  expect(book.isUndecided('notes')).toBe(true);
  await admit();
  expect(book.approvedProgram('notes')).toContain('sha512-x');
});

test('where a program was approved, one that could not be read in time is not started', async () => {
  const { admit } = open();
  unpack('// whole');
  finish();
  await admit();
  await expect(admitLate(admit)).rejects.toMatchObject({
    code: 'denied',
    message: expect.stringContaining('read again at the next start'),
  });
  await admit();
});
