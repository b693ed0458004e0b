import { isObject, type Json, type JsonObject } from './json.ts';

interface Known {
  readonly [name: string]: Known;
}

/** What the protocol defines of the capabilities of a server, by revision 2026-07-28 and before. */
const KNOWN: Known = {
  tools: { listChanged: {} },
  resources: { listChanged: {}, subscribe: {} },
  prompts: { listChanged: {} },
  completions: {},
  logging: {},
  tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } },
  extensions: { 'io.modelcontextprotocol/tasks': {} },
  experimental: {},
};

/** The capabilities of a server in two parts. */
export interface SplitCapabilities {
  /** Names and flags that the protocol defines: they say what may be asked for, and hold no word of the server. */
  readonly protocol: JsonObject;
  /** Everything else, such as experimental ones. */
  readonly own: JsonObject;
}

export function splitCapabilities(capabilities: JsonObject): SplitCapabilities {
  return split(capabilities, KNOWN);
}

function split(value: JsonObject, known: Known): SplitCapabilities {
  const protocol: [string, Json][] = [];
  const own: [string, Json][] = [];
  for (const [name, inside] of Object.entries(value)) {
    const rules = Object.hasOwn(known, name) ? known[name] : undefined;
    if (rules !== undefined && typeof inside === 'boolean') protocol.push([name, inside]);
    else if (rules !== undefined && isObject(inside)) {
      const parts = split(inside, rules);
      protocol.push([name, parts.protocol]);
      if (Object.keys(parts.own).length > 0) own.push([name, parts.own]);
    } else if (inside !== undefined) own.push([name, inside]);
  }
  // fromEntries defines members: a key like __proto__ stays a plain one.
  return { protocol: Object.fromEntries(protocol), own: Object.fromEntries(own) };
}
