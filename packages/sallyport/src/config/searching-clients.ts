export interface SearchingClient {
  /** As it calls itself in `clientInfo`. */
  readonly name: string;
  readonly title: string;
  readonly reason: string;
  readonly source: string;
}

/**
 * Clients that keep definitions out of the context and search them by themselves: to them three tools in place of the list
 * would be a second search in front of their own. Names as collected in https://github.com/apify/mcp-client-capabilities.
 */
export const SEARCHING_CLIENTS: readonly SearchingClient[] = [
  {
    name: 'claude-code',
    title: 'Claude Code',
    reason:
      'Tool search is on by default: only the names of MCP tools are in the context until the model looks one up.',
    source: 'https://code.claude.com/docs/en/mcp#scale-with-mcp-tool-search',
  },
  {
    name: 'github-copilot-developer',
    title: 'GitHub Copilot CLI',
    reason: 'Above about 30 tools it loads definitions of MCP tools on demand.',
    source: 'https://docs.github.com/en/copilot/concepts/agents/copilot-cli/tool-search',
  },
  {
    name: 'cursor-vscode',
    title: 'Cursor',
    reason: 'Only the names of MCP tools are in the context; the agent looks the rest up when a task calls for it.',
    source: 'https://cursor.com/blog/dynamic-context-discovery',
  },
  ...['Visual Studio Code', 'Visual-Studio-Code'].map((name) => ({
    name,
    title: 'Visual Studio Code',
    reason: 'Above its limit of tools it groups them, shows the groups, and opens those that fit the request.',
    source: 'https://github.com/microsoft/vscode/commit/2732a9f48f7025e44fb218e5adf3710c494baf32',
  })),
];

const BY_NAME: ReadonlyMap<string, SearchingClient> = new Map(SEARCHING_CLIENTS.map((one) => [one.name, one]));

export function findSearchingClient(name: string): SearchingClient | undefined {
  return BY_NAME.get(name);
}
