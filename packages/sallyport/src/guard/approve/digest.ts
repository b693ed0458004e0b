import { createHash, createHmac } from 'node:crypto';
import { isObject } from '../../core/json.ts';

/** JSON with its keys in order: what means the same is written the same. */
export function toCanonical(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) => {
    if (inner instanceof Map) return [...inner.entries()];
    if (!isObject(inner)) return inner;
    return Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)));
  });
}

/** SHA-256 over the canonical JSON, hex. */
export function toDigest(value: unknown): string {
  return createHash('sha256').update(toCanonical(value)).digest('hex');
}

/** The same, of no use to whoever has it and not the key: a plain digest of a short secret is guessed in no time. */
export function toKeyedDigest(key: Buffer, value: unknown): string {
  return createHmac('sha256', key).update(toCanonical(value)).digest('hex');
}
