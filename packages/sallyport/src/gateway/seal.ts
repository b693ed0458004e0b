import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { isObject, type JsonObject } from '../core/json.ts';

/** Makes opaque strings that clients carry and cannot read or change (MCP 2026-07-28 mrtr#server-requirements). */
export interface Seal {
  seal(payload: JsonObject): string;
  /** The payload, or `undefined` for anything not sealed with this key. */
  open(sealed: string): JsonObject | undefined;
}

const VERSION = 'sp1.';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** AES-256-GCM under a 32-byte key. */
export function createSeal(key: Buffer): Seal {
  return {
    seal(payload) {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv('aes-256-gcm', key, nonce);
      const body = Buffer.concat([cipher.update(JSON.stringify(payload), 'utf8'), cipher.final()]);
      return VERSION + Buffer.concat([nonce, cipher.getAuthTag(), body]).toString('base64url');
    },
    open(sealed) {
      if (!sealed.startsWith(VERSION)) return undefined;
      const bytes = Buffer.from(sealed.slice(VERSION.length), 'base64url');
      if (bytes.length <= NONCE_BYTES + TAG_BYTES) return undefined;
      const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, NONCE_BYTES));
      decipher.setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
      try {
        const text =
          decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES), undefined, 'utf8') + decipher.final('utf8');
        const payload: unknown = JSON.parse(text);
        return isObject(payload) ? payload : undefined;
      } catch {
        // A wrong tag is somebody else's state or a forged one: not ours either way.
        return undefined;
      }
    },
  };
}
