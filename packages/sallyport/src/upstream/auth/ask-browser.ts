import {
  AuthorizationResponseError,
  type AuthorizationServer,
  calculatePKCECodeChallenge,
  generateRandomCodeVerifier,
  generateRandomState,
  validateAuthResponse,
} from 'oauth4webapi';
import { FaultError } from '../../core/errors.ts';
import { openRedirectListener } from './redirect-listener.ts';
import type { ClientIdentity } from './registration.ts';

/** Where a person is asked. */
export interface Desk {
  /** Of the listener on loopback. */
  readonly port: number;
  /** Shows the address to the person. It is http(s), and it is the whole of it. */
  readonly show: (url: URL) => void | Promise<void>;
  readonly signal: AbortSignal;
}

/** What a code is exchanged with. */
export interface CodeGrant {
  /** Checked by the library: `state`, `iss`, then errors. */
  readonly answer: URLSearchParams;
  readonly redirectUri: string;
  readonly verifier: string;
}

/** One authorization request. */
export interface Asking<T> {
  readonly server: AuthorizationServer;
  readonly client: ClientIdentity;
  /** Beside those of code, PKCE and state. */
  readonly parameters: Readonly<Record<string, string>>;
  readonly take: (grant: CodeGrant) => Promise<T>;
}

/**
 * Sends a person to an authorization endpoint and takes the answer on loopback (RFC 8252).
 * @throws FaultError that names the step; on a mix-up nothing of the answer is shown
 */
export async function askPerson<T>(
  { port, show, signal }: Desk,
  prepare: (redirectUri: string) => Asking<T> | Promise<Asking<T>>,
): Promise<T> {
  const listener = await openRedirectListener(port);
  try {
    const { redirectUri } = listener;
    const { server, client, parameters, take } = await prepare(redirectUri);
    const verifier = generateRandomCodeVerifier();
    const state = generateRandomState();
    const url = new URL(server.authorization_endpoint ?? '');
    const all = {
      response_type: 'code',
      client_id: client.clientId,
      redirect_uri: redirectUri,
      code_challenge: await calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      state,
      ...parameters,
      // OpenID Connect Core section 11: without it the server must ignore offline_access.
      ...(parameters['scope']?.split(' ').includes('offline_access') === true ? { prompt: 'consent' } : {}),
    };
    for (const [name, value] of Object.entries(all)) url.searchParams.set(name, value);
    const waiting = listener.wait(state, signal);
    waiting.catch(() => {});
    await show(url);
    const answer = validate({ server, client, answer: await waiting, state });
    return await take({ answer, redirectUri, verifier });
  } finally {
    await listener.close();
  }
}

interface Answered extends Pick<Asking<unknown>, 'server' | 'client'> {
  readonly answer: URLSearchParams;
  readonly state: string;
}

/** `iss` (RFC 9207) against the issuer recorded before the redirect, then `state`, then errors. */
function validate({ server, client, answer, state }: Answered): URLSearchParams {
  try {
    // The library takes an empty one for none.
    if (answer.getAll('iss').some((iss) => iss !== server.issuer)) throw new Error('another issuer');
    return validateAuthResponse(server, { client_id: client.clientId }, answer, state);
  } catch (error) {
    if (error instanceof AuthorizationResponseError && /^[\x21-\x7e]{1,60}$/.test(error.error))
      throw new FaultError('upstream_unauthenticated', `${server.issuer} refused the sign-in: ${error.error}.`);
    throw new FaultError(
      'upstream_protocol',
      `The answer to the sign-in does not come from ${server.issuer}. It is not used; somebody may have tried to mix up two servers.`,
      { cause: error },
    );
  }
}
