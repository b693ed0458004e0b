import { readFile, stat } from 'node:fs/promises';
import type { Inspection } from '../catalog/pins/inspection.ts';
import { type LockFile, readLockFile } from '../catalog/pins/lock-file.ts';
import type { ArrivalOf, ProgramOf } from '../catalog/pins/peers.ts';
import type { PinRules } from '../catalog/pins/pin.ts';
import { PinBook } from '../catalog/pins/pin-book.ts';
import type { PinSettings } from '../config/pins-section.ts';
import { DEFAULT_SCAN, type ScanSettings, scanOf } from '../config/scan-section.ts';
import type { Clock } from '../core/clock.ts';
import { FaultError, toFault } from '../core/errors.ts';
import type { Log } from '../core/log.ts';
import type { Database } from './database.ts';
import { PinKeeper } from './pin-keeper.ts';
import { createPinStore } from './pins.ts';

export interface PinsPorts {
  readonly database: () => Promise<Database>;
  /** Whose pins they are. */
  readonly configuration: string;
  /** Its servers at the start. */
  readonly servers: readonly string[];
  /** Of the snapshot in force. */
  readonly settings: () => PinSettings;
  /** Left out: the defaults. */
  readonly scan?: () => ScanSettings | undefined;
  /** Left out: all servers that ever were are there, and came at once. */
  readonly arrival?: ArrivalOf;
  /** Left out: every server is a program of its own. */
  readonly program?: ProgramOf;
  /** Reads definitions before anybody may use them. */
  readonly inspection?: Inspection | undefined;
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

/** Between two parts of reading again what was read beside fewer tools. Milliseconds. */
const AGAIN_MS = 50;

/** @throws FaultError `config`: locked, and the lock file cannot be read. */
export async function openPins(ports: PinsPorts): Promise<OpenPins> {
  const {
    database,
    configuration,
    servers,
    settings,
    scan = () => undefined,
    inspection: reader,
    arrival,
    program,
    clock,
    log,
  } = ports;
  // Fixed for one set of rules: what a definition stands for changes when they are reconsidered, and then only.
  const toInspection = (settings: ScanSettings | undefined) => (server: string) =>
    scanOf(settings ?? DEFAULT_SCAN, server).definitions;
  let scanned = toScanned(scan());
  let rules: PinRules & { readonly lock: LockFile | undefined } = {
    mode: settings().mode,
    lock: undefined,
    inspection: toInspection(scan()),
  };
  let stamp = '';
  if (rules.mode === 'locked') {
    stamp = await toStamp(settings().lockFile);
    rules = { ...rules, lock: await loadLockFile(settings().lockFile) };
  }
  let closing: Promise<void> | undefined;
  const book = new PinBook({
    rules: () => rules,
    keep: (sightings) => keeper.keep(sightings),
    log,
    inspection: reader,
    clock,
    arrival,
    program,
    later: (work) => {
      setTimeout(() => {
        if (closing === undefined) work();
      }, AGAIN_MS).unref();
    },
  });
  const store = createPinStore(await database(), configuration);
  await store.claim(servers);
  const keeper = new PinKeeper({
    store,
    clock,
    log,
    adopt: (pins) => book.adopt(pins),
  });
  await keeper.open();

  const refresh = async (): Promise<void> => {
    const { mode, lockFile } = settings();
    const now = mode === 'locked' ? await toStamp(lockFile) : '';
    const text = toScanned(scan());
    if (mode === rules.mode && now === stamp && text === scanned) return;
    scanned = text;
    stamp = now;
    let lock: LockFile | undefined;
    try {
      if (mode === 'locked') lock = await loadLockFile(lockFile);
    } catch (error) {
      // Fail closed: without a lock file nothing is approved.
      log.error({ error }, `everything is quarantined: ${toFault(error).message}`);
    }
    book.reconsider(() => {
      rules = { mode, lock, inspection: toInspection(scan()) };
    });
  };
  let looking: Promise<void> = Promise.resolve();
  const look = (): Promise<void> => {
    looking = looking.then(refresh);
    return looking;
  };
  const timer = setInterval(() => {
    if (rules.mode === 'locked') void look();
  }, LOOK_MS).unref();
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

/** What of these settings decides about definitions. */
function toScanned(settings: ScanSettings = DEFAULT_SCAN): string {
  const { definitions, trusted, servers } = settings;
  return JSON.stringify([definitions, trusted, Object.entries(servers).map(([name, one]) => [name, one.definitions])]);
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
