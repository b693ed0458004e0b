import { createHash, hash } from 'node:crypto';

const BLOCK = 64;
const SHA256_BYTES = 32;
/** Longer values are not copied: buffers of 100 KB that come and go make V8 collect (core/body-pool.ts). Bytes. */
const SCRATCH = 65_536;

/** HMAC-SHA256 (RFC 2104) in base64url: equal values are seen to be equal, and nobody without the key can guess one. */
export type KeyedDigest = (value: Buffer) => string;

/** By two one-shot hashes: 1.2 us against 1.9 us with `createHmac` (measured), and every call pays it twice. */
export function createKeyedDigest(key: Buffer): KeyedDigest {
  const block = Buffer.alloc(BLOCK);
  (key.length > BLOCK ? hash('sha256', key, 'buffer') : key).copy(block);
  const inner = Buffer.allocUnsafe(BLOCK + SCRATCH);
  const outer = Buffer.allocUnsafe(BLOCK + SHA256_BYTES);
  for (let i = 0; i < BLOCK; i++) {
    const byte = block[i] ?? 0;
    inner[i] = byte ^ 0x36;
    outer[i] = byte ^ 0x5c;
  }
  const pad = inner.subarray(0, BLOCK);
  return (value) => {
    let first: string;
    if (value.length <= SCRATCH) {
      value.copy(inner, BLOCK);
      first = hash('sha256', inner.subarray(0, BLOCK + value.length), 'binary');
    } else first = createHash('sha256').update(pad).update(value).digest('binary');
    outer.write(first, BLOCK, SHA256_BYTES, 'latin1');
    return hash('sha256', outer, 'base64url');
  };
}
