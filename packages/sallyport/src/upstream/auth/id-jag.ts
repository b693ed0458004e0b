import * as oauth from 'oauth4webapi';
import { FaultError } from '../../core/errors.ts';
import { isObject, type JsonObject } from '../../core/json.ts';
import type { Discovered } from './discovery.ts';
import { findIdentityServer, readIdentity, toIdp } from './identity.ts';
import { toClientAuth } from './registration.ts';
import type { AuthPorts, AuthTarget } from './surroundings.ts';
import { TOKEN_EXCHANGE, toLibraryOptions, toTokenFault } from './token-request.ts';

export interface IdJagOptions {
  readonly target: AuthTarget;
  readonly owner: string;
  readonly ports: AuthPorts;
  readonly discovered: Discovered;
  readonly scopes: readonly string[] | undefined;
}

const ID_JAG = 'urn:ietf:params:oauth:token-type:id-jag';
const ID_TOKEN = 'urn:ietf:params:oauth:token-type:id_token';
const MAX_CHARACTERS = 16_384;
/** Clocks differ. Seconds. */
const SKEW_S = 60;

/**
 * The identity provider's word that this person may use this upstream (Identity Assertion JWT Authorization Grant;
 * MCP, Enterprise-Managed Authorization section 4).
 * @throws FaultError `upstream_unauthenticated` when the provider or its policy says no
 */
export async function fetchIdJag(options: IdJagOptions): Promise<string> {
  const { target, owner, ports, discovered, scopes } = options;
  const idp = toIdp(target);
  const subjectToken = await readIdentity(target, owner, ports);
  const { server, client, fetch } = await findIdentityServer(target);
  const parameters = new URLSearchParams({
    requested_token_type: ID_JAG,
    audience: discovered.server.issuer,
    resource: discovered.resource,
    ...(scopes === undefined ? {} : { scope: scopes.join(' ') }),
    subject_token: subjectToken,
    subject_token_type: ID_TOKEN,
  });
  const now = ports.clock.now();
  try {
    const proof = await toClientAuth(client, idp, ports.readSecret);
    const self = { client_id: client.clientId };
    const through = toLibraryOptions({ fetch, proofKey: undefined, now });
    const reply = await oauth.genericTokenEndpointRequest(server, self, proof, TOKEN_EXCHANGE, parameters, through);
    const recognizedTokenTypes = { n_a: () => {} };
    const answer = await oauth.processGenericTokenEndpointResponse(server, self, reply, { recognizedTokenTypes });
    if (answer['issued_token_type'] !== ID_JAG || (answer.token_type as string) !== 'n_a')
      throw refuse(idp.issuer, 'something else than was asked for');
    checkIdJag(answer.access_token, { issuer: idp.issuer, clientId: target.auth.clientId, discovered, now });
    return answer.access_token;
  } catch (error) {
    throw toTokenFault(idp.issuer, error);
  }
}

interface Expected {
  readonly issuer: string;
  readonly clientId: string | undefined;
  readonly discovered: Discovered;
  readonly now: number;
}

/**
 * Whoever the grant is handed to can use it: one for another server, or a token that is no grant at all, stays here.
 * Its signature is for the authorization server to judge, whose trust it is.
 */
function checkIdJag(grant: string, { issuer, clientId, discovered, now }: Expected): void {
  const [header, claims] = readJwt(grant) ?? [];
  if (header === undefined || claims === undefined) throw refuse(issuer, 'a grant that cannot be read');
  const { iss, sub, aud, exp, jti, client_id, resource } = claims;
  if (typeof header['typ'] !== 'string' || header['typ'].toLowerCase() !== 'oauth-id-jag+jwt')
    throw refuse(issuer, 'a token of another kind');
  if (iss !== issuer) throw refuse(issuer, 'a grant in the name of another issuer');
  if (!isOnly(aud, discovered.server.issuer)) throw refuse(issuer, 'a grant for another authorization server');
  if (client_id !== clientId) throw refuse(issuer, 'a grant for another client');
  if (resource !== undefined && !isOnly(resource, discovered.resource))
    throw refuse(issuer, 'a grant for another server');
  if (typeof sub !== 'string' || sub === '' || typeof jti !== 'string') throw refuse(issuer, 'a grant for nobody');
  if (typeof exp !== 'number' || exp + SKEW_S < now / 1000) throw refuse(issuer, 'a grant that has ended');
}

function isOnly(value: unknown, expected: string): boolean {
  return Array.isArray(value) ? value.length === 1 && value[0] === expected : value === expected;
}

/** Header and claims of a JWT that nobody has checked. */
export function readJwt(text: string): readonly [JsonObject, JsonObject] | undefined {
  const parts = text.split('.');
  if (parts.length !== 3 || text.length > MAX_CHARACTERS) return undefined;
  try {
    const [header, claims] = parts
      .slice(0, 2)
      .map((part): unknown => JSON.parse(Buffer.from(part, 'base64url').toString()));
    return isObject(header) && isObject(claims) ? [header, claims] : undefined;
  } catch {
    return undefined;
  }
}

function refuse(issuer: string, what: string): FaultError {
  return new FaultError('upstream_protocol', `${issuer} issued ${what}. It is not handed on.`);
}
