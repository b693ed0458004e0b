import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { atTheEnd } from './at-the-end.ts';

export interface SignInServer {
  readonly issuer: string;
  /** Paths asked for, and the bodies of POSTs. */
  readonly heard: { readonly path: string; readonly body: string }[];
  /** Access tokens that are good at `resource`. */
  accepts(header: string | undefined, resource: string): boolean;
  /** Lifetime of the next access tokens. Seconds. */
  lifetime: number;
}

interface Provider {
  callback(): (request: IncomingMessage, response: ServerResponse) => void;
  interactionDetails(request: IncomingMessage, response: ServerResponse): Promise<Interaction>;
  interactionFinished(
    request: IncomingMessage,
    response: ServerResponse,
    result: Record<string, unknown>,
    options: { readonly mergeWithLastSubmission: boolean },
  ): Promise<void>;
  Grant: new (of: { readonly accountId: string; readonly clientId: string }) => Grant;
}
interface Grant {
  addOIDCScope(scope: string): void;
  addResourceScope(resource: string, scope: string): void;
  save(): Promise<string>;
}
interface Interaction {
  readonly prompt: { readonly name: string };
  readonly params: { readonly client_id: string; readonly scope?: string; readonly resource?: string };
  readonly session?: { readonly accountId: string };
}

/**
 * A real authorization server (oidc-provider) at which a person signs in and consents by being sent there. It binds tokens
 * to keys, with `nonces` only where a proof has its newest nonce.
 */
export async function startSignInServer({ nonces = false } = {}): Promise<SignInServer> {
  const { default: Made } = (await import('oidc-provider')) as unknown as {
    default: new (issuer: string, configuration: unknown) => Provider;
  };
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const heard: { path: string; body: string }[] = [];
  const state = { lifetime: 300 };
  const resourceServer = (resource: string) => ({
    scope: 'files:read files:write',
    audience: resource,
    accessTokenTTL: state.lifetime,
    accessTokenFormat: 'jwt',
    jwt: { sign: { alg: 'RS256' } },
  });
  const provider = new Made(issuer, {
    jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), use: 'sig', alg: 'RS256', kid: 'test' }] },
    scopes: ['files:read', 'files:write', 'offline_access'],
    pkce: { required: () => true },
    rotateRefreshToken: true,
    issueRefreshToken: async () => true,
    cookies: { keys: ['test'] },
    interactions: { url: () => '/interaction' },
    features: {
      devInteractions: { enabled: false },
      registration: { enabled: true },
      dPoP: { enabled: true, ...(nonces ? { nonceSecret: randomBytes(32), requireNonce: () => true } : {}) },
      resourceIndicators: {
        enabled: true,
        getResourceServerInfo: (_: unknown, resource: string) => resourceServer(resource),
        useGrantedResource: () => true,
      },
    },
  });
  const answer = provider.callback();
  const interact = async (request: IncomingMessage, response: ServerResponse) => {
    const { prompt, params, session } = await provider.interactionDetails(request, response);
    const result =
      prompt.name === 'login'
        ? { login: { accountId: 'ada' } }
        : { consent: { grantId: await consent(provider, params, session?.accountId ?? 'ada') } };
    await provider.interactionFinished(request, response, result, { mergeWithLastSubmission: true });
  };
  server.on('request', (request, response) => {
    const entry = { path: request.url ?? '', body: '' };
    heard.push(entry);
    if (request.url?.startsWith('/interaction') === true) {
      void interact(request, response);
      return;
    }
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      entry.body = Buffer.concat(chunks).toString('utf8');
      const isJson = request.headers['content-type']?.startsWith('application/json') === true;
      // Read here, so that it can be looked at; the provider takes what was read.
      if (entry.body !== '')
        Object.assign(request, {
          body: isJson ? JSON.parse(entry.body) : Object.fromEntries(new URLSearchParams(entry.body)),
        });
      answer(request, response);
    });
  });
  atTheEnd(
    () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  );
  return {
    issuer,
    heard,
    get lifetime() {
      return state.lifetime;
    },
    set lifetime(seconds) {
      state.lifetime = seconds;
    },
    accepts(header, resource) {
      const [, payload] = /^Bearer [\w-]+\.([\w-]+)\.[\w-]+$/.exec(header ?? '') ?? [];
      if (payload === undefined) return false;
      const { iss, aud, exp } = JSON.parse(Buffer.from(payload, 'base64url').toString()) as Record<string, unknown>;
      return iss === issuer && aud === resource && Number(exp) * 1000 > Date.now();
    },
  };
}

async function consent(provider: Provider, params: Interaction['params'], accountId: string): Promise<string> {
  const grant = new provider.Grant({ accountId, clientId: params.client_id });
  grant.addOIDCScope(params.scope ?? '');
  if (params.resource !== undefined) grant.addResourceScope(params.resource, params.scope ?? '');
  return grant.save();
}

/** A browser: follows redirects with cookies until it is back at the program that sent it. */
export async function browse(start: URL): Promise<URL> {
  const cookies = new Map<string, string>();
  let url = start;
  for (let hop = 0; hop < 12; hop++) {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const reply = await fetch(url, { redirect: 'manual', headers: cookie === '' ? {} : { cookie } });
    for (const line of reply.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      cookies.set(name, value);
    }
    const location = reply.headers.get('location');
    if (location === null) return url;
    url = new URL(location, url);
  }
  throw new Error('the browser was sent round in a circle');
}
