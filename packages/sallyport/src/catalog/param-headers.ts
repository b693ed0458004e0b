import { isHeaderName } from '../core/header.ts';
import { isObject, type Json, type JsonObject, member } from '../core/json.ts';

/** Name after `Mcp-Param-` -> path of the property in the arguments. */
export type ParamHeaders = ReadonlyMap<string, readonly string[]>;

const ANNOTATION = 'x-mcp-header';
const PRIMITIVES = new Set(['string', 'integer', 'boolean']);
const SCHEMA = [
  'items',
  'additionalItems',
  'contains',
  'additionalProperties',
  'propertyNames',
  'unevaluatedItems',
].concat(['unevaluatedProperties', 'not', 'if', 'then', 'else', 'contentSchema']);
const SCHEMA_LISTS = ['prefixItems', 'oneOf', 'anyOf', 'allOf', 'items'];
const SCHEMA_MAPS = ['patternProperties', '$defs', 'definitions', 'dependentSchemas', 'dependencies'];

/**
 * The parameters of a tool that HTTP mirrors into headers (MCP 2026-07-28, streamable-http "Schema Extension").
 * Returns a text saying what is wrong when an annotation breaks the rules: such a tool must not be shown.
 */
export function readParamHeaders(inputSchema: JsonObject): ParamHeaders | string {
  const found = new Map<string, readonly string[]>();
  const lowerCase = new Set<string>();
  const visit = (schema: Json | undefined, path: readonly string[], reachable: boolean): string | undefined => {
    if (!isObject(schema)) return undefined;
    if (Object.hasOwn(schema, ANNOTATION)) {
      const problem = checkAnnotation(schema, path, reachable, lowerCase);
      if (problem !== undefined) return problem;
      found.set(schema[ANNOTATION] as string, path);
    }
    const properties = member(schema, 'properties');
    if (isObject(properties)) {
      for (const [name, property] of Object.entries(properties)) {
        const problem = visit(property, [...path, name], reachable);
        if (problem !== undefined) return problem;
      }
    }
    for (const elsewhere of otherSchemas(schema)) {
      const problem = visit(elsewhere, path, false);
      if (problem !== undefined) return problem;
    }
    return undefined;
  };
  return visit(inputSchema, [], true) ?? found;
}

function checkAnnotation(
  schema: JsonObject,
  path: readonly string[],
  reachable: boolean,
  lowerCase: Set<string>,
): string | undefined {
  const name = schema[ANNOTATION];
  const where = path.length === 0 ? 'the schema' : `property ${path.join('.')}`;
  if (typeof name !== 'string' || !isHeaderName(name)) return `${ANNOTATION} of ${where} is not a header name`;
  if (!reachable || path.length === 0) return `${ANNOTATION} ${name} stands where no argument can be read statically`;
  const type = member(schema, 'type');
  if (typeof type !== 'string' || !PRIMITIVES.has(type)) {
    return `${ANNOTATION} ${name} marks ${where}, which is not a string, integer or boolean`;
  }
  if (lowerCase.has(name.toLowerCase())) return `${ANNOTATION} ${name} stands twice`;
  lowerCase.add(name.toLowerCase());
  return undefined;
}

/** Subschemas that are not reached by `properties` alone. */
function* otherSchemas(schema: JsonObject): Generator<Json | undefined> {
  for (const key of SCHEMA) yield member(schema, key);
  for (const key of SCHEMA_LISTS) {
    const list = member(schema, key);
    if (Array.isArray(list)) yield* list as readonly Json[];
  }
  for (const key of SCHEMA_MAPS) {
    const map = member(schema, key);
    if (isObject(map)) yield* Object.values(map);
  }
}
