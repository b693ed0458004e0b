import type { JsonObject } from '../../core/json.ts';

/** What a `WWW-Authenticate: Bearer` challenge asks for (RFC 6750 section 3, RFC 9728 section 5.1). */
export interface Challenge {
  readonly resourceMetadata: string | undefined;
  readonly scopes: readonly string[] | undefined;
  readonly error: string | undefined;
  /** Tokens bound to a key are taken here (RFC 9449 section 7.1). */
  readonly dpop: boolean;
}

export const NO_CHALLENGE: Challenge = {
  resourceMetadata: undefined,
  scopes: undefined,
  error: undefined,
  dpop: false,
};

const MAX_CHARACTERS = 4096;
// Names are bounded: a long word that is none would be read again from each of its letters.
const PARAMETER = /([A-Za-z0-9_-]{1,64})\s{0,64}=\s{0,64}(?:"((?:[^"\\]|\\.){0,4096})"|([^\s,"]{1,4096}))/g;

/** Reads the parameters of the first Bearer or DPoP challenge; unreadable ones are as good as none. */
export function parseChallenge(header: string | undefined): Challenge {
  const text = (header ?? '').slice(0, MAX_CHARACTERS);
  const scheme = /(?:^|,)\s*(?:bearer|dpop)(?:\s+|$)/i.exec(text);
  if (scheme === null) return NO_CHALLENGE;
  const values = new Map<string, string>();
  for (const [, name = '', quoted, bare] of text.slice(scheme.index + scheme[0].length).matchAll(PARAMETER)) {
    const key = name.toLowerCase();
    if (!values.has(key)) values.set(key, quoted?.replace(/\\(.)/g, '$1') ?? bare ?? '');
  }
  return {
    resourceMetadata: values.get('resource_metadata'),
    scopes: toScopes(values.get('scope')),
    error: values.get('error'),
    dpop: /(?:^|,)\s*dpop(?:\s+|$)/i.test(text),
  };
}

/** RFC 6749 section 3.3. */
const SCOPE = /^[\x21\x23-\x5b\x5d-\x7e]{1,256}$/;
/** A server that thinks of new ones with each answer must not make a list without end. */
const MAX_SCOPES = 100;

/** The scopes in a `scope` value; `undefined` for none. */
export function toScopes(text: unknown): readonly string[] | undefined {
  if (typeof text !== 'string') return undefined;
  const scopes = text.split(' ').filter((scope) => SCOPE.test(scope));
  return scopes.length === 0 ? undefined : scopes.slice(0, MAX_SCOPES);
}

/** Both lists, each scope once. */
export function uniteScopes(
  one: readonly string[] | undefined,
  other: readonly string[] | undefined,
): readonly string[] | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return [...new Set([...one, ...other])].slice(0, MAX_SCOPES);
}

export function toChallengeRecord({ resourceMetadata, scopes, error, dpop }: Challenge): JsonObject {
  return {
    ...(resourceMetadata === undefined ? {} : { resourceMetadata }),
    ...(scopes === undefined ? {} : { scope: scopes.join(' ') }),
    ...(error === undefined ? {} : { error }),
    ...(dpop ? { dpop } : {}),
  };
}

export function fromChallengeRecord(record: JsonObject): Challenge {
  const { resourceMetadata, scope, error, dpop } = record;
  return {
    resourceMetadata: typeof resourceMetadata === 'string' ? resourceMetadata : undefined,
    scopes: toScopes(scope),
    error: typeof error === 'string' ? error : undefined,
    dpop: dpop === true,
  };
}
