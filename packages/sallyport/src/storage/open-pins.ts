import { readFile, stat } from 'node:fs/promises';
import { type LockFile, readLockFile } from '../catalog/pins/lock-file.ts';
import type { PinRules } from '../catalog/pins/pin.ts';
import { PinBook } from '../catalog/pins/pin-book.ts';
import type { PinSettings } from '../config/pins-section.ts';
import type { Clock } from '../core/clock.ts';
import { FaultError, toFault } from '../core/errors.ts';
import type { Log } from '../core/log.ts';
import type { Database } from './database.ts';
import { PinKeeper } from './pin-keeper.ts';
import { createPinStore } from './pins.ts';

export interface PinsPorts {
  readonly database: () => Promise<Database>;
  /** Of the snapshot in force. */
  readonly settings: () => PinSettings;
  readonly clock: Clock;
  readonly log: Log;
}

/** The pins of a running Sallyport. */
export interface OpenPins {
  readonly book: PinBook;
  /** The settings are others now, or the lock file may be. */
  refresh(): Promise<void>;
  /** Writes what waits. Idempotent. */
  close(): Promise<void>;
}

/** A lock file is looked at this often while it is in force. Milliseconds. */
const LOOK_MS = 500;

/** @throws FaultError `config`: locked, and the lock file cannot be read. */
export async function openPins({ database, settings, clock, log }: PinsPorts): Promise<OpenPins> {
  let rules: PinRules & { readonly lock: LockFile | undefined } = { mode: settings().mode, lock: undefined };
  let stamp = '';
  if (rules.mode === 'locked') {
    stamp = await toStamp(settings().lockFile);
    rules = { mode: 'locked', lock: await loadLockFile(settings().lockFile) };
  }
  const book = new PinBook({ rules: () => rules, keep: (sightings) => keeper.keep(sightings), log });
  const keeper = new PinKeeper({
    store: createPinStore(await database()),
    clock,
    log,
    adopt: (pins) => book.adopt(pins),
  });
  await keeper.open();

  const refresh = async (): Promise<void> => {
    const { mode, lockFile } = settings();
    const now = mode === 'locked' ? await toStamp(lockFile) : '';
    if (mode === rules.mode && now === stamp) return;
    stamp = now;
    let lock: LockFile | undefined;
    try {
      if (mode === 'locked') lock = await loadLockFile(lockFile);
    } catch (error) {
      // Fail closed: without a lock file nothing is approved.
      log.error({ error }, `everything is quarantined: ${toFault(error).message}`);
    }
    rules = { mode, lock };
    book.reconsider();
  };
  let looking: Promise<void> = Promise.resolve();
  const look = (): Promise<void> => {
    looking = looking.then(refresh);
    return looking;
  };
  const timer = setInterval(() => {
    if (rules.mode === 'locked') void look();
  }, LOOK_MS).unref();
  let closing: Promise<void> | undefined;
  return {
    book,
    refresh: look,
    close() {
      clearInterval(timer);
      closing ??= keeper.close();
      return closing;
    },
  };
}

/** @throws FaultError `config`. */
export async function loadLockFile(file: string): Promise<LockFile> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (cause) {
    throw new FaultError(
      'config',
      `The lock file ${file} cannot be read. Write it with "sallyport pin lock", or name another in pins.lockFile.`,
      { cause },
    );
  }
  return readLockFile(file, text);
}

/** Another text when the file may be another one. */
async function toStamp(file: string): Promise<string> {
  try {
    const { mtimeMs, size, ino } = await stat(file);
    return `${file} ${mtimeMs} ${size} ${ino}`;
  } catch {
    return `${file} missing`;
  }
}
