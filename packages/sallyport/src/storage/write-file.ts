import { randomBytes } from 'node:crypto';
import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { FaultError } from '../core/errors.ts';

/**
 * Replaces a file in one step, readable by its owner only: it may hold keys. A link stays a link.
 * @throws FaultError `config`; the old file is untouched then.
 */
export function writeFileAtomically(file: string, text: string): void {
  const target = realPath(file);
  const part = join(dirname(target), `.sallyport-${randomBytes(6).toString('hex')}`);
  try {
    mkdirSync(dirname(target), { recursive: true, mode: 0o700 });
    writeNew(part, text);
    renameSync(part, target);
  } catch (error) {
    if (existsSync(part)) rmSync(part);
    throw new FaultError('config', `The file ${file} cannot be written; check the permissions of its folder.`, {
      cause: error,
    });
  }
}

function writeNew(file: string, text: string): void {
  const descriptor = openSync(file, 'wx', 0o600);
  try {
    writeFileSync(descriptor, text);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

function realPath(file: string): string {
  try {
    return realpathSync(file);
  } catch {
    return file;
  }
}
