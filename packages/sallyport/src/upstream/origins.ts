import type { ServerSettings } from '../config/settings.ts';
import { toTokenOwner } from '../config/upstream-auth.ts';
import type { Client } from '../core/client.ts';
import { FaultError } from '../core/errors.ts';
import { authorizeOrigin } from './auth/authorized-origin.ts';
import type { CreateCredential } from './auth/credentials.ts';
import { createHttpOrigin, type HttpOrigin } from './http-origin.ts';

export interface OriginsOptions {
  readonly settings: ServerSettings;
  readonly identity: { readonly name: string; readonly version: string };
  readonly createCredential?: CreateCredential | undefined;
}

/** Credentials that are kept; others are made again. */
const MAX_OWNERS = 1000;

/** The address of one HTTP upstream, with the credential of whoever calls. */
export class Origins {
  readonly #options: OriginsOptions;
  readonly #plain: HttpOrigin | undefined;
  /** By owner of the credential, the oldest first. */
  readonly #authorized = new Map<string, HttpOrigin>();

  constructor(options: OriginsOptions) {
    this.#options = options;
    const { settings, identity } = options;
    const { transport } = settings;
    // The address of a broken one may be no address.
    if (transport.type === 'stdio' || settings.fault !== undefined) return;
    this.#plain = createHttpOrigin({
      url: transport.url,
      headers: transport.headers,
      userAgent: `${identity.name}/${identity.version}`,
      connectMs: settings.startTimeoutMs,
    });
  }

  /** `undefined` for stdio. @throws FaultError `config` where no credential can be made. */
  of(client: Client): HttpOrigin | undefined {
    const { settings, createCredential } = this.#options;
    const { auth, name } = settings;
    if (this.#plain === undefined || auth === undefined) return this.#plain;
    const owner = toTokenOwner(auth, client.principal);
    const known = this.#authorized.get(owner);
    if (known !== undefined) return known;
    // Without its credential the upstream would see a stranger, or us as somebody else.
    if (createCredential === undefined)
      throw new FaultError('config', `"${name}" needs a credential, and none can be made here.`);
    const origin = authorizeOrigin(this.#plain, createCredential(settings, client.principal));
    const [oldest] = this.#authorized.keys();
    if (this.#authorized.size >= MAX_OWNERS && oldest !== undefined) this.#authorized.delete(oldest);
    this.#authorized.set(owner, origin);
    return origin;
  }

  async close(): Promise<void> {
    await this.#plain?.close();
  }
}
