import { createHash, X509Certificate } from 'node:crypto';
import { Agent, request } from 'node:https';
import { beforeAll, describe, expect, test } from 'vitest';
import { atTheEnd } from './at-the-end.ts';
import { type AuthorizationServer, startAuthorizationServer } from './authorization-server.ts';
import { startHttpUpstream } from './http-upstream.ts';
import { MODERN, modernHeaders, modernParams } from './plain-client.ts';
import { type RunningGateway, startGateway } from './running-sallyport.ts';
import { type Issued, TestAuthority } from './test-authority.ts';

interface Answer {
  readonly status: number;
  readonly body: string;
}

let authority: TestAuthority;
let server: Issued;
let robot: Issued;
let upstreamUrl: string;
beforeAll(async () => {
  authority = new TestAuthority();
  server = authority.issue('sallyport', 'DNS:localhost,IP:127.0.0.1');
  robot = authority.issue('robot', 'URI:spiffe://example.org/robot,DNS:robot.example.org');
  upstreamUrl = (await startHttpUpstream()).url;
});

function start(mtls: Record<string, unknown> = {}, auth: Record<string, unknown> = {}): Promise<RunningGateway> {
  const files = { ca: authority.certFile, cert: server.certFile, key: server.keyFile };
  return startGateway({
    gateway: { auth: { ...auth, mtls: { ...files, ...mtls } } },
    mcpServers: { up: { url: upstreamUrl } },
  });
}

/** A connection of its own that shows this certificate, or none; kept over requests. */
function connect(gateway: RunningGateway, identity: Pick<Issued, 'cert' | 'key'> | undefined) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1, ca: authority.cert, ...identity });
  atTheEnd(() => agent.destroy());
  const ask = (method: string, params: Record<string, unknown>, headers: Record<string, string> = {}) =>
    new Promise<Answer>((resolve, reject) => {
      const { authorization: _, ...common } = gateway.headers as Record<string, string>;
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: modernParams(params) });
      const sent = request(
        gateway.url,
        {
          method: 'POST',
          agent,
          headers: {
            ...common,
            ...modernHeaders(method, params),
            'mcp-protocol-version': MODERN,
            'content-length': String(Buffer.byteLength(body)),
            ...headers,
          },
        },
        (response) => {
          let text = '';
          response.setEncoding('utf8').on('data', (chunk: string) => {
            text += chunk;
          });
          response.once('end', () => resolve({ status: response.statusCode ?? 0, body: text }));
        },
      );
      sent.once('error', reject);
      sent.end(body);
    });
  return {
    ask,
    call: (headers?: Record<string, string>) => ask('tools/call', { name: 'up_echo', arguments: {} }, headers),
  };
}

const record = (gateway: RunningGateway, principal: string) =>
  gateway.process.logged(new RegExp(`.*"msg":"call".*"principal":"${principal}.*`));

describe('a client certificate', () => {
  let gateway: RunningGateway;
  beforeAll(async () => {
    gateway = await start({
      identities: [{ certificate: 'URI:spiffe://example.org/robot', account: 'robot', groups: ['robots'] }],
    });
    expect(gateway.url).toMatch(/^https:/);
  });

  test('that is listed is who calls, request after request, on the fast path and on the other', async () => {
    const { call, ask } = connect(gateway, robot);
    expect((await call()).status).toBe(200);
    expect((await call()).body).toContain('"content"');
    expect(await record(gateway, `mtls:${robot.fingerprint}`)).toContain('"outcome":"ok"');
    // An Origin is for Node's own server.
    expect((await ask('tools/list', {}, { origin: 'http://localhost' })).status).toBe(200);
    const large = await ask('tools/call', { name: 'up_echo', arguments: { text: 'x'.repeat(300_000) } });
    expect(large.status).toBe(200);
  });

  test('that is not listed, or is not there, is nobody; a key does without', async () => {
    const other = authority.issue('other', 'DNS:robot.example.org.evil.test,URI:spiffe://example.org/robot2');
    for (const identity of [other, undefined]) {
      expect((await connect(gateway, identity).call()).status).toBe(401);
      expect((await connect(gateway, identity).call({ authorization: `Bearer ${gateway.key}` })).status).toBe(200);
    }
  });

  test.each([
    'URI=https://evil.test/x, URI:spiffe://example.org/robot',
    // A kind that nobody is known by.
    'otherName=1.3.6.1.4.1.311.20.2.3;UTF8:x, URI:spiffe://example.org/robot, y',
  ])('with the name of a listed one within another name is nobody: %s', async (name) => {
    // In a section of their own names may hold commas; what `issue` writes behind them is in the next one.
    const trick = authority.issue('x', `@names\n[names]\n${name}\n[rest]`);
    expect(new X509Certificate(trick.cert).subjectAltName).toContain(' URI:spiffe://example.org/robot');
    expect((await connect(gateway, trick).call()).status).toBe(401);
  });

  test('of another CA is nobody, whatever its names', async () => {
    const stranger = new TestAuthority('Test CA').issue('robot', 'URI:spiffe://example.org/robot');
    expect((await connect(gateway, stranger).call()).status).toBe(401);
  });
});

test('where certificates are required there is no connection without, and none that is unknown gets in by a key', async () => {
  const gateway = await start({ required: true, identities: [{ certificate: `sha256:${robot.fingerprint}` }] });
  await expect(connect(gateway, undefined).call()).rejects.toThrow();
  const stranger = new TestAuthority('Test CA').issue('robot', 'URI:spiffe://example.org/robot');
  await expect(connect(gateway, stranger).call()).rejects.toThrow();
  const other = connect(gateway, authority.issue('other', 'DNS:other.example'));
  expect((await other.call({ authorization: `Bearer ${gateway.key}` })).status).toBe(401);
  expect((await connect(gateway, robot).call()).status).toBe(200);
});

test('a token that is bound to a certificate works with that certificate only (RFC 8705)', async () => {
  const issuer: AuthorizationServer = await startAuthorizationServer();
  const gateway = await start({}, { keys: false, oauth: { issuers: [{ issuer: issuer.issuer }] } });
  const thumbprint = createHash('sha256').update(new X509Certificate(robot.cert).raw).digest('base64url');
  const token = await issuer.token('alice', gateway.url, { claims: { cnf: { 'x5t#S256': thumbprint } } });
  const headers = { authorization: `Bearer ${token}` };
  const other = authority.issue('other', 'DNS:other.example');
  expect((await connect(gateway, other).call(headers)).status).toBe(401);
  expect((await connect(gateway, undefined).call(headers)).status).toBe(401);
  expect((await connect(gateway, robot).call(headers)).status).toBe(200);
  expect(await record(gateway, `oauth:${issuer.issuer}#alice`)).toContain('"outcome":"ok"');
});

test('files that cannot be read end the start with their names', async () => {
  await expect(start({ ca: '/nowhere/ca.pem' })).rejects.toThrow(
    /gateway\.auth\.mtls\.ca: the file \/nowhere\/ca\.pem/,
  );
});
