import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto';
import { toShortId } from '../core/short-id.ts';
import type { ByteSeal } from '../core/text-seal.ts';

/**
 * What rows that several processes share are sealed and named with. All of it comes from one secret, so that every
 * process that has the secret makes the same: nothing else has to be agreed upon.
 */
export interface RowKeys extends ByteSeal {
  /** 32 bytes for `createPrinter`. */
  readonly prints: Buffer;
  /** A name that tells whoever reads the rows nothing, and that no control character can end early. */
  digest(...parts: readonly string[]): string;
  /** 16 signs of 80 bits: the same value has the same id in every process, and nobody guesses it. */
  toId(...parts: readonly string[]): string;
  /** @param context whose it is and where it stands: it opens nowhere else */
  seal(context: readonly string[], value: Uint8Array | string): string;
  /** @throws Error for what was not sealed with this key in this context */
  open(context: readonly string[], sealed: string): Buffer;
}

const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** AES-256-GCM and HMAC-SHA-256 under keys derived by HKDF (RFC 5869). @param secret at least 32 random bytes */
export function createRowKeys(secret: Uint8Array): RowKeys {
  const derive = (purpose: string) => Buffer.from(hkdfSync('sha256', secret, '', `sallyport shared ${purpose} 1`, 32));
  const [names, ids, rows] = [derive('names'), derive('ids'), derive('rows')];
  const mac = (key: Buffer, parts: readonly string[]) =>
    createHmac('sha256', key).update(JSON.stringify(parts)).digest();
  const sealBytes = (context: readonly string[], value: Uint8Array | string): Buffer => {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv('aes-256-gcm', rows, nonce).setAAD(toBytes(context));
    const body = typeof value === 'string' ? cipher.update(value, 'utf8') : cipher.update(value);
    const rest = cipher.final();
    return Buffer.concat([nonce, body, rest, cipher.getAuthTag()]);
  };
  const openBytes = (context: readonly string[], bytes: Buffer): Buffer => {
    const end = bytes.length - TAG_BYTES;
    if (end < NONCE_BYTES) throw new Error('too short to be sealed');
    const decipher = createDecipheriv('aes-256-gcm', rows, bytes.subarray(0, NONCE_BYTES), {
      authTagLength: TAG_BYTES,
    });
    decipher.setAAD(toBytes(context)).setAuthTag(bytes.subarray(end));
    return Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES, end)), decipher.final()]);
  };
  return {
    prints: derive('prints'),
    digest: (...parts) => mac(names, parts).toString('base64url'),
    toId: (...parts) => toShortId(mac(ids, parts)),
    sealBytes,
    openBytes,
    seal: (context, value) => sealBytes(context, value).toString('base64'),
    open: (context, sealed) => openBytes(context, Buffer.from(sealed, 'base64')),
  };
}

function toBytes(context: readonly string[]): Buffer {
  return Buffer.from(JSON.stringify(context));
}
