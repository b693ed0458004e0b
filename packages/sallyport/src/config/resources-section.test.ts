import { expect, test } from 'vitest';
import { loadSnapshot } from './load-snapshot.ts';

function load(scan: object) {
  const text = JSON.stringify({ mcpServers: { web: { url: 'https://web.example/mcp' } }, scan });
  return loadSnapshot({ file: '/etc/s.json', text, env: {}, stateDir: '/tmp/s', version: 1 }).scan;
}

test.each([
  'https://x.example/',
  'x.example/docs',
  'x.example:8443',
  'me@x.example',
  'x .example',
  'x.',
  'b\u00fccher.example',
  '::1',
  '',
])('the host %j is a mistake: it would match nothing', (host) => {
  const resources = { hosts: ['ok.example', host] };
  expect(() => load({ resources })).toThrow('scan.resources.hosts.1: expected the name of a host, e.g. ');
  expect(() => load({ servers: { web: { resources } } })).toThrow('scan.servers.web.resources.hosts.1: expected');
});

test.each([
  'x.example',
  '*.Example.com',
  '*',
  'x-?.example',
  'my_host',
  '127.0.0.1',
  '[::1]',
  '[fd00:*]',
  'xn--bcher-kva.example',
])('the host %j is none', (host) => {
  expect(load({ resources: { hosts: [host] } })?.resources.hosts).toEqual([host]);
});
