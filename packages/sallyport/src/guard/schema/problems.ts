import type { ErrorObject } from 'ajv';
import { isObject, type Json } from '../../core/json.ts';
import { fromStep } from '../../core/json-pointer.ts';

const MAX_PROBLEMS = 5;
const MAX_ERRORS_READ = 200;
const MAX_PATH = 120;
const MAX_ALLOWED = 12;
const MAX_ALLOWED_TEXT = 60;

/**
 * Ajv's errors as sentences: where, and what was expected. Built from the schema and from the names of members only: a
 * value may be a secret, and the text goes to models and logs.
 */
export function toProblems(errors: readonly ErrorObject[]): readonly string[] {
  const relevant = withoutBranches(errors.slice(0, MAX_ERRORS_READ));
  const problems = [...new Set(relevant.map(({ error, types }) => describe(error, types)))];
  if (problems.length <= MAX_PROBLEMS) return problems;
  return [...problems.slice(0, MAX_PROBLEMS), `and ${problems.length - MAX_PROBLEMS} more problems`];
}

interface Relevant {
  readonly error: ErrorObject;
  /** The types the branches of an `anyOf` or `oneOf` ask for, when that is all they say. */
  readonly types: readonly string[] | undefined;
}

/** One failed `anyOf` reports every branch; a reader needs the sum of it. */
function withoutBranches(errors: readonly ErrorObject[]): Relevant[] {
  const choices = errors.filter(({ keyword }) => keyword === 'anyOf' || keyword === 'oneOf');
  const isBranch = (error: ErrorObject): boolean =>
    choices.some((choice) => error !== choice && error.schemaPath.startsWith(`${choice.schemaPath}/`));
  const kept = errors.filter((error) => !isBranch(error) && error.keyword !== 'if');
  return (kept.length > 0 ? kept : errors).map((error) => {
    const branches = errors.filter((other) => other !== error && other.schemaPath.startsWith(`${error.schemaPath}/`));
    const allTypes =
      branches.length > 0 &&
      branches.every((other) => other.keyword === 'type' && other.instancePath === error.instancePath);
    return { error, types: allTypes ? branches.flatMap(({ params }) => toTypes(params)) : undefined };
  });
}

function describe(error: ErrorObject, types: readonly string[] | undefined): string {
  const params: Readonly<Record<string, unknown>> = error.params;
  const at = toPath(error.instancePath);
  const where = at === '' ? 'the value itself' : `"${at}"`;
  switch (error.keyword) {
    case 'required':
      return `"${join(at, params['missingProperty'])}" is required and missing`;
    case 'additionalProperties':
      return `"${join(at, params['additionalProperty'])}" is not known here`;
    case 'unevaluatedProperties':
      return `"${join(at, params['unevaluatedProperty'])}" is not known here`;
    case 'propertyNames':
      return `"${join(at, params['propertyName'])}" is a name that is not allowed here`;
    case 'type':
      return `${where} must be ${toTypes(params).join(' or ')}`;
    case 'enum':
      return `${where} must be one of ${toAllowed(params['allowedValues'])}`;
    case 'const':
      return `${where} must be ${toAllowed([params['allowedValue']])}`;
    case 'format':
      return `${where} must have the format "${cut(String(params['format']), MAX_ALLOWED_TEXT)}"`;
    case 'pattern':
      return `${where} must match the pattern ${cut(JSON.stringify(params['pattern']) ?? '', MAX_PATH)}`;
    case 'anyOf':
    case 'oneOf':
      if (types !== undefined) return `${where} must be ${[...new Set(types)].join(' or ')}`;
      return `${where} must match ${error.keyword === 'oneOf' ? 'exactly one' : 'one'} of the forms its schema allows`;
    default:
      return `${where} ${cut(error.message ?? 'does not match', MAX_PATH)}`;
  }
}

function toTypes(params: Readonly<Record<string, unknown>>): string[] {
  const { type } = params;
  return (Array.isArray(type) ? type : [type]).map(String);
}

function toAllowed(values: unknown): string {
  if (!Array.isArray(values)) return 'the allowed values';
  const shown = values.slice(0, MAX_ALLOWED).map((value) => cut(toText(value as Json), MAX_ALLOWED_TEXT));
  return values.length > MAX_ALLOWED ? `${shown.join(', ')}, … (${values.length} values)` : shown.join(', ');
}

function toText(value: Json): string {
  return isObject(value) || Array.isArray(value) ? '(an object or array)' : (JSON.stringify(value) ?? 'nothing');
}

/** A JSON pointer as people write it: `/filters/0/name` -> `filters[0].name`. */
function toPath(pointer: string): string {
  let path = '';
  for (const part of pointer.split('/').slice(1)) {
    if (path.length > MAX_PATH) break;
    path = join(path, fromStep(part));
  }
  return cut(path, MAX_PATH);
}

function join(path: string, name: unknown): string {
  const text = cut(String(name), MAX_PATH);
  if (/^\d+$/.test(text) && path !== '') return `${path}[${text}]`;
  return path === '' ? text : `${path}.${text}`;
}

function cut(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, length)}…` : text;
}
