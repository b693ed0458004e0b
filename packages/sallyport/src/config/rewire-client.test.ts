import { describe, expect, it } from 'vitest';
import type { Json } from '../core/json.ts';
import type { ClientFile, ClientId } from './client-files.ts';
import { isProblem, parseFile } from './parse-file.ts';
import { readClientFile } from './read-client-file.ts';
import { type Reach, rewireClient } from './rewire-client.ts';

const REACH: Reach = {
  url: 'http://127.0.0.1:7411/mcp',
  key: 'sp_secret',
  stdio: { command: '/bin/node', args: ['/s/sallyport.js', 'stdio'], env: {} },
};

function rewire(client: ClientId, text: string, given: { project?: string; reach?: Reach } = {}): string {
  const file: ClientFile = { client, label: client, path: '/x/mcp.json', project: given.project };
  const taken = readClientFile(file, text).filter(({ refused }) => refused === undefined);
  return rewireClient(text, file, { taken, reach: given.reach ?? REACH });
}

function parsedOf(text: string): Json {
  const parsed = parseFile(text, false);
  if (isProblem(parsed)) throw new Error(parsed.message);
  return parsed.value;
}

const OLD = '{"theme":"dark","mcpServers":{"a":{"command":"a","env":{"K":"v"}},"b":{"url":"https://b.test/mcp"}}}';
const BEARER = { Authorization: 'Bearer sp_secret' };
const url = REACH.url;

describe('rewireClient', () => {
  const CASES: readonly (readonly [client: ClientId, project: string | undefined, entry: Json])[] = [
    ['claude-desktop', undefined, { command: '/bin/node', args: ['/s/sallyport.js', 'stdio'] }],
    ['claude-code', undefined, { type: 'http', url, headers: BEARER }],
    ['claude-code', '/p', { type: 'http', url, headers: { Authorization: `Bearer \${SALLYPORT_KEY}` } }],
    ['cursor', undefined, { url, headers: BEARER }],
    ['cursor', '/p', { url, headers: { Authorization: `Bearer \${env:SALLYPORT_KEY}` } }],
    ['cline', undefined, { type: 'streamableHttp', url, headers: BEARER }],
    ['windsurf', undefined, { serverUrl: url, headers: BEARER }],
  ];
  it.each(CASES)('%s, project %s', (client, project, entry) => {
    const made = rewire(client, OLD, project === undefined ? {} : { project });
    expect(parsedOf(made)).toEqual({ theme: 'dark', mcpServers: { sallyport: entry } });
    // A file that others read never has the key, nor has the one that is not asked for it.
    expect(made.includes('sp_secret')).toBe(project === undefined && client !== 'claude-desktop');
  });

  it('has VS Code ask for the key, beside its other inputs', () => {
    const entry = { type: 'http', url, headers: { Authorization: `Bearer \${input:sallyport-key}` } };
    const own = '{"inputs":[{"id":"x","type":"promptString"}],"servers":{"a":{"command":"a"}}}';
    for (const [text, before] of [
      [own, [{ id: 'x', type: 'promptString' }]],
      ['{"inputs":[],"servers":{"a":{"command":"a"}}}', []],
      ['{"servers":{"a":{"command":"a"}}}', []],
    ] as const) {
      const made = rewire('vscode', text);
      expect(made).not.toContain('sp_secret');
      expect(parsedOf(made)).toEqual({
        inputs: [...before, expect.objectContaining({ id: 'sallyport-key', password: true })],
        servers: { sallyport: entry },
      });
      expect(parsedOf(rewire('vscode', made))).toEqual(parsedOf(made));
    }
  });

  it('keeps comments, unknown keys, and servers that were not taken over', () => {
    const made = rewire(
      'cursor',
      '{\n  // mine\n  "x": 1,\n  "mcpServers": {\n    "a": { "command": "a" },\n    "odd": 7\n  }\n}\n',
    );
    expect(made).toContain('// mine');
    expect(parsedOf(made)).toMatchObject({ x: 1, mcpServers: { odd: 7, sallyport: { url } } });
  });

  it('empties the projects of Claude Code, and replaces an older entry of ours', () => {
    const text =
      '{"mcpServers":{"sallyport":{"command":"x"}},"projects":{"/p":{"mcpServers":{"l":{"command":"l"}},"n":1}}}';
    expect(parsedOf(rewire('claude-code', text))).toEqual({
      mcpServers: { sallyport: { type: 'http', url, headers: BEARER } },
      projects: { '/p': { mcpServers: {}, n: 1 } },
    });
  });

  it('writes no key where none is needed', () => {
    const made = rewire('windsurf', OLD, { reach: { ...REACH, key: undefined } });
    expect(parsedOf(made)).toMatchObject({ mcpServers: { sallyport: { serverUrl: url } } });
    expect(made).not.toContain('headers');
  });
});
