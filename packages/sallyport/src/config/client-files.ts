/** Files of other programs that hold an `mcpServers` or `servers` map. */
export const CLIENT_FILE_NAMES: ReadonlySet<string> = new Set([
  'claude_desktop_config.json',
  '.claude.json',
  '.mcp.json',
  'mcp.json',
  'cline_mcp_settings.json',
  'mcp_config.json',
]);
