import type { Clock } from '../../core/clock.ts';
import { FaultError } from '../../core/errors.ts';
import type { Credential, CredentialHeaders, Refusal } from './credential.ts';
import type { ReadSecret } from './secret-reference.ts';
import type { AuthTarget } from './surroundings.ts';

export interface StaticCredentialOptions {
  readonly target: AuthTarget;
  readonly readSecret: ReadSecret;
  readonly clock: Clock;
}

/** A rotated secret is in use after this long; a refusal reads it again at once. A file per call would cost more than the call. */
const KEPT_MS = 60_000;

/** A secret in a header, read where it stands. */
export class StaticCredential implements Credential {
  readonly #options: StaticCredentialOptions;
  #headers: CredentialHeaders | undefined;
  #until = 0;
  #reading: Promise<CredentialHeaders> | undefined;

  constructor(options: StaticCredentialOptions) {
    this.#options = options;
  }

  headers(): CredentialHeaders | Promise<CredentialHeaders> {
    if (this.#headers !== undefined && this.#options.clock.now() < this.#until) return this.#headers;
    this.#reading ??= this.#read().finally(() => {
      this.#reading = undefined;
    });
    return this.#reading;
  }

  async refused({ status, used, attempt }: Refusal): Promise<void> {
    const { target } = this.#options;
    const { header, secretRef } = target.auth;
    if (status === 401 && attempt === 0) {
      this.#until = 0;
      const fresh = await this.headers();
      if (fresh[header] !== used[header]) return;
    }
    throw new FaultError(
      'upstream_unauthenticated',
      `"${target.name}" does not accept the secret in ${header} (HTTP ${status}). Correct what ${toKind(secretRef)} holds.`,
      { data: { status } },
    );
  }

  async #read(): Promise<CredentialHeaders> {
    const { target, readSecret, clock } = this.#options;
    const { header, scheme, secretRef = '' } = target.auth;
    const secret = await readSecret(secretRef);
    if (!/^[\t\x20-\x7e\x80-\xff]+$/.test(secret))
      throw new FaultError('config', `The secret of "${target.name}" holds a character that a header cannot carry.`);
    this.#headers = Object.freeze({ [header]: scheme === undefined ? secret : `${scheme} ${secret}` });
    this.#until = clock.now() + KEPT_MS;
    return this.#headers;
  }
}

function toKind(reference = ''): string {
  return reference.startsWith('command:') ? 'its command' : reference.slice(0, 200);
}
