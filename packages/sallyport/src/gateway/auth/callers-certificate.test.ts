import { createHash } from 'node:crypto';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { connect, createServer, type TLSSocket } from 'node:tls';
import { beforeAll, describe, expect, test } from 'vitest';
import { atTheEnd } from '../../../test/at-the-end.ts';
import { TestAuthority } from '../../../test/test-authority.ts';
import type { ApiKey } from '../../core/key-directory.ts';
import { silentLog } from '../../core/log.ts';
import { createCallers } from './callers.ts';

const KEY = 'sp_ci';
const key = { id: 'k1', name: 'ci', groups: [], attributes: {}, createdAt: 0 } as unknown as ApiKey; // the rest is optional

let authority: TestAuthority;
beforeAll(() => {
  authority = new TestAuthority();
});

/** A caller that comes with a certificate and a key on one connection. */
async function open() {
  const keys = new Map([[createHash('sha256').update(KEY).digest('hex'), key]]);
  const state = { version: 1 };
  const own = authority.issue('localhost', 'DNS:localhost');
  const mtls = {
    ...{ ca: authority.certFile, cert: own.certFile, key: own.keyFile, crl: undefined },
    ...{ required: false, identities: undefined },
  };
  const callers = createCallers(
    { keys: true, oauth: undefined, mtls },
    {
      ...{ laptopKey: undefined, clock: { now: () => Date.now() }, log: silentLog },
      keys: {
        get version() {
          return state.version;
        },
        find: (digest) => keys.get(digest),
        used() {},
      },
    },
  );
  const listener = createServer({ ...callers.tls });
  listener.listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const robot = authority.issue('robot', 'URI:spiffe://example.org/robot');
  const accepted = once(listener, 'secureConnection') as Promise<[TLSSocket]>;
  const client = connect({
    ...{ port: (listener.address() as AddressInfo).port, host: '127.0.0.1', servername: 'localhost' },
    ...{ ca: authority.cert, cert: robot.cert, key: robot.key },
  });
  client.on('error', () => {});
  const [socket] = await accepted;
  socket.on('error', () => {});
  atTheEnd(() => {
    client.destroy();
    socket.destroy();
    listener.close();
  });
  const principal = await callers.authenticate({ url: '/mcp', headers: { authorization: `Bearer ${KEY}` }, socket });
  return { callers, keys, state, socket, principal };
}

describe('a caller with a key and a certificate', () => {
  test('is current until the key is revoked', async () => {
    const { callers, keys, state, principal } = await open();
    expect(callers.isCurrent(principal)).toBe(true);
    keys.clear();
    state.version++;
    expect(callers.isCurrent(principal)).toBe(false);
  });

  test('is current until the certificate is doubted', async () => {
    const { callers, socket, principal } = await open();
    expect(callers.isCurrent(principal)).toBe(true);
    callers.doubt([socket]);
    expect(callers.isCurrent(principal)).toBe(false);
  });
});
