// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the configuration's own variables are meant
import { expect, test } from 'vitest';
import { cpuTimeOf } from '../../test/cpu-time.ts';
import { explainStderr } from './explain-stderr.ts';

test.each([
  ['npm error code E404\nnpm error 404 Not Found - GET https://registry.npmjs.org/nope', 'no npm package of this name'],
  ['npm error code EAI_AGAIN\nnpm error syscall getaddrinfo', 'could not reach the npm registry'],
  ['npm error could not determine executable to run', 'has no program of its own'],
  ["Error: Cannot find module '/srv/server.js'\n  code: 'MODULE_NOT_FOUND'", '/srv/server.js: correct the path'],
  ["Error [ERR_MODULE_NOT_FOUND]: Cannot find package 'zod' imported from /srv/a.js", 'zod: correct the path'],
  ["ModuleNotFoundError: No module named 'mcp'", 'Install the Python module mcp'],
  ['Cannot connect to the Docker daemon at unix:///var/run/docker.sock.', 'Start Docker'],
  ['Unable to find image "mcp/x:latest" locally', 'docker pull'],
  ['Error: listen EADDRINUSE: address already in use :::3000', 'opens a port that is taken'],
  ['error: unknown option --stdoi', 'correct "args"'],
  ['Usage: mcp-server-filesystem <allowed-directory>', 'correct "args"'],
  ["Error: ENOENT: no such file or directory, open '/data/notes.db'", '/data/notes.db'],
  ['PermissionError: [Errno 13] Permission denied: /data', 'give this user access'],
  ['Server listening on http://localhost:8000/mcp', 'give its URL'],
  ['Error: Invalid API key', 'valid credentials'],
  ['GITHUB_PERSONAL_ACCESS_TOKEN environment variable is required', '"${GITHUB_PERSONAL_ACCESS_TOKEN}"'],
  ['Error: BRAVE_API_KEY is not set', '"BRAVE_API_KEY": "${BRAVE_API_KEY}"'],
  ['Please set the SLACK_BOT_TOKEN environment variable', 'SLACK_BOT_TOKEN'],
  ['Missing required environment variables: NOTION_TOKEN', 'NOTION_TOKEN'],
])('%s', (text, fix) => {
  expect(explainStderr(text.split('\n'), {})).toContain(fix);
});

test.each([[''], ['starting up'], ['error TS2345: no'], ['Done in 3.2 s'], ['MCP server ready']])(
  'nothing is made up about %j',
  (text) => {
    expect(explainStderr([text], {})).toBeUndefined();
  },
);

test('a variable that is set here is said not to be passed on by itself', () => {
  const lines = ['HUB_TOKEN is not set'];
  expect(explainStderr(lines, { HUB_TOKEN: 'x' })).toContain('servers get only what their "env" names');
  expect(explainStderr(lines, {})).not.toContain('It is set where');
});

test('a flood does not slow it down', () => {
  const flood = Array.from({ length: 200 }, () => 'npm error registry.npmjs missing set listening '.repeat(40));
  expect(cpuTimeOf(() => explainStderr(flood, {}))).toBeLessThan(1_000);
});
