import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { beforeAll, expect, it } from 'vitest';
import { atTheEnd } from './at-the-end.ts';
import { ROOT } from './docs-pages.ts';
import { type Announcement, newTestFolder } from './running-sallyport.ts';

const run = promisify(execFile);
/** A megabyte of it is the encoding that counts tokens, half of one the sandbox of scripts. */
const MOST_BYTES = 3_500_000;
const INSTALL_MS = 180_000;
const EVERYTHING = join(ROOT, 'node_modules/@modelcontextprotocol/server-everything/dist/index.js');

interface Packed {
  readonly filename: string;
  readonly size: number;
  readonly files: readonly { readonly path: string }[];
}

let packed: Packed;
let tarball: string;
/** An empty folder of a user who has nothing of this repository. */
let home: string;
let sallyport: string;
let env: NodeJS.ProcessEnv;

beforeAll(async () => {
  home = newTestFolder();
  packed = await pack('sallyport');
  tarball = join(home, packed.filename);
  const cache = (await run('npm', ['config', 'get', 'cache'])).stdout.trim();
  const { SALLYPORT_STATE: _state, SALLYPORT_CONFIG: _config, ...inherited } = process.env;
  // npm sets these in scripts, and they would lead an `npm` below back into this repository.
  const outer = Object.fromEntries(Object.entries(inherited).filter(([name]) => !/^npm_/i.test(name)));
  env = { ...outer, HOME: home, npm_config_cache: cache, npm_config_prefer_offline: 'true' };
  await run('npm', ['install', '--global', '--prefix', join(home, 'global'), tarball], { cwd: home, env });
  sallyport = join(home, 'global/bin/sallyport');
}, INSTALL_MS);

it('is one small file with the bundle, its pages and its licence', () => {
  const paths = packed.files.map(({ path }) => path);
  expect(statSync(tarball).size).toBeLessThanOrEqual(MOST_BYTES);
  expect(paths).toEqual(
    expect.arrayContaining([
      'README.md',
      'LICENSE',
      'package.json',
      'bin/sallyport.js',
      'dist/bundle/cli/main.js',
      'dist/bundle/LICENSES.txt',
      'sallyport.schema.json',
      'docs/guide-laptop.md',
    ]),
  );
  expect(paths.filter((path) => /\.map$|\.d\.ts$|\.test\.|tsbuildinfo|^src\//.test(path))).toEqual([]);
});

it('says its version through npx from an empty folder', { timeout: INSTALL_MS }, async () => {
  const folder = newTestFolder();
  const { stdout } = await run('npx', ['--yes', '--package', tarball, 'sallyport', '--version'], { cwd: folder, env });
  const { version } = JSON.parse(readFileSync(join(ROOT, 'packages/sallyport/package.json'), 'utf8'));
  expect(stdout.trim()).toBe(version);
});

it('examines an empty machine without a failure', async () => {
  const { stdout } = await run(sallyport, ['doctor', '--json'], { cwd: home, env });
  expect(JSON.stringify(JSON.parse(stdout))).toContain('configuration');
});

it('runs the gateway in front of a real server', async () => {
  const folder = writeConfig();
  const child = spawn(sallyport, ['up', '--port', '0', '--json', '--config', 'sallyport.json'], {
    cwd: folder,
    env,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const exited = once(child, 'close');
  atTheEnd(async () => {
    child.kill('SIGTERM');
    await exited;
  });
  const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
  const { url } = JSON.parse(line) as Announcement; // what `up --json` prints
  const key = readFileSync(join(home, '.local/state/sallyport/key'), 'utf8').trim();
  const { stdout } = await run(
    sallyport,
    ['tool', 'call', url, 'everything_echo', 'message=hello', '--header', `Authorization: Bearer ${key}`],
    { cwd: folder, env },
  );
  expect(stdout).toContain('Echo: hello');
});

it('serves a client that starts it', async () => {
  const folder = writeConfig();
  const child = spawn(sallyport, ['stdio', '--config', 'sallyport.json'], {
    cwd: folder,
    env: { ...env, SALLYPORT_STATE: join(folder, 'state') },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  const exited = once(child, 'close');
  const lines = createInterface({ input: child.stdout });
  const clientInfo = { name: 'test', version: '1' };
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo };
  child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params })}\n`);
  const [answer] = (await once(lines, 'line')) as [string];
  expect(JSON.parse(answer)).toMatchObject({ id: 1, result: { protocolVersion: '2025-11-25' } });
  child.stdin.end();
  expect(await exited).toEqual([0, null]);
});

it('plays a threat of the drill', async () => {
  const { stdout } = await run(sallyport, ['drill', '--only', 'shadowing', '--json'], { cwd: home, env });
  expect(JSON.stringify(JSON.parse(stdout))).toContain('shadowing');
});

it('lints in every form, suggests changes and compares versions', async () => {
  const folder = newTestFolder();
  const tool = {
    name: 'weather_get_map',
    description: 'Returns a map of the weather.',
    inputSchema: { type: 'object' },
  };
  writeFileSync(join(folder, 'tools.json'), JSON.stringify({ tools: [tool, { ...tool, name: 'get map' }] }));
  const lint = async (...args: string[]) => {
    const { code = 0, stdout } = await run(sallyport, ['lint', ...args], { cwd: folder, env }).catch((error) => error);
    return { exit: code, stdout: String(stdout) };
  };
  for (const [reporter, said] of [
    ['text', 'of 100, 2 tools'],
    ['json', '"score"'],
    ['sarif', '"2.1.0"'],
    ['junit', '<testsuites'],
    ['markdown', '| level |'],
  ] as const)
    expect(await lint('--reporter', reporter, 'tools.json')).toEqual({
      exit: 6,
      stdout: expect.stringContaining(said),
    });
  expect(await lint('--write-baseline', 'base.json', 'tools.json')).toMatchObject({ exit: 0 });
  expect(await lint('--baseline', 'base.json', '--fail-on', 'note', 'tools.json')).toMatchObject({ exit: 0 });
  expect(await lint('--fix', 'tools.json')).toMatchObject({ exit: 6 });
  expect(await lint('tools.fixed.json')).toMatchObject({ exit: 0 });
  expect(await lint('--compare', 'tools.json', 'tools.fixed.json')).toMatchObject({
    exit: 6,
    stdout: expect.stringMatching(
      /breaking {4}get map {2}The tool was removed\.[\s\S]*text {8}weather_get_map {2}The title/,
    ),
  });
  expect(await lint('--explain', 'names/length')).toMatchObject({
    exit: 0,
    stdout: expect.stringContaining('Breaks it:'),
  });
});

it('writes a server and a tool that build, test and lint clean with the packed kit', {
  timeout: 2 * INSTALL_MS,
}, async () => {
  const kit = join(home, (await pack('@sallyport/kit')).filename);
  const folder = newTestFolder();
  await run(sallyport, ['new', 'server', 'tea-house'], { cwd: folder, env });
  const cwd = join(folder, 'tea-house-mcp-server');
  const own = { cwd, env: { ...env, PATH: `${join(home, 'global/bin')}:${process.env['PATH']}` } };
  await run('npm', ['install', kit], own);
  const check = async () => {
    expect((await run('npm', ['test'], own)).stdout).toMatch(/# fail 0/);
    expect((await run('npm', ['run', 'lint'], own)).stderr).toContain('0 errors, 0 warnings, 0 notes');
  };
  await check();
  await run(sallyport, ['new', 'tool', 'tea_house_get_menu'], own);
  const readme = join(cwd, 'README.md');
  const example = { tool: 'tea_house_get_menu', input: { name: 'Ada' }, output: { greeting: 'Hello, Ada!' } };
  writeFileSync(readme, `${readFileSync(readme, 'utf8')}\n\`\`\`json\n${JSON.stringify(example)}\n\`\`\`\n`);
  await check();
});

/** Packs a package into the home folder. */
async function pack(name: string): Promise<Packed> {
  const { stdout } = await run('npm', ['pack', '--workspace', name, '--pack-destination', home, '--json'], {
    cwd: ROOT,
  });
  const [one] = Object.values(JSON.parse(stdout.slice(stdout.search(/^[[{]/m)))) as [Packed]; // npm documents this shape
  return one;
}

function writeConfig(): string {
  const folder = join(newTestFolder(), 'project');
  mkdirSync(folder);
  const mcpServers = { everything: { command: process.execPath, args: [EVERYTHING] } };
  writeFileSync(join(folder, 'sallyport.json'), JSON.stringify({ mcpServers }));
  return folder;
}
