import type { KeyObject } from 'node:crypto';
import { open, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { GENESIS } from './record-line.ts';
import type { Head } from './recover.ts';
import { isSealed, type Sealer } from './sealer.ts';
import { syncFolder } from './segment-file.ts';

/** Beside the segments: the last sealed state, signed, so that a tail that was cut off is missed. */
export const HEAD_FILE = 'head.json';

export async function writeHead(folder: string, sealer: Sealer, head: Head): Promise<void> {
  const draft = join(folder, `${HEAD_FILE}.tmp`);
  const file = await open(draft, 'w', 0o600);
  try {
    await file.writeFile(`${sealer.seal(`{"seq":${head.seq},"hash":"${head.hash}"}`)}\n`);
    await file.datasync();
  } finally {
    await file.close();
  }
  await rename(draft, join(folder, HEAD_FILE));
}

/** Before the first record: a kill or a power cut must never leave a seal without a head, which is what a thief leaves. */
export async function writeFirstHead(folder: string, sealer: Sealer): Promise<void> {
  await writeHead(folder, sealer, { seq: 0, hash: GENESIS });
  syncFolder(folder);
}

/** `forged`: there is one and its signature is not this key's. `undefined`: there is none. */
export async function readHead(folder: string, key: KeyObject): Promise<Head | 'forged' | undefined> {
  let bytes: Buffer;
  try {
    bytes = await readFile(join(folder, HEAD_FILE));
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
  if (!isSealed(bytes.subarray(0, bytes.lastIndexOf('}') + 1), key)) return 'forged';
  const { seq, hash } = JSON.parse(bytes.toString('utf8')) as { readonly seq: number; readonly hash: string };
  return { seq, hash };
}
