import { isObject, type JsonObject, member, memberText } from '../../core/json.ts';
import type { ToolFace } from '../../core/tool-face.ts';

/** @param definition a tool of `tools/list`, as its server wrote it */
export function toToolFace(server: string, definition: JsonObject): ToolFace {
  const properties = member(member(definition, 'inputSchema'), 'properties');
  return {
    server,
    name: memberText(definition, 'name'),
    title: memberText(definition, 'title'),
    description: memberText(definition, 'description'),
    parameters: isObject(properties) ? Object.keys(properties) : [],
    definition,
  };
}
