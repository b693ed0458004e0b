import { expect, test } from 'vitest';
import { findForbiddenUri } from './check-uri.ts';

const OPEN = { schemes: undefined, hosts: undefined, private: false };
const LOCAL = { settings: OPEN, ownHost: undefined };
const REMOTE = { settings: OPEN, ownHost: 'mcp.example.com' };

test.each([
  'http://169.254.169.254/latest/meta-data/',
  'http://[::ffff:169.254.169.254]/',
  'http://127.0.0.1:8080/',
  'http://2130706433/',
  'http://0x7f.1/',
  'http://localhost/admin',
  'https://printer.local/',
  'http://metadata.google.internal/computeMetadata/v1/',
  'http://10.0.0.1.nip.io/',
  'http://app-192-168-1-1.sslip.io/',
  'http://[fd00:ec2::254]/',
  'http://[::1]/',
  'https://someone:secret@example.com/',
  'javascript:alert(1)',
  'data:text/html,<script>1</script>',
  '//169.254.169.254/x',
  'http://',
])('%s leads nowhere', (uri) => {
  expect(findForbiddenUri(uri, LOCAL)).toBeDefined();
});

test.each([
  'https://example.com/a',
  'note://today',
  'file:///work/readme.md',
  'today',
  'postgres://db/table',
  'http://8.8.8.8/',
])('%s may be linked to by a server on this machine', (uri) => {
  expect(findForbiddenUri(uri, LOCAL)).toBeUndefined();
});

test('files of a server on another machine, and files with keys, are nobody’s to link to', () => {
  expect(findForbiddenUri('file:///work/readme.md', REMOTE)).toContain('another machine');
  for (const file of ['file:///home/a/.ssh/id_ed25519', 'file:///home/a/%2essh/config', 'file:///etc/passwd'])
    expect(findForbiddenUri(file, LOCAL)).toContain('keys or accounts');
  // A server reads its own files.
  expect(findForbiddenUri('file:///work/readme.md', { ...REMOTE, isRead: true })).toBeUndefined();
});

test('the operator names schemes and hosts, and the own host is always one of them', () => {
  const narrow = { schemes: ['https'], hosts: ['*.example.org'], private: false };
  const at = (uri: string) => findForbiddenUri(uri, { settings: narrow, ownHost: 'mcp.example.com' });
  expect(at('https://docs.example.org/a')).toBeUndefined();
  expect(at('https://mcp.example.com/a')).toBeUndefined();
  expect(at('https://evil.example.net/a')).toContain('host');
  expect(at('http://docs.example.org/a')).toContain('scheme');
  expect(
    findForbiddenUri('http://10.1.2.3/', { settings: { ...OPEN, private: true }, ownHost: undefined }),
  ).toBeUndefined();
});
