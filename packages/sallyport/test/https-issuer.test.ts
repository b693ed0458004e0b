import { generateKeyPairSync } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { exportJWK, SignJWT } from 'jose';
import { describe, expect, test } from 'vitest';
import { atTheEnd } from './at-the-end.ts';
import { startHttpUpstream } from './http-upstream.ts';
import { makeCertificate } from './make-certificate.ts';
import { PlainClient } from './plain-client.ts';
import { newTestFolder, startGateway } from './running-sallyport.ts';

/** Issuers in earnest speak https, with certificates of an authority that this machine was told of. */

const DAY = 86_400_000;
const keys = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });

interface IssuerOptions {
  /** What its certificate is for. */
  readonly names: readonly string[];
  /** Days from now. */
  readonly from?: number;
  readonly until?: number;
}

/** An issuer over https; `authority` is the file of who signed its certificate. */
async function startIssuer({ names, from = -1, until = 1 }: IssuerOptions) {
  const now = Date.now();
  const { cert, key } = makeCertificate({
    names,
    from: new Date(now + from * DAY),
    until: new Date(now + until * DAY),
  });
  const authority = join(newTestFolder(), 'authority.pem');
  writeFileSync(authority, cert);
  const asked: string[] = [];
  const server = createServer({ cert, key }, async (incoming, response) => {
    asked.push(incoming.url ?? '');
    const said =
      incoming.url === '/jwks'
        ? { keys: [{ ...(await exportJWK(keys.publicKey)), kid: 'k' }] }
        : { issuer, jwks_uri: `${issuer}/jwks` };
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(said));
  });
  // A handshake that the other side breaks off.
  server.on('tlsClientError', () => {});
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  atTheEnd(
    () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  );
  const issuer = `https://localhost:${(server.address() as AddressInfo).port}`;
  return { issuer, authority, asked };
}

/** What a caller with a good token of this issuer is answered, by a Sallyport that trusts this authority. */
async function answerTo(issuer: string, authority: string | undefined, signedWith = keys.privateKey) {
  const gateway = await startGateway(
    {
      gateway: { auth: { oauth: { issuers: [{ issuer }] } } },
      mcpServers: { up: { url: (await startHttpUpstream()).url } },
    },
    [],
    authority === undefined ? {} : { NODE_EXTRA_CA_CERTS: authority },
  );
  const seconds = Math.floor(Date.now() / 1_000);
  const claims = { iss: issuer, sub: 'alice', aud: gateway.url, client_id: 'claude', exp: seconds + 300 };
  const token = await new SignJWT(claims)
    .setProtectedHeader({ alg: 'ES256', kid: 'k', typ: 'at+jwt' })
    .sign(signedWith);
  const holder = { ...gateway, headers: { ...gateway.headers, authorization: `Bearer ${token}` } };
  const { status, body } = await new PlainClient(holder).askModern('tools/list');
  return { status, body, process: gateway.process };
}

test('a token of an issuer whose authority is known is good, and one signed with another key is not', async () => {
  const { issuer, authority, asked } = await startIssuer({ names: ['localhost'] });
  const good = await answerTo(issuer, authority);
  expect(good.status).toBe(200);
  expect(good.body).toContain('up_echo');
  expect(asked).toEqual(['/.well-known/oauth-authorization-server', '/jwks']);
  const other = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
  expect((await answerTo(issuer, authority, other.privateKey)).status).toBe(401);
});

describe('nobody gets in by an issuer whose certificate', () => {
  test.each<[string, IssuerOptions, boolean, RegExp]>([
    ['is of an authority nobody was told of', { names: ['localhost'] }, false, /DEPTH_ZERO_SELF_SIGNED_CERT/],
    ['is for another name', { names: ['login.example.com'] }, true, /ERR_TLS_CERT_ALTNAME_INVALID/],
    ['has expired', { names: ['localhost'], from: -2, until: -1 }, true, /CERT_HAS_EXPIRED/],
  ])('%s', async (_, options, isTrusted, why) => {
    const { issuer, authority, asked } = await startIssuer(options);
    const { status, body, process } = await answerTo(issuer, isTrusted ? authority : undefined);
    expect(status).toBe(503);
    expect(body).toContain('The keys of the issuer cannot be read at the moment.');
    await process.logged(why);
    expect(asked).toEqual([]);
  });
});
