import { type AuthorizationServer, type ClientAuth, ClientSecretPost, None, PrivateKeyJwt } from 'oauth4webapi';
import type { UpstreamAuth } from '../../config/upstream-auth.ts';
import { FaultError } from '../../core/errors.ts';
import { isObject, type JsonObject, member } from '../../core/json.ts';
import type { TokenSlot, TokenVault } from '../../core/upstream-tokens.ts';
import type { GuardedFetch } from './guarded-fetch.ts';
import { readSigningKey, toCryptoKey } from './private-key.ts';
import type { ReadSecret } from './secret-reference.ts';

/** What Sallyport is to one authorization server. Secrets of the configuration are not in it: they are read at use. */
export interface ClientIdentity {
  readonly clientId: string;
  readonly source: 'configured' | 'document' | 'registered';
  /** Of a registered client. */
  readonly secret: string | undefined;
  readonly method: string;
}

export interface FindClientOptions {
  readonly upstream: string;
  readonly auth: UpstreamAuth;
  readonly server: AuthorizationServer;
  readonly redirectUri: string;
  readonly vault: TokenVault;
  readonly fetch: GuardedFetch;
  readonly now: number;
}

/**
 * In the order of MCP 2026-07-28, Client Registration: known beforehand, Client ID Metadata Document, dynamic registration.
 * What was registered is kept by issuer and never shown to another one.
 * @throws FaultError `config` when there is no way to become a client.
 */
export async function findClient(options: FindClientOptions): Promise<ClientIdentity> {
  const { auth, server } = options;
  const methods = server.token_endpoint_auth_methods_supported;
  if (auth.clientId !== undefined)
    return { clientId: auth.clientId, source: 'configured', secret: undefined, method: methodOf(auth, methods) };
  if (server.client_id_metadata_document_supported === true && auth.clientMetadataUrl !== undefined) {
    const method = auth.privateKeyRef === undefined ? 'none' : 'private_key_jwt';
    return { clientId: auth.clientMetadataUrl, source: 'document', secret: undefined, method };
  }
  const slot: TokenSlot = { kind: 'client', upstream: options.upstream, place: server.issuer, owner: '' };
  const kept = await options.vault.get(slot);
  const known = kept === undefined ? undefined : readRegistered(kept.value, options);
  if (known !== undefined) return known;
  const { registration_endpoint: endpoint } = server;
  if (endpoint === undefined || !auth.dcr)
    throw new FaultError(
      'config',
      `${server.issuer} registers no clients by itself. Register Sallyport there with the redirect URI ${options.redirectUri}, and set auth.clientId and auth.issuer of "${options.upstream}".`,
    );
  const record = await register(endpoint, options);
  await options.vault.put(slot, record, undefined);
  const made = readRegistered(record, options);
  if (made === undefined) throw new FaultError('internal', 'The registered client cannot be read.');
  return made;
}

/** Where the proofs of a configured client stand. */
export type ClientSecrets = Pick<UpstreamAuth, 'clientSecretRef' | 'privateKeyRef' | 'keyId'>;

/** How a configured client proves itself, by what it was given and what the server takes. */
export function methodOf(auth: ClientSecrets, supported: readonly string[] | undefined): string {
  if (auth.privateKeyRef !== undefined && auth.clientSecretRef === undefined) return 'private_key_jwt';
  if (auth.clientSecretRef === undefined) return 'none';
  if (supported !== undefined && !supported.includes('client_secret_basic')) {
    if (supported.includes('client_secret_post')) return 'client_secret_post';
    if (supported.includes('private_key_jwt') && auth.privateKeyRef !== undefined) return 'private_key_jwt';
  }
  return 'client_secret_basic';
}

/** RFC 7591, deprecated by MCP and still the only way into many servers. */
async function register(endpoint: string, options: FindClientOptions): Promise<JsonObject> {
  const { server, fetch, redirectUri } = options;
  const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
  const method = ['none', 'client_secret_basic', 'client_secret_post'].find((each) => methods.includes(each)) ?? 'none';
  const metadata = {
    client_name: 'Sallyport',
    redirect_uris: [redirectUri],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: method,
    // Left out it means "web", for which loopback redirects are refused.
    application_type: 'native',
  };
  const reply = await fetch(endpoint, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json' },
    body: JSON.stringify(metadata),
  });
  const text = await reply.text();
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    value = undefined;
  }
  const clientId = member(value, 'client_id');
  if ((reply.status !== 200 && reply.status !== 201) || !isObject(value) || typeof clientId !== 'string') {
    const error = member(value, 'error');
    throw new FaultError(
      'upstream_protocol',
      `${server.issuer} did not register Sallyport: HTTP ${reply.status}${typeof error === 'string' && /^\w{1,60}$/.test(error) ? ` (${error})` : ''}. Register it by hand with the redirect URI ${redirectUri}, and set auth.clientId and auth.issuer.`,
    );
  }
  const secret = member(value, 'client_secret');
  const said = member(value, 'token_endpoint_auth_method');
  const expires = member(value, 'client_secret_expires_at');
  return {
    clientId,
    ...(typeof secret === 'string' ? { secret } : {}),
    method: typeof said === 'string' ? said : method,
    redirectUri,
    ...(typeof expires === 'number' && expires > 0 ? { expiresAt: expires * 1000 } : {}),
  };
}

function readRegistered(record: JsonObject, { redirectUri, now }: FindClientOptions): ClientIdentity | undefined {
  const { clientId, secret, method, expiresAt } = record;
  if (record['redirectUri'] !== redirectUri || typeof clientId !== 'string') return undefined;
  if (typeof expiresAt === 'number' && expiresAt <= now) return undefined;
  return {
    clientId,
    source: 'registered',
    secret: typeof secret === 'string' ? secret : undefined,
    method: typeof secret === 'string' && typeof method === 'string' ? method : 'none',
  };
}

/** How a client shows at the token endpoint that it is itself. */
export async function toClientAuth(
  client: ClientIdentity,
  auth: ClientSecrets,
  readSecret: ReadSecret,
): Promise<ClientAuth> {
  if (client.method === 'none') return None();
  if (client.method === 'private_key_jwt') {
    const signer = readSigningKey(await readSecret(required(auth.privateKeyRef, 'privateKeyRef')), auth.keyId);
    const key = await toCryptoKey(signer);
    return PrivateKeyJwt(signer.keyId === undefined ? key : { key, kid: signer.keyId });
  }
  const secret = client.secret ?? (await readSecret(required(auth.clientSecretRef, 'clientSecretRef')));
  if (client.method === 'client_secret_post') return ClientSecretPost(secret);
  if (client.method === 'client_secret_basic') return toBasic(secret);
  throw new FaultError(
    'upstream_protocol',
    `The authorization server wants the client authentication ${client.method.slice(0, 60)}, which Sallyport does not know.`,
  );
}

/** RFC 6749 section 2.3.1, with the encoding of forms: the library also encodes `-` and `_`, which many servers do not decode. */
function toBasic(secret: string): ClientAuth {
  return (_server, client, _body, headers) => {
    const pair = `${toForm(client.client_id)}:${toForm(secret)}`;
    headers.set('authorization', `Basic ${Buffer.from(pair).toString('base64')}`);
  };
}

function toForm(text: string): string {
  return new URLSearchParams({ v: text }).toString().slice(2);
}

function required(reference: string | undefined, key: string): string {
  if (reference === undefined) throw new FaultError('config', `auth.${key} is missing.`);
  return reference;
}
