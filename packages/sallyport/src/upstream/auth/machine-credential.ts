import { toTokenOwner } from '../../config/upstream-auth.ts';
import { FaultError } from '../../core/errors.ts';
import type { Principal } from '../../core/principal.ts';
import { type Challenge, NO_CHALLENGE, uniteScopes } from './challenge.ts';
import type { Credential, CredentialHeaders, CredentialRequest, Refusal } from './credential.ts';
import { type Discovered, discover } from './discovery.ts';
import { createGuardedFetch } from './guarded-fetch.ts';
import { fetchIdJag, readJwt } from './id-jag.ts';
import { hasIdentity } from './identity.ts';
import { NOTHING_PRESENTED, type Presented, present, toAuthorization } from './presented.ts';
import { readSigningKey, signJwt } from './private-key.ts';
import { createProofKey, type ProofKey } from './proof-key.ts';
import { findClient } from './registration.ts';
import { type AuthPorts, type AuthTarget, toReach } from './surroundings.ts';
import { type Grant, requestTokens, wantsProof } from './token-request.ts';

export interface MachineCredentialOptions {
  readonly target: AuthTarget;
  /** For whom a token is asked; client credentials and workload identities are Sallyport's own. */
  readonly principal: Principal;
  readonly ports: AuthPorts;
}

const MARGIN_MS = 30_000;
/** Who signed out at the identity provider's door is out after this long. */
const KEPT_MS = 60_000;
/** Step-up is tried so often for one call (MCP, Step-Up Authorization Flow: "no more than a few times"). */
const MAX_ATTEMPTS = 2;

/**
 * Tokens that need no person now: client credentials (SEP-1046), token exchange of the caller's identity (RFC 8693), the
 * identity provider's word for a caller (ID-JAG), the platform's word for this workload (SEP-1933).
 */
export class MachineCredential implements Credential {
  readonly #options: MachineCredentialOptions;
  #presented = NOTHING_PRESENTED;
  #until = 0;
  #challenge: Challenge = NO_CHALLENGE;
  #fetching: Promise<Presented> | undefined;
  /** Bound to it are the tokens of this issuer. */
  #proof: { readonly issuer: string; readonly key: ProofKey } | undefined;

  constructor(options: MachineCredentialOptions) {
    this.#options = options;
  }

  headers(request: CredentialRequest): CredentialHeaders | Promise<CredentialHeaders> {
    const { clock } = this.#options.ports;
    if (this.#isFresh && clock.now() < this.#until) return this.#presented.headers(request, clock.now());
    return this.#better().then((presented) => presented.headers(request, clock.now()));
  }

  noteNonce(url: string, nonce: string): void {
    this.#presented.noteNonce(url, nonce);
  }

  async refused({ status, challenge, used, attempt }: Refusal): Promise<void> {
    const { name } = this.#options.target;
    if (attempt < MAX_ATTEMPTS) {
      const { tokens } = this.#presented;
      if (tokens !== undefined && toAuthorization(tokens) !== used['authorization']) return;
      const scopes = uniteScopes(tokens?.scopes ?? this.#challenge.scopes, challenge.scopes);
      const before = { challenge: this.#challenge, presented: this.#presented };
      this.#challenge = { ...challenge, scopes };
      this.#presented = NOTHING_PRESENTED;
      try {
        await this.#fetch();
      } catch (error) {
        // More than the authorization server grants was asked for one call: what it granted is still good for the others.
        this.#challenge = before.challenge;
        if (status === 403 && this.#presented === NOTHING_PRESENTED) this.#presented = before.presented;
        throw error;
      }
      return;
    }
    const text = status === 403 ? 'does not allow this with the token it was given' : 'refuses a token made for it';
    throw new FaultError('upstream_unauthenticated', `"${name}" ${text}. Look at its authorization server.`, {
      data: { status },
    });
  }

  get #isFresh(): boolean {
    const { tokens } = this.#presented;
    if (tokens === undefined) return false;
    return tokens.expiresAt === undefined || tokens.expiresAt - MARGIN_MS > this.#options.ports.clock.now();
  }

  async #better(): Promise<Presented> {
    const { target, principal, ports } = this.#options;
    if (!this.#isFresh) return this.#fetch();
    if (!(await hasIdentity(target, toTokenOwner(target.auth, principal), ports))) {
      this.#presented = NOTHING_PRESENTED;
      return this.#fetch();
    }
    this.#until = ports.clock.now() + KEPT_MS;
    return this.#presented;
  }

  #fetch(): Promise<Presented> {
    this.#fetching ??= this.#fetchNow().finally(() => {
      this.#fetching = undefined;
    });
    return this.#fetching;
  }

  async #fetchNow(): Promise<Presented> {
    const { target, ports } = this.#options;
    const { name: upstream, url, auth } = target;
    const fetch = createGuardedFetch(toReach(target));
    const discovered = await discover({ url, auth, challenge: this.#challenge, fetch });
    const { server, resource } = discovered;
    const { readSecret, vault, clock } = ports;
    const now = clock.now();
    const client = await findClient({ upstream, auth, server, redirectUri: '', vault, fetch, now });
    const scopes = uniteScopes(auth.scopes, this.#challenge.scopes) ?? discovered.scopes;
    const proofKey = wantsProof(auth, this.#challenge, discovered) ? this.#proofKeyFor(server.issuer) : undefined;
    const request = { server, client, auth, resource, scopes, readSecret, fetch, now, proofKey };
    this.#presented = present(await requestTokens(request, await this.#toGrant(discovered, scopes)), this.#presented);
    this.#until = auth.type === 'enterprise' ? now + KEPT_MS : Number.POSITIVE_INFINITY;
    return this.#presented;
  }

  #proofKeyFor(issuer: string): ProofKey {
    if (this.#proof?.issuer !== issuer) this.#proof = { issuer, key: createProofKey() };
    return this.#proof.key;
  }

  /** The token the caller came with is meant for Sallyport and stays with it (MCP, Token Passthrough). */
  async #toGrant(discovered: Discovered, scopes: readonly string[] | undefined): Promise<Grant> {
    const { target, principal, ports } = this.#options;
    const { auth } = target;
    if (auth.type === 'client_credentials') return { kind: 'client_credentials' };
    if (auth.type === 'workload_identity')
      return { kind: 'jwt_bearer', assertion: await this.#readAssertion(discovered) };
    if (auth.type === 'enterprise') {
      const owner = toTokenOwner(auth, principal);
      return { kind: 'jwt_bearer', assertion: await fetchIdJag({ target, owner, ports, discovered, scopes }) };
    }
    const signer = readSigningKey(await ports.readSecret(auth.privateKeyRef ?? ''), auth.keyId);
    // Made here, of what is known about the caller.
    const claims = {
      iss: auth.clientId ?? '',
      sub: principal.person ?? principal.account ?? principal.id,
      aud: discovered.server.issuer,
      ...(principal.agent === undefined ? {} : { act: { sub: principal.agent } }),
      ...(principal.groups.length === 0 ? {} : { groups: [...principal.groups] }),
    };
    return {
      kind: 'token_exchange',
      subjectToken: signJwt(signer, claims, ports.clock.now()),
      audience: auth.audience,
    };
  }

  /** Platforms write such tokens for several readers: one that is not for this authorization server stays here. */
  async #readAssertion({ server }: Discovered): Promise<string> {
    const { target, ports } = this.#options;
    const { assertionRef = '', audience = server.issuer } = target.auth;
    const assertion = await ports.readSecret(assertionRef);
    const [, claims] = readJwt(assertion) ?? [];
    const { aud } = claims ?? {};
    const names = Array.isArray(aud) ? aud : [aud];
    const wanted = new Set([audience, audience.replace(/\/$/, ''), `${audience}/`]);
    if (!names.some((name) => typeof name === 'string' && wanted.has(name)))
      throw new FaultError(
        'config',
        `The workload's assertion for "${target.name}" is not for ${audience}, and is not sent there. Ask the platform for one that is, or set auth.audience.`,
      );
    return assertion;
  }
}
