import { z } from 'zod';
import { nearestName } from './nearest-name.ts';
import type { Path } from './parse-file.ts';

export interface FileIssue {
  readonly path: Path;
  readonly message: string;
}

/**
 * Checks a value against a schema. Messages say what is expected and never what was found: that may be a secret.
 * `alsoKnown` are further names to suggest for an unknown key at the top.
 */
export function checkAgainst<S extends z.ZodType>(
  schema: S,
  value: unknown,
  alsoKnown: readonly string[] = [],
): { readonly value: z.output<S> | undefined; readonly issues: readonly FileIssue[] } {
  const result = schema.safeParse(value);
  if (result.success) return { value: result.data, issues: [] };
  const issues = result.error.issues.flatMap((issue) => toIssues(issue, schema, alsoKnown));
  return { value: undefined, issues };
}

function toIssues(issue: z.core.$ZodIssue, schema: z.ZodType, alsoKnown: readonly string[]): FileIssue[] {
  const path = issue.path.map((step) => (typeof step === 'number' ? step : String(step)));
  const branch = issue.code === 'invalid_union' ? findBranch(issue.errors) : undefined;
  if (branch !== undefined)
    return branch.flatMap((inner) => toIssues({ ...inner, path: [...issue.path, ...inner.path] }, schema, alsoKnown));
  if (issue.code !== 'unrecognized_keys') return [{ path, message: describe(issue) }];
  const known = [...keysAt(schema, path), ...(path.length === 0 ? alsoKnown : [])];
  return issue.keys.map((key) => {
    const near = nearestName(key, known);
    const fix = near === undefined ? `remove it; known are ${known.join(', ')}` : `did you mean "${near}"?`;
    return { path: [...path, key], message: `unknown key; ${fix}` };
  });
}

/** Of several forms, the one that was meant: what is wrong lies within it and not in its being that form at all. */
function findBranch(branches: readonly (readonly z.core.$ZodIssue[])[]): readonly z.core.$ZodIssue[] | undefined {
  return branches.find((issues) =>
    issues.every(({ code, path }) => path.length > 0 || code === 'unrecognized_keys' || code === 'too_small'),
  );
}

function describe(issue: z.core.$ZodIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return `expected ${WORDS.get(issue.expected) ?? issue.expected}`;
    case 'invalid_value':
      return `expected one of ${issue.values.map((value) => JSON.stringify(value)).join(', ')}`;
    case 'too_small':
      return issue.origin === 'string' ? 'may not be empty' : `must be at least ${issue.minimum}`;
    case 'too_big':
      return `must be at most ${issue.maximum}`;
    default:
      // Only texts written in file-schema.ts reach this line.
      return issue.message;
  }
}

const WORDS: ReadonlyMap<string, string> = new Map([
  ['int', 'a whole number'],
  ['number', 'a whole number'],
  ['string', 'text'],
  ['boolean', 'true or false'],
  ['array', 'a list'],
  ['object', 'an object'],
  ['record', 'an object'],
]);

/** The keys an object schema knows at a path. */
function keysAt(schema: z.ZodType, path: Path): string[] {
  let at: unknown = unwrap(schema);
  for (const step of path) {
    if (at instanceof z.ZodArray) at = unwrap(at.element);
    else if (at instanceof z.ZodObject) at = unwrap(Object.hasOwn(at.shape, step) ? at.shape[step] : undefined);
    else if (at instanceof z.ZodRecord) at = unwrap(at.valueType);
    else return [];
  }
  return at instanceof z.ZodObject ? Object.keys(at.shape) : [];
}

function unwrap(schema: unknown): unknown {
  let inner = schema;
  while (inner instanceof z.ZodOptional || inner instanceof z.ZodDefault || inner instanceof z.ZodPrefault)
    inner = inner.unwrap();
  if (inner instanceof z.ZodUnion) return inner.options.find((option) => option instanceof z.ZodObject) ?? inner;
  return inner;
}
