import { createHash, createHmac } from 'node:crypto';
import { toCanonicalJson } from '../../core/canonical-json.ts';

/** SHA-256 over the canonical JSON, hex. */
export function toDigest(value: unknown): string {
  return createHash('sha256').update(toCanonicalJson(value)).digest('hex');
}

/** The same, of no use to whoever has it and not the key: a plain digest of a short secret is guessed in no time. */
export function toKeyedDigest(key: Buffer, value: unknown): string {
  return createHmac('sha256', key).update(toCanonicalJson(value)).digest('hex');
}
