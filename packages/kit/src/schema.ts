import type { StandardSchemaWithJSON } from '@modelcontextprotocol/server';

/** A schema of any library that speaks Standard Schema and Standard JSON Schema: zod 4.2, valibot, arktype. */
export type Schema<Input = unknown, Output = Input> = StandardSchemaWithJSON<Input, Output>;

export type JsonSchema = Record<string, unknown>;

/** A schema with the description that a model reads. */
export interface Field<S extends Schema = Schema> {
  readonly description: string;
  readonly schema: S;
}

/** Fields of an object by name. */
export type Fields = Readonly<Record<string, Field>>;

type OptionalNames<F extends Fields, Side extends 'Input' | 'Output'> = {
  [Name in keyof F]: undefined extends Value<F[Name], Side> ? Name : never;
}[keyof F];

type Value<F, Side extends 'Input' | 'Output'> =
  F extends Field<infer S>
    ? Side extends 'Input'
      ? StandardSchemaWithJSON.InferInput<S>
      : StandardSchemaWithJSON.InferOutput<S>
    : never;

type Shape<F extends Fields, Side extends 'Input' | 'Output'> = {
  [Name in Exclude<keyof F, OptionalNames<F, Side>>]: Value<F[Name], Side>;
} & { [Name in OptionalNames<F, Side>]?: Value<F[Name], Side> };

/** What a caller writes for these fields. */
export type InputOf<F extends Fields> = Shape<F, 'Input'>;
/** What these fields are after validation, defaults filled in. */
export type OutputOf<F extends Fields> = Shape<F, 'Output'>;

/**
 * Describes one field of a tool's input or output.
 * @param description what the value is, with an example where one helps: `Name of a city, for example "Paris"`
 */
export function field<S extends Schema>(description: string, schema: S): Field<S> {
  return { description, schema };
}

export const TARGET = { target: 'draft-2020-12' } as const;

/** The fields as one object schema that rejects members it does not name. */
export function toObjectSchema<F extends Fields>(fields: F): Schema<InputOf<F>, OutputOf<F>> {
  const own = new Map(Object.entries(fields));
  const toJson = (side: 'input' | 'output'): JsonSchema => {
    const properties: Record<string, JsonSchema> = {};
    const required: string[] = [];
    for (const [name, { description, schema }] of own) {
      const { $schema: _, ...json } = schema['~standard'].jsonSchema[side](TARGET);
      properties[name] = { ...json, description };
      if (!isOptional(schema, side)) required.push(name);
    }
    return {
      type: 'object',
      properties,
      ...(required.length > 0 ? { required } : {}),
      additionalProperties: false,
    };
  };
  return {
    '~standard': {
      version: 1,
      vendor: 'sallyport',
      validate: (value) => validate(own, value) as never,
      jsonSchema: { input: () => toJson('input'), output: () => toJson('output') },
    },
  };
}

/** A field that may be left out: it has a default, or accepts `undefined`. An output always has its defaults. */
function isOptional(schema: Schema, side: 'input' | 'output'): boolean {
  const result = schema['~standard'].validate(undefined);
  if (result instanceof Promise || result.issues !== undefined) return false;
  return side === 'input' || result.value === undefined;
}

interface Issue {
  readonly message: string;
  readonly path: readonly PropertyKey[];
}

type Validated = { readonly value: Record<string, unknown> } | { readonly issues: readonly Issue[] };

type FieldResult = StandardResult | Promise<StandardResult>;
type StandardResult = Awaited<ReturnType<Schema['~standard']['validate']>>;

/** At once where every field can say so at once, which those of zod do: a promise for each call costs more than the check. */
function validate(fields: ReadonlyMap<string, Field>, value: unknown): Validated | Promise<Validated> {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return { issues: [{ message: 'Expected an object', path: [] }] };
  const given = value as Readonly<Record<string, unknown>>;
  const results: [string, FieldResult][] = [];
  let isLate = false;
  for (const [name, { schema }] of fields) {
    const result = schema['~standard'].validate(Object.hasOwn(given, name) ? given[name] : undefined);
    isLate ||= result instanceof Promise;
    results.push([name, result]);
  }
  const issues = Object.keys(given)
    .filter((name) => !fields.has(name))
    .map((name) => ({
      message: `Unknown member. Known members: ${[...fields.keys()].join(', ') || 'none'}`,
      path: [name],
    }));
  if (!isLate) return join(results as [string, StandardResult][], issues);
  return Promise.all(
    results.map(async ([name, result]): Promise<[string, StandardResult]> => [name, await result]),
  ).then((all) => join(all, issues));
}

function join(results: readonly (readonly [string, StandardResult])[], unknown: readonly Issue[]): Validated {
  const made: Record<string, unknown> = {};
  const issues = [...unknown];
  for (const [name, result] of results) {
    if (result.issues !== undefined) {
      for (const { message, path = [] } of result.issues)
        issues.push({ message, path: [name, ...path.map((step) => (typeof step === 'object' ? step.key : step))] });
    } else if (result.value !== undefined) {
      // A member called __proto__ becomes a member, not a prototype.
      if (name === '__proto__')
        Object.defineProperty(made, name, {
          value: result.value,
          enumerable: true,
          writable: true,
          configurable: true,
        });
      else made[name] = result.value;
    }
  }
  return issues.length > 0 ? { issues } : { value: made };
}
