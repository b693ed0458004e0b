import { findSecrets } from './find-secrets.ts';
import { INSIDE_KINDS } from './key-material.ts';
import { PROVIDER_KEYS } from './provider-keys.ts';

/**
 * Kinds that nobody takes for anything else: the provider's own prefix and length, a key file, a token that can be parsed. A
 * value behind a name such as `token:` is often a line of a program, so it is no reason to stop honest work.
 */
const VERIFIED: ReadonlySet<string> = new Set([
  ...PROVIDER_KEYS.map(({ kind }) => kind),
  ...INSIDE_KINDS,
  ...['private-key', 'jwt', 'telegram-bot-token', 'azure-client-secret', 'discord-bot-token'],
]);

/** Keys of providers and private keys in a text, without those that documents show as samples. */
export function findVerifiedKeys(text: string, field: string): readonly string[] {
  return findSecrets(text, { field })
    .filter(({ kind, isSample }) => !isSample && VERIFIED.has(kind))
    .map(({ start, end }) => text.slice(start, end));
}
