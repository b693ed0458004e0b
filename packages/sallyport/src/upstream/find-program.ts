import { accessSync, closeSync, constants, openSync, readSync, type Stats, statSync } from 'node:fs';
import { delimiter, isAbsolute, join, resolve } from 'node:path';

export type FoundProgram =
  | { readonly kind: 'found'; readonly path: string }
  /** It is there and cannot be run: `reason` in words. */
  | { readonly kind: 'unusable'; readonly path: string; readonly reason: 'folder' | 'mode' }
  | { readonly kind: 'missing'; readonly searched: readonly string[] };

export interface ProgramPlace {
  readonly command: string;
  /** The folder the program is started in. */
  readonly cwd: string;
  /** PATH of the child. */
  readonly path: string;
  /** `.EXE;.CMD` on Windows, else empty. */
  readonly extensions: readonly string[];
}

/** Looks for a program as the system does: a name in the folders of PATH, anything with a slash from the working folder. */
export function findProgram({ command, cwd, path, extensions }: ProgramPlace): FoundProgram {
  const direct = /[\\/]/.test(command);
  const folders = direct ? [cwd] : path.split(delimiter).map((folder) => (folder === '' ? cwd : folder));
  let unusable: FoundProgram | undefined;
  for (const folder of folders) {
    for (const extension of ['', ...extensions]) {
      const file = isAbsolute(command)
        ? `${command}${extension}`
        : join(resolve(cwd, folder), `${command}${extension}`);
      const found = look(file);
      if (found?.kind === 'found') return found;
      unusable ??= found;
    }
  }
  return unusable ?? { kind: 'missing', searched: direct ? [] : folders };
}

function look(file: string): FoundProgram | undefined {
  const stat = lookAt(file);
  if (stat === undefined) return undefined;
  if (stat.isDirectory()) return { kind: 'unusable', path: file, reason: 'folder' };
  try {
    accessSync(file, constants.X_OK);
    return { kind: 'found', path: file };
  } catch {
    return { kind: 'unusable', path: file, reason: 'mode' };
  }
}

/** A folder of PATH that this user may not open has no programs for this user: execvp passes over it as well. */
function lookAt(file: string): Stats | undefined {
  try {
    return statSync(file, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

/** The interpreter in the first line of a script (`#!`), with the name `env` looks up; `undefined` for other files. */
export function readInterpreter(file: string): string | undefined {
  try {
    const buffer = Buffer.alloc(256);
    const handle = openSync(file, 'r');
    try {
      const [, line = ''] = /^#!\s*([^\n\r]*)/.exec(buffer.toString('latin1', 0, readSync(handle, buffer))) ?? [];
      const words = line.split(/\s+/).filter((word) => word !== '');
      if (!/(?:^|\/)env$/.test(words[0] ?? '')) return words[0];
      return words.slice(1).find((word) => !word.startsWith('-') && !word.includes('='));
    } finally {
      closeSync(handle);
    }
  } catch {
    return undefined;
  }
}
