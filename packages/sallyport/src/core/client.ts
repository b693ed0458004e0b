import { createHash } from 'node:crypto';
import { toCanonicalJson } from './canonical-json.ts';
import { FaultError } from './errors.ts';
import type { JsonObject } from './json.ts';
import type { Principal } from './principal.ts';

/** Legacy: with `initialize`. Modern: 2026-07-28 and later. */
export type Era = 'legacy' | 'modern';

/** The program in front of us, as far as its answers to upstreams depend on it. */
export interface Client {
  /** Whoever shares this key may share an upstream connection that asks back: one legacy session, or one modern principal and program. */
  readonly key: string;
  readonly principal: Principal;
  readonly info: { readonly name: string; readonly version: string };
  /** The one it speaks: a server that has both is used in this one. */
  readonly era: Era;
  /** As declared, unknown members included. */
  readonly capabilities: JsonObject;
  /** Digest of the capabilities: equal digests may share a connection of the legacy era. Empty for a client that declares none. */
  readonly declared: string;
  /** The era and the digest: equal ones may share lists. */
  readonly profile: string;
}

/**
 * What a client says of itself by its era and its capabilities.
 * @throws FaultError `invalid_params` for more than anybody declares.
 */
export function toDeclaration(
  era: Era,
  capabilities: JsonObject,
): Pick<Client, 'era' | 'capabilities' | 'declared' | 'profile'> {
  const declared = toDigest(capabilities);
  return { era, capabilities, declared, profile: era === 'modern' ? declared : `legacy ${declared}` };
}

const digests = new Map<string, string>();
/** Characters of JSON. Ten times what any client declares; digests are kept, and their number is the clients' to choose. */
const MAX_CAPABILITIES = 16_384;

/** Key order does not matter. */
function toDigest(capabilities: JsonObject): string {
  const text = toCanonicalJson(capabilities);
  if (text === '{}') return '';
  if (text.length > MAX_CAPABILITIES)
    throw new FaultError(
      'invalid_params',
      `The capabilities of a client are at most ${MAX_CAPABILITIES} characters long.`,
    );
  let digest = digests.get(text);
  if (digest === undefined) {
    digest = createHash('sha256').update(text).digest('hex').slice(0, 16);
    if (digests.size >= 1000) digests.clear();
    digests.set(text, digest);
  }
  return digest;
}
