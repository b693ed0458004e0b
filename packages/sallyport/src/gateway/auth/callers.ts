import { createHash, timingSafeEqual } from 'node:crypto';
import type { Socket } from 'node:net';
import type { TlsOptions } from 'node:tls';
import type { AuthSettings, OAuthSettings } from '../../config/auth-settings.ts';
import { FaultError } from '../../core/errors.ts';
import { member } from '../../core/json.ts';
import type { KeyDirectory } from '../../core/key-directory.ts';
import { ANYONE, KEY_HOLDER, type Principal } from '../../core/principal.ts';
import type { HttpRequest } from '../http-exchange.ts';
import { type AccessToken, createTokenCheck } from './access-token.ts';
import { invalidToken, missingToken, toChallenge, unprovenToken } from './challenge.ts';
import { openClientCertificates, type Peer } from './client-certificate.ts';
import { fetchJson } from './fetch-json.ts';
import type { IssuerKeysPorts } from './issuer-keys.ts';
import { type CheckProof, createProofCheck, PROOF_ALGORITHMS } from './proof.ts';
import { createResources, type Resources } from './resource.ts';
import { fromKey, fromToken, type Standing, withPeer } from './standing.ts';
import type { TlsRenewal } from './tls-files.ts';

/** Who calls: found out for every request before anything else is done with it. */
export interface Callers {
  /** Present: the listener speaks TLS. */
  readonly tls: TlsOptions | undefined;
  /** Calls back when the files of `tls` have changed. Returns what ends that. */
  followTls(onRenewal: (renewal: TlsRenewal) => void): () => void;
  /** Certificates that were shown on these connections have to be shown again. */
  doubt(sockets: Iterable<Socket>): void;
  /** What the listener is reached by, e.g. `http://127.0.0.1:7411`; said once it listens. */
  listensAt(origins: readonly string[]): void;
  /**
   * A promise only for a token that has not been seen before.
   * @throws FaultError `unauthenticated`, `forbidden`, `invalid_request`, `overloaded`
   */
  authenticate(request: HttpRequest): Principal | Promise<Principal>;
  /** Whether whoever opened a stream a while ago may still listen to it. */
  isCurrent(principal: Principal): boolean;
  /** The `WWW-Authenticate` header of a refusal. */
  challenge(fault: FaultError, request: HttpRequest): string | undefined;
  /** Protected resource metadata (RFC 9728), where it is asked for. No credential is needed to learn where to get one. */
  metadata(request: HttpRequest): { readonly json: string; readonly maxAgeS: number } | undefined;
}

export interface CallersPorts extends Omit<IssuerKeysPorts, 'fetchJson'> {
  /** The laptop's own key, and the directory of the others; both `undefined` where keys are off. */
  readonly laptopKey: string | undefined;
  readonly keys: KeyDirectory | undefined;
  readonly fetchJson?: IssuerKeysPorts['fetchJson'];
}

const KEYS_ONLY: AuthSettings = Object.freeze({ keys: true, oauth: undefined, mtls: undefined });

/** @throws FaultError `config` when a file of `mtls` cannot be used */
export function createCallers(settings: 'key' | 'none' | AuthSettings, ports: CallersPorts): Callers {
  return settings === 'none' ? OPEN : new Doorkeeper(settings === 'key' ? KEYS_ONLY : settings, ports);
}

/** Authentication is off, and the listener on loopback. */
const OPEN: Callers = {
  tls: undefined,
  followTls: () => () => undefined,
  doubt() {},
  listensAt() {},
  authenticate: () => ANYONE,
  isCurrent: () => true,
  challenge: () => undefined,
  metadata: () => undefined,
};

/** Credentials remembered by their text. A thousand callers with ten tokens each. */
const MAX_KNOWN = 10_000;
/** RFC 6750 section 2.1 and RFC 9449 section 7.1, with the scheme in any case (RFC 9110 section 11.1). */
const CREDENTIAL = /^(bearer|dpop) +([A-Za-z0-9\-._~+/]+=*) *$/i;

class Doorkeeper implements Callers {
  readonly tls: TlsOptions | undefined;
  readonly #settings: AuthSettings;
  readonly #ports: CallersPorts;
  readonly #laptopDigest: Buffer | undefined;
  readonly #certificates: ReturnType<typeof openClientCertificates> | undefined;
  readonly #checkToken: ReturnType<typeof createTokenCheck> | undefined;
  readonly #checkProof: CheckProof;
  #resources: Resources | undefined;
  /** By the whole Authorization header: a caller repeats it, so that a token is checked once and not once per call. */
  readonly #known = new Map<string, Standing>();
  #last: { readonly authorization: string; readonly standing: Standing } | undefined;
  readonly #checking = new Map<string, Promise<Standing>>();
  readonly #standings = new WeakMap<Principal, Standing>();
  /** The certificate's caller behind one that also came with a key or token. */
  readonly #peers = new WeakMap<Principal, Principal>();

  constructor(settings: AuthSettings, ports: CallersPorts) {
    this.#settings = settings;
    this.#ports = ports;
    this.#laptopDigest = ports.laptopKey === undefined ? undefined : digest(ports.laptopKey);
    this.#certificates = settings.mtls && openClientCertificates(settings.mtls, ports);
    this.#checkToken = settings.oauth && createTokenCheck(settings.oauth, { fetchJson, ...ports });
    this.#checkProof = createProofCheck(ports.clock);
    this.tls = this.#certificates?.tls;
  }

  followTls(onRenewal: (renewal: TlsRenewal) => void): () => void {
    return this.#certificates?.follow(onRenewal) ?? (() => undefined);
  }

  doubt(sockets: Iterable<Socket>): void {
    this.#certificates?.doubt(sockets);
  }

  listensAt(origins: readonly string[]): void {
    this.#resources = this.#settings.oauth && createResources(this.#settings.oauth, origins);
  }

  authenticate(request: HttpRequest): Principal | Promise<Principal> {
    const { authorization } = request.headers;
    // RFC 9700 section 4.3.2: addresses end up in logs and histories, and whoever sends one there will do so again.
    if (request.url?.includes('?') === true && /[?&]access_token=/i.test(request.url))
      throw new FaultError(
        'invalid_request',
        'A token in the address is refused. Send it in the Authorization header.',
      );
    const peer = this.#certificates?.identify(request.socket);
    if (authorization === undefined) {
      if (peer === undefined) throw missingToken(this.#explainMissing());
      return peer.principal;
    }
    const known = this.#recall(authorization);
    if (known !== undefined) return this.#let(known, request, peer);
    const checked = this.#check(authorization);
    if (!(checked instanceof Promise)) return this.#let(checked, request, peer);
    return checked.then((standing) => this.#let(standing, request, peer));
  }

  isCurrent(principal: Principal): boolean {
    const standing = this.#standings.get(principal);
    const { expiresAt } = principal;
    if (this.#certificates?.isDoubted(this.#peers.get(principal) ?? principal) === true) return false;
    if (expiresAt !== undefined && this.#ports.clock.now() >= expiresAt) return false;
    try {
      return standing?.isGood(this.#ports.clock.now()) ?? true;
    } catch {
      return false; // Who cannot be looked up any more is not known any more.
    }
  }

  challenge(fault: FaultError, { url, headers }: HttpRequest): string | undefined {
    const metadataUrl = this.#resources?.metadataUrl(pathOf(url), headers.host);
    const { requiredScopes = [], dpop = 'refused' } = this.#settings.oauth ?? {};
    const usesProofs = headers['dpop'] !== undefined || /^dpop /i.test(headers.authorization ?? '');
    const isWanted =
      dpop === 'required' || (dpop === 'accepted' && (usesProofs || member(fault.data, 'scheme') === 'DPoP'));
    return toChallenge(fault, { metadataUrl, requiredScopes, proofs: isWanted ? PROOF_ALGORITHMS : undefined });
  }

  metadata({ method, url, headers }: HttpRequest): { readonly json: string; readonly maxAgeS: number } | undefined {
    if (method !== 'GET' && method !== 'HEAD') return undefined;
    return this.#resources?.metadataAt(pathOf(url), headers.host);
  }

  #recall(authorization: string): Standing | undefined {
    const standing = this.#last?.authorization === authorization ? this.#last.standing : this.#known.get(authorization);
    return standing?.isGood(this.#ports.clock.now()) === true ? standing : undefined;
  }

  /** A caller with a bound token shows with every request that it has the key; all others are let in at once. */
  #let(standing: Standing, request: HttpRequest, peer: Peer | undefined): Principal | Promise<Principal> {
    const principal = this.#admit(standing, request, peer);
    const { proofKey } = standing;
    if (proofKey === undefined) return principal;
    const { method = 'GET', url, headers } = request;
    const addresses = this.#resources?.addressesOf(pathOf(url)) ?? [];
    const token = CREDENTIAL.exec(headers.authorization ?? '')?.[2] ?? '';
    return this.#checkProof(headers['dpop'], { method, addresses, token, thumbprint: proofKey }).then(() => principal);
  }

  /** @throws FaultError when this credential is not good for this endpoint, connection or operation */
  #admit(standing: Standing, request: HttpRequest, peer: Peer | undefined): Principal {
    try {
      standing.admit(request, this.#resources, peer);
    } catch (error) {
      this.#noteStepUp(error, standing.principal, request);
      throw error;
    }
    if (peer === undefined) return standing.principal;
    const principal = withPeer(standing.principal, peer);
    this.#standings.set(principal, standing);
    this.#peers.set(principal, peer.principal);
    return principal;
  }

  /** Who asked for what it had no scopes for can be found again (security best practices, scope minimization). */
  #noteStepUp(error: unknown, { id, agent, scopes = [] }: Principal, { url }: HttpRequest): void {
    const wanted = error instanceof FaultError ? member(error.data, 'scope') : undefined;
    if (wanted === undefined) return;
    const fields = { principal: id, agent, path: pathOf(url), wanted, has: scopes.join(' ') };
    this.#ports.log.info(fields, 'a caller was asked for more scopes');
  }

  #check(authorization: string): Standing | Promise<Standing> {
    const [, scheme = '', token] = CREDENTIAL.exec(authorization) ?? [];
    if (token === undefined) {
      if (/^(?:bearer|dpop) +\S/i.test(authorization))
        throw new FaultError('invalid_request', 'The Authorization header is malformed: send "Bearer <key or token>".');
      throw missingToken(this.#explainMissing());
    }
    const isBearer = scheme.toLowerCase() === 'bearer';
    const standing = this.#settings.keys && isBearer ? this.#checkKey(token) : undefined;
    if (standing !== undefined) return this.#remember(authorization, standing);
    if (this.#checkToken === undefined || token.split('.').length !== 3) throw invalidToken(this.#explainUnknown());
    const pending = this.#checking.get(authorization);
    if (pending !== undefined) return pending;
    const checking = this.#checkToken(token)
      .then((checked) => {
        checkScheme(checked, isBearer, this.#settings.oauth?.dpop ?? 'refused');
        return this.#remember(authorization, fromToken(checked, this.#settings.oauth?.requiredScopes ?? []));
      })
      .finally(() => this.#checking.delete(authorization));
    this.#checking.set(authorization, checking);
    return checking;
  }

  #checkKey(token: string): Standing | undefined {
    const found = digest(token);
    if (this.#laptopDigest !== undefined && timingSafeEqual(found, this.#laptopDigest)) return LAPTOP;
    // By its digest: how long a comparison takes tells nothing about a key.
    const hex = found.toString('hex');
    const { keys } = this.#ports;
    const key = keys?.find(hex);
    if (keys === undefined || key === undefined) return undefined;
    if (key.expiresAt !== undefined && this.#ports.clock.now() >= key.expiresAt)
      throw invalidToken('The key has expired. The operator makes a new one.');
    return fromKey(key, hex, keys);
  }

  #remember(authorization: string, standing: Standing): Standing {
    const [oldest] = this.#known.size < MAX_KNOWN ? [] : this.#known.keys();
    if (oldest !== undefined) this.#known.delete(oldest);
    this.#known.set(authorization, standing);
    this.#last = { authorization, standing };
    this.#standings.set(standing.principal, standing);
    return standing;
  }

  #explainMissing(): string {
    const { keys, oauth } = this.#settings;
    if (keys) return 'Sallyport needs the header "Authorization: Bearer <key>". Whoever started it has the key.';
    return oauth === undefined
      ? 'Sallyport needs a client certificate.'
      : 'Sallyport needs the header "Authorization: Bearer <access token>".';
  }

  #explainUnknown(): string {
    return this.#settings.keys
      ? 'Sallyport was given a key that is not its own. Whoever started it has the key.'
      : 'Sallyport was given something that is no access token.';
  }
}

/** RFC 9449 section 7.2: a bound token without its scheme is a stolen one as far as anybody can tell. */
function checkScheme({ proofKey }: AccessToken, isBearer: boolean, dpop: OAuthSettings['dpop']): void {
  if (proofKey === undefined && !isBearer)
    throw invalidToken('The token is bound to no key; the DPoP scheme needs one.');
  if (proofKey === undefined && dpop === 'required')
    throw invalidToken('The token is bound to no key. Ask for one with a DPoP proof.');
  if (proofKey !== undefined && dpop === 'refused')
    throw invalidToken('The token is bound to a proof that is not accepted here.');
  if (proofKey !== undefined && isBearer)
    throw unprovenToken(
      'The token is bound to a key. Send "Authorization: DPoP <token>" and a proof with each request.',
    );
}

/** The laptop's own key never ends. */
const LAPTOP: Standing = { principal: KEY_HOLDER, isGood: () => true, admit() {} };

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

function pathOf(url = '/'): string {
  const end = url.indexOf('?');
  return end < 0 ? url : url.slice(0, end);
}
