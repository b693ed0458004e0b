import { describe, expect, test } from 'vitest';
import { resolveResources, resourcesSchema } from '../../config/resources-section.ts';
import type { NameAnswer, NameAnswers } from '../../core/name-port.ts';
import { findForbiddenUri, judgeUri, type UriContext } from './judge-uri.ts';
import { namesIn } from './names-in.ts';

const settings = (written: Record<string, unknown> = {}, set?: 'laptop' | 'team' | 'locked') =>
  resolveResources(resourcesSchema.parse(written), set);
const OPEN = settings();
const LOCAL = { settings: OPEN, ownHost: undefined };
const REMOTE = { settings: OPEN, ownHost: 'mcp.example.com' };

const whyNot = (uri: string, context: UriContext, answers?: NameAnswers) =>
  findForbiddenUri(uri, context, answers)?.why;

/** One address in all its spellings, and other ways inside. */
const ATTACKS = [
  ...['http://127.0.0.1:8080/', 'http://2130706433/', 'http://0x7f000001/', 'http://0x7f.1/', 'http://017700000001/'],
  ...['http://0177.0.0.1/', 'http://127.1/', 'http://127.0.1/', 'http://127.0.0.1./', 'http://0/', 'http://0.0.0.0/'],
  ...['http://127.000.000.001/', 'http://%31%32%37.0.0.1/', 'http://127%2e0%2e0%2e1/', 'http://１２７.0.0.1/'],
  ...['http://①②⑦.⓪.⓪.①/', 'http://127。0。0。1/', 'http://ⓛocalhost/', 'http://localhost/admin', 'http://LOCALHOST./'],
  ...['http://a.localhost/', 'http://[::1]/', 'http://[::]/', 'http://[0:0:0:0:0:0:0:1]/', 'http://[::7f00:1]/'],
  ...[
    'http://[::ffff:127.0.0.1]/',
    'http://[::ffff:7f00:1]/',
    'http://[::ffff:0:7f00:1]/',
    'http://[64:ff9b::7f00:1]/',
  ],
  ...['http://[2002:7f00:1::]/', 'http://[2001:0:7f00:1::]/', 'http://[fe80::1]/', 'http://[fec0::1]/'],
  ...[
    'http://[fc00::1]/',
    'http://[fd00:ec2::254]/',
    'http://[ff02::1]/',
    'http://224.0.0.1/',
    'http://255.255.255.255/',
  ],
  ...[
    'http://169.254.169.254/latest/meta-data/',
    'http://0xa9fea9fe/',
    'http://2852039166/',
    'http://0251.0376.0251.0376/',
  ],
  ...[
    'http://[::ffff:169.254.169.254]/',
    'http://168.63.129.16/',
    'http://100.100.100.200/',
    'http://metadata/computeMetadata',
  ],
  ...[
    'http://metadata.google.internal/computeMetadata/v1/',
    'http://10.0.0.1/',
    'http://172.16.0.1/',
    'http://192.168.1.1/',
  ],
  ...[
    'http://100.64.0.1/',
    'http://198.18.0.1/',
    'https://printer.local/',
    'https://wiki.corp/',
    'https://nas/',
    'https://router.lan/',
  ],
  ...['http://10.0.0.1.nip.io/', 'http://app-192-168-1-1.sslip.io/', 'http://169-254-169-254.nip.io/'],
  // Who reads only the beginning sees another host than who connects.
  ...['https://example.com@127.0.0.1/', 'https://someone:secret@example.com/', 'https://example.com%40127.0.0.1/'],
  ...['http:127.0.0.1', 'http:/127.0.0.1/', 'http:\\\\127.0.0.1\\', 'http:///127.0.0.1/', 'HTTP://127.0.0.1/'],
  ...[
    'ht\ntp://127.0.0.1/',
    'http\t://127.0.0.1/',
    ' http://127.0.0.1/',
    '\u0000http://127.0.0.1/',
    'http://127.0.0.1/\n',
  ],
  ...['//127.0.0.1/x', '\\\\127.0.0.1\\share', '/\\127.0.0.1/x', 'http://', 'http://a..b/', 'http://%00/'],
  // Old protocols, and those that hold another address.
  ...['ftps://2130706433/', 'gopher://0x7f.1:6379/_FLUSHALL', 'dict://127.0.0.1:11211/', 'ldap://169.254.169.254/'],
  ...['smb://10.0.0.1/share', 'ws://127.0.0.1/', 'wss://①②⑦.0.0.1/', 'git+http://169.254.169.254/', 'tftp://[::1]/x'],
  ...[
    'view-source:http://127.0.0.1/',
    'jar:http://127.0.0.1/a.jar!/b',
    'url:file:///etc/passwd',
    'feed:http://10.0.0.1/',
  ],
  ...['javascript:alert(1)', 'JavaScript:alert(1)', 'data:text/html,<script>1</script>', 'vbscript:x'],
  'file://127.0.0.1/share',
  ...['http://7f000001.nip.io/', 'http://--1.sslip.io/', 'http://a.localtest.me/', 'http://a9fea9fe.rbndr.us/'],
  ...['redis://169.254.169.254/', 'postgres://metadata.google.internal/', 'jdbc:mysql://169.254.169.254/x'],
  `https://${Buffer.from('the password is swordfish').toString('hex')}.example.net/`,
  `https://example.com/${'a'.repeat(9_000)}`,
];

test.each(ATTACKS)('%j leads nowhere', (uri) => {
  expect(whyNot(uri, LOCAL)).toBeDefined();
});

const HARMLESS = [
  ...[
    'https://example.com/a',
    'https://example.com./a',
    'https://docs.example.org:8443/a?b=http://127.0.0.1/',
    'http://8.8.8.8/',
  ],
  ...['https://[2606:4700:4700::1111]/', 'https://bücher.example/', 'https://例え.example/', 'https://10.example.com/'],
  ...['https://v1-2-3-4.example.com/', 'https://cdn.example.com/a@b', 'https://d111111abcdef8.cloudfront.net/x.js'],
  ...['https://8.8.8.8.nip.io/', 'https://cafebabe.example.com/', 'https://300-1-2-3.example.com/'],
  // A server's own names for its tables.
  ...['postgres://localhost/db/users/schema', 'postgres://10.0.0.1/db/users/schema', 'redis://cache/key'],
  ...['note://today', 'today', 'notes/today', '/absolute/path', 'memo:1', 'urn:isbn:0451450523', 'postgres://db/table'],
  ...[
    'file:///work/readme.md',
    'github://octo/repo/contents/a.md',
    'ui://widget',
    'mailto:a@example.com',
    'git+ssh://host/x',
  ],
  'demo://resource/static/document/architecture.md',
];

test.each(HARMLESS)('%j may be linked to by a server on this machine', (uri) => {
  expect(whyNot(uri, LOCAL)).toBeUndefined();
});

test('the own host is spoken to as it speaks, wherever it is', () => {
  const own = { settings: OPEN, ownHost: '127.0.0.1' };
  expect(whyNot('http://127.0.0.1:3000/', own)).toBeUndefined();
  expect(whyNot('gopher://127.0.0.1:6379/', own)).toContain('this machine');
  expect(whyNot('http://10.0.0.1/', own)).toContain('this machine');
});

test('files of a server on another machine, and files with keys, are nobody’s to link to', () => {
  expect(whyNot('file:///work/readme.md', REMOTE)).toContain('another machine');
  for (const file of ['file:///home/a/.ssh/id_ed25519', 'file:///home/a/%2essh/config', 'file:///etc/passwd'])
    expect(whyNot(file, LOCAL)).toContain('keys or accounts');
  // What is on this machine may name its files, whichever way it is reached.
  for (const ownHost of ['localhost', '127.0.0.1', '127.8.9.10', '[::1]', 'mcp.localhost']) {
    expect(whyNot('file:///work/readme.md', { settings: OPEN, ownHost })).toBeUndefined();
    expect(whyNot('file:///home/a/.ssh/id_ed25519', { settings: OPEN, ownHost })).toContain('keys or accounts');
    expect(whyNot('file://nas/share/a', { settings: OPEN, ownHost })).toContain('another machine');
  }
  for (const ownHost of ['localhost.example.com', '10.0.0.1', 'notlocalhost', '128.0.0.1', '[::2]'])
    expect(whyNot('file:///work/readme.md', { settings: OPEN, ownHost })).toContain('another machine');
  // A server reads its own files.
  expect(whyNot('file:///work/readme.md', { ...REMOTE, isRead: true })).toBeUndefined();
});

describe('lists', () => {
  const at = (uri: string, written: Record<string, unknown>, set?: 'team' | 'locked') =>
    judgeUri(uri, { settings: settings(written, set), ownHost: 'mcp.example.com', isRead: true });

  test('name schemes and hosts, and the own host is always one of them', () => {
    const narrow = { schemes: ['https'], hosts: ['*.example.org'], names: 'text' };
    expect(at('https://docs.example.org/a', narrow)).toEqual({
      forbidden: undefined,
      asks: undefined,
      name: undefined,
    });
    expect(at('https://mcp.example.com/a', narrow).forbidden?.why).toBeUndefined();
    expect(at('https://evil.example.net/a', narrow).forbidden?.why).toContain('host');
    // A look-alike is another name: it is compared as the DNS knows it.
    expect(at('https://docs.exаmple.org/a', narrow).forbidden?.why).toContain('host');
    expect(at('https://docs.example.org.evil.net/a', narrow).forbidden?.why).toContain('host');
    expect(at('http://docs.example.org/a', narrow).forbidden?.why).toContain('scheme');
    expect(at('http://10.1.2.3/', { private: true }).forbidden?.why).toBeUndefined();
  });

  test('what they do not name is asked about, by scheme and host, where the operator says so', () => {
    const asking = { hosts: ['docs.example.org'], unlisted: 'ask', names: 'text' };
    expect(at('https://docs.example.org/a', asking).asks).toBeUndefined();
    expect(at('https://other.example.org:8443/a', asking).asks).toEqual({
      scheme: 'https',
      host: 'other.example.org:8443',
    });
    expect(at('https://EXАMPLE.org/', asking).asks?.host).toMatch(/^xn--/);
    expect(at('note://a', { schemes: ['https'], unlisted: 'ask' }).asks).toEqual({ scheme: 'note' });
    // Nobody is asked about what no answer makes harmless.
    expect(at('http://169.254.169.254/', asking)).toMatchObject({
      forbidden: { why: expect.any(String) },
      asks: undefined,
    });
  });

  test('the starter sets are stricter by steps, and a server’s own names are its own', () => {
    const uri = 'https://example.org/';
    expect(at(uri, {})).toMatchObject({ forbidden: undefined, asks: undefined, name: 'example.org' });
    expect(at(uri, {}, 'team').asks).toEqual({ scheme: 'https', host: 'example.org' });
    expect(at(uri, {}, 'locked').forbidden?.why).toContain('not allowed');
    expect(at(uri, { hosts: ['example.org'] }, 'locked')).toMatchObject({ forbidden: undefined, name: 'example.org' });
    expect(at(uri, { unlisted: 'allow' }, 'locked').forbidden?.why).toBeUndefined();
    for (const own of ['note://a', 'file:///work/a', 'https://mcp.example.com/a'])
      expect(at(own, {}, 'locked')).toEqual({ forbidden: undefined, asks: undefined, name: undefined });
  });
});

describe('what runs where it is opened', () => {
  const running = ['javascript:alert(1)', 'JavaScript:alert(1)', 'vbscript:x', 'view-source:javascript:alert(1)'];
  const pages = ['data:text/html,<script>1</script>', 'data:image/svg+xml;base64,AAAA', 'DATA: Text/HTML;x=1,a'];
  const written = [
    { schemes: ['https', 'data', 'view-source'] },
    { schemes: ['https'], unlisted: 'allow' },
    { schemes: ['https'], unlisted: 'ask' },
  ];
  test.each(written)('is refused whatever the list says: %j', (given) => {
    // A settings object that the schema would not let through changes nothing either.
    for (const list of [given.schemes, [...given.schemes, 'javascript', 'vbscript']])
      for (const uri of [...running, ...pages])
        for (const isRead of [true, false])
          expect(
            judgeUri(uri, { settings: { ...settings(given), schemes: list }, ownHost: undefined, isRead }).forbidden,
            uri,
          ).toBeDefined();
  });

  test('a list that names it is an error', () => {
    for (const scheme of ['javascript', 'vbscript'])
      expect(resourcesSchema.safeParse({ schemes: ['https', scheme] }).error?.issues).toMatchObject([
        { path: ['schemes', 1], message: expect.stringContaining(`${scheme}: runs what stands in it and is refused`) },
      ]);
    expect(resourcesSchema.safeParse({ schemes: ['https', 'data', 'file'] }).success).toBe(true);
  });

  test('data that is no page is where the list names it, and so are files', () => {
    const listed = { settings: settings({ schemes: ['data', 'file'] }), ownHost: 'mcp.example.com' };
    const unlisted = { settings: settings({ schemes: ['https'], unlisted: 'allow' }), ownHost: 'mcp.example.com' };
    for (const uri of ['data:text/plain,hello', 'data:image/png;base64,AAAA', 'file:///work/a.md']) {
      expect(whyNot(uri, listed), uri).toBeUndefined();
      expect(whyNot(uri, unlisted), uri).toBeDefined();
    }
  });
});

describe('what to do', () => {
  const own = {
    settings: resolveResources(
      resourcesSchema.parse({ hosts: ['a.example'] }),
      undefined,
      'scan.servers.web.resources',
    ),
    ownHost: undefined,
  };
  const narrow = { settings: settings({ schemes: ['https'], hosts: ['a.example'] }), ownHost: 'mcp.example.com' };
  test.each([
    ['https://b.example/', narrow, 'The operator can add "b.example" to "scan.resources.hosts".'],
    ['https://b.example/', own, 'The operator can add "b.example" to "scan.servers.web.resources.hosts".'],
    ['note://a', narrow, 'The operator can add "note" to "scan.resources.schemes".'],
    ['data:text/plain,a', LOCAL, 'The operator can name data in "scan.resources.schemes".'],
    ['file:///work/a', REMOTE, 'The operator can name file in "scan.resources.schemes".'],
    ['http://10.0.0.1/', LOCAL, 'The operator can allow such addresses with "scan.resources.private": true.'],
    ['https://user@b.example/', LOCAL, 'No setting allows it. Write the URI without it.'],
    ['https://b.example/\n', LOCAL, 'No setting allows it. Write the URI without them.'],
    ['javascript:1', LOCAL, 'No setting allows it.'],
  ])('%s: %o', (uri, context, fix) => {
    expect(findForbiddenUri(uri, context)?.fix).toBe(fix);
  });

  test('the host that is refused is named', () => {
    expect(whyNot('https://B.example:8443/x', narrow)).toBe('its host b.example is not allowed');
  });
});

describe('where a name leads', () => {
  const lead = (answer: NameAnswer | undefined, written: Record<string, unknown> = {}) =>
    whyNot(
      'https://example.org/',
      { settings: settings(written), ownHost: undefined },
      new Map(answer === undefined ? [] : [['example.org', answer]]),
    );

  test.each([
    ...['127.0.0.1', '10.0.0.1', '169.254.169.254', '::1', 'fe80::1%eth0', '::ffff:127.0.0.1', 'fd00::1', '224.0.0.1'],
    ...['0.0.0.0', '168.63.129.16', '64:ff9b::a00:1', 'no address'],
  ])('to %s: no, also beside a public one', (address) => {
    expect(lead([address])).toContain('private network');
    expect(lead(['8.8.8.8', address])).toContain('private network');
  });

  test('outside it may; unknown names are what the operator says, and late ones are no', () => {
    expect(lead(['8.8.8.8', '2606:4700:4700::1111'])).toBeUndefined();
    expect(lead('unknown')).toBeUndefined();
    expect(lead('unknown', { names: 'require' })).toContain('nobody knows');
    expect(lead('late')).toContain('in time');
    expect(lead(undefined)).toContain('in time');
    expect(lead([])).toContain('private');
    expect(lead(['10.0.0.1'], { names: 'text' })).toBeUndefined();
    expect(lead(['10.0.0.1'], { private: true })).toBeUndefined();
  });

  test('is asked for links and embedded resources only, once for each name', () => {
    const link = (uri: string) => ({ type: 'resource_link', uri, name: 'x' });
    const result = {
      content: [
        { type: 'text', text: 'https://text.example.org/' },
        link('https://a.example.org/1'),
        link('https://a.example.org/2'),
        link('https://8.8.8.8/'),
        link('note://b.example.org'),
        { type: 'resource', resource: { uri: 'https://c.example.org/', text: '' } },
      ],
      contents: [{ uri: 'https://d.example.org/', text: '' }],
      messages: [{ role: 'user', content: link('https://e.example.org/') }],
    };
    expect(namesIn(result, LOCAL)).toEqual(['a', 'c', 'd', 'e'].map((one) => `${one}.example.org`));
    expect(namesIn({ content: [{ type: 'text', text: 'https://a.example.org/' }] }, LOCAL)).toEqual([]);
    const flood = { content: Array.from({ length: 100 }, (_, i) => link(`https://a${i}.example.org/`)) };
    expect(namesIn(flood, LOCAL)).toHaveLength(64);
  });
});
