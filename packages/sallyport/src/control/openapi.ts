import type { Json, JsonObject } from '../core/json.ts';
import { objectOf, type Route, type Schema } from './route.ts';

const PROBLEM: Schema = objectOf({
  type: { type: 'string' },
  title: { type: 'string' },
  status: { type: 'integer' },
  code: { type: 'string', description: 'For programs; stable.' },
  detail: { type: 'string', description: 'For people: the step, the cause and the fix.' },
});

/** Every route can answer with these. */
const COMMON_PROBLEMS = [400, 401, 403, 500] as const;

/** The API as an OpenAPI 3.1 document, made from the table of routes: what is not there is not served. */
export function toDocument(
  routes: readonly Route[],
  { version, prefix }: { version: string; prefix: string },
): JsonObject {
  const paths: Record<string, Record<string, Json>> = {};
  for (const route of routes) {
    const path = prefix + route.path;
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: toOperation(route) };
  }
  return {
    openapi: '3.1.0',
    info: { title: 'Sallyport', version, license: { name: 'Apache-2.0', identifier: 'Apache-2.0' } },
    servers: [{ url: '/' }],
    security: [{ bearer: [] }],
    paths,
    components: {
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } },
      schemas: { Problem: PROBLEM },
    },
  };
}

function toOperation({ id, summary, role, path, query = [], body, result, text, problems = [] }: Route): JsonObject {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? '');
  const parameters = [
    ...names.map((name) => ({ name, in: 'path', required: true, schema: { type: 'string' } })),
    ...query.map(({ name, description, schema }) => ({ name, in: 'query', description, schema })),
  ];
  const asText = { schema: { type: 'string' } };
  const success: JsonObject =
    text !== undefined
      ? { description: 'Line by line.', content: Object.fromEntries(text.map((type) => [type, asText])) }
      : result === undefined
        ? { description: 'Events, as they happen.', content: { 'text/event-stream': { schema: { type: 'string' } } } }
        : { description: 'Done.', content: { 'application/json': { schema: result } } };
  const failure = {
    description: 'Why not.',
    content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
  };
  return {
    operationId: id,
    summary,
    description: `Needs the role ${role}.`,
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(body === undefined
      ? {}
      : { requestBody: { required: true, content: { 'application/json': { schema: body } } } }),
    responses: {
      '200': success,
      ...Object.fromEntries(
        [...new Set([...COMMON_PROBLEMS, ...problems])].sort().map((status) => [String(status), failure]),
      ),
    },
  };
}
