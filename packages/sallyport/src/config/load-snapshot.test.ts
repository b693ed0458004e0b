// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the configuration's own variables are meant
import { describe, expect, test } from 'vitest';
import { FaultError } from '../core/errors.ts';
import { loadSnapshot, type SnapshotSource } from './load-snapshot.ts';

function load(text: unknown, more: Partial<SnapshotSource> = {}) {
  return loadSnapshot({
    file: '/etc/sallyport.json',
    text: typeof text === 'string' ? text : JSON.stringify(text),
    env: {},
    stateDir: '/var/lib/sallyport',
    version: 1,
    ...more,
  });
}

function refusal(text: unknown, more: Partial<SnapshotSource> = {}): string {
  try {
    load(text, more);
  } catch (error) {
    expect(error).toBeInstanceOf(FaultError);
    expect((error as FaultError).code).toBe('config');
    return (error as FaultError).message;
  }
  throw new Error('was not refused');
}

function server(entry: object, more: Partial<SnapshotSource> = {}) {
  const found = load({ mcpServers: { a: entry } }, more).servers.get('a');
  if (found === undefined) throw new Error('no server');
  return found;
}

describe('defaults', () => {
  test('an empty file is a gateway on loopback with a key and no servers', () => {
    const snapshot = load('');
    expect(snapshot.servers.size).toBe(0);
    expect(snapshot.gateway).toEqual({
      host: '127.0.0.1',
      port: 7411,
      auth: 'key',
      allowedHosts: [],
      allowedOrigins: [],
      prefix: 'server',
      pageSize: 1000,
      pollAfterMs: 0,
      sessionIdleMs: 1_800_000,
      unvalidatedArguments: 'allow',
      limits: {
        bodyBytes: 4_194_304,
        depth: 64,
        headerCount: 64,
        headerBytes: 16_384,
        headerMs: 10_000,
        requestMs: 30_000,
        inFlight: 1000,
        inFlightPerClient: 64,
        inFlightBytes: 268_435_456,
        sessions: 12_000,
      },
    });
  });

  test('a server has every setting', () => {
    expect(server({ command: 'node' })).toEqual({
      name: 'a',
      transport: { type: 'stdio', command: 'node', args: [], env: {}, cwd: undefined },
      prefix: undefined,
      era: 'auto',
      timeoutMs: 60_000,
      maxTimeoutMs: 600_000,
      startTimeoutMs: 30_000,
      concurrency: 80,
      sharing: 'shared',
      idleMs: 600_000,
      memoryMb: 0,
      breaker: { failures: 5, openMs: 5000 },
      listTtlMs: 300_000,
      disabledTools: [],
    });
  });

  test('the hard cap follows a longer timeout', () => {
    expect(server({ command: 'x', timeoutMs: 900_000 }).maxTimeoutMs).toBe(900_000);
  });
});

test('the snapshot is frozen all the way down', () => {
  const snapshot = load({ mcpServers: { a: { command: 'x', args: ['y'] } } });
  expect(() => Object.assign(snapshot.gateway.limits, { depth: 1 })).toThrow(TypeError);
  expect(() => (snapshot.servers as Map<string, unknown>).clear()).toThrow('A snapshot does not change');
  const transport = snapshot.servers.get('a')?.transport;
  expect(Object.isFrozen(transport)).toBe(true);
  expect(transport?.type === 'stdio' && Object.isFrozen(transport.args)).toBe(true);
});

describe('files as clients write them', () => {
  test.each([
    ['Claude Desktop', { mcpServers: { a: { command: 'npx', args: ['-y', 'x'], env: { K: 'v' } } } }],
    ['Claude Code', { mcpServers: { a: { type: 'stdio', command: 'npx', args: ['-y', 'x'], env: { K: 'v' } } } }],
    [
      'Cline',
      {
        mcpServers: {
          a: {
            command: 'npx',
            args: ['-y', 'x'],
            env: { K: 'v' },
            disabled: false,
            autoApprove: ['y'],
            alwaysAllow: [],
            transportType: 'stdio',
          },
        },
      },
    ],
    [
      'VS Code',
      {
        inputs: [{ type: 'promptString', id: 'k', description: 'key', password: true }],
        servers: {
          a: { type: 'stdio', command: 'npx', args: ['-y', 'x'], env: { K: 'v' }, dev: { watch: '*' }, gallery: true },
        },
      },
    ],
  ])('%s, a command', (_, text) => {
    expect(load(text).servers.get('a')?.transport).toEqual({
      type: 'stdio',
      command: 'npx',
      args: ['-y', 'x'],
      env: { K: 'v' },
      cwd: undefined,
    });
  });

  test.each([
    ['Cursor', { url: 'https://x.test/mcp' }, 'auto'],
    ['Windsurf', { serverUrl: 'https://x.test/mcp' }, 'auto'],
    ['Claude Code', { type: 'http', url: 'https://x.test/mcp' }, 'http'],
    ['Claude Code, SSE', { type: 'sse', url: 'https://x.test/mcp' }, 'sse'],
    ['Roo Code', { type: 'streamable-http', url: 'https://x.test/mcp' }, 'http'],
    ['Cline', { type: 'streamableHttp', url: 'https://x.test/mcp' }, 'http'],
    ['Cline, older', { transportType: 'sse', url: 'https://x.test/mcp' }, 'sse'],
    ['both, told apart by type', { type: 'http', command: 'x', url: 'https://x.test/mcp' }, 'http'],
  ])('%s, a url', (_, entry, type) => {
    expect(server({ ...entry, headers: { 'X-Key': 'v' } }).transport).toEqual({
      type,
      url: 'https://x.test/mcp',
      headers: { 'X-Key': 'v' },
    });
  });

  test('comments, trailing commas and a byte order mark', () => {
    const text = '\uFEFF// mine\n{ "servers": { /* one */ "a": { "command": "x", "args": ["http://y", ], }, }, }\n';
    expect(load(text).servers.get('a')?.transport).toMatchObject({ command: 'x', args: ['http://y'] });
  });

  test('YAML', () => {
    const text = 'mcpServers:\n  a:\n    command: x # mine\n    args: [--port, 3000]\n    env: { DEBUG: true }\n';
    expect(load(text, { file: '/etc/sallyport.yaml' }).servers.get('a')?.transport).toMatchObject({
      args: ['--port', '3000'],
      env: { DEBUG: 'true' },
    });
  });

  test("other keys of another program's file are not our business", () => {
    const text = { globalShortcut: 'x', mcpServers: { a: { command: 'x' } } };
    expect(load(text, { file: '/home/me/claude_desktop_config.json' }).servers.size).toBe(1);
    expect(refusal(text)).toContain('globalShortcut: unknown key');
  });

  test('a disabled server is left out and needs no variables', () => {
    expect(load({ mcpServers: { a: { command: '${NOPE}', disabled: true } } }).servers.size).toBe(0);
  });

  test('what has no effect although it matters is said', () => {
    const { notes } = load({ mcpServers: { a: { command: 'x', sandboxEnabled: true, alwaysAllow: ['b'] } } });
    expect(notes).toEqual(['mcpServers.a.sandboxEnabled: Written by VS Code; accepted, without effect here.']);
  });

  test('the order of the file is kept, and names are not properties', () => {
    const text = '{"mcpServers":{"z":{"command":"x"},"__proto__":{"command":"y"},"constructor":{"command":"w"}}}';
    expect([...load(text).servers.keys()]).toEqual(['z', '__proto__', 'constructor']);
    expect(load('{}').servers.get('constructor')).toBeUndefined();
  });

  test('envFile is read, env wins, null leaves out', () => {
    const readText = (path: string) => {
      expect(path).toBe('/etc/x.env');
      return '# c\nexport A=1\nB="two\\n" # t\nC=\'${A}\'\nD=4 # t\n';
    };
    const { transport } = server({ command: 'x', envFile: 'x.env', env: { A: '9', D: null } }, { readText });
    expect(transport).toMatchObject({ env: { A: '9', B: 'two\n', C: '${A}' } });
    expect(transport).not.toHaveProperty('env.D');
    expect(server({ command: 'x', envFile: 'x.env' }).fault).toContain('cannot read /etc/x.env');
  });

  test('relative working directories start at the file', () => {
    expect(server({ command: 'x', cwd: 'sub' }).transport).toMatchObject({ cwd: '/etc/sub' });
  });

  test("an editor's workspace is the folder around its file", () => {
    const { transport } = server(
      { command: 'x', args: ['${workspaceFolder}${/}y', '${userHome}'] },
      { file: '/p/.vscode/mcp.json', env: { HOME: '/home/me' } },
    );
    expect(transport).toMatchObject({ args: ['/p/y', '/home/me'] });
  });
});

describe('problems', () => {
  const a = (entry: object) => ({ mcpServers: { a: entry } });

  test.each<[unknown, string]>([
    ['{ "mcpServers": \n }', 'line 2: not JSON: a value is missing here'],
    ['{ "a": 1\n "b": 2 }', 'line 2: not JSON: a comma or "}" is missing here'],
    ['{ "mcpServers": {}, "mcpServers": {} }', 'the key "mcpServers" stands here for the second time'],
    ['[]', 'expected an object at the top'],
    ['['.repeat(10_000), 'nested deeper than 100 levels'],
    [{ mcpServer: {} }, 'mcpServer: unknown key; did you mean "mcpServers"?'],
    [{ gateway: { prot: 1 } }, 'gateway.prot: unknown key; did you mean "port"?'],
    [{ gateway: { limits: { dept: 1 } } }, 'gateway.limits.dept: unknown key; did you mean "depth"?'],
    [{ gateway: { port: '80' } }, 'gateway.port: expected a whole number'],
    [{ gateway: { port: 70_000 } }, 'gateway.port: must be at most 65535'],
    [{ gateway: { prefix: 'x' } }, 'gateway.prefix: expected one of "server", "random", "uri", "none"'],
    [{ gateway: { allowedOrigins: ['app.test'] } }, 'gateway.allowedOrigins: "app.test" is no origin'],
    [{ mcpServers: [] }, 'mcpServers: expected an object with one entry per server'],
    [{ mcpServers: { 'my server': { command: 'x' } } }, 'mcpServers.my server: a server name is 1 to 64'],
    [{ mcpServers: { '..': { command: 'x' } } }, 'mcpServers...: a server name is 1 to 64'],
    [{ mcpServers: { a: 'x' } }, 'mcpServers.a: expected an object with a command or a url'],
    [
      { mcpServers: { a: { command: 'x' } }, servers: { a: { command: 'x' } } },
      'servers.a: mcpServers and servers both',
    ],
    [a({ comand: 'x' }), 'mcpServers.a.comand: unknown key; did you mean "command"?'],
    [a({ command: 'x', timeout_ms: 1 }), 'mcpServers.a.timeout_ms: unknown key; did you mean "timeoutMs"?'],
    [
      a({ command: 'x', breaker: { failure: 1 } }),
      'mcpServers.a.breaker.failure: unknown key; did you mean "failures"?',
    ],
    [a({ command: 'x', args: [1.5] }), 'mcpServers.a.args.0: expected text; put it in quotes'],
    [a({ command: 'x', env: { 'A=B': 'c' } }), 'mcpServers.a.env.A=B: no name of an environment variable'],
    [a({ command: 'x', args: ['a\0b'] }), 'mcpServers.a: holds a NUL character'],
    [a({ command: 'x', timeoutMs: 5000, maxTimeoutMs: 10 }), 'mcpServers.a.maxTimeoutMs: smaller than timeoutMs'],
    [a({}), 'mcpServers.a: has neither command nor url'],
    [a({ command: 'x', url: 'http://y' }), 'mcpServers.a: has both command and url'],
    [a({ type: 'stdio', url: 'http://y' }), 'mcpServers.a: is of type stdio but has no command'],
    [a({ type: 'ws', url: 'http://y' }), 'mcpServers.a.type: expected one of "stdio", "local", "http"'],
    [a({ url: 'localhost:80' }), 'mcpServers.a.url: neither http:// nor https://'],
    [a({ url: 'http://' }), 'mcpServers.a.url: no URL'],
    [a({ url: 'http://y', headers: { 'a b': 'c' } }), 'mcpServers.a.headers.a b: no name of a header'],
    [a({ url: 'http://y', headers: { A: 'c\r\nB: d' } }), 'mcpServers.a.headers.A: holds a character'],
    [a({ command: 'x', args: ['${a b}'] }), 'mcpServers.a.args.0: ${a b} is no variable'],
  ])('%j', (text, message) => {
    expect(refusal(text)).toContain(message);
  });

  test.each([
    [{ command: 'x', env: { K: '${NOPE}' } }, 'env.K: the environment variable NOPE is not set; set it before'],
    [{ command: 'x', args: ['${NOPE}'] }, 'args.0: the environment variable NOPE is not set'],
    [{ command: '${NOPE}' }, 'command: the environment variable NOPE is not set'],
    [{ url: '${NOPE}' }, 'url: the environment variable NOPE is not set'],
    [{ url: 'https://${NOPE}/mcp' }, 'url: the environment variable NOPE is not set'],
    [{ type: '${NOPE}', url: 'https://x.test/' }, 'type: the environment variable NOPE is not set'],
    [{ command: 'x', era: '${NOPE}' }, 'era: the environment variable NOPE is not set'],
    [{ command: 'x', envFile: 'none.env' }, 'envFile: cannot read /etc/none.env'],
    [{ url: '${EMPTY}' }, 'url: '],
    [{ url: 'https://x.test/', headers: { A: '${LINES}' } }, 'headers.A: holds a character a header cannot carry'],
    [
      { command: 'x', env: { K: '${input:api-key}' } },
      'env.K: ${input:api-key} is asked for by VS Code only; set the environment variable API_KEY',
    ],
  ])('what the environment lacks breaks its server alone: %j', (entry, fault) => {
    const env = { EMPTY: '', LINES: 'a\nb' };
    const { servers } = load({ mcpServers: { a: entry, b: { command: 'y' } } }, { env });
    expect(servers.get('a')?.fault?.startsWith(fault)).toBe(true);
    expect(servers.get('b')).toMatchObject({ transport: { command: 'y' } });
    expect(servers.get('b')).not.toHaveProperty('fault');
    expect(refusal(JSON.stringify({ mcpServers: { a: entry } }), { env, only: 'a' })).toContain(fault);
  });

  test('a server is still refused for what the file itself gets wrong', () => {
    const said = refusal(a({ comand: 'x', env: { K: '${NOPE}' } }));
    expect(said).toContain('mcpServers.a.comand: unknown key');
    expect(said).not.toContain('NOPE');
  });

  test('all at once, with lines', () => {
    const text = `{
  "mcpServers": {
    "a": { "comand": "x" },
    "b": { "command": "\${X} \${Y}",
           "timeoutMs": "1" }
  },
  "gatway": {}
}`;
    expect(refusal(text)).toBe(
      `/etc/sallyport.json has 3 problems:
  - line 7, gatway: unknown key; did you mean "gateway"?
  - line 3, mcpServers.a.comand: unknown key; did you mean "command"?
  - line 5, mcpServers.b.timeoutMs: expected a whole number.`,
    );
  });

  test.each([
    ['a: [1\nb: "s3cret', 'line '],
    ['a: 1\na: s3cret', 'line 2: not YAML: a key stands here for the second time'],
    ['mcpServers:\n  a:\n    comand: s3cret', 'line 3, mcpServers.a.comand: unknown key'],
  ])('YAML %j', (text, message) => {
    const said = refusal(text, { file: '/etc/sallyport.yml' });
    expect(said).toContain(message);
    expect(said).not.toContain('s3cret');
  });

  test('a YAML bomb is refused', () => {
    const bomb = `a: &a [x,x,x,x,x,x,x,x,x]\n${[...'bcdefghi'].map((key, i) => `${key}: &${key} [${Array(9).fill(`*${'abcdefgh'[i]}`).join(',')}]`).join('\n')}`;
    expect(refusal(bomb, { file: '/x.yaml' })).toContain('too many aliases');
  });

  test('values are never shown', () => {
    const secrets = [
      '{ "mcpServers": { "a": { "command": "x", "env": { "K": "s3cret" "L": 1 } } } }',
      a({ command: 'x', era: 's3cret', env: { K: ['s3cret'] } }),
      a({ url: 'http://me:s3cret@x.test/' }),
      a({ url: 's3cret://x' }),
      a({ url: 'http://y', headers: { A: 's3cret\n' } }),
    ];
    for (const text of secrets) expect(refusal(text)).not.toContain('s3cret');
    expect(server({ url: '${U}' }, { env: { U: 's3cret' } }).fault).toBe('url: no URL; write http://… or https://…');
  });
});

describe('authentication can be turned off on loopback only', () => {
  test.each(['127.0.0.1', '127.8.9.10', 'localhost', '::1', '[::1]'])('%s may', (host) => {
    expect(load({ gateway: { host, auth: 'none' } }).gateway.auth).toBe('none');
  });
  test.each(['0.0.0.0', '::', '192.168.1.2', '127.0.0.1.evil.test', '127.0.0.256', 'localhost.evil.test'])(
    '%s may not',
    (host) => {
      expect(refusal({ gateway: { host, auth: 'none' } })).toContain('gateway.auth: "none" would let everyone');
    },
  );
});
