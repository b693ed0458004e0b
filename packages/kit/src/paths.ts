import { constants } from 'node:fs';
import { type FileHandle, lstat, open, realpath } from 'node:fs/promises';
import { isAbsolute, relative, resolve, sep } from 'node:path';
import { fail } from './fail.ts';

/** Folders that a server may touch. Checks every path against them before it is opened. */
export interface Roots {
  /** The folders, absolute, symbolic links resolved. */
  readonly folders: readonly string[];
  /**
   * The absolute path that may be opened. Follows symbolic links as far as the path exists, so that a link cannot lead out.
   * @throws ToolFailure for a path outside the folders
   */
  resolve(path: string): Promise<string>;
  /** Whether a text, read as a path, stays inside the folders; links are followed as by `resolve`. */
  contains(path: string): Promise<boolean>;
  /**
   * Opens a file for reading. A link that is put in its way after the check is not followed, and a pipe keeps nobody waiting.
   * @throws ToolFailure for a path outside the folders, or something that is not a file
   */
  open(path: string): Promise<FileHandle>;
}

/** Characters that look like `.` or `/`, or become one when a program normalises the name (NFKC), and control characters. */
const DISGUISED = /[\u2024\u2025\u2026\uff0e\uff0f\uff3c\u2044\u2215\u29f5\ufe52]|\p{Cc}|\p{Cf}/u;

const MAX_PATH = 4_096;
/** Opening such a path says what is wrong with it. */
const MISSING: ReadonlySet<string> = new Set(['ENOENT', 'ENOTDIR', 'ENAMETOOLONG']);

/** @throws Error when a folder does not exist */
export async function openRoots(folders: readonly string[]): Promise<Roots> {
  const real = await Promise.all(folders.map((folder) => realpath(resolve(folder))));
  const isInside = (path: string) =>
    real.some((folder) => {
      const way = relative(folder, path);
      return way === '' || (!isAbsolute(way) && way !== '..' && !way.startsWith(`..${sep}`));
    });
  /** `undefined`: outside. */
  const locate = async (path: string) => {
    const wanted = isAbsolute(path) ? resolve(path) : resolve(real[0] ?? '.', path);
    // A longer one names no file: opening it says so.
    const target = wanted.length > MAX_PATH ? wanted : await realOrParent(wanted);
    return isInside(wanted) && isInside(target) ? target : undefined;
  };
  const roots: Roots = {
    folders: real,
    contains: (path) =>
      locate(path).then(
        (found) => found !== undefined,
        () => false,
      ),
    async open(path) {
      const file = await open(
        await roots.resolve(path),
        constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK,
      );
      try {
        // Where Linux says what was opened, a folder that became a link meanwhile is noticed.
        const opened = await realpath(`/proc/self/fd/${file.fd}`).catch(() => undefined);
        if (opened !== undefined && !isInside(opened))
          fail(`"${path}" is outside the folders of this server.`, `Use a path inside ${real.join(' or ')}.`);
        if (!(await file.stat()).isFile()) fail(`"${path}" is not a file.`, 'Use the path of a file.');
        return file;
      } catch (error) {
        await file.close();
        throw error;
      }
    },
    async resolve(path) {
      if (DISGUISED.test(path))
        fail('The path contains characters that hide what it is.', 'Write the path with plain characters.');
      const found = await locate(path);
      return (
        found ?? fail(`"${path}" is outside the folders of this server.`, `Use a path inside ${real.join(' or ')}.`)
      );
    },
  };
  return roots;
}

/** What does not exist yet lies where its nearest folder really is. */
async function realOrParent(path: string): Promise<string> {
  const missing: string[] = [];
  for (let at = path; ; ) {
    try {
      return resolve(await realpath(at), ...missing);
    } catch (error) {
      const parent = resolve(at, '..');
      const { code = '' } = error as NodeJS.ErrnoException;
      // A link whose target may be made later, anywhere, or one in a circle.
      if (code === 'ELOOP' || (await isLink(at)))
        return fail('The path has symbolic links that lead nowhere.', 'Use a path without links.');
      if (!MISSING.has(code) || parent === at) throw error;
      missing.unshift(relative(parent, at));
      at = parent;
    }
  }
}

async function isLink(path: string): Promise<boolean> {
  return lstat(path).then(
    (found) => found.isSymbolicLink(),
    () => false,
  );
}
