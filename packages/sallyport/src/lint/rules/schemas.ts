import { isObject, type Json, type JsonObject, member } from '../../core/json.ts';
import { inlineReferences } from '../inline-references.ts';
import { type Breach, forEachTool, type Rule } from '../rule.ts';
import { type Place, propertiesOf, walkSchema } from '../walk-schema.ts';
import { example, withParameters } from './examples.ts';

const MAX_PARAMETERS = 15;
const MAX_DEPTH = 10;
const MAX_ENUM = 100;
const SHAPES = ['type', 'enum', 'const', '$ref', 'anyOf', 'oneOf', 'allOf', 'not', 'if'];

function* inBoth(tool: JsonObject, look: (place: Place) => Breach | undefined): Generator<Breach> {
  for (const side of ['inputSchema', 'outputSchema'] as const)
    for (const place of walkSchema(member(tool, side), `/${side}`)) {
      const breach = look(place);
      if (breach !== undefined) yield breach;
    }
}

function parameter(schema: Readonly<Record<string, unknown>>): JsonObject {
  return withParameters({ value: { description: 'The value to look for', ...schema } });
}

/** Which schemas every model provider accepts (limits of OpenAI, Anthropic and Gemini, read in November 2026). */
export const SCHEMA_RULES: readonly Rule[] = [
  forEachTool({
    id: 'schemas/root-union',
    level: 'error',
    requires: 'inputSchema has no anyOf, oneOf or allOf at its root',
    why: 'OpenAI and Anthropic refuse such a tool, and with it the whole request.',
    fix: 'Make one object with optional members, or two tools.',
    good: [example()],
    bad: [withParameters({}, { anyOf: [{ required: ['a'] }, { required: ['b'] }] })],
    *checkTool(tool) {
      const found = ['anyOf', 'oneOf', 'allOf'].filter((key) => member(member(tool, 'inputSchema'), key) !== undefined);
      if (found.length > 0)
        yield { path: '/inputSchema', message: `At the root of inputSchema stands ${found.join(' and ')}.` };
    },
  }),
  forEachTool({
    id: 'schemas/external-ref',
    level: 'error',
    requires: 'A $ref points into the same schema',
    why: 'Clients do not fetch other documents, and must not (server-side request forgery).',
    fix: 'Copy what it points to into $defs.',
    good: [
      withParameters({ at: { $ref: '#/$defs/place', description: 'Where' } }, { $defs: { place: { type: 'string' } } }),
    ],
    bad: [parameter({ $ref: 'https://example.com/place.json' })],
    *checkTool(tool) {
      yield* inBoth(tool, ({ path, schema }) => {
        const ref = member(schema, '$ref');
        return typeof ref === 'string' && !ref.startsWith('#')
          ? { path: `${path}/$ref`, message: `It points to ${ref.slice(0, 80)}.` }
          : undefined;
      });
    },
  }),
  forEachTool({
    id: 'schemas/references',
    level: 'note',
    requires: 'Parameters are written out instead of being references',
    why: 'Gemini and several clients do not resolve $ref and $defs.',
    fix: 'Write the schema where it is used.',
    good: [example()],
    bad: [
      withParameters({ at: { $ref: '#/$defs/place', description: 'Where' } }, { $defs: { place: { type: 'string' } } }),
    ],
    *checkTool(tool) {
      const found = walkSchema(member(tool, 'inputSchema'), '/inputSchema').find(
        ({ schema }) => member(schema, '$ref') !== undefined,
      );
      if (found !== undefined) yield { path: `${found.path}/$ref`, message: 'A parameter is a reference.' };
    },
    *mend(tool) {
      const written = inlineReferences(member(tool, 'inputSchema'));
      if (written !== undefined) yield { path: '/inputSchema', value: written, why: 'The references are written out.' };
    },
  }),
  forEachTool({
    id: 'schemas/missing-type',
    level: 'warning',
    requires: 'Every parameter has a type',
    why: 'Gemini refuses a parameter without a type, and models guess.',
    fix: 'Add "type", or "enum" with the values that are allowed.',
    good: [example(), parameter({ enum: ['a', 'b'] })],
    bad: [parameter({})],
    *checkTool(tool) {
      for (const { path, schema, property } of walkSchema(member(tool, 'inputSchema'), '/inputSchema'))
        if (property !== undefined && !SHAPES.some((key) => member(schema, key) !== undefined))
          yield { path, message: `The parameter "${property}" has no type.` };
    },
    *mend(tool) {
      for (const { path, schema, property } of walkSchema(member(tool, 'inputSchema'), '/inputSchema')) {
        if (property === undefined || SHAPES.some((key) => member(schema, key) !== undefined)) continue;
        const [type, because] = typeOf(schema) ?? [];
        if (type !== undefined) yield { path: `${path}/type`, value: type, why: `It has ${because}.` };
      }
    },
  }),
  forEachTool({
    id: 'schemas/array-items',
    level: 'warning',
    requires: 'An array says what its items are',
    why: 'OpenAI and Gemini refuse an array without items.',
    fix: 'Add "items", for example {"type": "string"}.',
    good: [parameter({ type: 'array', items: { type: 'string' } })],
    bad: [parameter({ type: 'array' })],
    *checkTool(tool) {
      for (const { path, schema } of walkSchema(member(tool, 'inputSchema'), '/inputSchema'))
        if (
          member(schema, 'type') === 'array' &&
          member(schema, 'items') === undefined &&
          member(schema, 'prefixItems') === undefined
        )
          yield { path, message: 'The array has no items.' };
    },
  }),
  forEachTool({
    id: 'schemas/union',
    level: 'note',
    requires: 'A parameter has one type, or one type and null',
    why: 'Models fill in unions wrongly more often, and Gemini knows only some of them.',
    fix: 'Choose one type, or make two parameters.',
    good: [parameter({ anyOf: [{ type: 'string' }, { type: 'null' }] })],
    bad: [parameter({ anyOf: [{ type: 'string' }, { type: 'number' }] })],
    *checkTool(tool) {
      for (const { path, schema, property } of walkSchema(member(tool, 'inputSchema'), '/inputSchema')) {
        if (property === undefined) continue;
        const ways = [member(schema, 'anyOf'), member(schema, 'oneOf')].find(Array.isArray) as
          | readonly Json[]
          | undefined;
        if (ways !== undefined && ways.filter((way) => member(way, 'type') !== 'null').length > 1)
          yield { path, message: `"${property}" may be one of ${ways.length} types.` };
      }
    },
  }),
  forEachTool({
    id: 'schemas/unknown-required',
    level: 'warning',
    requires: '"required" names parameters that exist',
    why: 'No value can satisfy a schema that requires a parameter it does not describe and does not allow.',
    fix: 'Describe the parameter, or remove it from "required".',
    good: [example()],
    bad: [withParameters({}, { required: ['city'] })],
    *checkTool(tool) {
      const schema = member(tool, 'inputSchema');
      const known = new Set(propertiesOf(schema).map(([name]) => name));
      const required = member(schema, 'required');
      if (!Array.isArray(required)) return;
      for (const name of required)
        if (typeof name === 'string' && !known.has(name))
          yield { path: '/inputSchema/required', message: `"${name}" is required and not described.` };
    },
  }),
  forEachTool({
    id: 'schemas/default-outside',
    level: 'warning',
    requires: 'A default is one of the values that are allowed',
    why: 'A model that uses the default gets an error.',
    fix: 'Correct the default.',
    good: [parameter({ enum: ['a', 'b'], default: 'a' }), parameter({ type: 'integer', default: 3 })],
    bad: [parameter({ enum: ['a', 'b'], default: 'c' }), parameter({ type: 'integer', default: '3' })],
    *checkTool(tool) {
      for (const { path, schema } of walkSchema(member(tool, 'inputSchema'), '/inputSchema')) {
        const value = member(schema, 'default');
        if (value === undefined || value === null) continue;
        const allowed = member(schema, 'enum');
        const isOutside = Array.isArray(allowed)
          ? !allowed.some((one) => JSON.stringify(one) === JSON.stringify(value))
          : !hasType(value, member(schema, 'type'));
        if (isOutside)
          yield {
            path: `${path}/default`,
            message: `The default ${JSON.stringify(value).slice(0, 60)} is not allowed.`,
          };
      }
    },
    *mend(tool) {
      for (const { path, schema } of walkSchema(member(tool, 'inputSchema'), '/inputSchema')) {
        const [value, type] = [member(schema, 'default'), member(schema, 'type')];
        if (typeof value !== 'string' || member(schema, 'enum') !== undefined || hasType(value, type)) continue;
        const meant = /^(?:true|false|-?\d{1,15}(?:\.\d{1,15})?)$/.test(value)
          ? (JSON.parse(toJsonNumber(value)) as Json)
          : value;
        if (meant !== value && hasType(meant, type))
          yield { path: `${path}/default`, value: meant, why: 'It was written as a text.' };
      }
    },
  }),
  forEachTool({
    id: 'schemas/many-parameters',
    level: 'warning',
    requires: `A tool has at most ${MAX_PARAMETERS} parameters`,
    why: 'The more parameters, the more a model invents; most tools with many are several tools.',
    fix: 'Split the tool by task, or preset what hardly changes.',
    good: [example()],
    bad: [
      withParameters(
        Object.fromEntries(
          Array.from({ length: MAX_PARAMETERS + 1 }, (_, i) => [
            `p${i}`,
            { type: 'string', description: `Value ${i}` },
          ]),
        ),
      ),
    ],
    *checkTool(tool) {
      const { length } = propertiesOf(member(tool, 'inputSchema'));
      if (length > MAX_PARAMETERS) yield { path: '/inputSchema/properties', message: `It has ${length} parameters.` };
    },
  }),
  forEachTool({
    id: 'schemas/depth',
    level: 'warning',
    requires: `Schemas are at most ${MAX_DEPTH} levels deep`,
    why: 'OpenAI refuses deeper schemas in strict mode, and models lose track.',
    fix: 'Flatten the parameters.',
    good: [example()],
    bad: [withParameters({ value: { description: 'Deep', ...nested(MAX_DEPTH + 1) } })],
    *checkTool(tool) {
      const deepest = Math.max(0, ...walkSchema(member(tool, 'inputSchema'), '').map(({ depth }) => depth));
      if (deepest > MAX_DEPTH) yield { path: '/inputSchema', message: `It is ${deepest} levels deep.` };
    },
  }),
  forEachTool({
    id: 'schemas/large-enum',
    level: 'warning',
    requires: `A list of allowed values has at most ${MAX_ENUM} values`,
    why: 'Each value is part of every request to the model.',
    fix: 'Accept a text, and answer an unknown value with the nearest ones; or offer the list as a resource.',
    good: [parameter({ enum: ['a', 'b'] })],
    bad: [parameter({ enum: Array.from({ length: MAX_ENUM + 1 }, (_, i) => `v${i}`) })],
    *checkTool(tool) {
      for (const { path, schema } of walkSchema(member(tool, 'inputSchema'), '/inputSchema')) {
        const values = member(schema, 'enum');
        if (Array.isArray(values) && values.length > MAX_ENUM)
          yield { path, message: `It has ${values.length} values.` };
      }
    },
  }),
  forEachTool({
    id: 'schemas/open-input',
    level: 'note',
    requires: 'inputSchema says that other members are not allowed',
    why: 'Otherwise a misspelt optional parameter is ignored, and the model believes that it was used. OpenAI requires it in strict mode.',
    fix: 'Add "additionalProperties": false, unless the tool takes members of any name.',
    good: [example()],
    bad: [example({ inputSchema: { type: 'object', properties: {} } })],
    *checkTool(tool) {
      if (isOpen(member(tool, 'inputSchema')))
        yield {
          path: '/inputSchema/additionalProperties',
          message: 'inputSchema does not say whether other members are allowed.',
        };
    },
    *mend(tool) {
      if (isOpen(member(tool, 'inputSchema')))
        yield {
          path: '/inputSchema/additionalProperties',
          value: false,
          why: 'The parameters are listed. Check that the tool takes no others.',
        };
    },
  }),
  forEachTool({
    id: 'schemas/output-missing',
    level: 'note',
    requires: 'A tool has an output schema',
    why: 'With it, programs can use the result, and a gateway can check it.',
    fix: 'Add outputSchema and return structuredContent.',
    good: [example()],
    bad: [example({ outputSchema: undefined })],
    *checkTool(tool) {
      if (!isObject(member(tool, 'outputSchema')))
        yield { path: '/outputSchema', message: 'There is no outputSchema.' };
    },
  }),
];

/** Says nothing of other members, and is not made of parts that could. */
function isOpen(schema: Json | undefined): boolean {
  const says = [
    'additionalProperties',
    'unevaluatedProperties',
    'patternProperties',
    '$ref',
    'anyOf',
    'oneOf',
    'allOf',
    'if',
  ];
  return (
    isObject(schema) && member(schema, 'type') === 'object' && !says.some((key) => member(schema, key) !== undefined)
  );
}

const KEYWORDS: readonly (readonly [type: string, keywords: readonly string[]])[] = [
  ['array', ['items', 'prefixItems', 'minItems', 'maxItems', 'uniqueItems']],
  ['object', ['properties', 'required', 'additionalProperties', 'patternProperties']],
  ['string', ['pattern', 'minLength', 'maxLength', 'format']],
  ['number', ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf']],
];

/** The type that the other keywords and the default of a schema have in common, and the keyword that says so. */
function typeOf(schema: JsonObject): readonly [type: string, because: string] | undefined {
  const found = KEYWORDS.flatMap(([type, keywords]): (readonly [string, string])[] => {
    const keyword = keywords.find((key) => member(schema, key) !== undefined);
    return keyword === undefined ? [] : [[type, `"${keyword}"`]];
  });
  const value = member(schema, 'default');
  const type = ['string', 'boolean', 'number', 'array', 'object'].find((one) => hasType(value ?? null, one));
  if (type !== undefined) found.push([type, `the default ${JSON.stringify(value).slice(0, 40)}`]);
  return new Set(found.map(([one]) => one)).size === 1 ? found[0] : undefined;
}

/** JSON knows no leading zeros. */
function toJsonNumber(text: string): string {
  return text.replace(/^(-?)0+(?=\d)/, '$1');
}

function nested(levels: number): JsonObject {
  return levels === 0
    ? { type: 'string' }
    : { type: 'object', properties: { inner: { description: 'Inner', ...nested(levels - 1) } } };
}

function hasType(value: Json, type: Json | undefined): boolean {
  const types = Array.isArray(type) ? type : [type];
  return types.some((one) => {
    switch (one) {
      case 'string':
      case 'boolean':
      case 'number':
        return typeof value === one;
      case 'integer':
        return Number.isInteger(value);
      case 'array':
        return Array.isArray(value);
      case 'object':
        return isObject(value);
      default:
        return true;
    }
  });
}
