import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto';

/** Encrypts state that travels through a client, so that the client can neither read nor change it (AES-256-GCM). */
export interface Seal {
  close(value: unknown): string;
  /** @throws Error when the text was not made by this seal, was changed, or is older than its life */
  open(text: string): unknown;
}

const IV = 12;
const TAG = 16;
const LIFE_MS = 3_600_000;

/** @param secret from the environment where several processes serve one address; left out: a key of this process */
export function createSeal(secret: string | undefined, now: () => number = Date.now): Seal {
  const key = secret === undefined ? randomBytes(32) : createHash('sha256').update(secret).digest();
  return {
    close(value) {
      const iv = randomBytes(IV);
      const cipher = createCipheriv('aes-256-gcm', key, iv);
      const text = JSON.stringify({ value, until: now() + LIFE_MS });
      const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
      return Buffer.concat([iv, cipher.getAuthTag(), body]).toString('base64url');
    },
    open(text) {
      const bytes = Buffer.from(text, 'base64url');
      if (bytes.length <= IV + TAG) throw new Error('malformed');
      const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, IV), { authTagLength: TAG });
      decipher.setAuthTag(bytes.subarray(IV, IV + TAG));
      const body = Buffer.concat([decipher.update(bytes.subarray(IV + TAG)), decipher.final()]).toString('utf8');
      const { value, until } = JSON.parse(body) as { value: unknown; until: number };
      if (until < now()) throw new Error('expired');
      return value;
    },
  };
}
