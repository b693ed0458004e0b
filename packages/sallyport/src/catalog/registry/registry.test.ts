// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the configuration's own variables are meant
import { describe, expect, test } from 'vitest';
import { findFault } from '../../config/read-client-file.ts';
import { serverJsonSchema } from '../../config/server-json.ts';
import { fromServerJson, listWays, type Way } from './from-server-json.ts';
import { toServerJson } from './to-server-json.ts';

type Written = Record<string, unknown>;

const npm = (more: Written = {}) => ({
  registryType: 'npm',
  identifier: '@acme/weather',
  version: '1.2.3',
  transport: { type: 'stdio' },
  ...more,
});
const pypi = (more: Written = {}) => ({ registryType: 'pypi', identifier: 'acme-weather', version: '2.0', ...more });
const oci = (more: Written = {}) => ({ registryType: 'oci', identifier: 'ghcr.io/acme/weather:1.2.3', ...more });
const remote = (more: Written = {}) => ({ type: 'streamable-http', url: 'https://weather.example.com/mcp', ...more });

function take(document: Written, { way, origin }: { way?: Way; origin?: string } = {}) {
  const whole = { name: 'io.example/weather', description: 'Weather', version: '1.2.3', ...document };
  const imported = fromServerJson(serverJsonSchema.parse(whole), { name: 'weather', way, origin });
  // What is made can be used as it is written.
  expect(findFault('weather', imported.entry)).toBeUndefined();
  return imported;
}

const takePackage = (one: Written) => take({ packages: [one] });
const takeRemote = (one: Written, origin?: string) => take({ remotes: [one] }, origin === undefined ? {} : { origin });

describe('what is taken over', () => {
  test.each<[string, Written, Written]>([
    ['npm', npm(), { command: 'npx', args: ['-y', '@acme/weather@1.2.3'] }],
    ['npm at its own address', npm({ registryBaseUrl: 'https://registry.npmjs.org/' }), { command: 'npx' }],
    ['a prerelease', npm({ version: '1.0.0-rc.1+7' }), { args: ['-y', '@acme/weather@1.0.0-rc.1+7'] }],
    ['-y, which is there anyway', npm({ runtimeArguments: [{ type: 'named', name: '-y' }] }), { command: 'npx' }],
    ['pypi', pypi(), { command: 'uvx', args: ['acme-weather@2.0'] }],
    ['an image', oci(), { command: 'docker', args: ['run', '-i', '--rm', 'ghcr.io/acme/weather:1.2.3'] }],
    [
      'a tag apart',
      oci({ identifier: 'acme/weather', version: 'v1.2' }),
      { args: ['run', '-i', '--rm', 'acme/weather:v1.2'] },
    ],
    [
      'a digest',
      oci({ identifier: `acme/weather@sha256:${'a'.repeat(64)}` }),
      { args: ['run', '-i', '--rm', `acme/weather@sha256:${'a'.repeat(64)}`] },
    ],
    [
      'arguments',
      npm({
        packageArguments: [
          { type: 'positional', value: '/srv/my files' },
          { type: 'named', name: '--units', default: 'metric' },
          { type: 'named', name: '--verbose', format: 'boolean', value: 'true' },
          { type: 'named', name: '--quiet', format: 'boolean' },
          { type: 'named', name: '--home', value: 'http://{host}/?q=a%20b', variables: { host: { default: 'h' } } },
          { type: 'positional', valueHint: 'city', isRequired: true },
        ],
      }),
      {
        args: [
          ...['-y', '@acme/weather@1.2.3', '/srv/my files', '--units', 'metric', '--verbose'],
          ...['--home', 'http://h/?q=a%20b', '${MCP_WEATHER_CITY}'],
        ],
      },
    ],
    [
      'variables that programs know',
      npm({
        environmentVariables: [
          { name: 'NODE_ENV', value: 'production' },
          { name: 'PYTHONUNBUFFERED', default: '1' },
          { name: 'API_URL', value: 'https://api.example.com/{not_ours}' },
        ],
      }),
      { env: { NODE_ENV: 'production', PYTHONUNBUFFERED: '1', API_URL: 'https://api.example.com/{not_ours}' } },
    ],
    [
      'a variable for the person to set, whatever programs do with it',
      npm({
        environmentVariables: [{ name: 'DOCKER_TOKEN', isRequired: true, isSecret: true }, { name: 'HTTPS_PROXY' }],
      }),
      { env: { DOCKER_TOKEN: '${MCP_WEATHER_DOCKER_TOKEN}' } },
    ],
  ])('%s', (_, written, entry) => {
    expect(takePackage(written).entry).toMatchObject(entry);
  });

  test.each<[string, Written, Written]>([
    ['an address', remote(), { type: 'http', url: 'https://weather.example.com/mcp' }],
    ['HTTP+SSE', remote({ type: 'sse', url: 'https://weather.example.com/sse' }), { type: 'sse' }],
    ['a public address in digits', remote({ url: 'https://8.8.8.8/mcp' }), { url: 'https://8.8.8.8/mcp' }],
    [
      'a variable in the path',
      remote({ url: 'https://weather.example.com/{team}/mcp', variables: { team: { isRequired: true } } }),
      { url: 'https://weather.example.com/${MCP_WEATHER_TEAM}/mcp' },
    ],
    ['a header', remote({ headers: [{ name: 'X-Region', value: 'eu' }] }), { headers: { 'X-Region': 'eu' } }],
  ])('%s', (_, written, entry) => {
    expect(takeRemote(written).entry).toMatchObject(entry);
  });

  test('secrets are asked for under names of this server, and optional inputs are named', () => {
    const { entry, asked, optional } = takePackage(
      oci({
        environmentVariables: [
          { name: 'AWS_SECRET_ACCESS_KEY', isRequired: true, isSecret: true, description: 'A key' },
          { name: 'LOG', value: 'info' },
          { name: 'PROXY' },
        ],
      }),
    );
    expect(entry).toEqual({
      command: 'docker',
      args: ['run', '-i', '--rm', '-e', 'AWS_SECRET_ACCESS_KEY', '-e', 'LOG', 'ghcr.io/acme/weather:1.2.3'],
      env: { AWS_SECRET_ACCESS_KEY: '${MCP_WEATHER_AWS_SECRET_ACCESS_KEY}', LOG: 'info' },
    });
    expect(asked).toEqual([
      {
        variable: 'MCP_WEATHER_AWS_SECRET_ACCESS_KEY',
        input: 'AWS_SECRET_ACCESS_KEY',
        description: 'A key',
        isSecret: true,
      },
    ]);
    expect(optional).toEqual(['PROXY']);
  });

  test.each<[string, Written, string]>([
    ['a secret with a value', { name: 'X-One', isSecret: true, value: 'sk-live-1' }, '${MCP_WEATHER_X_ONE}'],
    ['a secret with a default', { name: 'X-One', isSecret: true, default: 'sk-live-1' }, '${MCP_WEATHER_X_ONE}'],
    [
      'a credential nobody called secret',
      { name: 'Authorization', value: 'Bearer sk-live-1' },
      '${MCP_WEATHER_AUTHORIZATION}',
    ],
    [
      'a secret variable with a value',
      { name: 'Authorization', value: 'Bearer {t}', variables: { t: { isSecret: true, value: 'sk-live-1' } } },
      'Bearer ${MCP_WEATHER_T}',
    ],
    [
      'a variable of a secret header',
      { name: 'X-One', isSecret: true, value: 'Key {t}', variables: { t: { default: 'sk-live-1' } } },
      'Key ${MCP_WEATHER_T}',
    ],
    [
      'a secret with unused variables',
      { name: 'X-One', isSecret: true, value: 'sk-live-1', variables: { t: {} } },
      '${MCP_WEATHER_X_ONE}',
    ],
  ])('%s is not written down', (_, header, value) => {
    const { entry, asked } = takeRemote(remote({ headers: [header] }));
    expect(entry['headers']).toEqual({ [String(header['name'])]: value });
    expect(asked).toMatchObject([{ isSecret: true }]);
    expect(JSON.stringify([entry, asked])).not.toContain('sk-live');
  });

  test('names that objects have', () => {
    const { entry } = takeRemote(remote({ headers: [{ name: 'constructor', value: '{toString}{__proto__}' }] }));
    expect(entry['headers']).toEqual({ constructor: '{toString}{__proto__}' });
  });

  test('packages come before remotes, and the way can be said', () => {
    const both = { packages: [pypi(), npm()], remotes: [remote()] };
    expect(take(both).way).toBe('pypi');
    expect(take(both, { way: 'remote' }).entry).toMatchObject({ type: 'http' });
    expect(listWays(serverJsonSchema.parse({ name: 'a/b', ...both }))).toEqual(['pypi', 'npm', 'remote']);
  });
});

describe('what is refused', () => {
  const inArgument = (value: string) => npm({ packageArguments: [{ type: 'positional', value }] });
  const inVariable = (name: string, value = 'x') => npm({ environmentVariables: [{ name, value }] });

  test.each<[string, Written, RegExp]>([
    ...[
      'a; rm -rf /',
      '$(id)',
      '`id`',
      '--registry=https://evil.example',
      '-y',
      '../x',
      'https://evil.example/x.tgz',
    ].map((identifier): [string, Written, RegExp] => [identifier, npm({ identifier }), /no name of an npm package/]),
    ...['latest', '^1.2.3', '1.x', '*', '1.2.3; id', '1.2.3 --registry=x', ''].map(
      (version): [string, Written, RegExp] => [`version ${version}`, npm({ version }), /one exact version/],
    ),
    ['no version', npm({ version: undefined }), /one exact version/],
    ['another registry', npm({ registryBaseUrl: 'https://npm.evil.example' }), /not at https:\/\/registry\.npmjs\.org/],
    ['an option for uvx', pypi({ identifier: '--from' }), /no name of a PyPI package/],
    ['a range of PyPI', pypi({ version: '>=2' }), /one exact version/],
    ['latest of PyPI', pypi({ version: 'latest' }), /one exact version/],
    ['latest of an image', oci({ identifier: 'acme/weather:latest' }), /one exact tag/],
    ['an image without a tag', oci({ identifier: 'acme/weather' }), /one exact tag/],
    ['a tag that moves', oci({ identifier: 'acme/weather:1' }), /one exact tag/],
    ['a bad digest', oci({ identifier: 'acme/weather@sha256:12' }), /no digest/],
    ['an option as an image', oci({ identifier: '--privileged' }), /no name of an image/],
    ['an image with words', oci({ identifier: 'acme/weather:1.2 -v /:/host' }), /one exact tag|no name/],
    ['an image in the private network', oci({ identifier: '10.0.0.1:5000/weather:1.2.3' }), /public registry/],
    [
      'options for docker',
      oci({ runtimeArguments: [{ type: 'named', name: '-v', value: '/:/host' }] }),
      /runtimeArguments/,
    ],
    ['options for npx', npm({ runtimeArguments: [{ type: 'positional', value: '--registry=x' }] }), /runtimeArguments/],
    [
      'a server of its own',
      npm({ transport: { type: 'streamable-http', url: 'http://localhost:1' } }),
      /started and reached apart/,
    ],
    ...['a;id', 'a|id', 'a&&id', '`id`', '$(id)', 'a>b', 'a\nb', 'a"b'].map((value): [string, Written, RegExp] => [
      `argument ${JSON.stringify(value)}`,
      inArgument(value),
      /a shell could read/,
    ]),
    [
      'an option with a space',
      npm({ packageArguments: [{ type: 'named', name: '--a b', value: 'x' }] }),
      /no name of an option/,
    ],
    ['a variable of this machine', inArgument('${GITHUB_TOKEN}'), /variables of this machine/],
    ['the same in env', inVariable('X', '${env:GITHUB_TOKEN}'), /variables of this machine/],
    [
      'the same in two pieces',
      npm({
        packageArguments: [
          { type: 'positional', value: '{a}{b}', variables: { a: { value: '$' }, b: { value: '{GITHUB_TOKEN}' } } },
        ],
      }),
      /variables of this machine/,
    ],
    ...['NODE_OPTIONS', 'LD_PRELOAD', 'npm_config_registry', 'UV_INDEX_URL', 'PATH', 'HTTPS_PROXY', 'DOCKER_HOST'].map(
      (name): [string, Written, RegExp] => [name, inVariable(name), /changes what is loaded/],
    ),
    ['a variable with a line', inVariable('X', 'a\nb'), /control characters/],
    ['a name of a variable', inVariable('X=1;Y'), /no name of a variable/],
    ['a kind we do not run', { registryType: 'mcpb', identifier: 'https://x.example/y.mcpb' }, /no package of npm/],
    [
      'a kind that objects have',
      { registryType: 'constructor', identifier: 'x', version: '1.0.0' },
      /no package of npm/,
    ],
  ])('%s', (_, written, message) => {
    expect(() => takePackage(written)).toThrow(message);
  });

  test.each<[string, Written, RegExp]>([
    ...[
      ...['https://127.0.0.1/mcp', 'https://2130706433/mcp', 'https://0x7f.1/mcp', 'https://[::1]/mcp'],
      ...['https://10.1.2.3/mcp', 'https://169.254.169.254/latest', 'https://[::ffff:10.0.0.1]/mcp'],
      ...['https://localhost/mcp', 'https://db.internal/mcp', 'https://printer/mcp', 'https://a.localhost./mcp'],
    ].map((url): [string, Written, RegExp] => [url, remote({ url }), /private network|not written plainly/]),
    ['http', remote({ url: 'http://weather.example.com/mcp' }), /not https/],
    ['a file', remote({ url: 'file:///etc/passwd' }), /not https|not written plainly/],
    ['a password', remote({ url: 'https://a:b@weather.example.com/mcp' }), /password|not written plainly/],
    ['no URL', remote({ url: 'weather' }), /no URL/],
    ['a host to be chosen', remote({ url: 'https://{h}.example.com/', variables: { h: {} } }), /not written plainly/],
    ['a variable of this machine', remote({ url: 'https://weather.example.com/${HOME}' }), /variables of this machine/],
    ['a header with a line', remote({ headers: [{ name: 'X-A', value: 'a\r\nHost: b' }] }), /no header/],
    ['a header of two', remote({ headers: [{ name: 'X-A: b\r\nX', value: 'a' }] }), /no header/],
    ['another type', remote({ type: 'websocket' }), /unknown type/],
  ])('a remote: %s', (_, written, message) => {
    expect(() => takeRemote(written)).toThrow(message);
  });

  test('a private address counts only where the registry itself is', () => {
    const here = remote({ url: 'http://127.0.0.1:7411/servers/memory/mcp' });
    expect(takeRemote(here, 'http://127.0.0.1:7411').entry).toMatchObject({ url: here.url });
    expect(() => takeRemote(here, 'http://127.0.0.1:7412')).toThrow(/not https/);
  });

  test.each<[string, Written]>([
    ['a name without a namespace', { name: 'weather' }],
    ['a name for a shell', { name: 'io.example/$(id)' }],
    ['a thousand packages', { name: 'a/b', packages: Array.from({ length: 1000 }, () => npm()) }],
    [
      'a long value',
      { name: 'a/b', packages: [npm({ packageArguments: [{ type: 'positional', value: 'x'.repeat(1e6) }] })] },
    ],
    ['a list in place of a text', { name: 'a/b', packages: [npm({ identifier: ['x'] })] }],
  ])('a document: %s', (_, written) => {
    expect(serverJsonSchema.safeParse(written).success).toBe(false);
  });
});

describe('a server of ours', () => {
  const served = { name: 'github', serverInfo: {}, url: 'https://gate.example.com/servers/github/mcp', needsKey: true };

  test('comes back as the remote that asks for a key', () => {
    const document = toServerJson({
      ...served,
      serverInfo: { name: 'x', title: 'GitHub', version: '2.1.0', description: `${'é'.repeat(150)}` },
    });
    expect(document).toMatchObject({
      name: 'sallyport/github',
      title: 'GitHub',
      version: '2.1.0',
      description: 'é'.repeat(100),
    });
    const { way, entry, asked } = fromServerJson(serverJsonSchema.parse(document), { name: 'github' });
    expect({ way, entry }).toEqual({
      way: 'remote',
      entry: { type: 'http', url: served.url, headers: { Authorization: 'Bearer ${MCP_GITHUB_KEY}' } },
    });
    expect(asked).toMatchObject([{ variable: 'MCP_GITHUB_KEY', isSecret: true }]);
  });

  test.each([['latest'], [''], ['^1.0'], ['1 2'], [7], ['x'.repeat(300)]])('version %j is not given out', (version) => {
    expect(toServerJson({ ...served, serverInfo: { version } })['version']).toBe('0.0.0');
  });

  test('without a key', () => {
    expect(toServerJson({ ...served, needsKey: false })['remotes']).toEqual([
      { type: 'streamable-http', url: served.url },
    ]);
  });
});
