import { isObject, type JsonObject, member } from '../../core/json.ts';
import type { ToolFace } from '../search/tool-face.ts';

/** @param definition a tool of `tools/list`, as its server wrote it */
export function toToolFace(server: string, definition: JsonObject): ToolFace {
  const text = (name: string) => {
    const value = member(definition, name);
    return typeof value === 'string' ? value : '';
  };
  const properties = member(member(definition, 'inputSchema'), 'properties');
  return {
    server,
    name: text('name'),
    title: text('title'),
    description: text('description'),
    parameters: isObject(properties) ? Object.keys(properties) : [],
    definition,
  };
}
