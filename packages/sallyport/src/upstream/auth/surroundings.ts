import { isLoopback } from '../../config/resolve.ts';
import type { ServerSettings } from '../../config/settings.ts';
import type { UpstreamAuth } from '../../config/upstream-auth.ts';
import type { Clock } from '../../core/clock.ts';
import { FaultError } from '../../core/errors.ts';
import type { Log } from '../../core/log.ts';
import { isPrivateAddress } from '../../core/public-address.ts';
import type { TokenSlot, TokenVault } from '../../core/upstream-tokens.ts';
import { toServerUri } from './discovery.ts';
import type { Reach } from './guarded-fetch.ts';
import type { ReadSecret } from './secret-reference.ts';

/** What every credential needs from outside. */
export interface AuthPorts {
  readonly vault: TokenVault;
  readonly readSecret: ReadSecret;
  readonly clock: Clock;
  readonly log: Log;
}

/** An HTTP upstream that wants a credential. */
export interface AuthTarget {
  readonly name: string;
  readonly url: string;
  readonly auth: UpstreamAuth;
}

/** @throws FaultError `config` for a server whose `auth` cannot be used. */
export function toAuthTarget({ name, transport, auth }: ServerSettings): AuthTarget {
  if (transport.type === 'stdio' || auth === undefined)
    throw new FaultError(
      'config',
      `"${name}" has no "auth" in the configuration. For a server that people sign in to, add "auth": {"type": "oauth"}.`,
    );
  return { name, url: transport.url, auth };
}

/**
 * How far the word of an upstream reaches: to public addresses, and to the kind of network the operator has put the
 * upstream itself or the pinned issuer in.
 */
export function toReach({ url, auth }: AuthTarget): Reach {
  const hosts = [url, ...(auth.issuer === undefined ? [] : [auth.issuer])].map((each) =>
    new URL(each).hostname.replace(/^\[(.*)\]$/, '$1'),
  );
  return {
    loopback: hosts.some((host) => isLoopback(host)),
    private: auth.privateNetwork || hosts.some((host) => isPrivateAddress(host)),
  };
}

/** Bound to the address: a server whose url was edited gets no token that was meant for the old one. */
export function toTokenSlot(kind: 'tokens' | 'challenge', { name, url }: AuthTarget, owner: string): TokenSlot {
  return { kind, upstream: name, place: toServerUri(url), owner };
}

/** The one sentence that says how to sign in. */
export function toLoginHint(name: string, owner: string): string {
  const principal = owner === 'local' || owner === 'shared' ? '' : ` --principal ${JSON.stringify(owner)}`;
  return `Run "sallyport login ${name}${principal}".`;
}
