// Writes packages/sallyport/src/control/operations.ts, the types of the API's clients, from the OpenAPI document that the
// table of routes makes: a schema with a title is a type of that name, written once. `--check` writes nothing and fails when
// the file is out of date. Needs the build.
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

const root = new URL('../', import.meta.url);
const file = fileURLToPath(new URL('packages/sallyport/src/control/operations.ts', root));
const { compile } = createRequire(new URL('packages/sallyport/package.json', root))('json-schema-to-typescript');

/** The text of the file for a document. */
export async function writeOperations(document) {
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path: path.replace('/api/v1', ''), method, ...operation })),
  );
  const isStream = ({ responses }) => responses['200'].content['text/event-stream'] !== undefined;
  const isText = ({ responses }) => responses['200'].content['application/json'] === undefined;
  const answersOnce = operations.filter((one) => !isText(one));
  const texts = operations.filter((one) => isText(one) && !isStream(one));
  const types = await compile(
    object(Object.fromEntries(operations.map((one) => [one.operationId, toSchema(one)]))),
    'Operations',
    { bannerComment: '', additionalProperties: false, format: false, unknownAny: true, ignoreMinAndMaxItems: true },
  );
  const shorter = types
    .replace(/\{\s*\}/g, 'Record<never, never>')
    .replace(/\/\*\*\n\s*\* (.*)\n\s*\*\//g, '/** $1 */')
    // An interface is no JSON for the compiler: others may add to it.
    .replace(/^export interface (\w+) \{$/gm, 'export type $1 = {');
  const rows = operations.map(
    ({ operationId, method, path }) => `  ${operationId}: { method: '${method.toUpperCase()}', path: '${path}' },`,
  );
  const ids = (some) => some.map(({ operationId }) => `'${operationId}'`).join(' | ') || 'never';
  const text = `// Made of the OpenAPI document by \`node scripts/api-types.mjs\`: change the routes, not this file.

/** What every operation of the API takes and gives. */
${shorter}
/** Operations that answer once. */
export type OperationId = ${ids(answersOnce)};

/** Operations that answer with events until the client goes. */
export type StreamId = ${ids(operations.filter(isStream))};

/** Operations that answer with text of any length. */
export type TextId = ${ids(texts)};

export const OPERATIONS: Readonly<Record<OperationId | StreamId | TextId, { readonly method: string; readonly path: string }>> = {
${rows.join('\n')}
};
`;
  return execFileSync(
    fileURLToPath(new URL('node_modules/.bin/biome', root)),
    ['format', `--stdin-file-path=${file}`],
    {
      input: text,
      encoding: 'utf8',
      cwd: fileURLToPath(root),
    },
  );
}

function toSchema({ parameters = [], requestBody, responses, summary }) {
  const inPlace = (place) => parameters.filter((one) => one.in === place);
  const group = (some) =>
    object(
      Object.fromEntries(some.map(({ name, schema }) => [name, schema])),
      some.filter(({ required }) => required).map(({ name }) => name),
    );
  const path = inPlace('path');
  const query = inPlace('query');
  const body = requestBody?.content['application/json'].schema;
  const input = {
    ...(path.length === 0 ? {} : { path: group(path) }),
    ...(query.length === 0 ? {} : { query: group(query) }),
    ...(body === undefined ? {} : { body }),
  };
  const needed = Object.keys(input).filter((name) => name !== 'query' || query.some(({ required }) => required));
  const result = responses['200'].content['application/json']?.schema;
  return {
    ...object({ input: object(input, needed), ...(result === undefined ? {} : { result }) }),
    description: summary,
  };
}

function object(properties, required = Object.keys(properties)) {
  return { type: 'object', properties, required, additionalProperties: false };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { describeApi } = await import('../packages/sallyport/dist/control/control.js');
  const text = await writeOperations(describeApi('0'));
  if (text !== readFileSync(file, 'utf8')) {
    if (process.argv.includes('--check')) {
      process.stderr.write('control/operations.ts is out of date: node scripts/api-types.mjs\n');
      process.exitCode = 1;
    } else writeFileSync(file, text);
  }
}
