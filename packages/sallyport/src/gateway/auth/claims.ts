import type { IssuerSettings } from '../../config/auth-settings.ts';
import { isObject, type Json, type JsonObject } from '../../core/json.ts';
import type { Attributes, Principal } from '../../core/principal.ts';
import { invalidToken } from './challenge.ts';

/** Clocks differ. Seconds, either way. */
export const CLOCK_SKEW_S = 60;
/** Whoever writes more into a token means trouble. */
const MAX_LIST = 1_000;
const MAX_TEXT = 1_024;
const MAX_ACTORS = 8;
/** Identifiers become parts of keys and of log lines. */
const UNUSABLE = /[\p{Cc}\u200b-\u200f\u2028-\u202e\u2066-\u2069]/u;

/**
 * Whom a checked token speaks of. A person's token names person and client apart; a token in which the subject is the
 * client itself (client credentials, RFC 9068 section 5) is a system account's.
 * @throws FaultError `unauthenticated` for claims nobody could be known by
 */
export function toPrincipal(
  claims: JsonObject,
  settings: IssuerSettings,
  impliedScopes: Readonly<Record<string, readonly string[]>>,
): Principal {
  const agent = toName(claims['client_id'] ?? claims['azp']);
  const subject = toName(claims['sub']) ?? agent;
  if (subject === undefined) throw invalidToken('The token names no subject.');
  const isAccount = subject === agent;
  return Object.freeze({
    id: `oauth:${settings.issuer}#${subject}`,
    kind: 'oauth',
    person: isAccount ? undefined : (toName(findClaim(claims, settings.personClaim)) ?? subject),
    agent,
    account: isAccount ? subject : undefined,
    actors: toActors(claims['act']),
    groups: settings.groupsClaim === undefined ? [] : toList(findClaim(claims, settings.groupsClaim)),
    scopes: withImplied(toScopes(claims, settings.scopesClaim), impliedScopes),
    attributes: toAttributes(claims, settings.attributes),
    expiresAt: toEnd(claims['exp']),
  });
}

/** As long as it is accepted: in its last second, too. */
function toEnd(exp: Json | undefined): number {
  // JSON can say 1e400, which is a number for jose and no end at all.
  if (!Number.isFinite(exp)) throw invalidToken('The token does not say when it ends.');
  return (Number(exp) + CLOCK_SKEW_S + 1) * 1_000;
}

/** RFC 8693 section 4.1: the outermost `act` is who acts now, the ones within acted before. */
function toActors(act: Json | undefined): readonly string[] | undefined {
  if (act === undefined) return undefined;
  const actors: string[] = [];
  for (let at: Json | undefined = act; at !== undefined; at = isObject(at) ? at['act'] : undefined) {
    const name = isObject(at) ? toName(at['sub'] ?? at['client_id']) : undefined;
    // A link that cannot be read would leave somebody off the record.
    if (name === undefined || actors.length === MAX_ACTORS) throw invalidToken('The chain of actors cannot be read.');
    actors.push(name);
  }
  return actors;
}

function toName(value: Json | undefined): string | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'string' || value === '' || value.length > MAX_TEXT || UNUSABLE.test(value))
    throw invalidToken('A name in the token cannot be used: it is no text, too long, or holds control characters.');
  return value;
}

/** A claim by its own name; else dots lead into objects (`realm_access.roles`). */
export function findClaim(claims: JsonObject, name: string): Json | undefined {
  if (Object.hasOwn(claims, name)) return claims[name];
  let at: Json | undefined = claims;
  for (const step of name.split('.')) at = isObject(at) && Object.hasOwn(at, step) ? at[step] : undefined;
  return at;
}

function toList(value: Json | undefined): readonly string[] {
  if (value === undefined || value === null) return [];
  const list = typeof value === 'string' ? [value] : value;
  if (!Array.isArray(list) || list.length > MAX_LIST) throw invalidToken('A list in the token cannot be read.');
  return list.map((item) => toName(item) ?? '').filter((item) => item !== '');
}

/** Text with blanks between (RFC 8693 section 4.2) or a list, as some issuers write `scp`. */
function toScopes(claims: JsonObject, name: string): readonly string[] {
  const value = findClaim(claims, name) ?? (name === 'scope' ? claims['scp'] : undefined);
  if (typeof value !== 'string') return toList(value);
  return toList(
    value
      .slice(0, MAX_TEXT * MAX_LIST)
      .split(' ')
      .filter((scope) => scope !== ''),
  );
}

function withImplied(
  scopes: readonly string[],
  implied: Readonly<Record<string, readonly string[]>>,
): readonly string[] {
  const all = new Set(scopes);
  // A set that grows while it is walked: what is implied may imply more.
  for (const scope of all) if (Object.hasOwn(implied, scope)) for (const more of implied[scope] ?? []) all.add(more);
  return [...all];
}

/** What cannot be used binds nobody: a caller without the attribute is refused wherever it is asked for. */
function toAttributes(claims: JsonObject, mapping: Readonly<Record<string, string>>): Attributes {
  const found: [string, string | readonly string[]][] = [];
  for (const [name, claim] of Object.entries(mapping)) {
    const value = findClaim(claims, claim);
    if (!Array.isArray(value)) found.push(...toAttribute(value).map((text): [string, string] => [name, text]));
    else if (value.length <= MAX_LIST) found.push([name, value.flatMap(toAttribute)]);
  }
  return Object.fromEntries(found);
}

function toAttribute(value: Json | undefined): readonly string[] {
  if (typeof value === 'string') return value.length <= MAX_TEXT && !UNUSABLE.test(value) ? [value] : [];
  return typeof value === 'number' || typeof value === 'boolean' ? [String(value)] : [];
}
