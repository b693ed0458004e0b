import type { KeyObject } from 'node:crypto';
import { open, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { isObject } from '../../core/json.ts';
import type { Claim } from './claim-chain.ts';
import type { Head } from './recover.ts';
import { isSealed, type Sealer } from './sealer.ts';
import { syncFolder } from './segment-file.ts';

/** Beside the segments: the last sealed state, signed, so that a tail that was cut off is missed. */
const HEAD_FILE = 'head.json';

type Place = Pick<Claim, 'folder' | 'chain'>;

/** With the name of the chain: the head of a shorter one would vouch for a tail that was cut off. */
export async function writeHead({ folder, chain }: Place, sealer: Sealer, { seq, hash }: Head): Promise<void> {
  const draft = join(folder, `${HEAD_FILE}.tmp`);
  const file = await open(draft, 'w', 0o600);
  try {
    await file.writeFile(`${sealer.seal(JSON.stringify({ chain, seq, hash }))}\n`);
    await file.datasync();
  } finally {
    await file.close();
  }
  await rename(draft, join(folder, HEAD_FILE));
}

/** Before the first record: a kill or a power cut must never leave records without a head, which is what a thief leaves. */
export async function writeFirstHead(place: Place, sealer: Sealer, head: Head): Promise<void> {
  await writeHead(place, sealer, head);
  syncFolder(place.folder);
}

/** `forged`: there is one, and it is not what this key signed for this chain. `undefined`: there is none. */
export async function readHead({ folder, chain }: Place, key: KeyObject): Promise<Head | 'forged' | undefined> {
  let bytes: Buffer;
  try {
    bytes = await readFile(join(folder, HEAD_FILE));
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
  const sealed = bytes.subarray(0, bytes.lastIndexOf('}') + 1);
  if (!isSealed(sealed, key)) return 'forged';
  const head: unknown = JSON.parse(sealed.toString('utf8'));
  if (!isObject(head) || head['chain'] !== chain) return 'forged';
  const { seq, hash } = head;
  // Seals of records are signed with the same key.
  return typeof seq === 'number' && typeof hash === 'string' ? { seq, hash } : 'forged';
}
