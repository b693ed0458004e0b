import { isObject, type Json, type JsonObject, member } from '../../core/json.ts';
import { digestDefinition } from './digest-definition.ts';

const TASK_SUPPORT: ReadonlySet<unknown> = new Set(['forbidden', 'optional', 'required']);
const WRAPPER: ReadonlySet<string> = new Set(['$schema', 'type', 'properties', 'required']);
const WRAPPED = '#/properties/result';

/**
 * The digest of a tool without what a server of both eras must write otherwise in each: `execution.taskSupport` is known
 * to 2025-11-25 alone, and an output schema that describes no object is wrapped there as `{"result": …}` (SEP-2106). Both
 * are read whole, so that nothing a model reads can hide in them; all else counts as in the digest of the definition.
 */
export function digestTwin(text: string): string {
  try {
    return digestNeutral(text);
  } catch (error) {
    // Too deep to be walked: the same as no other.
    if (!(error instanceof RangeError)) throw error;
    return digestDefinition(text);
  }
}

function digestNeutral(text: string): string {
  const value: unknown = JSON.parse(text);
  // A member that stands twice is read in two ways: no other definition is the same.
  if (!isObject(value) || digestDefinition(text) !== digestDefinition(JSON.stringify(value)))
    return digestDefinition(text);
  const { execution, outputSchema, ...rest } = value;
  return digestDefinition(
    JSON.stringify({
      ...rest,
      ...(execution === undefined || isTaskSupport(execution) ? {} : { execution }),
      ...(outputSchema === undefined ? {} : { outputSchema: unwrap(outputSchema) }),
    }),
  );
}

function isTaskSupport(execution: Json): boolean {
  return isObject(execution) && Object.keys(execution).length === 1 && TASK_SUPPORT.has(execution['taskSupport']);
}

function unwrap(schema: Json): Json {
  if (!isObject(schema) || !isWrapper(schema)) return schema;
  const inner = member(schema['properties'], 'result');
  if (!isObject(inner) || inner['type'] === 'object') return schema;
  const bare = toRoot(inner, '') as JsonObject; // an object stays one
  const { $schema } = schema;
  return $schema === undefined || bare['$schema'] !== undefined ? bare : { $schema, ...bare };
}

function isWrapper({ type, properties, required, ...more }: JsonObject): boolean {
  return (
    Object.keys(more).every((key) => WRAPPER.has(key)) &&
    type === 'object' &&
    isObject(properties) &&
    Object.keys(properties).join() === 'result' &&
    Array.isArray(required) &&
    required.length === 1 &&
    required[0] === 'result'
  );
}

/** References within the schema as they were before it was wrapped. */
function toRoot(value: Json, key: string): Json {
  if (typeof value === 'string' && (key === '$ref' || key === '$dynamicRef')) {
    if (value === WRAPPED) return '#';
    return value.startsWith(`${WRAPPED}/`) ? `#${value.slice(WRAPPED.length)}` : value;
  }
  if (Array.isArray(value)) return (value as readonly Json[]).map((one) => toRoot(one, ''));
  if (!isObject(value)) return value;
  const entries = Object.entries(value) as [string, Json][]; // parsed JSON holds nothing else
  return Object.fromEntries(entries.map(([name, one]) => [name, toRoot(one, name)]));
}
