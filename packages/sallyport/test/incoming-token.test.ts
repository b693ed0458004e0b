import { generateKeyPairSync } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { atTheEnd } from './at-the-end.ts';
import { EnterpriseClient } from './enterprise-client.ts';
import { startGrantServer, startIdentityProvider } from './enterprise-servers.ts';
import { startHttpUpstream } from './http-upstream.ts';
import { PlainClient } from './plain-client.ts';
import { signJwt } from './proof-check.ts';
import { newTestFolder, startGateway } from './running-sallyport.ts';

/** An upstream for whoever comes, and all that arrives there. */
async function startListening() {
  const bytes: string[] = [];
  const upstream = await startHttpUpstream({
    behave: (message, _, request) => {
      bytes.push(JSON.stringify([request.method, request.url, request.rawHeaders, message]));
      return false;
    },
  });
  return { url: upstream.url, bytes };
}

/** An authorization server that gives everybody a token, and all that arrives there. */
async function startGenerous() {
  const bytes: string[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (chunk: string) => {
      body += chunk;
    });
    request.on('end', () => {
      bytes.push(JSON.stringify([request.url, request.rawHeaders, body]));
      const isToken = request.url === '/token';
      const metadata = { issuer, token_endpoint: `${issuer}/token` };
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(
        JSON.stringify(isToken ? { access_token: 'given', token_type: 'Bearer', expires_in: 300 } : metadata),
      );
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  atTheEnd(
    () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  );
  return { issuer, bytes };
}

/** A stdio server that writes down its arguments, its environment and every line it gets. */
const RECORDER = `
import { appendFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
const [file] = process.argv.slice(2);
const note = (value) => appendFileSync(file, JSON.stringify(value) + '\\n');
note({ argv: process.argv, env: process.env });
const tools = [{ name: 'echo', inputSchema: { type: 'object' } }];
createInterface({ input: process.stdin }).on('line', (line) => {
  note({ line });
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  const result =
    method === 'initialize'
      ? { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'r', version: '1' } }
      : method === 'tools/list' ? { tools } : method === 'tools/call' ? { content: [{ type: 'text', text: 'echo done' }] } : undefined;
  const answer = result === undefined ? { error: { code: -32601, message: 'no' } } : { result };
  process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, ...answer }) + '\\n');
});
`;

/** Whatever a relay could make of a secret without meaning to hide it. */
function formsOf(secret: string): readonly string[] {
  const bytes = Buffer.from(secret);
  // Not the header of a JWT: all of one server begin alike.
  const parts = secret.split('.').slice(1);
  return [
    ...[secret, encodeURIComponent(secret), bytes.toString('hex'), bytes.toString('base64url'), ...parts],
    // Base64 of it within other text, at each of the three offsets.
    ...[0, 1, 2].map((offset) =>
      Buffer.from(' '.repeat(offset) + secret)
        .toString('base64')
        .slice(4, -4),
    ),
  ];
}

test('what a caller proves itself with is in no byte that leaves, for every credential of every upstream', async () => {
  const idp = await startIdentityProvider();
  const server = await startGrantServer(idp);
  const generous = await startGenerous();
  const folder = newTestFolder();
  const recorded = join(folder, 'recorded.jsonl');
  const recorder = join(folder, 'recorder.mjs');
  writeFileSync(recorder, RECORDER);
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const iat = Math.floor(Date.now() / 1000);
  const workload = { iss: 'https://platform.test', sub: 'w', aud: generous.issuer, iat, exp: iat + 300 };
  const client = { clientId: 'sallyport', issuer: generous.issuer };
  const own = {
    issuer: idp.issuer,
    clientId: 'sallyport-sso',
    clientSecretRef: 'env:SSO',
    assertionRef: 'env:ID_TOKEN',
  };
  const auths: Record<string, Record<string, unknown> | undefined> = {
    none: undefined,
    static: { type: 'static', secretRef: 'env:FILES' },
    machine: { type: 'client_credentials', ...client, clientSecretRef: 'env:FILES' },
    exchange: { type: 'token_exchange', ...client, privateKeyRef: 'env:KEY', audience: 'x' },
    workload: { type: 'workload_identity', ...client, assertionRef: 'env:WORKLOAD' },
    ...Object.fromEntries(
      ['never', 'always'].map((dpop) => [
        `company-${dpop}`,
        {
          ...{ type: 'enterprise', clientId: 'sallyport-files', clientSecretRef: 'env:FILES', issuer: server.issuer },
          ...{ idp: own, tokens: 'shared', dpop },
        },
      ]),
    ),
  };
  const upstreams = await Promise.all(
    Object.entries(auths).map(async ([name, auth]) => ({ name, auth, ...(await startListening()) })),
  );
  const gateway = await startGateway(
    {
      gateway: { auth: { keys: true, oauth: { issuers: [{ issuer: server.issuer }] } } },
      mcpServers: {
        ...Object.fromEntries(upstreams.map(({ name, url, auth }) => [name, { url, ...(auth ? { auth } : {}) }])),
        child: { command: process.execPath, args: [recorder, recorded], env: { OWN: 'value' } },
      },
    },
    [],
    {
      ...{ FILES: 'files-secret', SSO: 'sso-secret', ID_TOKEN: idp.idToken('bob') },
      KEY: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
      WORKLOAD: signJwt({ header: {}, claims: workload }, privateKey),
    },
  );
  const caller = new EnterpriseClient(idp, server, 'ada');
  const plain = await caller.redeem(await caller.grantFor(gateway.url));
  const bound = await caller.redeem(await caller.grantFor(gateway.url), { bound: true });
  const proofs: string[] = [];
  const shown: readonly (() => Record<string, string>)[] = [
    () => ({ authorization: `Bearer ${gateway.key}` }),
    () => ({ authorization: `Bearer ${plain}` }),
    () => {
      const proof = caller.prove(gateway.url, bound);
      proofs.push(proof);
      return { authorization: `DPoP ${bound}`, dpop: proof };
    },
  ];
  // What arrived until here was sent by this test.
  const before = server.bytes.length;
  const beforeIdp = idp.bytes.length;
  for (const headers of shown)
    for (const name of [...Object.keys(auths), 'child']) {
      const { headers: usual } = gateway;
      const asker = new PlainClient({ ...gateway, headers: { ...usual, ...headers() } });
      const answer = await asker.callModern(`${name}_echo`, {});
      expect(JSON.stringify(answer), name).toContain('echo done');
    }
  await expect.poll(() => existsSync(recorded)).toBe(true);
  const left = [
    ...upstreams.flatMap(({ bytes }) => bytes),
    ...[...generous.bytes, ...server.bytes.slice(before), ...idp.bytes.slice(beforeIdp)],
    readFileSync(recorded, 'utf8'),
  ].join('\n');
  for (const { name, bytes } of upstreams) expect(bytes.length, name).toBeGreaterThan(3);
  // Each kind was used, so that their absence elsewhere means something.
  for (const kind of ['client_credentials', 'token-exchange', 'jwt-bearer', 'DPoP ', 'files-secret', '"argv"', 'OWN'])
    expect(left).toContain(kind);
  expect(proofs).toHaveLength(Object.keys(auths).length + 1);
  for (const secret of [gateway.key ?? '', plain, bound, caller.idToken, ...proofs])
    for (const form of formsOf(secret)) expect(left.includes(form), `a form of ${secret.slice(0, 12)}…`).toBe(false);
});
