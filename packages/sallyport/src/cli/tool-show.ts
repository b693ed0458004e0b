import { isObject, type Json, type JsonObject, member } from '../core/json.ts';
import type { Command } from './command.ts';
import { findTool } from './find-tool.ts';
import { toRefusal } from './list-items.ts';
import { withSession } from './open-session.ts';
import { SESSION_FLAGS, splitTarget, TARGET_WORD } from './resolve-target.ts';
import { toTable } from './to-table.ts';

export const toolShow: Command = {
  name: 'tool show',
  summary: 'show one tool with its arguments',
  words: [TARGET_WORD, ['<tool>', 'its name at the server']],
  options: SESSION_FLAGS,
  dashes: 'target',
  example: 'sallyport tool show echo -- npx -y @modelcontextprotocol/server-everything',
  run(input) {
    const {
      target,
      words: [name = ''],
    } = splitTarget(input, 1);
    return withSession(input, target, async (session) => {
      const found = await findTool(session, name);
      if (found.kind === 'refused') return toRefusal(found.error);
      return { value: found.tool, text: describeTool(found.tool) };
    });
  },
};

function describeTool(tool: JsonObject): string {
  const title = member(tool, 'title');
  const hints = member(tool, 'annotations');
  const parts = [
    `${String(member(tool, 'name'))}${typeof title === 'string' ? ` (${title})` : ''}`,
    String(member(tool, 'description') ?? ''),
    isObject(hints)
      ? `hints: ${Object.entries(hints)
          .map(([key, value]) => `${key} ${JSON.stringify(value)}`)
          .join(', ')}`
      : '',
    describeSchema('argument', member(tool, 'inputSchema')),
    describeSchema('result', member(tool, 'outputSchema')),
  ];
  return parts.filter((part) => part !== '').join('\n\n');
}

function describeSchema(heading: string, schema: Json | undefined): string {
  const properties = member(schema, 'properties');
  const required = member(schema, 'required');
  if (!isObject(properties) || Object.keys(properties).length === 0) return '';
  const rows = Object.entries(properties).map(([name, property]) => [
    name,
    describeType(property),
    Array.isArray(required) && required.includes(name) ? 'yes' : '',
    String(member(property, 'description') ?? ''),
  ]);
  return toTable([heading, 'type', 'needed', 'description'], rows, 0);
}

function describeType(property: Json | undefined): string {
  const choices = member(property, 'enum');
  if (Array.isArray(choices)) return choices.map((choice: Json) => JSON.stringify(choice)).join(' | ');
  const type = member(property, 'type');
  if (type === 'array') return `${describeType(member(property, 'items')) || 'any'}[]`;
  return Array.isArray(type) ? type.join(' | ') : String(type ?? '');
}
