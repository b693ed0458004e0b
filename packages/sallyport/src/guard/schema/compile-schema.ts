import { Ajv, MissingRefError, type Options } from 'ajv';
import { Ajv2019 } from 'ajv/dist/2019.js';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { fastFormats } from 'ajv-formats/dist/formats.js';
import { type Json, type JsonObject, member } from '../../core/json.ts';
import { fromDraft3, fromDraft4 } from './older-dialects.ts';
import { toProblems } from './problems.ts';

/** Returns what is wrong with a value, in words for a model and without the value; empty when it is valid. */
export type Validator = (value: unknown) => readonly string[];

export interface CompileOptions {
  /**
   * Report every problem instead of the first. Off where the time is not bounded by the schema: a failing schema then
   * does all its work instead of stopping.
   */
  readonly allProblems: boolean;
}

/** Why a schema cannot be used; the message says so in words that complete "its inputSchema …". */
export class SchemaRefusal {
  readonly reason: string;
  constructor(reason: string) {
    this.reason = reason;
  }
}

/**
 * Compiles one schema of a stranger with an Ajv of its own (0.25 ms): equal `$id`s of two tools never meet, and nothing
 * is kept when the validator is dropped. Runs on whatever thread it is called on, without any limit: see the callers.
 */
export function compileSchema(schema: JsonObject, options: CompileOptions): Validator | SchemaRefusal {
  const dialects = toDialects(member(schema, '$schema'));
  if (dialects instanceof SchemaRefusal) return dialects;
  let refusal: SchemaRefusal | undefined;
  for (const dialect of dialects) {
    try {
      return compileAs(dialect, schema, options);
    } catch (error) {
      refusal ??= toRefusal(error);
    }
  }
  return refusal ?? new SchemaRefusal('cannot be compiled');
}

type Dialect = '2020-12' | '2019-09' | 'draft-07' | 'draft-04' | 'draft-03';

const DRAFTS = ['draft-07', 'draft-04', 'draft-03'] as const;
/**
 * By `$schema`, without the mark at its end. Draft-06 schemas are draft-07 schemas. Generators name one dialect and write an older
 * one: what cannot be compiled gets another try as that.
 */
const DIALECTS: readonly (readonly [named: RegExp, tried: readonly Dialect[]])[] = [
  [/^https?:\/\/json-schema\.org\/draft\/2020-12\/schema$/, ['2020-12', ...DRAFTS]],
  // OpenAPI 3.1 adds annotations to 2020-12.
  [/^https?:\/\/spec\.openapis\.org\/oas\/3\.1\/dialect\/base$/, ['2020-12', ...DRAFTS]],
  // No version, or none at all: 2020-12 (MCP 2026-07-28 basic#json-schema-usage).
  [/^(?:https?:\/\/json-schema\.org\/schema)?$/, ['2020-12', ...DRAFTS]],
  [/^https?:\/\/json-schema\.org\/draft\/2019-09\/schema$/, ['2019-09', ...DRAFTS]],
  [/^https?:\/\/json-schema\.org\/draft-0[67]\/schema$/, DRAFTS],
  [/^https?:\/\/json-schema\.org\/draft-04\/schema$/, ['draft-04', 'draft-03']],
  [/^https?:\/\/json-schema\.org\/draft-03\/schema$/, ['draft-03']],
];

function toDialects(written: Json | undefined): readonly Dialect[] | SchemaRefusal {
  const name = typeof written === 'string' ? written.replace(/#$/, '') : '';
  const found = DIALECTS.find(([named]) => named.test(name));
  if (found !== undefined) return found[1];
  return new SchemaRefusal(
    `is written in a dialect that is not supported ("$schema": ${JSON.stringify(name.slice(0, 100))}; supported are 2020-12, 2019-09, draft-07, draft-06, draft-04 and draft-03)`,
  );
}

const OPTIONS: Options = {
  // Unknown keywords and formats are annotations to us, as the specification wants.
  strict: false,
  logger: false,
  validateSchema: false,
  // A large definition with thousands of references to it would become gigabytes of code.
  inlineRefs: false,
  // An argument may be called `constructor`: inherited members are nobody's arguments.
  ownProperties: true,
  formats: {
    // The short regular expressions: linear in time, and they take what upstreams take (`https://example.com/中文`).
    ...fastFormats,
    // pydantic and many others accept a time without zone; refusing here what the upstream takes would break tools.
    'date-time': fastFormats['iso-date-time'],
    time: fastFormats['iso-time'],
  },
  // Ajv's optimizer costs five times the rest of a compilation and changes nothing measurable after it.
  code: { optimize: false, regExp: Object.assign(toRegExp, { code: 'new RegExp' }) },
};

function compileAs(dialect: Dialect, written: JsonObject, { allProblems }: CompileOptions): Validator {
  const ajv = new (dialect === '2020-12' ? Ajv2020 : dialect === '2019-09' ? Ajv2019 : Ajv)({
    ...OPTIONS,
    allErrors: allProblems,
  });
  // `id` was a keyword in draft-04 and is a plain annotation now; Ajv throws on it.
  ajv.removeKeyword('id');
  // `$async` would turn the answer into a promise, which is always true.
  const { $async: _, ...synchronous } = toCurrent(dialect, written);
  const validate = ajv.compile(synchronous);
  return (value) => {
    if (validate(value) === true) return NO_PROBLEMS;
    const problems = toProblems(validate.errors ?? []);
    // The errors hold parts of the value; nobody reads them again.
    validate.errors = null;
    return problems;
  };
}

function toCurrent(dialect: Dialect, { $schema, ...schema }: JsonObject): JsonObject {
  if (dialect === 'draft-04') return fromDraft4(schema);
  return dialect === 'draft-03' ? fromDraft3(schema) : schema;
}

const NO_PROBLEMS: readonly string[] = Object.freeze([]);

/** With the `u` flag as JSON Schema wants it, without it for the many patterns that escape more than `u` allows. */
function toRegExp(pattern: string, flags: string): RegExp {
  try {
    return new RegExp(pattern, flags);
  } catch {
    return new RegExp(pattern);
  }
}

function toRefusal(error: unknown): SchemaRefusal {
  if (error instanceof MissingRefError)
    return new SchemaRefusal(
      `refers to ${JSON.stringify(error.missingRef.slice(0, 200))}, which is not in it; other documents are not fetched`,
    );
  const text = error instanceof Error ? error.message : 'unknown error';
  return new SchemaRefusal(`cannot be compiled: ${text.slice(0, 200)}`);
}
