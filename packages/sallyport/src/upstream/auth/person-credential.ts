import { FaultError, toFault } from '../../core/errors.ts';
import type { JsonObject } from '../../core/json.ts';
import { type Challenge, toChallengeRecord, uniteScopes } from './challenge.ts';
import type { Credential, CredentialHeaders, CredentialRequest, Refusal } from './credential.ts';
import { createGuardedFetch, fetchUntil } from './guarded-fetch.ts';
import { NOTHING_PRESENTED, type Presented, present, toAuthorization } from './presented.ts';
import { renewOnce } from './renew-once.ts';
import { type AuthPorts, type AuthTarget, toLoginHint, toReach, toTokenSlot } from './surroundings.ts';
import { isEnded, requestTokens } from './token-request.ts';
import { fromTokensRecord, type Tokens, toTokensRecord } from './tokens.ts';

export interface PersonCredentialOptions {
  readonly target: AuthTarget;
  readonly owner: string;
  readonly ports: AuthPorts;
}

/** Renewed this long before the end, so that a request under way does not outlive its token. */
const MARGIN_MS = 30_000;
/** Who signed out elsewhere is out after this long, as rotated secrets are in. */
const KEPT_MS = 60_000;

/** Tokens a person signed in for with `sallyport login`: kept in the vault, renewed once for all who wait. */
export class PersonCredential implements Credential {
  readonly #options: PersonCredentialOptions;
  #presented = NOTHING_PRESENTED;
  #until = 0;
  #loading: Promise<Presented> | undefined;
  #renewing: Promise<Presented> | undefined;

  constructor(options: PersonCredentialOptions) {
    this.#options = options;
  }

  headers(request: CredentialRequest): CredentialHeaders | Promise<CredentialHeaders> {
    const { clock } = this.#options.ports;
    const { tokens } = this.#presented;
    const isKnown = tokens !== undefined && clock.now() < this.#until;
    if (isKnown && this.#isFresh(tokens)) return this.#presented.headers(request, clock.now());
    // Nothing known, or not lately: another process may have signed in or out since.
    const better = isKnown ? this.#renew(tokens) : this.#load();
    return better.then((presented) => presented.headers(request, clock.now()));
  }

  noteNonce(url: string, nonce: string): void {
    this.#presented.noteNonce(url, nonce);
  }

  async refused({ status, challenge, used, attempt }: Refusal): Promise<void> {
    const kept = await this.#read();
    const sent = used['authorization'];
    // Renewed or signed in meanwhile, by this process or another one.
    if (attempt < 2 && kept !== undefined && toAuthorization(kept) !== sent) {
      this.#adopt(kept);
      return;
    }
    if (status === 401 && attempt === 0 && kept?.refreshToken !== undefined) {
      await this.#renew(kept);
      return;
    }
    this.#adopt(undefined);
    await this.#noteChallenge(status, challenge, kept);
    throw this.#toLoginFault(status, challenge, kept);
  }

  #isFresh({ expiresAt }: Tokens): boolean {
    return expiresAt === undefined || expiresAt - MARGIN_MS > this.#options.ports.clock.now();
  }

  #load(): Promise<Presented> {
    this.#loading ??= this.#loadNow().finally(() => {
      this.#loading = undefined;
    });
    return this.#loading;
  }

  async #loadNow(): Promise<Presented> {
    const kept = await this.#read();
    if (kept === undefined) return this.#adopt(undefined);
    return this.#isFresh(kept) ? this.#adopt(kept) : this.#renew(kept);
  }

  async #read(): Promise<Tokens | undefined> {
    const { ports } = this.#options;
    const kept = await ports.vault.get(this.#slot);
    return kept === undefined ? undefined : this.#fromRecord(kept.value);
  }

  /**
   * A sign-in at another authorization server than the one the configuration names now, or as another client, is none: a
   * renewal would show the client's secret of the one to the other.
   */
  #fromRecord(record: JsonObject): Tokens | undefined {
    const { issuer, clientId } = this.#options.target.auth;
    const tokens = fromTokensRecord(record);
    if (tokens === undefined || (issuer !== undefined && issuer !== tokens.issuer)) return undefined;
    const isOtherClient =
      clientId === undefined ? tokens.client.source === 'configured' : clientId !== tokens.client.clientId;
    return isOtherClient ? undefined : tokens;
  }

  get #slot() {
    return toTokenSlot('tokens', this.#options.target, this.#options.owner);
  }

  #adopt(tokens: Tokens | undefined): Presented {
    this.#presented = present(tokens, this.#presented);
    this.#until = this.#options.ports.clock.now() + KEPT_MS;
    return this.#presented;
  }

  /** One renewal for all who wait: a rotated refresh token that is used twice ends the whole sign-in (OAuth 2.1 section 4.3.1). */
  #renew(old: Tokens): Promise<Presented> {
    this.#renewing ??= this.#renewNow(old).finally(() => {
      this.#renewing = undefined;
    });
    return this.#renewing;
  }

  async #renewNow(old: Tokens): Promise<Presented> {
    const { target, ports } = this.#options;
    const { vault, clock } = ports;
    const gone = () => {
      this.#adopt(undefined);
      return this.#toLoginFault(401, undefined, undefined);
    };
    const renewed = await renewOnce<Tokens>({
      vault,
      slot: this.#slot,
      clock,
      name: target.name,
      read: (record) => this.#fromRecord(record),
      isRenewed: ({ accessToken }) => accessToken !== old.accessToken,
      gone,
      canRenew: ({ refreshToken }) => refreshToken !== undefined,
      renew: (tokens, version, signal) => this.#exchange(tokens, version, signal),
    });
    return this.#adopt(renewed);
  }

  async #exchange(tokens: Tokens, version: number, signal: AbortSignal): Promise<Tokens | undefined> {
    const { target, ports } = this.#options;
    const { vault, readSecret, clock } = ports;
    const { issuer, tokenEndpoint, client, resource, scopes, proofKey, refreshToken = '' } = tokens;
    try {
      const fresh = await requestTokens(
        {
          server: { issuer, token_endpoint: tokenEndpoint },
          client,
          auth: target.auth,
          resource,
          scopes,
          readSecret,
          fetch: fetchUntil(signal, createGuardedFetch(toReach(target))),
          now: clock.now(),
          proofKey,
        },
        { kind: 'refresh', refreshToken },
      );
      // On disk before it is used: the old refresh token is worth nothing any more.
      return (await vault.put(this.#slot, toTokensRecord(fresh), version)) ? fresh : undefined;
    } catch (error) {
      const fault = toFault(error);
      // Whatever else is wrong, a client's secret for instance, may be right tomorrow; the refresh token is still good.
      if (!isEnded(fault)) {
        await vault.release(this.#slot, version);
        throw fault;
      }
      ports.log.warn({ upstream: target.name, reason: fault.message }, 'a sign-in has ended');
      await vault.remove(this.#slot);
      this.#adopt(undefined);
      throw this.#toLoginFault(401, undefined, tokens);
    }
  }

  /** What `sallyport login` has to ask for. */
  async #noteChallenge(status: 401 | 403, challenge: Challenge, kept: Tokens | undefined): Promise<void> {
    const { target, owner, ports } = this.#options;
    const scopes = status === 403 ? uniteScopes(kept?.scopes, challenge.scopes) : challenge.scopes;
    const slot = toTokenSlot('challenge', target, owner);
    await ports.vault.put(slot, toChallengeRecord({ ...challenge, scopes }), undefined);
  }

  #toLoginFault(status: 401 | 403, challenge: Challenge | undefined, kept: Tokens | undefined): FaultError {
    const { target, owner } = this.#options;
    const remedy = toLoginHint(target.name, owner);
    const data = { status, login: target.name };
    const wanted = challenge?.scopes?.join(' ') ?? '';
    if (status === 403) {
      // Signing in again for what was granted already would go round in a circle.
      const has = challenge?.scopes?.every((scope) => kept?.scopes?.includes(scope)) === true;
      const text = has
        ? `"${target.name}" refuses this although the sign-in has the scopes it wants (${wanted}). Ask its owner for the right.`
        : `"${target.name}" wants more scopes for this (${wanted}), so a person has to sign in again.`;
      const scoped = { ...data, scope: wanted };
      return new FaultError('upstream_unauthenticated', text, { data: scoped, ...(has ? {} : { remedy }) });
    }
    const cause =
      kept === undefined ? 'wants a person to sign in' : 'has ended the sign-in, so a person has to sign in again';
    return new FaultError('upstream_unauthenticated', `"${target.name}" ${cause}.`, { data, remedy });
  }
}
