import { copyFileSync, renameSync, writeFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { Agent, request } from 'node:https';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { atTheEnd } from './at-the-end.ts';
import { startHttpUpstream } from './http-upstream.ts';
import { modernHeaders, modernParams, PlainClient } from './plain-client.ts';
import { type Certificate, RevokingAuthority } from './revoking-authority.ts';
import { newTestFolder, type RunningGateway, startGateway } from './running-sallyport.ts';
import { waitFor } from './wait-for.ts';

/** What an operator or an authority takes back counts at once, for what is open, too. */

test('a host that is no longer allowed is refused on a connection that was let in under it', async () => {
  const mcpServers = { up: { url: (await startHttpUpstream()).url } };
  const gateway = await startGateway({ gateway: { allowedHosts: ['gate.example'] }, mcpServers });
  const client = new PlainClient(gateway);
  const ask = async (host: string) => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: modernParams() });
    return (await client.post(body, { ...modernHeaders('tools/list'), host })).status;
  };
  const own = new URL(gateway.origin).host;
  expect([await ask('gate.example'), await ask('other.example'), await ask(own)]).toEqual([200, 403, 200]);
  gateway.process.write({ gateway: { allowedHosts: ['other.example'] }, mcpServers });
  gateway.process.child.kill('SIGHUP');
  await waitFor(async () => expect(await ask('other.example')).toBe(200));
  expect([await ask('gate.example'), await ask(own)]).toEqual([403, 200]);
});

const NAMES = 'URI:spiffe://example.org/robot';

/** A gateway that knows its callers by their certificates. */
async function startMutual(authority: RevokingAuthority) {
  const folder = newTestFolder();
  const server = authority.issue('sallyport', { names: 'DNS:localhost,IP:127.0.0.1', usage: 'serverAuth' });
  const files = { ca: 'ca.pem', cert: 'cert.pem', key: 'key.pem', crl: 'crl.pem' };
  const paths = Object.fromEntries(Object.entries(files).map(([key, name]) => [key, join(folder, name)]));
  copyFileSync(authority.certFile, paths['ca'] ?? '');
  copyFileSync(server.certFile, paths['cert'] ?? '');
  copyFileSync(server.keyFile, paths['key'] ?? '');
  writeFileSync(paths['crl'] ?? '', authority.revoke());
  const mtls = { ...paths, identities: [{ certificate: NAMES, account: 'robot' }] };
  const mcpServers = { up: { url: (await startHttpUpstream()).url } };
  const gateway = await startGateway({ gateway: { auth: { mtls } }, mcpServers });
  const revoke = (certificate: Certificate) => {
    writeFileSync(`${paths['crl']}.new`, authority.revoke(certificate));
    renameSync(`${paths['crl']}.new`, paths['crl'] ?? '');
  };
  return { gateway, revoke };
}

/** A stream that is open: its first event came. */
async function openStream(
  gateway: RunningGateway,
  { cert, key, ca }: Pick<Certificate, 'cert' | 'key'> & { readonly ca: string },
  kind: 'listen' | 'sse',
) {
  const agent = new Agent({ ca, cert, key, maxCachedSessions: 0 });
  atTheEnd(() => agent.destroy());
  const { authorization: _, ...common } = gateway.headers as Record<string, string>;
  const params = modernParams({ notifications: { toolsListChanged: true } });
  const isListen = kind === 'listen';
  const headers = {
    ...common,
    ...(isListen ? modernHeaders('subscriptions/listen') : { accept: 'text/event-stream' }),
  };
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const sent = request(isListen ? gateway.url : gateway.sse, { method: isListen ? 'POST' : 'GET', agent, headers });
    sent.once('response', resolve).once('error', reject);
    sent.end(isListen ? JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'subscriptions/listen', params }) : undefined);
  });
  const ended = new Promise<'ended'>((resolve) => {
    response.once('close', () => resolve('ended')).on('error', () => resolve('ended'));
  });
  if (response.statusCode === 200) await new Promise((resolve) => response.once('data', resolve));
  response.resume();
  return { status: response.statusCode, ended };
}

test.each(['listen', 'sse'] as const)(
  'a certificate that is revoked ends the stream %s that it opened',
  async (kind) => {
    const authority = new RevokingAuthority();
    const bad = authority.issue('robot', { names: NAMES, usage: 'clientAuth' });
    const good = authority.issue('robot', { names: NAMES, usage: 'clientAuth' });
    const { gateway, revoke } = await startMutual(authority);
    const open = ({ cert, key }: Certificate) => openStream(gateway, { cert, key, ca: authority.cert }, kind);
    const stream = await open(bad);
    expect(stream.status).toBe(200);
    // The list is read again each time, not once.
    revoke(authority.issue('another', { names: 'DNS:another' }));
    await gateway.process.logged(/"files":\["crl"\].*certificate files have changed/);
    await stream.ended;
    const again = await open(bad);
    expect(again.status).toBe(200);
    revoke(bad);
    expect(await again.ended).toBe('ended');
    expect((await open(bad)).status).toBe(401);
    expect((await open(good)).status).toBe(200);
  },
);
