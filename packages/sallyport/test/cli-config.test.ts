// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the configuration's own variables are meant
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { loadControlToken } from '../src/app/control-token.ts';
import { COMMANDS } from '../src/cli/commands.ts';
import { toLocalUser } from '../src/core/principal.ts';
import { openControlSocket } from '../src/gateway/control-socket.ts';
import { takeFileLock } from '../src/storage/file-lock.ts';
import { cli, EVERYTHING_ENTRY, newFolder } from './cli-terminal.ts';

const USER_FILE = '.config/sallyport/sallyport.json';

function put(home: string, file: string, value: unknown): void {
  mkdirSync(dirname(join(home, file)), { recursive: true });
  writeFileSync(join(home, file), typeof value === 'string' ? value : JSON.stringify(value));
}

const read = (home: string, file = USER_FILE): unknown => JSON.parse(readFileSync(join(home, file), 'utf8'));

describe('server add, list, show, remove', () => {
  test('the first server makes the file, for its owner only', async () => {
    const home = newFolder();
    const run = await cli(['server', 'add', 'a', '--env', 'K=${K}', '--', 'npx', '-y', 'x', '--flag'], { home });
    expect(run).toMatchObject({ exit: 0, stdout: `Added a to ${join(home, USER_FILE)}\n` });
    expect(read(home)).toEqual({
      mcpServers: { a: { command: 'npx', args: ['-y', 'x', '--flag'], env: { K: '${K}' } } },
    });
    expect(statSync(join(home, USER_FILE)).mode & 0o777).toBe(0o600);
    await cli(
      ['server', 'add', 'b', 'https://x.test/mcp', '--header', 'Authorization: Bearer s3cret', '--type', 'sse'],
      { home },
    );
    const list = await cli(['server', 'list'], { home });
    expect(list.stdout).toBe(
      'NAME  TYPE   STATE  TOOLS  COMMAND OR URL\na     stdio  -      -      npx -y x --flag\nb     sse    -      -      https://x.test/mcp\n',
    );
    const show = await cli(['server', 'show', 'b'], { home });
    expect(show.json()).toMatchObject({
      server: { type: 'sse', headers: { Authorization: '(hidden)' } },
      status: null,
    });
    await cli(['server', 'remove', 'a'], { home });
    expect(read(home)).toEqual({
      mcpServers: { b: { type: 'sse', url: 'https://x.test/mcp', headers: { Authorization: 'Bearer s3cret' } } },
    });
  });

  test('what is already in a file stays as it is', async () => {
    const home = newFolder();
    const text = '# mine\nmcpServers:\n  a:\n    command: x # because\ngateway:\n  port: 0\n';
    put(home, 'sallyport.yaml', text);
    await cli(['server', 'add', 'b', 'http://x.test/'], { home });
    expect(readFileSync(join(home, 'sallyport.yaml'), 'utf8')).toBe(
      text.replace('gateway', '  b:\n    url: http://x.test/\ngateway'),
    );
    await cli(['server', 'remove', 'b'], { home });
    expect(readFileSync(join(home, 'sallyport.yaml'), 'utf8')).toBe(text);
  });

  test('an added server works', async () => {
    const home = newFolder();
    await cli(['server', 'add', 'e', '--', EVERYTHING_ENTRY.command, ...EVERYTHING_ENTRY.args], { home });
    expect(await cli(['tool', 'call', 'e', 'echo', 'message=hi'], { home })).toMatchObject({
      exit: 0,
      stdout: 'Echo: hi\n',
    });
  });

  test.each<[string[], string]>([
    [['add', 'my server', 'http://x'], 'how about "my-server"?'],
    [['add', 'x'], 'Give either a url or a command after --'],
    [['add', 'x', 'http://x', '--', 'y'], 'Give either a url or a command after --'],
    [['add', 'x', 'x.test'], 'url no URL'],
    [['add', 'x', 'http://me:s3cret@x.test'], 'holds a user name or password'],
    [['add', 'x', 'http://x', '--type', 'ws'], 'type: expected one of'],
    [['add', 'x', 'http://x', '--env', 'A=b'], '--env and --cwd are for a command'],
    [['add', 'x', '--header', 'A: b', '--', 'y'], '--header is for a url'],
    [['add', 'a', 'http://x'], 'already has a server "a"'],
    [['remove', 'aa'], 'Did you mean "a"?'],
    [['show', '__proto__'], 'has no server "__proto__"'],
    [['restart', 'a'], 'No Sallyport is running'],
  ])('server %j is refused', async (words, message) => {
    const home = newFolder();
    put(home, 'sallyport.json', { mcpServers: { a: { command: 'x' } } });
    const run = await cli(['server', ...words], { home });
    expect(run.exit).toBe(words[0] === 'restart' ? 4 : 1);
    expect(run.stderr).toContain(message);
    expect(run.stderr).not.toContain('s3cret');
    expect(read(home, 'sallyport.json')).toEqual({ mcpServers: { a: { command: 'x' } } });
  });

  test('a file that cannot be read is not written', async () => {
    const home = newFolder();
    put(home, 'sallyport.json', '{ "mcpServers": ');
    expect(await cli(['server', 'add', 'a', 'http://x'], { home })).toMatchObject({
      exit: 1,
      stderr: expect.stringContaining('line 1: not JSON'),
    });
    expect(readFileSync(join(home, 'sallyport.json'), 'utf8')).toBe('{ "mcpServers": ');
  });

  test('with a Sallyport running', async () => {
    const home = newFolder();
    put(home, 'sallyport.json', { mcpServers: { a: { command: 'x' } } });
    const stateDir = join(home, '.local/state/sallyport');
    const restarted: string[] = [];
    const server = { name: 'a', state: 'ready', revision: '2025-11-25', lastError: null };
    const handle = async ({ method, path }: { method: string; path: string }) => {
      if (method === 'POST') restarted.push(path);
      const body = JSON.stringify(path === '/api/v1/servers' ? { items: [server] } : server);
      return { kind: 'whole', status: 200, type: 'application/json', body } as const;
    };
    const socket = await openControlSocket({
      stateDir,
      control: { handle },
      principal: toLocalUser('ann'),
      token: await loadControlToken(stateDir),
      lock: takeFileLock,
    });
    onTestFinished(() => socket?.close());
    expect((await cli(['server', 'list', '--json'], { home })).json()).toMatchObject({
      running: true,
      servers: [{ name: 'a', state: 'ready' }],
    });
    expect((await cli(['server', 'show', 'a'], { home })).json()).toMatchObject({ status: { revision: '2025-11-25' } });
    expect(await cli(['server', 'restart', 'a'], { home })).toMatchObject({ exit: 0, stdout: 'Restarted a\n' });
    expect(restarted).toEqual(['/api/v1/servers/a/restart']);
  });
});

describe('import', () => {
  function clients(): string {
    const home = newFolder();
    put(home, '.cursor/mcp.json', {
      mcpServers: { github: { url: 'https://x.test/mcp' }, 'My Files': { command: 'files' } },
    });
    put(home, '.config/Claude/claude_desktop_config.json', {
      theme: 'x',
      mcpServers: { github: { command: 'other', env: { K: 's3cret' } } },
    });
    put(home, '.claude.json', { numStartups: 1, projects: { '/p': { mcpServers: { local: { command: 'l' } } } } });
    put(
      home,
      'work/.vscode/mcp.json',
      '{ // mine\n "inputs": [], "servers": { "v": { "command": "v", "args": ["${input:api-key}", "${workspaceFolder}"] } }, }',
    );
    put(home, '.codeium/windsurf/mcp_config.json', '{ broken');
    put(home, '.config/Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json', {
      mcpServers: { sallyport: { command: 'npx', args: ['sallyport', 'stdio'] } },
    });
    return home;
  }

  test('finds and merges, overwrites nothing, and a second time does nothing', async () => {
    const home = clients();
    put(home, USER_FILE, { mcpServers: { local: { command: 'mine' } } });
    const setting = { home, cwd: join(home, 'work') };
    const run = await cli(['import', '--json'], setting);
    expect(run.exit).toBe(0);
    const { servers, unreadable } = run.json() as {
      servers: { name: string; action: string; client: string }[];
      unreadable: string[];
    };
    expect(servers.map(({ client, name, action }) => `${client} ${name} ${action}`)).toEqual([
      'claude-desktop github added',
      'claude-code local-2 renamed',
      'cursor github-2 renamed',
      'cursor My-Files added',
      'vscode v added',
      'cline sallyport refused',
    ]);
    expect(unreadable).toEqual([expect.stringMatching(/^Windsurf: .*not JSON/)]);
    expect(run.stdout + run.stderr).not.toContain('s3cret');
    const merged = {
      mcpServers: {
        local: { command: 'mine' },
        github: { command: 'other', env: { K: 's3cret' } },
        'local-2': { command: 'l', cwd: '/p' },
        'github-2': { url: 'https://x.test/mcp' },
        'My-Files': { command: 'files' },
        v: { command: 'v', args: ['${API_KEY}', join(home, 'work')], cwd: join(home, 'work') },
      },
    };
    expect(read(home)).toEqual(merged);
    expect(statSync(join(home, USER_FILE)).mode & 0o777).toBe(0o600);
    const before = readFileSync(join(home, USER_FILE), 'utf8');
    const again = await cli(['import', '--json'], setting);
    expect(again.json()).toMatchObject({ added: 0 });
    expect(readFileSync(join(home, USER_FILE), 'utf8')).toBe(before);
  });

  test('only one client, and only to look', async () => {
    const home = clients();
    const run = await cli(['import', '--from', 'cursor', '--dry-run'], { home });
    expect(run.stdout).toMatch(
      /^SERVER +WHAT +CLIENT +WHY\ngithub +added +cursor\nMy-Files +added +cursor +renamed from/,
    );
    expect(() => read(home)).toThrow();
    expect(await cli(['import', '--from', 'emacs'], { home })).toMatchObject({
      exit: 1,
      stderr: expect.stringContaining('--from knows claude-desktop'),
    });
  });

  test('rewires the clients it read, keeps copies, and says how to go back', async () => {
    const home = clients();
    const cursor = join(home, '.cursor/mcp.json');
    const before = readFileSync(cursor, 'utf8');
    const plain = await cli(['import'], { home });
    expect(plain.stderr).toContain('Next: run "sallyport up", then "sallyport import --rewire"');
    expect(readFileSync(cursor, 'utf8')).toBe(before);

    const run = await cli(['import', '--rewire'], { home });
    expect(run.exit).toBe(0);
    const key = readFileSync(join(home, '.local/state/sallyport/key'), 'utf8').trim();
    expect(run.stdout + run.stderr).not.toContain(key);
    const copy = `${cursor}.before-sallyport`;
    expect(run.stderr).toContain(`Rewired ${cursor}. To go back: mv ${copy} ${cursor}`);
    expect(run.stderr).toContain('Next: run "sallyport up"');
    expect(readFileSync(copy, 'utf8')).toBe(before);
    expect(JSON.parse(readFileSync(cursor, 'utf8'))).toEqual({
      mcpServers: { sallyport: { url: 'http://127.0.0.1:7411/mcp', headers: { Authorization: `Bearer ${key}` } } },
    });
    expect(statSync(cursor).mode & 0o777).toBe(0o600);
    const desktop = readFileSync(join(home, '.config/Claude/claude_desktop_config.json'), 'utf8');
    expect(JSON.parse(desktop)).toMatchObject({
      theme: 'x',
      mcpServers: { sallyport: { args: [expect.any(String), 'stdio', '--config', join(home, USER_FILE)] } },
    });
    expect(desktop).not.toContain(key);
    expect(JSON.parse(readFileSync(join(home, '.claude.json'), 'utf8'))).toMatchObject({
      numStartups: 1,
      mcpServers: { sallyport: { type: 'http' } },
      projects: { '/p': { mcpServers: {} } },
    });

    // What was rewired leads here: nothing is taken over a second time.
    const again = await cli(['import', '--rewire', '--json'], { home });
    expect(again.json()).toMatchObject({ added: 0, rewired: [] });
  });

  test.each([
    ['y', true],
    ['n', false],
  ])('asks a person whether to rewire: %s', async (answer, isRewired) => {
    const home = newFolder();
    put(home, '.cursor/mcp.json', { mcpServers: { a: { command: 'a' } } });
    const run = await cli(['import'], { home, answers: [answer] });
    expect(run.stderr).toContain("Replace these servers by Sallyport in the clients' files?");
    expect(readFileSync(join(home, '.cursor/mcp.json'), 'utf8').includes('sallyport')).toBe(isRewired);
  });

  test('nothing to find', async () => {
    const home = newFolder();
    expect(await cli(['import'], { home })).toMatchObject({
      exit: 0,
      stdout: '',
      stderr: 'Added 0 of 0 servers found.\n',
    });
  });
});

describe('help and completion', () => {
  test.each(COMMANDS.map(({ name }) => name))('%s --help shows an example', async (name) => {
    const run = await cli([...name.split(' '), '--help']);
    expect(run).toMatchObject({ exit: 0, stderr: '' });
    expect(run.stdout).toContain(`Example:\n  $ sallyport ${name}`);
    expect(run.stdout).toContain('--json');
  });

  test('the version', async () => {
    expect((await cli(['--version'])).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  });

  test.each([
    ['sallyport ', ['up', 'server', 'tool', 'import']],
    ['sallyport to', ['tool']],
    ['sallyport tool ', ['list', 'show', 'call']],
    ['sallyport tool call x --ti', ['--timeout']],
  ])('bash completes %j', async (line, expected) => {
    const { stdout } = await cli(['completion', 'bash']);
    const words = line.split(' ');
    const call = `COMP_WORDS=(${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length - 1}; _sallyport; echo "\${COMPREPLY[@]}"`;
    const offered = execFileSync('bash', ['-c', `${stdout}\n${call}`], { encoding: 'utf8' })
      .trim()
      .split(' ');
    expect(offered).toEqual(expect.arrayContaining(expected));
  });

  test('other shells', async () => {
    expect((await cli(['completion', 'fish'])).stdout).toContain('complete -c sallyport');
    expect((await cli(['completion', 'zsh'])).stdout).toContain('#compdef sallyport');
    expect((await cli(['completion', 'tcsh'])).exit).toBe(1);
  });

  test('the schema of the file', async () => {
    expect((await cli(['schema'])).json()).toMatchObject({ properties: { mcpServers: {}, gateway: {} } });
  });
});

describe('a command line without a command', () => {
  test.each([
    [[], /^Usage: sallyport \[options\] \[command\][\s\S]*Begin with: sallyport import, then sallyport up/],
    [['approval'], /^Usage: sallyport approval[\s\S]*watch/],
  ])('%j helps', async (words, help) => {
    expect(await cli(words)).toMatchObject({ exit: 0, stdout: expect.stringMatching(help), stderr: '' });
  });

  test.each([
    [['tol', 'list'], 'Did you mean tool?'],
    [['tool', 'lst'], 'Did you mean list?'],
  ])('%j suggests', async (words, suggestion) => {
    expect(await cli(words)).toMatchObject({ exit: 1, stderr: expect.stringContaining(suggestion) });
  });
});
