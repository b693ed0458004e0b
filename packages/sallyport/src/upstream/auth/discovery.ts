import type { AuthorizationServer } from 'oauth4webapi';
import type { UpstreamAuth } from '../../config/upstream-auth.ts';
import { FaultError } from '../../core/errors.ts';
import { isObject, type JsonObject, member } from '../../core/json.ts';
import type { Challenge } from './challenge.ts';
import type { GuardedFetch } from './guarded-fetch.ts';

/** Where tokens for one upstream come from. */
export interface Discovered {
  /** Its metadata; `issuer` is the one that was asked for, character for character. */
  readonly server: AuthorizationServer;
  /** The `resource` parameter of both requests (RFC 8707). */
  readonly resource: string;
  /** Of the protected resource; what to ask for when the challenge names none. */
  readonly scopes: readonly string[] | undefined;
  /** Nobody said anything about this authorization server: its endpoints are where MCP 2025-03-26 puts them. */
  readonly isAssumed: boolean;
  /** What the resource says about tokens bound to a key (RFC 9728 section 2). */
  readonly dpop: 'required' | 'taken' | undefined;
}

export interface DiscoverOptions {
  /** Of the upstream. */
  readonly url: string;
  readonly auth: UpstreamAuth;
  readonly challenge: Challenge;
  readonly fetch: GuardedFetch;
}

/**
 * From an upstream to its authorization server (MCP 2026-07-28, Authorization Server Discovery).
 * @throws FaultError `upstream_protocol`, `unreachable` or `timeout` that names the document and what is wrong with it.
 */
export async function discover(options: DiscoverOptions): Promise<Discovered> {
  const { url, auth, challenge, fetch } = options;
  const metadata = await findResourceMetadata(options);
  const named = toTexts(member(metadata, 'authorization_servers'));
  // Without metadata the server itself is its authorization server (2025-03-26).
  const issuer = auth.issuer ?? named?.[0] ?? new URL(url).origin;
  // Only where the upstream names no authorization server in any way: otherwise silence would be a way round PKCE.
  const isNamed = metadata !== undefined || challenge.resourceMetadata !== undefined || auth.issuer !== undefined;
  const mayAssume = auth.defaultEndpoints && !isNamed;
  const found = await findServer(issuer, fetch);
  if (found === undefined && !mayAssume)
    throw new FaultError('upstream_protocol', `The authorization server ${issuer.slice(0, 200)} has no metadata.`);
  const server = found ?? toAssumed(issuer);
  const resource = auth.resource ?? textMember(metadata, 'resource') ?? toServerUri(url);
  const scopes = toTexts(member(metadata, 'scopes_supported'));
  return { server, resource, scopes, isAssumed: found === undefined, dpop: toDpop(metadata) };
}

function toDpop(metadata: JsonObject | undefined): Discovered['dpop'] {
  if (member(metadata, 'dpop_bound_access_tokens_required') === true) return 'required';
  return toTexts(member(metadata, 'dpop_signing_alg_values_supported'))?.includes('ES256') === true
    ? 'taken'
    : undefined;
}

/** RFC 9728: where the challenge says, else below the path of the upstream, else at its root. */
async function findResourceMetadata({ url, auth, challenge, fetch }: DiscoverOptions): Promise<JsonObject | undefined> {
  const { origin, pathname } = new URL(url);
  const wellKnown = `${origin}/.well-known/oauth-protected-resource`;
  const places =
    challenge.resourceMetadata !== undefined
      ? [challenge.resourceMetadata]
      : pathname === '/'
        ? [wellKnown]
        : [`${wellKnown}${pathname}`, wellKnown];
  for (const place of places) {
    const found = await fetchJson(place, fetch);
    if (found === undefined) continue;
    checkResource(found, { url, place, expected: auth.resource });
    return found;
  }
  return undefined;
}

/** A document about another resource would have us fetch tokens for it, or from whoever it names (RFC 9728 section 3.3). */
function checkResource(
  metadata: JsonObject,
  { url, place, expected }: { readonly url: string; readonly place: string; readonly expected: string | undefined },
): void {
  const resource = textMember(metadata, 'resource');
  if (resource !== undefined && (resource === expected || covers(resource, url))) return;
  throw new FaultError(
    'upstream_protocol',
    `${place.slice(0, 200)} is about another resource (${(resource ?? 'none').slice(0, 200)}) than ${toServerUri(url)}. If that is right, set auth.resource.`,
  );
}

/** The same address, or one of the same origin above it. */
function covers(resource: string, url: string): boolean {
  if (!URL.canParse(resource) || resource.includes('#')) return false;
  const outer = new URL(resource);
  const inner = new URL(url);
  const path = outer.pathname.endsWith('/') ? outer.pathname : `${outer.pathname}/`;
  return outer.origin === inner.origin && outer.search === '' && `${inner.pathname}/`.startsWith(path);
}

/** MCP 2025-03-26, Fallbacks for Servers without Metadata Discovery. */
function toAssumed(issuer: string): AuthorizationServer {
  return {
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    registration_endpoint: `${issuer}/register`,
  };
}

/**
 * RFC 8414 and OpenID Connect Discovery, in the order of the specification; `undefined`: there is no such document.
 * @throws FaultError `upstream_protocol`, `unreachable` or `timeout` that names the document and what is wrong with it.
 */
export async function findServer(issuer: string, fetch: GuardedFetch): Promise<AuthorizationServer | undefined> {
  if (!URL.canParse(issuer)) throw new FaultError('upstream_protocol', `The issuer ${issuer.slice(0, 200)} is no URL.`);
  const { origin, pathname } = new URL(issuer);
  const path = pathname === '/' ? '' : pathname.replace(/\/$/, '');
  const places = [
    `${origin}/.well-known/oauth-authorization-server${path}`,
    `${origin}/.well-known/openid-configuration${path}`,
    ...(path === '' ? [] : [`${origin}${path}/.well-known/openid-configuration`]),
  ];
  for (const place of places) {
    const found = await fetchJson(place, fetch);
    if (found === undefined) continue;
    const said = textMember(found, 'issuer');
    // Simple string comparison: who may speak for an issuer is decided here (mix-up, RFC 8414 section 3.3).
    if (said !== issuer)
      throw new FaultError(
        'upstream_protocol',
        `${place} says it is ${(said ?? 'nobody').slice(0, 200)}, not ${issuer.slice(0, 200)}. Its metadata is not used. If that issuer is right, set auth.issuer to it.`,
      );
    return readServer(found, issuer);
  }
  return undefined;
}

function readServer(found: JsonObject, issuer: string): AuthorizationServer {
  const text = (key: string) => {
    const value = textMember(found, key);
    return value === undefined ? {} : { [key]: value };
  };
  const texts = (key: string) => {
    const value = toTexts(member(found, key));
    return value === undefined ? {} : { [key]: [...value] };
  };
  return {
    issuer,
    ...text('authorization_endpoint'),
    ...text('token_endpoint'),
    ...text('registration_endpoint'),
    ...texts('scopes_supported'),
    ...texts('grant_types_supported'),
    ...texts('code_challenge_methods_supported'),
    ...texts('token_endpoint_auth_methods_supported'),
    ...texts('dpop_signing_alg_values_supported'),
    ...texts('id_token_signing_alg_values_supported'),
    authorization_response_iss_parameter_supported:
      member(found, 'authorization_response_iss_parameter_supported') === true,
    client_id_metadata_document_supported: member(found, 'client_id_metadata_document_supported') === true,
  };
}

/** `undefined`: there is no such document. A refused redirect or address is an error: the next place is no way round it. */
async function fetchJson(place: string, fetch: GuardedFetch): Promise<JsonObject | undefined> {
  const reply = await fetch(place, { headers: { accept: 'application/json' } });
  if (reply.status >= 500) throw new FaultError('unreachable', `${place.slice(0, 200)} answered HTTP ${reply.status}.`);
  if (reply.status !== 200) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(await reply.text());
  } catch {
    // A page for people where the document would be: some servers answer every path so.
    return undefined;
  }
  return isObject(value) ? value : undefined;
}

function textMember(value: unknown, key: string): string | undefined {
  const found = member(value, key);
  return typeof found === 'string' && found !== '' ? found : undefined;
}

function toTexts(value: unknown): readonly string[] | undefined {
  if (!Array.isArray(value)) return undefined;
  const texts = value.filter((item): item is string => typeof item === 'string');
  return texts.length === 0 ? undefined : texts;
}

/** The address that stands for the whole server ("canonical URI" of the MCP authorization specification): without query, fragment, and a slash that stands for nothing. */
export function toServerUri(url: string): string {
  const { origin, pathname } = new URL(url);
  return pathname === '/' ? origin : `${origin}${pathname}`;
}
