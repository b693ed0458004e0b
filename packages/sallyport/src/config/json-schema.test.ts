import { readFileSync } from 'node:fs';
import { Ajv } from 'ajv';
import { expect, test } from 'vitest';
import { toJsonSchema } from './json-schema.ts';

const committed: unknown = JSON.parse(readFileSync(new URL('../../sallyport.schema.json', import.meta.url), 'utf8'));

test('the committed schema is the current one: run "npm run schema" in packages/sallyport', () => {
  expect(committed).toEqual(toJsonSchema());
});

test.each<[object, boolean]>([
  [{}, true],
  [
    { $schema: './sallyport.schema.json', mcpServers: { a: { command: 'x', alwaysAllow: [] } }, gateway: { port: 0 } },
    true,
  ],
  [{ servers: { a: { type: 'http', url: 'http://x', headers: { A: 'b' } } }, inputs: [] }, true],
  [{ mcpServers: { a: { comand: 'x' } } }, false],
  [{ mcpServers: { 'a b': { command: 'x' } } }, false],
  [{ mcpServers: { '..': { command: 'x' } } }, false],
  [{ gateway: { port: 99_999 } }, false],
  [{ gatway: {} }, false],
])('editors judge %j', (file, good) => {
  const validate = new Ajv({ strict: true, allowUnionTypes: true, formats: { uri: true } }).compile(toJsonSchema());
  expect(validate(file)).toBe(good);
});

test('every setting says what it is for', () => {
  const nameless: string[] = [];
  const visit = (schema: unknown, path: string): void => {
    const properties = (schema as { properties?: Record<string, { description?: string }> }).properties ?? {};
    for (const [key, property] of Object.entries(properties)) {
      if (!property.description) nameless.push(`${path}${key}`);
      visit(property, `${path}${key}.`);
    }
  };
  visit(committed, '');
  expect(nameless).toEqual([]);
});
