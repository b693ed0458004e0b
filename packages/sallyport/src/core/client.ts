import { createHash } from 'node:crypto';
import { toCanonicalJson } from './canonical-json.ts';
import { FaultError } from './errors.ts';
import type { JsonObject } from './json.ts';
import type { Principal } from './principal.ts';

/** The program in front of us, as far as its answers to upstreams depend on it. */
export interface Client {
  /** Whoever shares this key may share an upstream connection that asks back: one legacy session, or one modern principal and program. */
  readonly key: string;
  readonly principal: Principal;
  readonly info: { readonly name: string; readonly version: string };
  /** As declared, unknown members included. */
  readonly capabilities: JsonObject;
  /** Digest of the capabilities: equal digests may share lists. Empty for a client that declares none. */
  readonly profile: string;
}

const profiles = new Map<string, string>();
/** Characters of JSON. Ten times what any client declares; profiles are kept, and their number is the clients' to choose. */
const MAX_CAPABILITIES = 16_384;

/**
 * The digest that stands for a set of client capabilities; key order does not matter.
 * @throws FaultError `invalid_params` for more than anybody declares.
 */
export function toProfile(capabilities: JsonObject): string {
  const text = toCanonicalJson(capabilities);
  if (text === '{}') return '';
  if (text.length > MAX_CAPABILITIES)
    throw new FaultError(
      'invalid_params',
      `The capabilities of a client are at most ${MAX_CAPABILITIES} characters long.`,
    );
  let profile = profiles.get(text);
  if (profile === undefined) {
    profile = createHash('sha256').update(text).digest('hex').slice(0, 16);
    if (profiles.size >= 1000) profiles.clear();
    profiles.set(text, profile);
  }
  return profile;
}
