import type { ArgumentShape } from './argument-shape.ts';
import type { CedarLibrary, DetailedError } from './cedar.ts';
import { toCedarSchema } from './schema.ts';

export interface Unchecked {
  readonly part: { readonly text: string };
  readonly shape: ArgumentShape;
}

/** What Cedar's validator said of a text: most reloads change no policy. */
const validated = new Map<string, readonly DetailedError[]>();
const MAX_VALIDATED = 2_000;

/** Reading the schema costs more than checking a policy by it, so those that share one are checked together: so many. */
const AT_ONCE = 25;

/** Problems by text, checked in steps; a text without any may be left out. */
export function* validateInSteps(
  cedar: CedarLibrary,
  policies: readonly Unchecked[],
): Generator<undefined, ReadonlyMap<string, readonly DetailedError[]>> {
  const found = new Map<string, readonly DetailedError[]>();
  const open = new Map<string, Set<string>>();
  for (const { part, shape } of policies) {
    const known = validated.get(part.text);
    if (known !== undefined) {
      found.set(part.text, known);
      continue;
    }
    const schema = toCedarSchema(shape);
    const texts = open.get(schema) ?? new Set();
    open.set(schema, texts.add(part.text));
  }
  for (const [schema, texts] of open) {
    const waiting = [...texts];
    for (let at = 0; at < waiting.length; at += AT_ONCE) {
      const errors = validate(cedar, schema, waiting.slice(at, at + AT_ONCE));
      for (const [text, ofText] of errors) {
        found.set(text, ofText);
        if (validated.size >= MAX_VALIDATED) validated.clear();
        validated.set(text, ofText);
      }
      yield;
    }
  }
  return found;
}

function validate(
  cedar: CedarLibrary,
  schema: string,
  texts: readonly string[],
): ReadonlyMap<string, readonly DetailedError[]> {
  const checked = cedar.validate({
    schema,
    policies: { staticPolicies: Object.fromEntries(texts.map((text, index) => [`p${index}`, text])) },
    validationSettings: { mode: 'strict' },
  });
  // Fail closed: what could not be checked is refused, each of them.
  if (checked.type === 'failure') return new Map(texts.map((text) => [text, checked.errors]));
  const { validationErrors: errors, validationWarnings: warnings } = checked;
  return new Map(
    texts.map((text, index) => {
      const of = (found: typeof errors) =>
        found.filter(({ policyId }) => policyId === `p${index}`).map(({ error }) => error);
      // A warning is a rule that can never match, or text that hides what it says.
      return [text, of(errors).length > 0 ? of(errors) : of(warnings)];
    }),
  );
}
