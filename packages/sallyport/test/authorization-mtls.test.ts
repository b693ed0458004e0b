import { copyFileSync, renameSync, writeFileSync } from 'node:fs';
import { Agent, request } from 'node:https';
import { type AddressInfo, connect as connectTcp, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { beforeAll, describe, expect, test } from 'vitest';
import { atTheEnd } from './at-the-end.ts';
import { startHttpUpstream } from './http-upstream.ts';
import { MODERN, modernHeaders, modernParams } from './plain-client.ts';
import { type Certificate, RevokingAuthority } from './revoking-authority.ts';
import { newTestFolder, type RunningGateway, startGateway } from './running-sallyport.ts';
import { waitFor } from './wait-for.ts';

const NAMES = 'URI:spiffe://example.org/robot';
const HOUR = 3_600_000;

let authority: RevokingAuthority;
let robot: Certificate;
let upstreamUrl: string;
beforeAll(async () => {
  authority = new RevokingAuthority();
  robot = authority.issue('robot', { names: NAMES, usage: 'clientAuth' });
  upstreamUrl = (await startHttpUpstream()).url;
});

/** A gateway with files of its own, which a test may exchange. */
async function start(mtls: Record<string, unknown> = {}, list?: string) {
  const folder = newTestFolder();
  const server = authority.issue('sallyport', { names: 'DNS:localhost,IP:127.0.0.1', usage: 'serverAuth' });
  const files = { ca: join(folder, 'ca.pem'), cert: join(folder, 'cert.pem'), key: join(folder, 'key.pem') };
  const crl = join(folder, 'crl.pem');
  copyFileSync(authority.certFile, files.ca);
  copyFileSync(server.certFile, files.cert);
  copyFileSync(server.keyFile, files.key);
  if (list !== undefined) writeFileSync(crl, list);
  const identities = [{ certificate: NAMES, account: 'robot' }];
  const settings = { ...files, ...(list === undefined ? {} : { crl }), identities, ...mtls };
  const gateway = await startGateway({
    gateway: { auth: { mtls: settings } },
    mcpServers: { up: { url: upstreamUrl } },
  });
  return { gateway, files: { ...files, crl } };
}

type Shown = Pick<Certificate, 'cert' | 'key'> | undefined;

/** One connection kept over requests, with the certificate it shows. */
function connect(gateway: RunningGateway, shown: Shown, ca = authority.cert) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1, ca, maxCachedSessions: 0, ...shown });
  atTheEnd(() => agent.destroy());
  return () => send(gateway, agent);
}

function send(gateway: RunningGateway, agent: Agent): Promise<number> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: modernParams() });
  const { authorization: _, ...common } = gateway.headers as Record<string, string>;
  const headers = { ...common, ...modernHeaders('tools/list'), 'mcp-protocol-version': MODERN };
  return new Promise((resolve, reject) => {
    const sent = request(gateway.url, { method: 'POST', agent, headers }, (response) => {
      response.resume().once('end', () => resolve(response.statusCode ?? 0));
    });
    sent.once('error', reject);
    sent.end(body);
  });
}

/** The usual way to exchange a file that others read. */
function replace(path: string, text: string): void {
  writeFileSync(`${path}.new`, text);
  renameSync(`${path}.new`, path);
}

const used = (gateway: RunningGateway, file: string) =>
  gateway.process.logged(new RegExp(`"files":\\[[^\\]]*"${file}".*certificate files have changed`));

describe.each([
  ['where a key will do, too', false],
  ['where certificates are required', true],
])('%s', (_, required) => {
  let gateway: RunningGateway;
  beforeAll(async () => {
    ({ gateway } = await start({ required }));
  });

  test.each<[string, () => Shown]>([
    [
      'expired',
      () =>
        authority.issue('robot', {
          names: NAMES,
          from: new Date(Date.now() - 2 * HOUR),
          until: new Date(Date.now() - HOUR),
        }),
    ],
    [
      'not valid yet',
      () =>
        authority.issue('robot', {
          names: NAMES,
          from: new Date(Date.now() + HOUR),
          until: new Date(Date.now() + 2 * HOUR),
        }),
    ],
    ['for servers only', () => authority.issue('robot', { names: NAMES, usage: 'serverAuth' })],
    ['for signing mail', () => authority.issue('robot', { names: NAMES, usage: 'emailProtection' })],
    ['of another authority of the same name', () => new RevokingAuthority().issue('robot', { names: NAMES })],
    ['signed by itself', () => selfSigned()],
    ['that a client certificate signed', () => signedByLeaf()],
    ['that is not there', () => undefined],
  ])('a certificate %s opens nothing', async (_name, make) => {
    const answer = connect(gateway, make())();
    if (required) await expect(answer).rejects.toThrow(/ECONNRESET|alert|certificate|socket hang up|EPIPE|write/i);
    else expect(await answer).toBe(401);
  });

  test('a certificate for clients, one for any purpose and a renewed one open the door', async () => {
    const renewed = authority.issue('robot', { names: NAMES });
    const any = authority.issue('robot', { names: NAMES, usage: 'serverAuth,clientAuth' });
    for (const shown of [robot, any, renewed]) expect(await connect(gateway, shown)()).toBe(200);
  });
});

function selfSigned(): Certificate {
  const own = new RevokingAuthority('robot');
  return { certFile: own.certFile, keyFile: '', cert: own.cert, key: own.key };
}

/** What a holder of a good certificate could make: basicConstraints say CA:FALSE. */
function signedByLeaf(): Shown {
  const thief = new RevokingAuthority('robot', robot);
  const made = thief.issue('robot', { names: NAMES });
  return { cert: made.cert + robot.cert, key: made.key };
}

test('a certificate that ends while its connection is open ends there, too', async () => {
  const { gateway } = await start();
  const brief = authority.issue('robot', { names: NAMES, until: new Date(Date.now() + 4_000) });
  const ask = connect(gateway, brief);
  expect(await ask()).toBe(200);
  await waitFor(async () => expect(await ask()).toBe(401));
});

describe('a revoked certificate', () => {
  test('opens nothing from the start, and others go on', async () => {
    const bad = authority.issue('robot', { names: NAMES });
    const { gateway } = await start({}, authority.revoke(bad));
    expect(await connect(gateway, bad)()).toBe(401);
    expect(await connect(gateway, robot)()).toBe(200);
  });

  test('is shut out while Sallyport runs: on its open connection, by resuming, and on a request or handshake it drew out', async () => {
    const bad = authority.issue('robot', { names: NAMES });
    const { gateway, files } = await start({}, authority.revoke());
    const ask = connect(gateway, bad);
    const honest = connect(gateway, robot);
    expect([await ask(), await honest()]).toEqual([200, 200]);
    const ticket = await sessionOf(gateway, bad);
    const slow = await halfDone(gateway, bad);
    const drawn = await drawnOut(gateway, bad);
    replace(files.crl, authority.revoke(bad));
    await used(gateway, 'crl');
    expect(await ask().catch(() => 401)).toBe(401);
    expect(await ask()).toBe(401);
    expect(await honest().catch(() => honest())).toBe(200);
    expect(await resume(gateway, bad, ticket)).not.toContain(' 200 ');
    expect(await slow.finish()).not.toContain(' 200 ');
    expect(await drawn.finish()).not.toContain(' 200 ');
  });

  test('a list that has expired, or is of another authority, lets nobody in', async () => {
    const { gateway, files } = await start({}, authority.revoke());
    expect(await connect(gateway, robot)()).toBe(200);
    replace(files.crl, new RevokingAuthority('Other CA').revoke());
    await used(gateway, 'crl');
    expect(await connect(gateway, robot)()).toBe(401);
  });
});

describe('files exchanged while Sallyport runs', () => {
  test('a new certificate of its own is shown, and nobody is sent away', async () => {
    const { gateway, files } = await start();
    const ask = connect(gateway, robot);
    expect(await ask()).toBe(200);
    const renewed = authority.issue('renewed', { names: 'DNS:localhost,IP:127.0.0.1' });
    replace(files.key, renewed.key);
    replace(files.cert, renewed.cert);
    await used(gateway, 'cert');
    expect(await ask()).toBe(200);
    expect(await nameShown(gateway)).toBe('renewed');
  });

  test('a new authority counts, the old one does not', async () => {
    const { gateway, files } = await start();
    const old = connect(gateway, robot);
    expect(await old()).toBe(200);
    const next = new RevokingAuthority('Next CA');
    const hers = next.issue('robot', { names: NAMES });
    expect(await connect(gateway, hers)()).toBe(401);
    replace(files.ca, next.cert);
    await used(gateway, 'ca');
    expect(await connect(gateway, hers)()).toBe(200);
    expect(await connect(gateway, robot)()).toBe(401);
    expect(await old().catch(() => 401)).toBe(401);
  });

  test('files that do not go together change nothing, and are said', async () => {
    const { gateway, files } = await start();
    const other = authority.issue('other', { names: 'DNS:localhost' });
    replace(files.key, other.key);
    await gateway.process.logged(/changed certificate files are not used/);
    expect(await connect(gateway, robot)()).toBe(200);
    expect(await nameShown(gateway)).toBe('sallyport');
    expect(gateway.process.stderr).not.toContain('PRIVATE KEY');
  });
});

test.each<[string, (files: Record<string, string>) => void, RegExp]>([
  ['a key of another certificate', ({ key = '' }) => writeFileSync(key, robot.key), /key values mismatch/],
  ['an authority that is none', ({ ca = '' }) => writeFileSync(ca, 'no pem'), /the ca holds no certificate/],
  ['a list that is none', ({ crl = '' }) => writeFileSync(crl, 'no pem'), /the crl holds no revocation list/],
])('%s ends the start', async (_, spoil, message) => {
  const folder = newTestFolder();
  const server = authority.issue('sallyport', { names: 'DNS:localhost,IP:127.0.0.1' });
  const files = { ca: 'ca', cert: 'cert', key: 'key', crl: 'crl' };
  const at = Object.fromEntries(Object.keys(files).map((name) => [name, join(folder, name)]));
  for (const [name, text] of Object.entries({
    ca: authority.cert,
    cert: server.cert,
    key: server.key,
    crl: authority.revoke(),
  }))
    writeFileSync(at[name] ?? '', text);
  spoil(at);
  await expect(startGateway({ gateway: { auth: { mtls: at } }, mcpServers: {} })).rejects.toThrow(message);
});

function dial(gateway: RunningGateway, shown: Certificate, more: Record<string, unknown> = {}): TLSSocket {
  const { hostname, port } = new URL(gateway.url);
  const socket = connectTls({
    host: hostname,
    port: Number(port),
    ca: authority.cert,
    cert: shown.cert,
    key: shown.key,
    ...more,
  });
  socket.on('error', () => {});
  atTheEnd(() => void socket.destroy());
  return socket;
}

/** What comes back for one honest request, until the other side closes or has answered. */
function askOn(gateway: RunningGateway, socket: TLSSocket): Promise<string> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: modernParams() });
  const head = Object.entries({
    host: new URL(gateway.url).host,
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    ...modernHeaders('tools/list'),
    'content-length': String(body.length),
  });
  const text = `POST /mcp HTTP/1.1\r\n${head.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n${body}`;
  return new Promise((resolve) => {
    let received = '';
    socket.on('data', (chunk: Buffer) => {
      received += chunk.toString('latin1');
      if (received.includes('\r\n\r\n')) resolve(received);
    });
    socket.on('close', () => resolve(received));
    if (socket.destroyed) resolve('');
    else socket.write(text);
  });
}

/** A session ticket of a connection that was let in. */
async function sessionOf(gateway: RunningGateway, shown: Certificate): Promise<Buffer> {
  const socket = dial(gateway, shown);
  const ticket = new Promise<Buffer>((resolve) => socket.once('session', resolve));
  expect(await askOn(gateway, socket)).toContain(' 200 ');
  return ticket;
}

async function resume(gateway: RunningGateway, shown: Certificate, session: Buffer): Promise<string> {
  return askOn(gateway, dial(gateway, shown, { session }));
}

/** A connection whose handshake is over, with half a request on it. */
async function halfDone(gateway: RunningGateway, shown: Certificate) {
  const socket = dial(gateway, shown);
  await new Promise((resolve) => socket.once('secureConnect', resolve));
  socket.write('POST /mcp HTTP/1.1\r\nx-first: 1');
  // A request by somebody else after it: what was sent has arrived by then.
  await connect(gateway, robot)();
  return {
    finish: () => {
      socket.write('\r\n');
      return askOn(gateway, socket);
    },
  };
}

/** A connection whose handshake has begun and does not go on until it is told to. */
async function drawnOut(gateway: RunningGateway, shown: Certificate) {
  const { hostname, port } = new URL(gateway.url);
  const held: Buffer[] = [];
  let forward: ((chunk: Buffer) => void) | undefined;
  const begun = new Promise<void>((resolve) => {
    const relay = createServer((client) => {
      const inner = connectTcp(Number(port), hostname);
      // The hello goes through; the certificate comes with what the client says next.
      client.once('data', (hello: Buffer) => {
        inner.write(hello);
        client.on('data', (chunk: Buffer) => (forward === undefined ? void held.push(chunk) : forward(chunk)));
        forwardLater(inner);
        inner.once('data', () => setImmediate(resolve));
      });
      inner.on('data', (chunk: Buffer) => client.write(chunk));
      for (const [one, other] of [
        [client, inner],
        [inner, client],
      ] as const)
        one.on('close', () => other.destroy()).on('error', () => {});
    });
    relay.listen(0, '127.0.0.1', () => {
      socket = dial(gateway, shown, { host: '127.0.0.1', port: (relay.address() as AddressInfo).port });
    });
    atTheEnd(() => void relay.close());
  });
  let socket: TLSSocket | undefined;
  let release = () => {};
  const forwardLater = (inner: Socket) => {
    release = () => {
      for (const chunk of held) inner.write(chunk);
      forward = (chunk) => inner.write(chunk);
    };
  };
  await begun;
  return {
    finish: () => {
      release();
      return socket === undefined ? Promise.resolve('no connection') : askOn(gateway, socket);
    },
  };
}

/** The common name of the certificate Sallyport shows. */
function nameShown(gateway: RunningGateway): Promise<string> {
  const socket = dial(gateway, robot);
  return new Promise((resolve) =>
    socket.once('secureConnect', () => resolve(String(socket.getPeerCertificate().subject.CN))),
  );
}
