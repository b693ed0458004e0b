import { FaultError } from '../../core/errors.ts';
import type { Principal } from '../../core/principal.ts';
import { type Challenge, NO_CHALLENGE, uniteScopes } from './challenge.ts';
import { type Credential, type CredentialHeaders, NO_HEADERS, type Refusal } from './credential.ts';
import { type Discovered, discover } from './discovery.ts';
import { createGuardedFetch } from './guarded-fetch.ts';
import { readSigningKey, signJwt } from './private-key.ts';
import { findClient } from './registration.ts';
import { type AuthPorts, type AuthTarget, toReach } from './surroundings.ts';
import { type Grant, requestTokens } from './token-request.ts';
import type { Tokens } from './tokens.ts';

export interface MachineCredentialOptions {
  readonly target: AuthTarget;
  /** For whom a token exchange asks; client credentials are Sallyport's own. */
  readonly principal: Principal;
  readonly ports: AuthPorts;
}

const MARGIN_MS = 30_000;
/** Step-up is tried so often for one call (MCP, Step-Up Authorization Flow: "no more than a few times"). */
const MAX_ATTEMPTS = 2;

/** Tokens that need no person: client credentials (SEP-1046) and token exchange of the caller's identity (RFC 8693). */
export class MachineCredential implements Credential {
  readonly #options: MachineCredentialOptions;
  #tokens: Tokens | undefined;
  #headers: CredentialHeaders = NO_HEADERS;
  #challenge: Challenge = NO_CHALLENGE;
  #fetching: Promise<CredentialHeaders> | undefined;

  constructor(options: MachineCredentialOptions) {
    this.#options = options;
  }

  headers(): CredentialHeaders | Promise<CredentialHeaders> {
    const { clock } = this.#options.ports;
    const { expiresAt } = this.#tokens ?? {};
    const isFresh = this.#tokens !== undefined && (expiresAt === undefined || expiresAt - MARGIN_MS > clock.now());
    return isFresh ? this.#headers : this.#fetch();
  }

  async refused({ status, challenge, used, attempt }: Refusal): Promise<void> {
    const { name } = this.#options.target;
    if (attempt < MAX_ATTEMPTS) {
      if (used !== this.#headers && this.#headers !== NO_HEADERS) return;
      const scopes = uniteScopes(this.#tokens?.scopes ?? this.#challenge.scopes, challenge.scopes);
      this.#challenge = { ...challenge, scopes };
      this.#tokens = undefined;
      await this.#fetch();
      return;
    }
    const text = status === 403 ? 'does not allow this with the token it was given' : 'refuses a token made for it';
    throw new FaultError('upstream_unauthenticated', `"${name}" ${text}. Look at its authorization server.`, {
      data: { status },
    });
  }

  #fetch(): Promise<CredentialHeaders> {
    this.#fetching ??= this.#fetchNow().finally(() => {
      this.#fetching = undefined;
    });
    return this.#fetching;
  }

  async #fetchNow(): Promise<CredentialHeaders> {
    const { target, ports } = this.#options;
    const { name: upstream, url, auth } = target;
    const fetch = createGuardedFetch(toReach(target));
    const discovered = await discover({ url, auth, challenge: this.#challenge, fetch });
    const { server, resource } = discovered;
    const now = ports.clock.now();
    const client = await findClient({ upstream, auth, server, redirectUri: '', vault: ports.vault, fetch, now });
    const scopes = uniteScopes(auth.scopes, this.#challenge.scopes) ?? discovered.scopes;
    const { readSecret } = ports;
    const request = { server, client, auth, resource, scopes, readSecret, fetch, now };
    this.#tokens = await requestTokens(request, await this.#toGrant(discovered));
    this.#headers = Object.freeze({ authorization: `Bearer ${this.#tokens.accessToken}` });
    return this.#headers;
  }

  /**
   * The subject token is made here, of what is known about the caller: the token the caller came with is meant for
   * Sallyport and stays with it (MCP, Token Passthrough).
   */
  async #toGrant({ server }: Discovered): Promise<Grant> {
    const { target, principal, ports } = this.#options;
    const { auth } = target;
    if (auth.type === 'client_credentials') return { kind: 'client_credentials' };
    const signer = readSigningKey(await ports.readSecret(auth.privateKeyRef ?? ''), auth.keyId);
    const claims = {
      iss: auth.clientId ?? '',
      sub: principal.person ?? principal.account ?? principal.id,
      aud: server.issuer,
      ...(principal.agent === undefined ? {} : { act: { sub: principal.agent } }),
      ...(principal.groups.length === 0 ? {} : { groups: [...principal.groups] }),
    };
    return {
      kind: 'token_exchange',
      subjectToken: signJwt(signer, claims, ports.clock.now()),
      audience: auth.audience,
    };
  }
}
