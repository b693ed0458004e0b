import { createLocalJWKSet, type JWTVerifyGetKey } from 'jose';
import type { IssuerSettings } from '../../config/auth-settings.ts';
import type { Clock } from '../../core/clock.ts';
import { FaultError } from '../../core/errors.ts';
import { isObject, type JsonObject } from '../../core/json.ts';
import type { Log } from '../../core/log.ts';
import { isLoopbackAddress } from '../../core/public-address.ts';
import { invalidToken } from './challenge.ts';
import type { Reach } from './fetch-json.ts';

/** The public keys of one issuer. */
export interface IssuerKeys {
  /**
   * Keys that a token with this key id can be checked with.
   * @throws FaultError `unauthenticated` for a key id the issuer does not have, `overloaded` while no keys are known.
   */
  find(keyId: string | undefined): Promise<JWTVerifyGetKey>;
}

export interface IssuerKeysPorts {
  readonly fetchJson: (url: string, reach: Reach) => Promise<JsonObject>;
  readonly clock: Clock;
  readonly log: Log;
}

/** However many unknown key ids come: the issuer is asked this often at most. Milliseconds, as the others. */
const PAUSE_MS = 30_000;
/** Keys are asked for again after this long, while the old ones serve: an issuer that takes a key back is heard. */
const FRESH_MS = 600_000;
/** With the issuer out of reach for longer, nobody can tell whether its keys are still its keys. */
const STALE_MS = 86_400_000;
const MAX_KEYS = 100;

interface Known {
  readonly getKey: JWTVerifyGetKey;
  /** `undefined`: some key has no id, and each token is to be tried. */
  readonly ids: ReadonlySet<string> | undefined;
  readonly at: number;
}

/** Asks for keys when they are needed, and never more often than once in 30 seconds. */
export function createIssuerKeys(settings: IssuerSettings, { fetchJson, clock, log }: IssuerKeysPorts): IssuerKeys {
  const reach = toReach(settings);
  let known: Known | undefined;
  let askedAt = Number.NEGATIVE_INFINITY;
  let asking: Promise<void> | undefined;

  const ask = (): Promise<void> => {
    const now = clock.now();
    // A clock that was set back must not silence us.
    if (asking === undefined && (now - askedAt >= PAUSE_MS || now < askedAt)) {
      askedAt = now;
      asking = fetchKeys(settings, (url) => fetchJson(url, reach))
        .then(
          (keys) => {
            known = { ...keys, at: clock.now() };
          },
          (error: unknown) => log.warn({ issuer: settings.issuer, error }, 'the keys of an issuer could not be read'),
        )
        .finally(() => {
          asking = undefined;
        });
    }
    return asking ?? Promise.resolve();
  };
  const isUsable = (keys: Known | undefined): keys is Known => keys !== undefined && clock.now() - keys.at < STALE_MS;

  return {
    async find(keyId) {
      if (!isUsable(known)) await ask();
      else if (clock.now() - known.at >= FRESH_MS) void ask();
      if (isUsable(known) && !hasKey(known, keyId)) await ask();
      if (!isUsable(known))
        throw new FaultError(
          'overloaded',
          'The keys of the issuer cannot be read at the moment. Try again in a minute.',
        );
      if (!hasKey(known, keyId)) throw invalidToken('The token is signed with a key its issuer does not have.');
      return known.getKey;
    },
  };
}

function hasKey({ ids }: Known, keyId: string | undefined): boolean {
  return ids === undefined || keyId === undefined || ids.has(keyId);
}

/** The operator wrote the issuer down; where its metadata leads is not the operator's word any more. */
function toReach({ issuer, privateNetwork }: IssuerSettings): Reach {
  if (privateNetwork) return 'any';
  const { hostname } = new URL(issuer);
  return hostname === 'localhost' || isLoopbackAddress(hostname) ? 'loopback' : 'public';
}

async function fetchKeys(
  settings: IssuerSettings,
  fetchJson: (url: string) => Promise<JsonObject>,
): Promise<Omit<Known, 'at'>> {
  const { keys } = await fetchJson(settings.jwksUri ?? (await findJwksUri(settings.issuer, fetchJson)));
  if (!Array.isArray(keys) || keys.length > MAX_KEYS)
    throw new FaultError('unreachable', `The issuer's keys are no list of at most ${MAX_KEYS}.`);
  // What is neither signature key nor public (RFC 7518: `oct` is a shared secret) has no business in this list.
  const usable = keys.filter((key) => isObject(key) && key['kty'] !== 'oct' && !Object.hasOwn(key, 'd'));
  const ids = usable.map((key) => (isObject(key) ? key['kid'] : undefined));
  return {
    getKey: createLocalJWKSet({ keys: usable as object[] }), // jose checks each key when it is used
    ids: ids.every((id) => typeof id === 'string') ? new Set(ids) : undefined,
  };
}

/** RFC 8414 section 3.1 and OpenID Connect Discovery 1.0, in the order of the MCP specification. */
async function findJwksUri(issuer: string, fetchJson: (url: string) => Promise<JsonObject>): Promise<string> {
  const { origin, pathname } = new URL(issuer);
  const path = pathname.replace(/\/$/, '');
  const places = [
    `${origin}/.well-known/oauth-authorization-server${path}`,
    `${origin}/.well-known/openid-configuration${path}`,
    ...(path === '' ? [] : [`${origin}${path}/.well-known/openid-configuration`]),
  ];
  let last: unknown;
  for (const place of places) {
    try {
      const metadata = await fetchJson(place);
      // RFC 8414 section 3.3: metadata of somebody else is not to be used.
      if (metadata['issuer'] !== issuer)
        throw new FaultError('unreachable', 'The metadata names another issuer than the configuration.');
      const uri = metadata['jwks_uri'];
      if (typeof uri === 'string') return uri;
      throw new FaultError('unreachable', 'The metadata has no jwks_uri.');
    } catch (error) {
      last = error;
    }
  }
  throw last;
}
