import { generateKeyPairSync } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { atTheEnd } from './at-the-end.ts';

export interface AuthorizationServer {
  readonly issuer: string;
  /** Requests for its keys so far. */
  readonly keyRequests: () => number;
  /** A token of a person, made by the server as after a login. */
  token(person: string, resource: string, options?: TokenOptions): Promise<string>;
  /** A token of a program for itself, over the wire. */
  clientToken(resource: string, scope?: string): Promise<string>;
  /** It stops answering. */
  stop(): Promise<void>;
}

export interface TokenOptions {
  readonly scope?: string;
  /** Seconds. */
  readonly lifetime?: number;
  readonly claims?: Record<string, unknown>;
}

const SECRET = 'secret-of-the-robot';

/** A real authorization server (oidc-provider) on loopback: JWT access tokens for whatever resource is asked for. */
export async function startAuthorizationServer(): Promise<AuthorizationServer> {
  const { default: Provider } = (await import('oidc-provider')) as unknown as { default: ProviderClass };
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  let claims: Record<string, unknown> = {};
  const resourceServer = (resource: string, lifetime = 300) => ({
    scope: 'mcp:use files:read',
    audience: resource,
    accessTokenTTL: lifetime,
    accessTokenFormat: 'jwt',
    jwt: { sign: { alg: 'RS256' } },
  });
  const provider = new Provider(issuer, {
    jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), use: 'sig', alg: 'RS256', kid: 'test' }] },
    clients: [
      {
        client_id: 'robot',
        client_secret: SECRET,
        grant_types: ['client_credentials'],
        redirect_uris: [],
        response_types: [],
      },
    ],
    scopes: ['mcp:use', 'files:read'],
    extraTokenClaims: () => claims,
    features: {
      clientCredentials: { enabled: true },
      devInteractions: { enabled: false },
      resourceIndicators: {
        enabled: true,
        getResourceServerInfo: (_: unknown, resource: string) => resourceServer(resource),
      },
    },
  });
  let keyRequests = 0;
  const answer = provider.callback();
  server.on('request', (request, response) => {
    if (request.url === '/jwks') keyRequests++;
    answer(request, response);
  });
  let stopped: Promise<void> | undefined;
  const stop = () => {
    stopped ??= close(server);
    return stopped;
  };
  atTheEnd(stop);
  return {
    issuer,
    keyRequests: () => keyRequests,
    stop,
    async token(person, resource, { scope = 'mcp:use', lifetime = 300, claims: extra = {} } = {}) {
      claims = extra;
      const client = await provider.Client.find('robot');
      const token = new provider.AccessToken({ accountId: person, client, scope, expiresIn: lifetime });
      token.resourceServer = new provider.ResourceServer(resource, resourceServer(resource, lifetime));
      return token.save();
    },
    async clientToken(resource, scope = 'mcp:use') {
      claims = {};
      const response = await fetch(`${issuer}/token`, {
        method: 'POST',
        headers: { authorization: `Basic ${Buffer.from(`robot:${SECRET}`).toString('base64')}` },
        body: new URLSearchParams({ grant_type: 'client_credentials', resource, scope }),
      });
      const { access_token: token } = (await response.json()) as { access_token?: string };
      if (token === undefined) throw new Error(`no token: ${response.status}`);
      return token;
    },
  };
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

/** The part of oidc-provider that is used; the package has no types. */
type ProviderClass = new (
  issuer: string,
  configuration: Record<string, unknown>,
) => {
  callback(): (request: unknown, response: unknown) => void;
  readonly Client: { find(id: string): Promise<unknown> };
  readonly AccessToken: new (facts: Record<string, unknown>) => { resourceServer: unknown; save(): Promise<string> };
  readonly ResourceServer: new (resource: string, facts: Record<string, unknown>) => unknown;
};
