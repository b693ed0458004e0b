import { readFile, stat } from 'node:fs/promises';
import { builtinModules } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import type { Language } from '../../config/read-command.ts';
import { isCode, MAX_BYTES, MAX_FILES, tooMuch } from './file-digests.ts';
import { readManifest } from './manifest.ts';

/** A script and what it is known to load. */
export interface Imports {
  readonly files: readonly string[];
  /** Packages it names, with the version that stands beside it. */
  readonly packages: ReadonlyMap<string, string>;
}

// What they read may be written to hold us up: no two parts in a row that take the same characters.
const RELATIVE = /['"`](\.{1,2}\/[^'"`\n\\$]{1,300})['"`]/g;
const BARE =
  /(?:\bfrom\s{0,64}|\bimport\s{0,64}(?:\(\s{0,64})?|\brequire\s{0,64}\(\s{0,64})['"]((?:@[\w.-]{1,214}\/)?[a-z0-9][\w.-]{0,214})(?:\/[^'"\n]{0,1024})?['"]/gi;
const ENDINGS = [
  '',
  '.js',
  '.mjs',
  '.cjs',
  '.ts',
  '.mts',
  '.node',
  '/index.js',
  '/index.mjs',
  '/index.cjs',
  '/index.ts',
];
const PYTHON =
  /^[ \t]{0,256}(?:from[ \t]{1,64}([\w.]{1,512})[ \t]{1,64}import[ \t]{1,64}\(?([\w., \t*]*)|import[ \t]{1,64}([\w., \t]+))/gm;
const MAX_SOURCE = 8 * 1024 * 1024;
/** Places at which a script may make us look. */
const MAX_LOOKS = 100_000;
/** Modules are not nested deeper than this. */
const MAX_PARTS = 32;
const BUILT_IN = new Set(builtinModules);

/**
 * Follows every path a script writes down, and every module of its own in Python. What it computes while it runs is
 * not found. @throws RangeError when it is too much to look at.
 */
export async function findImports(
  entries: readonly string[],
  language: Language,
  maxLooks = MAX_LOOKS,
): Promise<Imports> {
  const looker = new Looker(maxLooks);
  const files = new Set<string>();
  const names = new Map<string, string>();
  const open = [...entries];
  let bytes = 0;
  for (let file = open.pop(); file !== undefined; file = open.pop()) {
    if (files.has(file)) continue;
    files.add(file);
    const { size } = await stat(file);
    bytes += size;
    if (files.size > MAX_FILES || bytes > MAX_BYTES) throw tooMuch();
    if (language === 'other' || size > MAX_SOURCE || /\.(?:node|wasm|so|dll|dylib)$/.test(file)) continue;
    const source = await readFile(file, 'utf8');
    if (language === 'python') open.push(...(await findModules(source, { file, entry: entries[0] ?? file, looker })));
    else {
      open.push(...(await findPaths(source, file, looker)));
      for (const [, name = ''] of source.matchAll(BARE))
        if (!BUILT_IN.has(name) && !names.has(name)) names.set(name, file);
    }
  }
  return { files: [...files], packages: await findVersions(names, looker) };
}

async function findPaths(source: string, file: string, looker: Looker): Promise<string[]> {
  const found = new Set<string>();
  for (const [, path = ''] of source.matchAll(RELATIVE)) {
    const target = resolve(dirname(file), path);
    const sources = path.endsWith('.js') ? [target, target.replace(/js$/, 'ts')] : [target];
    const present = await looker.findFirst(sources.flatMap((one) => ENDINGS.map((ending) => one + ending)));
    if (present !== undefined && isCode(present)) found.add(present);
  }
  return [...found];
}

async function findModules(
  source: string,
  { file, entry, looker }: { readonly file: string; readonly entry: string; readonly looker: Looker },
): Promise<string[]> {
  const found = new Set<string>();
  for (const [, from, names, plain] of source.matchAll(PYTHON)) {
    for (const module of toModules(from, names, plain)) {
      const dots = /^\.*/.exec(module)?.[0].length ?? 0;
      if (dots > MAX_PARTS) continue;
      const base = dots === 0 ? dirname(entry) : resolve(dirname(file), ...Array<string>(dots - 1).fill('..'));
      const parts = module
        .slice(dots)
        .split('.')
        .filter((part) => part !== '')
        .slice(0, MAX_PARTS);
      for (let i = 1; i <= parts.length; i++) {
        const path = join(base, ...parts.slice(0, i));
        const present = await looker.findFirst([`${path}.py`, join(path, '__init__.py')]);
        if (present !== undefined) found.add(present);
      }
    }
  }
  return [...found];
}

function toModules(from: string | undefined, names = '', plain = ''): string[] {
  const words = (text: string) => text.split(',').map((part) => part.trim().split(/\s+/)[0] ?? '');
  if (from === undefined) return words(plain);
  const start = /[^.]/.test(from) ? `${from}.` : from;
  return [from, ...words(names).map((name) => start + name)];
}

async function findVersions(names: ReadonlyMap<string, string>, looker: Looker): Promise<ReadonlyMap<string, string>> {
  const versions = new Map<string, string>();
  for (const [name, file] of names) {
    for (let folder = dirname(file); ; folder = dirname(folder)) {
      looker.count();
      const manifest = await readManifest(join(folder, 'node_modules', name));
      if (manifest !== undefined) versions.set(name, manifest.version);
      if (manifest !== undefined || folder === dirname(folder)) break;
    }
  }
  return versions;
}

/** Looks for files, and not for ever. */
class Looker {
  #left: number;

  constructor(maxLooks: number) {
    this.#left = maxLooks;
  }

  /** @throws RangeError */
  count(): void {
    if (--this.#left < 0) throw tooMuch();
  }

  async findFirst(paths: readonly string[]): Promise<string | undefined> {
    for (const path of paths) {
      this.count();
      if ((await stat(path).catch(() => undefined))?.isFile()) return path;
    }
    return undefined;
  }
}
