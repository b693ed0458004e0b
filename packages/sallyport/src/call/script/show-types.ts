import type { ListedTool } from '../../catalog/contract.ts';
import { member } from '../../core/json.ts';
import { toType, toWords } from './to-types.ts';
import type { NamedTool } from './tool-names.ts';

const MAX_DESCRIPTION = 400;

/** A tool as scripts call it, and the description that its list shows. */
export interface ShownTool extends NamedTool {
  readonly description: ListedTool['description'];
}

/**
 * Declarations of what these names stand for: a server, or one tool of it. No names: what there is.
 * @param most characters; what finds no room is only named
 */
export function showTypes(tools: readonly ShownTool[], names: readonly string[], most: number): string {
  if (names.length === 0) return fit(listNames(tools), most);
  const asked = new Set(names);
  const found = tools.filter(({ namespace, name }) => asked.has(namespace) || asked.has(`${namespace}.${name}`));
  const known = new Set(found.flatMap(({ namespace, name }) => [namespace, `${namespace}.${name}`]));
  const missing = names.filter((name) => !known.has(name));
  const unknown = missing.map((name) => `There is no ${JSON.stringify(name.slice(0, 128))}. ${nearest(name, tools)}`);
  const lines: string[] = [];
  let left = most;
  let unshown = 0;
  for (const tool of found) {
    const line = declare(tool);
    if (line.length + 1 <= left) lines.push(line);
    else unshown++;
    left -= Math.min(left, line.length + 1);
  }
  const rest = unshown === 0 ? [] : [`${unshown} more have no room here. Ask for fewer.`];
  const legend = lines.length === 0 ? [] : [LEGEND];
  return [...legend, ...lines, ...rest, ...unknown].join('\n');
}

const LEGEND =
  '// A call gives the structured result if the tool has one, else its text (parsed if it is a JSON object or array), else its content blocks. A tool error is thrown as ToolError.';

function declare({ namespace, name, tool, description }: ShownTool): string {
  const { definition } = tool;
  const words = toWords(description ?? member(definition, 'description'), MAX_DESCRIPTION);
  const output = member(definition, 'outputSchema');
  const type = `(args: ${toType(member(definition, 'inputSchema'))}) => Promise<${toType(output)}>`;
  return `${words === '' ? '' : `/** ${words} */\n`}tools.${namespace}.${name}: ${type}`;
}

function listNames(tools: readonly ShownTool[]): string {
  const servers = new Map<string, string[]>();
  for (const { namespace, name } of tools) servers.set(namespace, [...(servers.get(namespace) ?? []), name]);
  const lines = [...servers].map(([namespace, names]) => `tools.${namespace}: ${names.join(', ')}`);
  return lines.length === 0 ? 'There are no tools.' : lines.join('\n');
}

function nearest(name: string, tools: readonly ShownTool[]): string {
  const namespaces = [...new Set(tools.map(({ namespace }) => namespace))];
  const [server = ''] = name.split('.', 1);
  if (!namespaces.includes(server)) return fit(`Servers: ${namespaces.join(', ')}.`, 1_000);
  const own = tools.filter(({ namespace }) => namespace === server).map((tool) => tool.name);
  return fit(`tools.${server} has: ${own.join(', ')}.`, 1_000);
}

function fit(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most)}…`;
}
