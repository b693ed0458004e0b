import { describe, expect, test } from 'vitest';
import { findSecrets } from './find-secrets.ts';

function found(text: string, field?: string): readonly string[] {
  return findSecrets(text, { field })
    .filter(({ kind }) => kind === 'private-address')
    .map(({ start, end }) => text.slice(start, end));
}

describe('attacks', () => {
  test.each<[string, string, string?]>([
    ['192.168.7.12', 'ssh 192.168.7.12'],
    ['10.3.0.5', 'it runs on 10.3.0.5.'],
    ['10.3.0.5', 'http://10.3.0.5:8080/v1'],
    ['10.3.0.5', 'http://10.3.0.5/2024/report'],
    ['172.20.1.9', 'inet 172.20.1.9/16'],
    ['10.0.0.128', 'inet 10.0.0.128/24'],
    ['169.254.12.7', 'fell back to 169.254.12.7'],
    ['100.101.2.3', 'tailnet 100.101.2.3'],
    ['10.3.0.5', '::ffff:10.3.0.5'],
    ['１０.３.０.５', 'auf １０.３.０.５'],
    ['fd12:3456:789a::1', 'ping6 fd12:3456:789a::1'],
    ['fd00::1', 'fd00::1'],
    ['FD00::A:1', 'host FD00::A:1, port 22'],
    ['fd12:3456:789a:1:2:3:4:5', 'at fd12:3456:789a:1:2:3:4:5: refused'],
    ['fe80::1ff:fe23:4567:890a', 'fe80::1ff:fe23:4567:890a%eth0'],
    ['fe80::1', 'http://[fe80::1%25eth0]:8080/'],
    ['fd00::5', 'https://[fd00::5]/admin'],
    ['fd12:3456::7', 'inet6 fd12:3456::7/64'],
    ['db01.prod.internal', 'psql -h db01.prod.internal'],
    ['db.prod.internal', 'postgres://app:Tr0ub4dor3@db.prod.internal/app'],
    ['db.prod.internal', 'connect to db.prod.internal.'],
    ['ip-10-2-3-4.ec2.internal', 'ip-10-2-3-4.ec2.internal'],
    ['nas.local', 'http://nas.local/photos'],
    ['nas.local', '{"host": "nas.local"}'],
    ['nas.local', 'nas.local', 'hostname'],
    ['printer-3.lan', 'printer-3.lan is out of paper'],
    ['wiki.corp', 'see https://wiki.corp/page for it'],
    ['git.acme.corp', 'cloned from git.acme.corp'],
    ['mail.intranet', 'mail.intranet:25'],
    ['router.home.arpa', 'router.home.arpa'],
    ['api.shop.svc.cluster.local', 'http://api.shop.svc.cluster.local:8080'],
    ['api.shop.svc.cluster.local', 'api.shop.svc.cluster.local'],
  ])('%s in %s', (address, text, field) => {
    expect(found(text, field)).toEqual([address]);
  });
});

describe('harmless', () => {
  test.each([
    ['a network', 'route 10.0.0.0/8, 192.168.0.0/16, 169.254.0.0/16 and 100.64.0.0/10.'],
    ['a network within one', '10.1.2.128/25'],
    ['a network with a mask', '192.168.4.0/255.255.252.0'],
    ['a network of IPv6', 'fd00::/8 and fe80::/10, fc00::/7'],
    ['a prefix', 'fd12:3456:789a::/48'],
    ['a version', 'release 10.12.1 of 2026, version 10.0.0.1, Version=10.0.0.0, v10.1.2.3'],
    ['a section', 'see section 10.1.2.3 of the standard'],
    ['a browser', 'Chrome/10.0.648.204'],
    ['an identifier of SNMP', '1.3.6.1.4.1.10.1.2.3.4'],
    ['addresses of documents', '192.0.2.1, 198.51.100.7, 203.0.113.9 and 2001:db8::1'],
    ['loopback', 'http://127.0.0.1:3000, http://localhost:3000 and http://[::1]:3000'],
    ['the metadata service', 'http://169.254.169.254/latest/meta-data and http://metadata.google.internal/'],
    ['a hardware address', 'fe:80:12:34:56:78'],
    ['a fingerprint', 'SHA1 fd12:3456'],
    ['a colon', 'feed: fade: face: fdic: fe80: x'],
    ['a C++ scope', 'fecx::name and std::fc00'],
    ['a path', '/usr/local/bin, ~/.local/share, ./utils.internal'],
    ['a file', '.env.local, settings.local.json, appsettings.local.yml'],
    ['code', 'threading.local(), this.internal, moment.local(x), self.local = 1; host = self.local'],
    ['a package', 'com.acme.internal, google.protobuf.internal, sun.misc.internal.Unsafe, node:internal/modules'],
    ['a stack', 'at Foo.internal (file.js:3)'],
    ['a company', 'Acme.Corp was sold'],
    ['a host of everybody', 'http://host.docker.internal:11434 and kubernetes.default.svc.cluster.local'],
    ['a property', 'styles.local and config.internal are objects'],
    ['a name that goes on', 'https://x.local.example.com/ and nas.local-net'],
  ])('%s', (_, text) => {
    expect(found(text)).toEqual([]);
  });
});

test.each(['a-1.local ', '1.internal.', 'fd00::1 ', '10.0.0.1 ', `${'a.'.repeat(120)}lan `])(
  '%.12s… is read to its end',
  (text) => {
    expect(found(text.repeat(60_000 / text.length)).length).toBeLessThan(60_000);
  },
);
