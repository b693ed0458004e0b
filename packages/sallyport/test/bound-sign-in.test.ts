import { expect, test } from 'vitest';
import { openCredentials } from '../src/call/open-credentials.ts';
import { loadSnapshot } from '../src/config/load-snapshot.ts';
import { systemClock } from '../src/core/clock.ts';
import { silentLog } from '../src/core/log.ts';
import { KEY_HOLDER } from '../src/core/principal.ts';
import { login } from '../src/upstream/auth/login.ts';
import { toAuthTarget, toTokenSlot } from '../src/upstream/auth/surroundings.ts';
import { atTheEnd } from './at-the-end.ts';
import { startHttpUpstream } from './http-upstream.ts';
import { ProofChecker, readJwt } from './proof-check.ts';
import { newTestFolder } from './running-sallyport.ts';
import { browse, startSignInServer } from './sign-in-server.ts';

test.each([
  ['without nonces', false],
  ['with nonces', true],
])('a real authorization server binds a sign-in to a key, %s, and renews it over a restart', async (_, nonces) => {
  const server = await startSignInServer({ nonces });
  const upstream = await startHttpUpstream({
    behave: (_message, response) => {
      response.writeHead(401, { 'www-authenticate': 'DPoP algs="ES256"' }).end();
      return true;
    },
  });
  const auth = { type: 'oauth', redirectPort: 0, issuer: server.issuer, scopes: ['files:read', 'offline_access'] };
  const text = JSON.stringify({ mcpServers: { files: { url: upstream.url, auth } } });
  const stateDir = newTestFolder();
  const settings = loadSnapshot({ file: undefined, text, env: {}, stateDir, version: 1 }).servers.get('files');
  if (settings === undefined) throw new Error('no settings');
  const open = () => {
    const opened = openCredentials({
      ...{ stateDir, keyRef: () => undefined, env: {} },
      ...{ clock: systemClock, log: silentLog },
    });
    atTheEnd(() => opened.close());
    return opened;
  };
  const { ports } = open();
  const show = async (url: URL) => {
    await browse(url);
  };
  // Shorter than the margin: whoever reads the tokens renews them.
  server.lifetime = 20;
  const signal = AbortSignal.timeout(30_000);
  const tokens = await login({ target: toAuthTarget(settings), owner: 'local', ports, show, signal });
  expect(tokens.refreshToken).toBeDefined();
  const proofs = new ProofChecker();
  const request = { method: 'POST', url: upstream.url };
  const shown = async () => {
    const { authorization = '', dpop } = await open().create(settings, KEY_HOLDER).headers(request);
    const [scheme, token = ''] = authorization.split(' ');
    expect(scheme).toBe('DPoP');
    const jkt = proofs.check(dpop, { ...request, token });
    expect(readJwt(token).claims).toMatchObject({ cnf: { jkt }, aud: upstream.url, iss: server.issuer });
    return { token, jkt };
  };
  server.lifetime = 300;
  const renewed = await shown();
  expect(server.heard.filter(({ body }) => body.includes('grant_type=refresh_token')).length).toBeGreaterThan(0);
  // The key is the one of the sign-in, and the next process has both again.
  const kept = await ports.vault.get(toTokenSlot('tokens', toAuthTarget(settings), 'local'));
  expect(kept?.value).toMatchObject({ accessToken: renewed.token, proofKey: { kty: 'EC' } });
  expect(await shown()).toEqual(renewed);
});
