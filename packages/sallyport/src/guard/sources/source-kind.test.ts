import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../core/json.ts';
import { classifyServer, readSource } from './source-kind.ts';

const tool = (name: string, description: string, properties: readonly string[] = [], annotations = {}): JsonObject => ({
  name,
  description,
  inputSchema: { type: 'object', properties: Object.fromEntries(properties.map((one) => [one, { type: 'string' }])) },
  annotations,
});

const FILES = [
  tool('read_text_file', 'Read the complete contents of a file from the file system as text.', ['path']),
  tool('search_files', 'Recursively search for files and directories matching a pattern.', ['path', 'pattern']),
];
const GIT = [
  tool('git_log', 'Shows the commit logs', ['repo_path']),
  tool('git_commit', 'Records changes to the repository', ['repo_path', 'message']),
];
const MEMORY = [tool('search_nodes', 'Search for nodes in the knowledge graph based on a query', ['query'])];
const DATABASE = [tool('read_query', 'Execute a SELECT query on the SQLite database', ['query'])];
const SHELL = [tool('run_command', 'Runs a command on this machine and returns its output', ['command'])];

test.each([
  ['files', FILES],
  ['git', GIT],
  ['memory', MEMORY],
  ['a database', DATABASE],
  ['a shell', SHELL],
  ['nothing', []],
])('%s, started here, is local; the same over HTTP is not', (_, definitions) => {
  expect(classifyServer(true, definitions)).toEqual({ isLocal: true, carriesOthers: false });
  expect(classifyServer(false, definitions)).toEqual({ isLocal: false, carriesOthers: false });
});

describe('what brings texts that other people wrote', () => {
  test.each([
    tool('fetch', 'Fetches a URL from the internet and extracts its contents as markdown.', ['url']),
    tool('get', 'Gets it.', ['pageUrl']),
    tool('search', 'Searches the web.', ['query']),
    tool('list_issues', 'Lists them.', ['repo']),
    tool('read_email', 'Reads one.', ['id']),
    tool('getMessages', 'Of a room.', ['room']),
    tool('query', 'Queries tickets of the help desk.', ['q']),
    tool('search_pages', 'Searches Confluence.', ['q']),
    tool('read', '读取邮件', ['id']),
  ])('$name: $description', (definition) => {
    expect(readSource(definition)).toEqual({ reachesNetwork: true, carriesOthers: true });
    expect(classifyServer(true, [...FILES, definition])).toEqual({ isLocal: false, carriesOthers: true });
  });

  test.each([
    tool('git_push', 'Pushes commits.', ['repo_path']),
    tool('get_forecast', 'Get the weather forecast from a REST API.', ['city']),
    tool('create_node', 'Creates a node.', ['name'], { openWorldHint: true }),
    tool('notify', 'Tells somebody.', ['recipient']),
  ])('$name reaches a network, and carries no such text', (definition) => {
    expect(readSource(definition)).toEqual({ reachesNetwork: true, carriesOthers: false });
  });
});
