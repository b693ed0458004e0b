import type { JsonSchema } from '../schema.ts';
import { estimateTokens } from './estimate-tokens.ts';

/** The first sentence of a text without Markdown, cut at a word. @param most characters */
export function shorten(text: string, most: number): string {
  const plain = text
    .replace(/<[^>]*>/g, ' ')
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/[*`#>]+/g, '')
    .replace(/\s+/g, ' ')
    .trim();
  const [first = plain] = /^.*?(?:[.!?](?=\s|$)|[。！？；])/.exec(plain) ?? [];
  if (first.length <= most) return first;
  const end = first.lastIndexOf(' ', most - 1);
  return `${first.slice(0, end > most / 2 ? end : most - 1).trimEnd()}…`;
}

const KEPT = ['type', 'format', 'default', 'minimum', 'maximum', 'minItems', 'maxItems', 'pattern'] as const;
const MAX_VALUES = 12;

/** A schema with what a model needs to fill it in: types, few values, what is required inside, and short descriptions. */
export function shortenSchema(schema: JsonSchema, most: number, depth = 0): JsonSchema {
  const made: JsonSchema = {};
  for (const key of KEPT)
    if (schema[key] !== undefined && JSON.stringify(schema[key]).length <= 60) made[key] = schema[key];
  const { enum: values, description, items, properties, anyOf, oneOf } = schema;
  if (Array.isArray(values) && values.length <= MAX_VALUES) made['enum'] = values;
  if (depth > 0 && typeof description === 'string' && description !== '')
    made['description'] = shorten(description, most);
  if (typeof items === 'object' && items !== null) made['items'] = shortenSchema(items as JsonSchema, most, depth + 1);
  const ways = anyOf ?? oneOf;
  if (Array.isArray(ways) && made['type'] === undefined)
    Object.assign(made, shortenSchema((ways[0] ?? {}) as JsonSchema, most, depth));
  if (typeof properties === 'object' && properties !== null) {
    const required = new Set(Array.isArray(schema['required']) ? schema['required'] : []);
    const inner = Object.entries(properties as Readonly<Record<string, JsonSchema>>).filter(
      ([name]) => required.has(name) || required.size === 0,
    );
    made['type'] = 'object';
    if (inner.length > 0 && inner.length <= MAX_VALUES)
      made['properties'] = Object.fromEntries(
        inner.map(([name, one]) => [name, { description: toWords(name), ...shortenSchema(one, most, depth + 1) }]),
      );
    if (required.size > 0) made['required'] = [...required];
  }
  if (made['type'] === undefined && made['enum'] === undefined) made['type'] = 'string';
  return made;
}

/** Every member has a description; where the document has none, it is the name. */
function toWords(name: string): string {
  return name
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .replaceAll('_', ' ')
    .toLowerCase();
}

/**
 * Chooses what of the optional parameters fits into a budget, in the order of the document.
 * @returns how many of them
 */
export function countFitting(costs: readonly unknown[], tokens: number): number {
  let left = tokens;
  for (const [index, cost] of costs.entries()) {
    left -= estimateTokens(cost);
    if (left < 0) return index;
  }
  return costs.length;
}
