import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createGuardedFetch, fetchUntil } from './guarded-fetch.ts';

let place = '';
let reached = 0;
const server = createServer((request, response) => {
  reached++;
  if (request.url === '/redirect') response.writeHead(302, { location: 'http://169.254.169.254/' }).end();
  else if (request.url === '/large') response.end('x'.repeat(300_000));
  else response.end('{"good":true}');
});
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  place = `127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => new Promise<void>((resolve) => server.close(() => resolve())));

const OUTSIDE = { loopback: false, private: false };

test.each([
  'http://169.254.169.254/latest/meta-data/',
  'https://169.254.169.254/',
  'https://10.0.0.1/',
  'https://192.168.1.1/.well-known/oauth-authorization-server',
  'https://127.0.0.1/',
  'https://0x7f.1/',
  'https://2130706433/',
  'https://[::1]/',
  'https://[::ffff:127.0.0.1]/',
  'https://[::ffff:a9fe:a9fe]/',
  'https://[64:ff9b::7f00:1]/',
  'https://[fd00:ec2::254]/',
  'https://0.0.0.0/',
  'https://localhost/',
  'http://example.com/',
  'https://user:secret@example.com/',
  'file:///etc/passwd',
  'javascript:alert(1)',
  'gopher://127.0.0.1:70/',
  'no url',
  `https://example.com/${'a'.repeat(3000)}`,
])('%s is not asked', async (address) => {
  await expect(createGuardedFetch(OUTSIDE)(address)).rejects.toMatchObject({
    code: 'upstream_protocol',
    message: expect.stringMatching(/is not asked\.$/),
  });
});

test('an upstream in a private network opens no way to this machine or to metadata services', async () => {
  const fetch = createGuardedFetch({ loopback: false, private: true });
  for (const host of ['127.0.0.1', '169.254.169.254', '[fd00:ec2::254]', '100.100.100.200', '[::ffff:127.0.0.1]'])
    await expect(fetch(`https://${host}/`)).rejects.toMatchObject({ message: expect.stringMatching(/is not asked/) });
});

test('a server on this machine may name this machine, by address and by name', async () => {
  const fetch = createGuardedFetch({ loopback: true, private: false });
  expect(await (await fetch(`http://${place}/`)).json()).toEqual({ good: true });
  expect((await fetch(`http://localhost:${place.split(':')[1]}/`)).status).toBe(200);
});

test('the same without leave reaches nobody, and redirects and floods end', async () => {
  const before = reached;
  await expect(createGuardedFetch(OUTSIDE)(`http://${place}/`)).rejects.toMatchObject({ code: 'upstream_protocol' });
  expect(reached).toBe(before);
  const fetch = createGuardedFetch({ loopback: true, private: false });
  await expect(fetch(`http://${place}/redirect`)).rejects.toMatchObject({
    message: expect.stringContaining('Redirects are not followed'),
  });
  await expect(fetch(`http://${place}/large`)).rejects.toMatchObject({ message: expect.stringContaining('256 KiB') });
});

test('what is too late is not asked any more', async () => {
  const before = reached;
  const fetch = createGuardedFetch({ loopback: true, private: false });
  await expect(fetchUntil(AbortSignal.abort(), fetch)(`http://${place}/`)).rejects.toMatchObject({ code: 'timeout' });
  expect(reached).toBe(before);
});
