import { isObject, type JsonObject } from '../src/core/json.ts';

/**
 * Every key of the configuration file with its whole path (`taint.flows[].to.acts`, `bundles.<name>.tools[].tool`), from its
 * JSON Schema; keys of a server as they stand in its entry.
 */
export function listKeys(schema: JsonObject): readonly string[] {
  const top = membersOf(schema, '').map(([key]) => key);
  const nested = membersOf(schema, '').flatMap(([key, section]) =>
    key === 'mcpServers' || key === 'servers' ? keysBelow(entryOf(section), '') : keysBelow(section, key),
  );
  return [...new Set([...top, ...nested])];
}

function keysBelow(schema: JsonObject, path: string): readonly string[] {
  return membersOf(schema, path).flatMap(([key, member]) => [key, ...keysBelow(member, key)]);
}

function membersOf(schema: JsonObject, path: string): readonly (readonly [string, JsonObject])[] {
  const { properties, items, additionalProperties, anyOf } = schema;
  const before = path === '' ? '' : `${path}.`;
  return [
    ...(isObject(properties) ? Object.entries(properties) : []).flatMap(([key, member]) =>
      isObject(member) ? [[`${before}${key}`, member] as const] : [],
    ),
    ...(isObject(items) ? membersOf(items, `${path}[]`) : []),
    ...(isObject(additionalProperties) ? membersOf(additionalProperties, `${before}<name>`) : []),
    ...(Array.isArray(anyOf) ? anyOf : []).flatMap((one) => (isObject(one) ? membersOf(one, path) : [])),
  ];
}

function entryOf({ additionalProperties }: JsonObject): JsonObject {
  return isObject(additionalProperties) ? additionalProperties : {};
}

/**
 * Keys that a page explains: those with a row of a table or an item of a list, and those of which a row says that they are the
 * same as below another one.
 */
export function listExplained(page: string, keys: readonly string[]): ReadonlySet<string> {
  const explained = new Set([...page.matchAll(/^(?:\||-) `([^`]+)`(?: \||:)/gm)].map(([, key = '']) => key));
  for (const [, key = '', same = ''] of page.matchAll(/^\| `([^`]+)` \|.* Keys as in `([^`]+)`\. \|$/gm))
    for (const one of keys)
      if (one.startsWith(key) && explained.has(`${same}${one.slice(key.length)}`)) explained.add(one);
  return explained;
}
