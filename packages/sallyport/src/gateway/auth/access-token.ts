import { decodeJwt, decodeProtectedHeader, errors, jwtVerify } from 'jose';
import type { IssuerSettings, OAuthSettings } from '../../config/auth-settings.ts';
import { FaultError } from '../../core/errors.ts';
import { isObject, type JsonObject } from '../../core/json.ts';
import { countKeys } from '../../core/json-scan.ts';
import type { Principal } from '../../core/principal.ts';
import { readFrame } from '../../core/read-frame.ts';
import { invalidToken } from './challenge.ts';
import { CLOCK_SKEW_S, toPrincipal } from './claims.ts';
import { isIdToken } from './id-token.ts';
import { createIssuerKeys, type IssuerKeys, type IssuerKeysPorts } from './issuer-keys.ts';

/** A token that was checked; for which endpoints it counts is asked with each request. */
export interface AccessToken {
  readonly principal: Principal;
  /** In its canonical form (RFC 8707 section 2), as `canonicalAudience` makes it. */
  readonly audience: ReadonlySet<string>;
  /** The operator accepts this audience on every endpoint. */
  readonly everywhere: boolean;
  /** SHA-256 of the certificate it is bound to, base64url (RFC 8705 section 3.1). */
  readonly certificate: string | undefined;
  /** Thumbprint of the key it is bound to (RFC 9449 section 6.1). */
  readonly proofKey: string | undefined;
}

/** Real tokens with many groups stay below half of it. Characters. */
const MAX_TOKEN = 16_384;
const MAX_DEPTH = 32;
/** Asymmetric only: with `none` nobody signed, and with HS* whoever knows the public key could. */
const ALGORITHMS = [
  ...(['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'] as const),
  ...(['ES256', 'ES384', 'ES512', 'EdDSA', 'Ed25519'] as const),
];
/** RFC 9068 section 4; many issuers write `JWT` or nothing. Other kinds (logout tokens, proofs) are signed with the same keys. */
const TYPES: ReadonlySet<unknown> = new Set([undefined, 'at+jwt', 'application/at+jwt', 'jwt']);

/**
 * Checks JWT access tokens: signature, issuer, times, kind. Throws FaultError `unauthenticated` for every token that is
 * not good, `overloaded` when that cannot be told now.
 */
export function createTokenCheck(
  settings: OAuthSettings,
  ports: IssuerKeysPorts,
): (token: string) => Promise<AccessToken> {
  const issuers = new Map<string, { readonly settings: IssuerSettings; readonly keys: IssuerKeys }>(
    settings.issuers.map((issuer) => [issuer.issuer, { settings: issuer, keys: createIssuerKeys(issuer, ports) }]),
  );
  return async (token) => {
    const { issuer: named, keyId } = readUnchecked(token);
    const issuer = issuers.get(named);
    if (issuer === undefined) throw invalidToken('The token is from an issuer that is not trusted here.');
    const getKey = await issuer.keys.find(keyId);
    const { claims, typ } = await jwtVerify(token, getKey, {
      algorithms: ALGORITHMS,
      issuer: issuer.settings.issuer,
      // jose refuses at the limit itself; whole seconds are compared.
      clockTolerance: CLOCK_SKEW_S + 0.5,
      currentDate: new Date(ports.clock.now()),
      requiredClaims: ['exp', 'aud'],
    }).then(
      ({ payload, protectedHeader }) => ({
        claims: payload as JsonObject, // A JWT's payload was JSON.
        typ: protectedHeader.typ?.toLowerCase(),
      }),
      (error: unknown) => {
        throw invalidToken(explain(error));
      },
    );
    const { scopesClaim } = issuer.settings;
    if (isIdToken(claims, { isDeclared: typ?.endsWith('at+jwt') === true, scopesClaim }))
      throw invalidToken('This is an ID token and no access token.');
    return toAccessToken(claims, issuer.settings, settings);
  };
}

/** Which keys to look for. Nothing of it is believed before the signature is. */
function readUnchecked(token: string): { readonly issuer: string; readonly keyId: string | undefined } {
  if (token.length > MAX_TOKEN) throw invalidToken(`The token is longer than ${MAX_TOKEN} characters.`);
  try {
    const { alg, typ, kid } = decodeProtectedHeader(token);
    if (!(ALGORITHMS as readonly unknown[]).includes(alg))
      throw invalidToken('The token is signed in a way that is not accepted.');
    if (!TYPES.has(typ?.toLowerCase())) throw invalidToken('This kind of token is no access token.');
    if (kid !== undefined && typeof kid !== 'string') throw invalidToken('The token cannot be read.');
    if (!token.split('.', 2).every(hasUniqueKeys)) throw invalidToken('The token says one thing twice.');
    return { issuer: decodeJwt(token).iss ?? '', keyId: kid };
  } catch (error) {
    throw error instanceof FaultError ? error : invalidToken('The token cannot be read.');
  }
}

/** RFC 7519 section 4: of two claims of one name the issuer may mean the first and we would read the last. */
function hasUniqueKeys(part: string): boolean {
  const bytes = Buffer.from(part, 'base64url');
  const { depth, pairs } = readFrame(bytes, MAX_DEPTH);
  return depth <= MAX_DEPTH && countKeys(JSON.parse(bytes.toString('utf8'))) === pairs;
}

function explain(error: unknown): string {
  if (error instanceof errors.JWTExpired) return 'The token has expired.';
  if (error instanceof errors.JWTClaimValidationFailed)
    return error.claim === 'nbf'
      ? 'The token is not valid yet.'
      : `The claim "${error.claim}" of the token is not right.`;
  if (error instanceof errors.JWSSignatureVerificationFailed) return 'The signature of the token is not right.';
  return 'The token cannot be checked with the keys of its issuer.';
}

function toAccessToken(claims: JsonObject, issuer: IssuerSettings, settings: OAuthSettings): AccessToken {
  const { aud, cnf } = claims;
  const audience = (Array.isArray(aud) ? aud : [aud]).filter((name) => typeof name === 'string');
  return {
    principal: toPrincipal(claims, issuer, settings.impliedScopes),
    audience: new Set(audience.map(canonicalAudience)),
    everywhere: issuer.audience.some((name) => audience.includes(name)),
    ...readBinding(cnf),
  };
}

/** A token bound to something its bearer must prove is no bearer token (RFC 7800): an unknown binding is not skipped. */
function readBinding(cnf: JsonObject[string] | undefined): Pick<AccessToken, 'certificate' | 'proofKey'> {
  if (cnf === undefined) return { certificate: undefined, proofKey: undefined };
  const { 'x5t#S256': certificate, jkt: proofKey, ...others } = isObject(cnf) ? cnf : { unreadable: cnf };
  const isKnown = [certificate, proofKey].every((each) => each === undefined || typeof each === 'string');
  if (!isKnown || Object.keys(others).length > 0 || (certificate ?? proofKey) === undefined)
    throw invalidToken('The token is bound to a proof that is not accepted here.');
  return { certificate: certificate as string | undefined, proofKey: proofKey as string | undefined }; // Looked at above.
}

/** Scheme and host in lower case, no slash at the end: clients write them in several ways. */
export function canonicalAudience(text: string): string {
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text)) return text;
  const { href, hash } = new URL(text);
  // RFC 8707 section 2: an address with a fragment names no resource.
  return hash === '' && !text.includes('#') ? href.replace(/\/$/, '') : text;
}
