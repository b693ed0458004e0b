import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { lstat, opendir, readFile, stat } from 'node:fs/promises';
import { basename, join, sep } from 'node:path';

/** Files of one program that are looked at; more, and it cannot be told what runs. */
export const MAX_FILES = 2000;
/** Bytes of code of one program. */
export const MAX_BYTES = 64 * 1024 * 1024;
/** One executable, the largest that are shipped as one file are some 200 MB. */
const MAX_EXECUTABLE = 1024 * 1024 * 1024;
const MAX_KEPT = 20_000;

/** What is code, or says what is run; not what a program writes beside its code while it runs. */
const CODE = /\.(?:[cm]?[jt]sx?|py|node|wasm|so|dll|dylib|rb|sh|bash|pl|php|lua|jar|class|exe)$/i;
const MANIFESTS = new Set(['package.json', 'pyproject.toml', 'uv.lock', 'package-lock.json', 'setup.py']);
const SKIPPED = new Set(['node_modules', '__pycache__', 'site-packages']);

/** Digests of files, worked out again only when a file may be another one. */
export class FileDigests {
  readonly #known = new Map<string, { readonly stamp: string; readonly digest: string }>();

  /** SHA-256, hex. @throws what the file system throws; RangeError for a file beyond all programs. */
  async digest(file: string): Promise<string> {
    const found = await stat(file, { bigint: true });
    // Reading a pipe waits for a writer, and a device may have no end.
    if (!found.isFile()) throw new RangeError(`${file} is no file`);
    const { size, mtimeNs, ctimeNs, ino, dev } = found;
    if (size > MAX_EXECUTABLE) throw new RangeError(`${file} is too large`);
    const stamp = `${size} ${mtimeNs} ${ctimeNs} ${ino} ${dev}`;
    const known = this.#known.get(file);
    if (known?.stamp === stamp) return known.digest;
    const hash = createHash('sha256');
    if (size < 1024 * 1024) hash.update(await readFile(file));
    else for await (const chunk of createReadStream(file)) hash.update(chunk as Buffer);
    const digest = hash.digest('hex');
    this.#known.set(file, { stamp, digest });
    for (const oldest of this.#known.keys()) {
      if (this.#known.size <= MAX_KEPT) break;
      this.#known.delete(oldest);
    }
    return digest;
  }

  /** One digest over files, by their names below `root`. */
  async digestAll(root: string, files: Iterable<string>): Promise<{ readonly digest: string; readonly files: number }> {
    const start = root.endsWith(sep) ? root : root + sep;
    const lines: string[] = [];
    for (const file of files) {
      const name = file.startsWith(start) ? file.slice(start.length) : file.slice(file.lastIndexOf(sep) + 1);
      lines.push(`${name.split(sep).join('/')}\n${await this.digest(file)}`);
    }
    lines.sort();
    return { digest: `sha256:${createHash('sha256').update(lines.join('\n\n')).digest('hex')}`, files: lines.length };
  }
}

/** All code below a folder. @throws RangeError when there is too much of it. */
export async function findCode(root: string): Promise<readonly string[]> {
  const files: string[] = [];
  const folders = [root];
  let bytes = 0;
  let seen = 0;
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    for await (const entry of await opendir(folder)) {
      if (++seen > MAX_FILES * 10) throw tooMuch();
      const path = join(folder, entry.name);
      if (entry.isDirectory()) {
        if (!entry.name.startsWith('.') && !SKIPPED.has(entry.name) && !(await isEnvironment(path))) folders.push(path);
      } else if (CODE.test(entry.name) || MANIFESTS.has(entry.name)) {
        files.push(path);
        bytes += (await lstat(path)).size;
        if (files.length > MAX_FILES || bytes > MAX_BYTES) throw tooMuch();
      }
    }
  }
  return files;
}

/** Of Python (PEP 405), as `venv` or `env`: names that a package may also give to a folder of its own code. */
async function isEnvironment(folder: string): Promise<boolean> {
  return (
    /^v?env$/.test(basename(folder)) && (await stat(join(folder, 'pyvenv.cfg')).catch(() => undefined)) !== undefined
  );
}

export function tooMuch(): RangeError {
  return new RangeError(`it has more than ${MAX_FILES} files or ${MAX_BYTES / (1024 * 1024)} MiB of code`);
}

export function isCode(file: string): boolean {
  return CODE.test(file);
}
