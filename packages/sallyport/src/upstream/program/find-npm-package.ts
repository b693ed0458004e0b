import { createHash } from 'node:crypto';
import { readFile, realpath, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { StartedPackage } from '../../config/find-package.ts';
import { findProject, type Manifest, readManifest } from './manifest.ts';

export interface NpmPlace {
  readonly found: StartedPackage;
  readonly spec: string;
  readonly cwd: string;
  /** Of the child. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The `npx` that will be started. */
  readonly runner: string | undefined;
}

/**
 * The package `npx` would run, in the order in which libnpmexec looks for it: a program of the project, the project's
 * packages, the global ones, its own cache. `undefined`: it would be fetched first.
 */
export async function findNpmPackage(place: NpmPlace): Promise<Manifest | undefined> {
  const { found, cwd } = place;
  if (found.version === undefined) {
    const program = await findLocalProgram(place);
    if (program !== undefined) return program;
  }
  const project = await findProject(cwd);
  const candidates = [join(project?.folder ?? cwd, 'node_modules', found.name)];
  const bin = place.runner === undefined ? undefined : dirname(place.runner);
  if (bin !== undefined) candidates.push(resolve(bin, '..', 'lib', 'node_modules', found.name));
  candidates.push(join(await toCacheFolder(place), toCacheKey(place.spec), 'node_modules', found.name));
  for (const candidate of candidates) {
    const manifest = await readManifest(candidate);
    if (manifest !== undefined && (found.version === undefined || isVersion(found.version, manifest.version)))
      return manifest;
  }
  return undefined;
}

function isVersion(wanted: string, version: string): boolean {
  return wanted.replace(/^v/, '') === version;
}

/** A word without a version may be the name of a program that is there already. */
async function findLocalProgram({ found, cwd }: NpmPlace): Promise<Manifest | undefined> {
  const project = await findProject(cwd);
  if (project?.programs.includes(found.name)) return project;
  for (let folder = cwd; ; folder = dirname(folder)) {
    const file = join(folder, 'node_modules', '.bin', found.name);
    if ((await stat(file).catch(() => undefined))?.isFile()) return findProject(dirname(await realpath(file)));
    if (folder === dirname(folder)) return undefined;
  }
}

/** The folder of its cache in which npx keeps what was asked for by this word (libnpmexec, `installDir`). */
export function toCacheKey(spec: string): string {
  return createHash('sha512').update(spec).digest('hex').slice(0, 16);
}

async function toCacheFolder({ environment }: NpmPlace): Promise<string> {
  const home = environment['HOME'] ?? environment['USERPROFILE'] ?? '';
  const named = environment['npm_config_cache'] ?? environment['NPM_CONFIG_CACHE'] ?? (await readCacheSetting(home));
  const local = environment['LOCALAPPDATA'];
  const own = process.platform === 'win32' && local !== undefined ? join(local, 'npm-cache') : join(home, '.npm');
  return join(named ?? own, '_npx');
}

async function readCacheSetting(home: string): Promise<string | undefined> {
  const text = await readFile(join(home, '.npmrc'), 'utf8').catch(() => '');
  const [, value] = /^\s*cache\s*=\s*(.+?)\s*$/m.exec(text) ?? [];
  return value?.replace(/^~(?=\/)|\$\{HOME\}/, home);
}
