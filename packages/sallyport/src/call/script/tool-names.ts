import type { Tool } from '../../core/call.ts';
import type { NamedTools } from './sandbox-messages.ts';

/** A tool as scripts call it: `tools.<namespace>.<name>(…)`. */
export interface NamedTool {
  readonly namespace: string;
  readonly name: string;
  readonly tool: Tool;
}

/**
 * Names for scripts: the server, and the tool by its server's own name, as identifiers. Names come from servers, and two may
 * become equal: the later one gets a number.
 */
export function nameTools(tools: readonly Tool[]): readonly NamedTool[] {
  const namespaces = new Map<string, { readonly namespace: string; readonly taken: Set<string> }>();
  const taken = new Set<string>();
  return tools.map((tool) => {
    let own = namespaces.get(tool.upstream);
    if (own === undefined) {
      own = { namespace: toFree(toIdentifier(tool.upstream), taken), taken: new Set() };
      namespaces.set(tool.upstream, own);
    }
    return { namespace: own.namespace, name: toFree(toIdentifier(toOwnName(tool)), own.taken), tool };
  });
}

/** What the sandbox needs to know of them: names, and the place in the list that a call says. */
export function toNamedTools(named: readonly NamedTool[]): NamedTools {
  const servers = new Map<string, [string, number][]>();
  for (const [index, { namespace, name }] of named.entries()) {
    const functions = servers.get(namespace);
    if (functions === undefined) servers.set(namespace, [[name, index]]);
    else functions.push([name, index]);
  }
  return [...servers];
}

/** An operator's name in a bundle counts; the prefix that keeps servers apart is what the namespace is. */
function toOwnName({ publicName, name }: Tool): string {
  return publicName.endsWith(name) ? name : publicName;
}

function toIdentifier(name: string): string {
  const safe = name.slice(0, 128).replaceAll(/[^A-Za-z0-9_$]/g, '_');
  return /^[0-9]/.test(safe) || safe === '' ? `_${safe}` : safe;
}

function toFree(name: string, taken: Set<string>): string {
  let free = name;
  for (let count = 2; taken.has(free); count++) free = `${name}_${count}`;
  taken.add(free);
  return free;
}
