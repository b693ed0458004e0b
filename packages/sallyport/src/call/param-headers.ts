import { type Json, type JsonObject, member } from '../core/json.ts';

/** The values of arguments marked `x-mcp-header`, by header suffix (MCP 2026-07-28 streamable-http#custom-headers-from-tool-parameters). */
export function toParamHeaders(
  paths: ReadonlyMap<string, readonly string[]> | undefined,
  given: JsonObject,
): Readonly<Record<string, string>> | undefined {
  if (paths === undefined || paths.size === 0) return undefined;
  const headers: Record<string, string> = {};
  for (const [suffix, path] of paths) {
    const value = path.reduce<Json | undefined>((at, key) => member(at, key), given);
    if (typeof value === 'string') headers[`Mcp-Param-${suffix}`] = value;
    else if (typeof value === 'number' || typeof value === 'boolean') headers[`Mcp-Param-${suffix}`] = String(value);
  }
  return headers;
}
