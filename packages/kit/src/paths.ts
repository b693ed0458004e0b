import { realpath } from 'node:fs/promises';
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
}

/** Characters that look like `.` or `/`, or become one when a program normalises the name (NFKC), and control characters. */
const DISGUISED = /[\u2024\u2025\u2026\uff0e\uff0f\uff3c\u2044\u2215\u29f5\ufe52]|\p{Cc}|\p{Cf}/u;

/** @throws Error when a folder does not exist */
export async function openRoots(folders: readonly string[]): Promise<Roots> {
  const real = await Promise.all(folders.map((folder) => realpath(resolve(folder))));
  const isInside = (path: string) =>
    real.some((folder) => {
      const way = relative(folder, path);
      return way === '' || (!isAbsolute(way) && way !== '..' && !way.startsWith(`..${sep}`));
    });
  return {
    folders: real,
    async resolve(path) {
      if (DISGUISED.test(path))
        fail('The path contains characters that hide what it is.', 'Write the path with plain characters.');
      const wanted = isAbsolute(path) ? resolve(path) : resolve(real[0] ?? '.', path);
      const target = await realOrParent(wanted);
      if (!isInside(wanted) || !isInside(target))
        fail(`"${path}" is outside the folders of this server.`, `Use a path inside ${real.join(' or ')}.`);
      return target;
    },
  };
}

/** What does not exist yet lies where its nearest folder really is. */
async function realOrParent(path: string): Promise<string> {
  const missing: string[] = [];
  for (let at = path; ; ) {
    try {
      return resolve(await realpath(at), ...missing);
    } catch (error) {
      const parent = resolve(at, '..');
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || parent === at) throw error;
      missing.unshift(relative(parent, at));
      at = parent;
    }
  }
}
