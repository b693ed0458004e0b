import { randomUUID } from 'node:crypto';
import { chmod, mkdir, open, readFile, rename, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import { FaultError } from '../core/errors.ts';

/** One text kept in a file that only its owner may read. Written whole or not at all. */
export interface StateFile {
  load(): Promise<string | undefined>;
  save(text: string): Promise<void>;
}

export function createStateFile(path: string): StateFile {
  return {
    async load() {
      try {
        return await readFile(path, 'utf8');
      } catch (error) {
        if (isMissing(error)) return undefined;
        throw toFileFault('Reading', path, error);
      }
    },
    async save(text) {
      const draft = `${path}.${randomUUID()}.tmp`;
      try {
        await mkdir(dirname(path), { recursive: true, mode: 0o700 });
        const file = await open(draft, 'wx', 0o600);
        try {
          await file.writeFile(text);
          await file.sync();
        } finally {
          await file.close();
        }
        await rename(draft, path);
      } catch (error) {
        await unlink(draft).catch(() => undefined);
        throw toFileFault('Writing', path, error);
      }
    },
  };
}

/**
 * A secret that is made at first use and kept. Two processes that start at once agree on one: only the first creates.
 * @param make the text to keep when there is none
 */
export async function loadOrCreateSecret(path: string, make: () => string): Promise<string> {
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    const file = await open(path, 'wx', 0o600);
    try {
      const secret = make();
      await file.writeFile(`${secret}\n`);
      await file.sync();
      return secret;
    } finally {
      await file.close();
    }
  } catch (error) {
    if (!isExisting(error)) throw toFileFault('Creating', path, error);
  }
  // Somebody may have loosened it: a key others can read is no key.
  await chmod(path, 0o600);
  const text = (await readFile(path, 'utf8')).trim();
  if (text === '') throw new FaultError('config', `${path} is empty. Delete it and start again: a new secret is made.`);
  return text;
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}

function isExisting(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EEXIST';
}

function toFileFault(step: string, path: string, error: unknown): FaultError {
  const cause = error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
  return new FaultError(
    'config',
    `${step} ${path} failed (${cause}). Give this user access to it, or set SALLYPORT_STATE to another directory.`,
    { cause: error },
  );
}
