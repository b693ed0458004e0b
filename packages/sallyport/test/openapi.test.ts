import { readFileSync } from 'node:fs';
import { Validator } from '@seriousme/openapi-schema-validator';
import { expect, test } from 'vitest';
import { writeOperations } from '../../../scripts/api-types.mjs';
import { describeApi } from '../src/control/control.ts';

const document = describeApi('1.2.3');

test('the document is OpenAPI 3.1', async () => {
  const validator = new Validator();
  const { valid, errors } = await validator.validate(structuredClone(document) as Record<string, unknown>);
  expect(errors ?? []).toEqual([]);
  expect(valid).toBe(true);
  expect(validator.version).toBe('3.1');
});

test('what breaks the rules of OpenAPI is found', async () => {
  const broken = structuredClone(document) as { paths: Record<string, { get: { responses: unknown } }> };
  Object.assign(broken.paths['/api/v1/servers']?.get ?? {}, { responses: { '200': { content: {} } } });
  expect((await new Validator().validate(broken)).valid).toBe(false);
});

test('every operation has a name of its own', () => {
  const paths = Object.values(document['paths'] as Record<string, Record<string, { operationId: string }>>);
  const ids = paths.flatMap((methods) => Object.values(methods).map(({ operationId }) => operationId));
  expect(ids.length).toBeGreaterThan(15);
  expect(new Set(ids).size).toBe(ids.length);
});

test('the types of clients are those of the document: node scripts/api-types.mjs', async () => {
  const file = new URL('../src/control/operations.ts', import.meta.url);
  expect(readFileSync(file, 'utf8')).toBe(await writeOperations(document));
});
