import { readFile } from 'node:fs/promises';
import { dirname, join, sep } from 'node:path';
import { isObject, member } from '../../core/json.ts';

/** A package as it is installed. */
export interface Manifest {
  readonly folder: string;
  readonly name: string;
  readonly version: string;
  /** Names of the programs in it, and the files they are, below the folder. */
  readonly programs: readonly string[];
  readonly programFiles: readonly string[];
}

/** `undefined`: there is no package in this folder. */
export async function readManifest(folder: string): Promise<Manifest | undefined> {
  const value = await readJson(join(folder, 'package.json'));
  const [name, version, bin] = ['name', 'version', 'bin'].map((key) => member(value, key));
  if (typeof name !== 'string') return undefined;
  const own = name.replace(/^@[^/]*\//, '');
  const programs = typeof bin === 'string' ? [own] : isObject(bin) ? Object.keys(bin) : [];
  const programFiles = (isObject(bin) ? Object.values(bin) : [bin]).filter((file) => typeof file === 'string');
  return { folder, name, version: typeof version === 'string' ? version : '0.0.0', programs, programFiles };
}

/** The installed package a file belongs to: the last `node_modules/<name>` in its path. */
export function findPackageFolder(file: string): string | undefined {
  const parts = file.split(sep);
  const at = parts.lastIndexOf('node_modules');
  if (at < 0 || at + 2 > parts.length - 1) return undefined;
  return parts.slice(0, parts[at + 1]?.startsWith('@') ? at + 3 : at + 2).join(sep);
}

/** What npm wrote down when it installed the package: the digest of its archive. */
export async function readIntegrity(folder: string): Promise<string | undefined> {
  const integrity = member(await readInstalled(folder), 'integrity');
  return typeof integrity === 'string' ? integrity : undefined;
}

/** npm unpacks first and notes in the end what it installed: before that, files may be missing. */
export async function isWhole({ folder, version }: Manifest): Promise<boolean> {
  return member(await readInstalled(folder), 'version') === version;
}

/** The entry of the package in what npm noted. */
async function readInstalled(folder: string): Promise<unknown> {
  const at = folder.lastIndexOf(`${sep}node_modules${sep}`);
  const root = folder.slice(0, at);
  const first = root.indexOf(`${sep}node_modules`);
  const top = first < 0 ? root : root.slice(0, first);
  const entry = folder
    .slice(top.length + 1)
    .split(sep)
    .join('/');
  const lock = await readJson(join(top, 'node_modules', '.package-lock.json'));
  return member(member(lock, 'packages'), entry);
}

export async function readJson(file: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(file, 'utf8'));
  } catch {
    // Missing or damaged: nothing is known.
    return undefined;
  }
}

/** The nearest folder above with a package in it. */
export async function findProject(folder: string): Promise<Manifest | undefined> {
  for (let at = folder; ; at = dirname(at)) {
    const manifest = await readManifest(at);
    if (manifest !== undefined || at === dirname(at)) return manifest;
  }
}
