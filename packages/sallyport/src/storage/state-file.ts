import { randomUUID } from 'node:crypto';
import { access, chmod, link, mkdir, open, readFile, rename, unlink, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { FaultError } from '../core/errors.ts';
import { rememberOwnSecret } from '../core/own-secrets.ts';
import { toDiskFix } from './disk-full.ts';

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

/** A key that a person chose is as long as one of ours. Characters. */
const SHORTEST = 32;

/**
 * A secret that is made at first use and kept. Two processes that start at once agree on one: only the first creates.
 * @param make the text to keep when there is none
 * @param isWhole left out: it has 32 characters
 * @throws FaultError `config` for a file that cannot be read, or that holds no whole secret.
 */
export async function loadOrCreateSecret(
  path: string,
  make: () => string,
  isWhole = (text: string) => text.length >= SHORTEST,
): Promise<string> {
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    await access(path);
  } catch (error) {
    if (!isMissing(error)) throw toFileFault('Reading', path, error);
    const secret = make();
    if (await createWhole(path, `${secret}\n`)) {
      rememberOwnSecret(secret);
      return secret;
    }
  }
  // Somebody may have loosened it: a key others can read is no key.
  await chmod(path, 0o600);
  const text = (await readFile(path, 'utf8')).trim();
  if (text === '') throw new FaultError('config', `${path} is empty. Delete it and start again: a new secret is made.`);
  if (!isWhole(text))
    throw new FaultError(
      'config',
      `${path} holds no whole secret (${text.length} characters). Put back the one from a copy, or delete the file and start again: a new secret is made, and what the old one protects cannot be used any more.`,
    );
  rememberOwnSecret(text);
  return text;
}

/** Written beside and linked into place, so that a kill in between leaves no empty secret. `false`: somebody was faster. */
async function createWhole(path: string, text: string): Promise<boolean> {
  const draft = `${path}.${randomUUID()}.tmp`;
  try {
    await writeFile(draft, text, { flag: 'wx', mode: 0o600, flush: true });
    await link(draft, path);
    await syncFolder(dirname(path));
    return true;
  } catch (error) {
    if (isExisting(error)) return false;
    throw toFileFault('Creating', path, error);
  } finally {
    await unlink(draft).catch(() => undefined);
  }
}

/** A name outlives a power cut when its folder was synced. */
async function syncFolder(folder: string): Promise<void> {
  // Windows cannot open a folder; its journal keeps names.
  if (process.platform === 'win32') return;
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}

function isExisting(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EEXIST';
}

function toFileFault(step: string, path: string, error: unknown): FaultError {
  const cause = error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
  const otherwise = 'Give this user access to it, or set SALLYPORT_STATE to another directory.';
  const fix = toDiskFix(error, dirname(path), otherwise);
  return new FaultError('config', `${step} ${path} failed (${cause}). ${fix}`, { cause: error });
}
