/** A page of a tool that hosts show to people (MCP Apps, `ui://`). */
export function isPage(uri: string): boolean {
  return /^ui:/i.test(uri);
}
