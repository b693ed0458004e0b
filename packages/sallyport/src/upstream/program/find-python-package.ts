import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { StartedPackage } from '../../config/find-package.ts';

/** A Python distribution as it is installed or cached. */
export interface Distribution {
  readonly name: string;
  readonly version: string;
  /** Digest of its RECORD, which lists the digest of every file in it. */
  readonly record: string;
}

/** Entries of one folder that are looked at. */
const MAX_ENTRIES = 5000;
const INFO = /^(.+)-([^-]+)\.dist-info$/;

/**
 * The wheel `uvx` would run, from the cache of uv. `undefined`: it is not there, or several that differ are.
 * @param environment of the child
 */
export async function findCachedWheel(
  found: StartedPackage,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<Distribution | undefined> {
  const home = environment['HOME'] ?? '';
  const cache = environment['UV_CACHE_DIR'] ?? join(environment['XDG_CACHE_HOME'] ?? join(home, '.cache'), 'uv');
  const archives = join(cache, 'archive-v0');
  const wheels = new Map<string, Distribution>();
  for (const archive of await list(archives)) {
    const wheel = await findInFolder(join(archives, archive), found.name);
    if (wheel === undefined || (found.version !== undefined && wheel.version !== found.version)) continue;
    wheels.set(wheel.record, wheel);
  }
  const [only] = wheels.values();
  return wheels.size === 1 ? only : undefined;
}

/** The distribution a console script in a `bin` folder belongs to. */
export async function findOwner(script: string): Promise<Distribution | undefined> {
  const library = join(dirname(dirname(script)), 'lib');
  const name = script.slice(dirname(script).length + 1);
  for (const python of (await list(library)).filter((entry) => entry.startsWith('python'))) {
    const packages = join(library, python, 'site-packages');
    for (const entry of await list(packages)) {
      if (!INFO.test(entry)) continue;
      const entries = await readFile(join(packages, entry, 'entry_points.txt'), 'utf8').catch(() => '');
      if (entries.split('\n').some((line) => line.split('=')[0]?.trim() === name)) return readInfo(packages, entry);
    }
  }
  return undefined;
}

async function findInFolder(folder: string, name: string): Promise<Distribution | undefined> {
  const wanted = toPlainName(name);
  const entry = (await list(folder)).find((one) => toPlainName(INFO.exec(one)?.[1] ?? '') === wanted);
  return entry === undefined ? undefined : readInfo(folder, entry);
}

async function readInfo(folder: string, entry: string): Promise<Distribution | undefined> {
  const [, name, version] = INFO.exec(entry) ?? [];
  const text = await readFile(join(folder, entry, 'RECORD')).catch(() => undefined);
  if (name === undefined || version === undefined || text === undefined) return undefined;
  return { name: toPlainName(name), version, record: `sha256:${createHash('sha256').update(text).digest('hex')}` };
}

/** PEP 503: names that differ in case and dashes are one name. */
function toPlainName(name: string): string {
  return name.toLowerCase().replace(/[-_.]+/g, '-');
}

async function list(folder: string): Promise<readonly string[]> {
  return (await readdir(folder).catch(() => [])).slice(0, MAX_ENTRIES);
}
