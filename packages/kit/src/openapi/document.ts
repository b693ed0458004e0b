import { parse } from 'yaml';
import { DefinitionError } from '../definition-error.ts';
import type { JsonSchema } from '../schema.ts';

type Json = Readonly<Record<string, unknown>>;

/** One operation of a document, its references resolved. */
export interface Operation {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description: string;
  readonly parameters: readonly Parameter[];
  /** Media type of the body that is sent; `undefined` without a body. */
  readonly mediaType: string | undefined;
  readonly response: JsonSchema | undefined;
}

export interface Parameter {
  readonly name: string;
  /** `body`: a member of a JSON body. `content`: the whole body, where it is not an object. */
  readonly place: 'path' | 'query' | 'header' | 'cookie' | 'body' | 'content';
  readonly isRequired: boolean;
  readonly description: string;
  readonly schema: JsonSchema;
}

export interface ApiDocument {
  readonly title: string;
  readonly baseUrl: string | undefined;
  readonly operations: readonly Operation[];
}

const METHODS = ['get', 'put', 'post', 'delete', 'patch', 'head', 'options'] as const;
/** Parameters that OpenAPI 3 leaves to the description of the request. */
const NOT_PARAMETERS = new Set(['accept', 'content-type', 'authorization']);
/** Beyond this a schema says only what type it is: no model fills in more. */
const MAX_DEPTH = 6;

/**
 * Reads an OpenAPI document of version 3.0 or 3.1, as JSON or YAML. References inside the document are followed, also in circles;
 * references to other documents are not fetched.
 * @throws DefinitionError naming what is wrong and where
 */
export function readDocument(source: string | Json): ApiDocument {
  const document = typeof source === 'string' ? parseText(source) : source;
  const version = document['openapi'];
  if (typeof version !== 'string' || !/^3\.[01](?:\.|$)/.test(version))
    throw new DefinitionError(
      'The OpenAPI document',
      version === undefined ? 'it has no member "openapi".' : `version ${String(version)} is not supported.`,
      'Give a document of version 3.0 or 3.1; converters exist for 2.0.',
    );
  const info = toObject(document['info']);
  const [server] = toList(document['servers']);
  const url = toObject(server)['url'];
  const operations: Operation[] = [];
  for (const [path, item] of Object.entries(toObject(document['paths']))) {
    const shared = toObject(resolve(document, item, path));
    for (const method of METHODS) {
      const operation = shared[method];
      if (operation !== undefined)
        operations.push(toOperation(document, { path, method, shared, operation: toObject(operation) }));
    }
  }
  return { title: String(info['title'] ?? 'api'), baseUrl: typeof url === 'string' ? url : undefined, operations };
}

function parseText(text: string): Json {
  let value: unknown;
  try {
    value = parse(text, { maxAliasCount: 100 });
  } catch (error) {
    throw new DefinitionError(
      'The OpenAPI document',
      `it is neither JSON nor YAML: ${(error as Error).message.split('\n')[0]}.`,
      'Check the line.',
    );
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Json;
  throw new DefinitionError('The OpenAPI document', 'it is not an object.', 'Give the whole document.');
}

interface Found {
  readonly path: string;
  readonly method: string;
  readonly shared: Json;
  readonly operation: Json;
}

function toOperation(document: Json, { path, method, shared, operation }: Found): Operation {
  const where = `${method.toUpperCase()} ${path}`;
  const parameters = new Map<string, Parameter>();
  for (const written of [...toList(shared['parameters']), ...toList(operation['parameters'])]) {
    const one = toObject(resolve(document, written, where));
    const place = String(one['in']);
    const name = String(one['name']);
    if (!['path', 'query', 'header', 'cookie'].includes(place) || NOT_PARAMETERS.has(name.toLowerCase())) continue;
    const [media] = Object.values(toObject(one['content']));
    const schema = toSchema(document, one['schema'] ?? toObject(media)['schema'] ?? {}, where);
    const description = String(one['description'] ?? schema['description'] ?? '');
    // Deprecated and optional: nobody should start to use it.
    if (one['deprecated'] === true && one['required'] !== true) continue;
    parameters.set(`${place} ${name}`, {
      name,
      place: place as Parameter['place'],
      isRequired: one['required'] === true,
      description,
      schema,
    });
  }
  const body = toObject(resolve(document, operation['requestBody'] ?? {}, where));
  const media = Object.entries(toObject(body['content'])).sort(([a]) => (/json/.test(a) ? -1 : 1))[0];
  if (media !== undefined)
    for (const one of bodyOf(document, media, { isRequired: body['required'] === true, where }))
      parameters.set(`body ${one.name}`, one);
  const responses = Object.entries(toObject(operation['responses'])).filter(([status]) => /^2|^default$/.test(status));
  const answer = toObject(resolve(document, responses[0]?.[1] ?? {}, where));
  const [answered] = Object.entries(toObject(answer['content'])).filter(([type]) => /json/.test(type));
  return {
    id: String(operation['operationId'] ?? `${method} ${path}`),
    ...{ method, path, parameters: [...parameters.values()], mediaType: media?.[0] },
    tags: toList(operation['tags']).map(String),
    summary: String(operation['summary'] ?? ''),
    description: String(operation['description'] ?? operation['summary'] ?? ''),
    response: answered === undefined ? undefined : toSchema(document, toObject(answered[1])['schema'] ?? {}, where),
  };
}

function bodyOf(
  document: Json,
  [type, media]: readonly [string, unknown],
  { isRequired, where }: { readonly isRequired: boolean; readonly where: string },
): readonly Parameter[] {
  const schema = toSchema(document, toObject(media)['schema'] ?? {}, where);
  const properties = Object.entries(toObject(schema['properties']));
  if (properties.length === 0 || !/json|x-www-form-urlencoded/.test(type))
    return [
      {
        name: 'body',
        place: 'content',
        isRequired,
        description: String(schema['description'] ?? `The ${type} body`),
        schema,
      },
    ];
  const required = new Set(toList(schema['required']));
  return properties
    .filter(([, property]) => toObject(property)['readOnly'] !== true)
    .map(([name, property]) => ({
      ...{ name, place: 'body' as const, isRequired: isRequired && required.has(name) },
      description: String(toObject(property)['description'] ?? ''),
      schema: toObject(property) as JsonSchema,
    }));
}

/** JSON Schema without references; a circle ends where it begins again. */
function toSchema(document: Json, written: unknown, where: string, seen: readonly unknown[] = []): JsonSchema {
  const found = toObject(resolve(document, written, where));
  const { nullable, example: _, examples: __, xml: ___, externalDocs: ____, discriminator: _____, ...schema } = found;
  if (seen.includes(found) || seen.length > MAX_DEPTH) return { type: schema['type'] ?? 'object' };
  const inner = (value: unknown) => toSchema(document, value, where, [...seen, found]);
  const made: JsonSchema = {};
  for (const [key, value] of Object.entries(schema)) {
    if (key.startsWith('x-')) continue;
    if (key === 'properties')
      made[key] = Object.fromEntries(Object.entries(toObject(value)).map(([name, one]) => [name, inner(one)]));
    else if (['items', 'not'].includes(key) || (key === 'additionalProperties' && typeof value === 'object'))
      made[key] = inner(value);
    else if (['anyOf', 'oneOf', 'allOf', 'prefixItems'].includes(key)) made[key] = toList(value).map(inner);
    else made[key] = value;
  }
  // 3.0 says so beside the type, JSON Schema in it.
  if (nullable === true && typeof made['type'] === 'string') made['type'] = [made['type'], 'null'];
  return mergeAll(made);
}

/** `allOf` of objects is one object, which models fill in more surely. */
function mergeAll({ allOf, ...schema }: JsonSchema): JsonSchema {
  if (!Array.isArray(allOf)) return schema;
  const parts = [...(allOf as readonly JsonSchema[]), schema];
  return {
    ...Object.assign({}, ...parts),
    ...(parts.some((part) => part['properties'] !== undefined)
      ? {
          type: 'object',
          properties: Object.assign({}, ...parts.map((part) => part['properties'] ?? {})) as JsonSchema,
          required: [...new Set(parts.flatMap((part) => toList(part['required'])))],
        }
      : {}),
  };
}

function resolve(document: Json, value: unknown, where: string): unknown {
  const passed = new Set<string>();
  let found = value;
  for (let ref = toObject(found)['$ref']; typeof ref === 'string'; ref = toObject(found)['$ref']) {
    if (!ref.startsWith('#/'))
      throw new DefinitionError(
        `The OpenAPI document, ${where}`,
        `"${ref}" is in another document, which is not fetched.`,
        'Bundle the documents into one first.',
      );
    if (passed.has(ref)) return {};
    passed.add(ref);
    found = document;
    for (const step of ref.slice(2).split('/')) {
      const name = decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~');
      found = Object.hasOwn(toObject(found), name) ? toObject(found)[name] : undefined;
    }
    if (found === undefined)
      throw new DefinitionError(`The OpenAPI document, ${where}`, `"${ref}" leads nowhere.`, 'Add what it names.');
  }
  return found;
}

function toObject(value: unknown): Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : {};
}

function toList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
