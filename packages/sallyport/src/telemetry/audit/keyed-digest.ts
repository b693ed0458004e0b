import { createHash, hash } from 'node:crypto';

/** The key is padded to a whole block of SHA-256, so that it stands alone in what is hashed first. */
const BLOCK = 64;
const LENGTH_BYTES = 8;
const HEAD = BLOCK + LENGTH_BYTES;
/** Longer values are not copied: buffers of 100 KB that come and go make V8 collect (core/body-pool.ts). Bytes. */
const SCRATCH = 65_536;

/** A digest in base64url: equal values are seen to be equal, and nobody without the key can guess one. */
export type KeyedDigest = (value: Buffer) => string;

/**
 * SHA-256 over key, length and value. With the length in front no input is the beginning of another, which is what the
 * plain cascade needs to be a pseudorandom function (Bellare, Canetti, Krawczyk 1996): nothing can be appended, and one hash
 * does where HMAC takes two. Every call pays for two digests.
 */
export function createKeyedDigest(key: Buffer): KeyedDigest {
  const scratch = Buffer.alloc(HEAD + SCRATCH);
  (key.length > BLOCK ? hash('sha256', key, 'buffer') : key).copy(scratch);
  const head = scratch.subarray(0, HEAD);
  return (value) => {
    const { length } = value;
    scratch.writeUIntBE(length, BLOCK + 2, 6);
    if (length > SCRATCH) return createHash('sha256').update(head).update(value).digest('base64url');
    value.copy(scratch, HEAD);
    return hash('sha256', new Uint8Array(scratch.buffer, scratch.byteOffset, HEAD + length), 'base64url');
  };
}
