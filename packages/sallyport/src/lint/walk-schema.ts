import { isObject, type Json, type JsonObject, member } from '../core/json.ts';

/** One schema inside a definition. */
export interface Place {
  /** JSON pointer from the definition. */
  readonly path: string;
  readonly schema: JsonObject;
  /** How many schemas it lies in; the root is 0. */
  readonly depth: number;
  /** Whether it is the schema of a named member, and of which. */
  readonly property: string | undefined;
}

const IN_MAPS = ['properties', 'patternProperties', '$defs', 'definitions'] as const;
const IN_LISTS = ['anyOf', 'oneOf', 'allOf', 'prefixItems'] as const;
const IN_MEMBERS = ['items', 'additionalProperties', 'not', 'if', 'then', 'else', 'contains', 'propertyNames'] as const;
/** Nothing honest is deeper; a hostile schema must not end the walk by exhausting the stack. */
const MAX_DEPTH = 64;
const MAX_PLACES = 20_000;

/** Every schema in the schema at `path`, itself first. */
export function walkSchema(root: Json | undefined, path: string): readonly Place[] {
  const found: Place[] = [];
  const visit = (value: Json | undefined, at: string, depth: number, property?: string): void => {
    if (!isObject(value) || depth > MAX_DEPTH || found.length >= MAX_PLACES) return;
    found.push({ path: at, schema: value, depth, property });
    for (const key of IN_MAPS) {
      const map = member(value, key);
      if (!isObject(map)) continue;
      for (const [name, inner] of Object.entries(map))
        visit(inner as Json, `${at}/${key}/${toPointer(name)}`, depth + 1, key === 'properties' ? name : undefined);
    }
    for (const key of IN_LISTS) {
      const list = member(value, key);
      if (Array.isArray(list))
        for (const [index, inner] of list.entries()) visit(inner as Json, `${at}/${key}/${index}`, depth + 1);
    }
    for (const key of IN_MEMBERS) visit(member(value, key), `${at}/${key}`, depth + 1);
  };
  visit(root, path, 0);
  return found;
}

/** A copy of a schema whose direct inner schemas are changed; `$defs` and `definitions` stay as they are. */
export function mapInner(schema: JsonObject, change: (inner: Json) => Json): JsonObject {
  const isMap = (key: string) => key === 'properties' || key === 'patternProperties';
  const entries = Object.entries(schema).map(([key, value]): [string, Json | undefined] => {
    if (isMap(key) && isObject(value))
      return [key, Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, change(inner as Json)]))];
    if (IN_LISTS.some((one) => one === key) && Array.isArray(value)) return [key, value.map(change)];
    return [key, IN_MEMBERS.some((one) => one === key) && isObject(value) ? change(value) : value];
  });
  return Object.fromEntries(entries);
}

/** Own members only: a tool may have a parameter called `constructor`. */
export function propertiesOf(schema: Json | undefined): readonly (readonly [string, JsonObject])[] {
  const properties = isObject(schema) ? member(schema, 'properties') : undefined;
  if (!isObject(properties)) return [];
  return Object.entries(properties).filter((entry): entry is [string, JsonObject] => isObject(entry[1] as Json));
}

/** As a part of a JSON pointer. */
export function toPointer(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}
