// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the configuration's own variables are meant
import { describe, expect, test } from 'vitest';
import { FaultError } from '../core/errors.ts';
import type { JsonObject } from '../core/json.ts';
import { CLIENT_FILE_NAMES, type ClientFile, listClientFiles } from './client-files.ts';
import { leadsToSallyport, mergeServers } from './merge-servers.ts';
import { readClientFile } from './read-client-file.ts';

const user: ClientFile = { client: 'cursor', label: 'Cursor', path: '/h/.cursor/mcp.json', project: undefined };
const file = (client: ClientFile['client'], project?: string): ClientFile => ({ ...user, client, project });
const read = (from: ClientFile, value: unknown) => readClientFile(from, JSON.stringify(value));
const entries = (found: ReturnType<typeof read>) => Object.fromEntries(found.map(({ name, entry }) => [name, entry]));

test.each([
  ['linux', { XDG_CONFIG_HOME: '/x' }, '/x/Claude/claude_desktop_config.json'],
  ['linux', {}, '/h/.config/Code/User/mcp.json'],
  ['linux', {}, '/h/.config/Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json'],
  ['darwin', {}, '/h/Library/Application Support/Claude/claude_desktop_config.json'],
  ['win32', { APPDATA: 'C:\\A' }, 'C:\\A\\Claude\\claude_desktop_config.json'],
  ['linux', {}, '/h/.claude.json'],
  ['linux', { CLAUDE_CONFIG_DIR: '/c' }, '/c/.claude.json'],
  ['linux', {}, '/p/.mcp.json'],
  ['linux', {}, '/p/.cursor/mcp.json'],
  ['linux', {}, '/p/.vscode/mcp.json'],
  ['linux', {}, '/h/.codeium/windsurf/mcp_config.json'],
] as const)('%s %j keeps a file at %s', (platform, env, path) => {
  const home = platform === 'win32' ? 'C:\\h' : '/h';
  expect(listClientFiles({ platform, home, project: '/p', env }).map((row) => row.path)).toContain(path);
  expect(CLIENT_FILE_NAMES).toContain(/[^/\\]*$/.exec(path)?.[0]);
});

describe('reading', () => {
  test('what clients add for themselves is left out, times are converted', () => {
    expect(
      entries(
        read(file('cline'), { mcpServers: { a: { command: 'x', alwaysAllow: ['b'], timeout: 30, type: 'stdio' } } }),
      ),
    ).toEqual({ a: { command: 'x', type: 'stdio', timeoutMs: 30_000 } });
    expect(entries(read(file('claude-code'), { mcpServers: { a: { command: 'x', timeout: 5000 } } }))).toEqual({
      a: { command: 'x', timeoutMs: 5000 },
    });
  });

  test('unknown keys are said', () => {
    const [found] = read(user, { mcpServers: { 'My Server': { url: 'http://x', fancy: 1 } } });
    expect(found).toMatchObject({ name: 'My-Server', entry: { url: 'http://x' }, refused: undefined });
    expect(found?.notes).toEqual([
      'renamed from "My Server": that name does not fit into tool names and URLs',
      'fancy left out: unknown here',
    ]);
  });

  test('inputs become variables', () => {
    const [found] = read(file('vscode'), {
      servers: { a: { url: 'http://x', headers: { K: 'Bearer ${input:api-key}' } } },
    });
    expect(found?.entry).toEqual({ url: 'http://x', headers: { K: 'Bearer ${API_KEY}' } });
    expect(found?.notes).toEqual(['set the environment variable API_KEY: VS Code asked for it, we cannot']);
  });

  test('a project is where its servers start', () => {
    const found = read(file('vscode', '/p'), { servers: { a: { command: 'x', args: ['${workspaceFolder}/y'] } } });
    expect(entries(found)).toEqual({ a: { command: 'x', args: ['/p/y'], cwd: '/p' } });
    const claude = { projects: { '/q': { mcpServers: { b: { command: 'x' } } } }, mcpServers: { c: { command: 'x' } } };
    expect(entries(read(file('claude-code'), claude))).toEqual({ b: { command: 'x', cwd: '/q' }, c: { command: 'x' } });
  });

  test.each([
    [{ type: 'ws', url: 'http://x' }, 'type: expected one of'],
    [{ command: 'x', args: 'y' }, 'args: expected a list'],
    [{}, 'has neither command nor url'],
    [{ url: 'x' }, 'url no URL'],
    ['x', 'not an object'],
  ])('%j is refused alone', (entry, reason) => {
    const [bad, good] = read(user, { mcpServers: { a: entry, b: { command: 'x' } } });
    expect(bad?.refused).toContain(reason);
    expect(good?.refused).toBeUndefined();
  });

  test('variables in a url are judged at the start', () => {
    expect(read(user, { mcpServers: { a: { url: '${URL}' } } })[0]?.refused).toBeUndefined();
  });

  test('a file that is no JSON', () => {
    expect(() => readClientFile(user, '{ "mcpServers": s3cret')).toThrow(
      new FaultError('config', '/h/.cursor/mcp.json: line 1: not JSON: a value is missing here.'),
    );
  });
});

describe('merging', () => {
  const merge = (present: Record<string, JsonObject>, ...found: ReturnType<typeof read>) =>
    mergeServers(new Map(Object.entries(present)), found, (entry) => leadsToSallyport(entry, 7411));
  const actions = (result: ReturnType<typeof merge>) => result.steps.map(({ name, action }) => `${name} ${action}`);

  test('nothing is overwritten, and a second import changes nothing', () => {
    const found = [
      ...read(user, { mcpServers: { a: { command: 'x', args: [] }, b: { command: 'y' } } }),
      ...read(user, { mcpServers: { b: { command: 'z' }, c: { args: [], command: 'x' } } }),
    ];
    const first = merge({ a: { args: [], command: 'x' } }, ...found);
    expect(actions(first)).toEqual(['a same', 'b added', 'b-2 renamed', 'c added']);
    const second = merge({ a: { args: [], command: 'x' }, ...Object.fromEntries(first.added) }, ...found);
    expect(actions(second)).toEqual(['a same', 'b same', 'b-2 same', 'c same']);
    expect(second.added.size).toBe(0);
  });

  test('a numbered name stays within 64 characters', () => {
    const name = 'n'.repeat(64);
    const [step] = merge(
      { [name]: { command: 'x' } },
      ...read(user, { mcpServers: { [name]: { command: 'y' } } }),
    ).steps;
    expect(step?.name).toBe(`${'n'.repeat(62)}-2`);
  });

  test.each([
    { command: 'sallyport', args: ['stdio'] },
    { command: 'npx', args: ['-y', 'sallyport@1', 'stdio'] },
    { command: '/usr/bin/sallyport', args: ['stdio', '--config', 'x'] },
    { url: 'http://localhost:7411/mcp' },
    { serverUrl: 'http://127.0.0.1:7411/servers/a/mcp' },
  ])('%j leads back to Sallyport', (entry) => {
    expect(actions(merge({}, ...read(user, { mcpServers: { a: entry } })))).toEqual(['a refused']);
  });

  test.each([
    { command: 'npx', args: ['other', 'stdio'] },
    { url: 'http://localhost:7412/mcp' },
    { command: 'sallyport-x', args: ['stdio'] },
  ])('%j does not', (entry) =>
    expect(actions(merge({}, ...read(user, { mcpServers: { a: entry } })))).toEqual(['a added']),
  );
});
