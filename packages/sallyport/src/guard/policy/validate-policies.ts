import { type ArgumentShape, joinShapes } from './argument-shape.ts';
import type { CedarLibrary, DetailedError } from './cedar.ts';
import { toCedarSchema } from './schema.ts';

export interface Unchecked {
  readonly part: { readonly text: string };
  readonly shape: ArgumentShape;
}

/** What Cedar's validator said of a text: most reloads change no policy. */
const validated = new Map<string, readonly DetailedError[]>();
const MAX_VALIDATED = 2_000;

/**
 * Reading a schema costs more than checking a policy by it, so policies are checked together where one schema can hold
 * what all of them read: so many at once.
 */
const AT_ONCE = 25;

/** Problems by text, checked in steps; a text without any may be left out. */
export function* validateInSteps(
  cedar: CedarLibrary,
  policies: readonly Unchecked[],
): Generator<undefined, ReadonlyMap<string, readonly DetailedError[]>> {
  const found = new Map<string, readonly DetailedError[]>();
  const groups: Group[] = [];
  for (const { part, shape } of policies) {
    const known = validated.get(part.text);
    if (known === undefined) addTo(groups, part.text, shape);
    else found.set(part.text, known);
  }
  for (const { texts, shape } of groups) {
    for (const [text, errors] of validate(cedar, toCedarSchema(shape), [...texts])) {
      found.set(text, errors);
      if (validated.size >= MAX_VALIDATED) validated.clear();
      validated.set(text, errors);
    }
    yield;
  }
  return found;
}

interface Group {
  readonly texts: Set<string>;
  shape: ArgumentShape;
}

function addTo(groups: Group[], text: string, shape: ArgumentShape): void {
  const last = groups.at(-1);
  if (last === undefined || last.texts.size >= AT_ONCE || !agree(last.shape, shape)) {
    groups.push({ texts: new Set([text]), shape });
    return;
  }
  last.texts.add(text);
  last.shape = joinShapes([last.shape, shape]).shape;
}

/** Are all arguments that both read the same thing? Then each policy is checked as by a schema of its own. */
function agree(one: ArgumentShape, other: ArgumentShape): boolean {
  for (const [name, member] of other.members) {
    const known = one.members.get(name);
    if (known === undefined) continue;
    if (known.type !== member.type || (known.members.size === 0) !== (member.members.size === 0)) return false;
    if (!agree(known, member)) return false;
  }
  return true;
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
