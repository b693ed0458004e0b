import { isObject, type JsonObject, member } from '../core/json.ts';
import { nameOf } from './rule.ts';
import { propertiesOf } from './walk-schema.ts';

/** What a change of a tool means for those who use it. */
export type Weight = 'breaking' | 'compatible' | 'text';

export interface Change {
  readonly tool: string;
  readonly weight: Weight;
  readonly message: string;
}

/** What changed between two versions of a server's tools. */
export function compareTools(before: readonly JsonObject[], after: readonly JsonObject[]): readonly Change[] {
  const old = new Map(before.map((tool) => [nameOf(tool), tool]));
  const now = new Map(after.map((tool) => [nameOf(tool), tool]));
  const changes: Change[] = [];
  for (const name of old.keys())
    if (!now.has(name)) changes.push({ tool: name, weight: 'breaking', message: 'The tool was removed.' });
  for (const [name, tool] of now) {
    const earlier = old.get(name);
    if (earlier === undefined) changes.push({ tool: name, weight: 'compatible', message: 'The tool is new.' });
    else for (const [weight, message] of compareTool(earlier, tool)) changes.push({ tool: name, weight, message });
  }
  return changes;
}

function* compareTool(before: JsonObject, after: JsonObject): Generator<[Weight, string]> {
  for (const key of ['title', 'description'])
    if (!isSame(member(before, key), member(after, key))) yield ['text', `The ${key} changed.`];
  if (!isSame(member(before, 'annotations'), member(after, 'annotations'))) yield* compareHints(before, after);
  yield* compareParameters(member(before, 'inputSchema'), member(after, 'inputSchema'));
  yield* compareOutput(member(before, 'outputSchema'), member(after, 'outputSchema'));
}

function* compareHints(before: JsonObject, after: JsonObject): Generator<[Weight, string]> {
  const hint = (tool: JsonObject, name: string) => member(member(tool, 'annotations'), name);
  const isRiskier =
    (hint(before, 'readOnlyHint') === true && hint(after, 'readOnlyHint') !== true) ||
    (hint(before, 'destructiveHint') === false && hint(after, 'destructiveHint') !== false);
  // A client that called it without asking must ask now.
  yield isRiskier
    ? ['breaking', 'The hints allow more effects than before.']
    : ['compatible', 'The annotations changed.'];
}

function* compareParameters(before: unknown, after: unknown): Generator<[Weight, string]> {
  const [old, now] = [new Map(propertiesOf(before as JsonObject)), new Map(propertiesOf(after as JsonObject))];
  const [wasRequired, isRequired] = [requiredOf(before), requiredOf(after)];
  for (const name of old.keys()) if (!now.has(name)) yield ['breaking', `The parameter "${name}" was removed.`];
  for (const [name, schema] of now) {
    const earlier = old.get(name);
    if (earlier === undefined)
      yield isRequired.has(name)
        ? ['breaking', `The new parameter "${name}" is required.`]
        : ['compatible', `The optional parameter "${name}" is new.`];
    else {
      if (!wasRequired.has(name) && isRequired.has(name))
        yield ['breaking', `The parameter "${name}" is now required.`];
      if (wasRequired.has(name) && !isRequired.has(name))
        yield ['compatible', `The parameter "${name}" is now optional.`];
      yield* compareSchema(name, earlier, schema);
    }
  }
  yield* compareRoots(before, after);
}

/** What holds for all parameters: other members, definitions, rules between them. */
function* compareRoots(before: unknown, after: unknown): Generator<[Weight, string]> {
  const rest = (schema: unknown) => {
    const own = ['properties', 'required', 'title', 'description', '$schema', 'additionalProperties'];
    return Object.fromEntries(Object.entries(isObject(schema) ? schema : {}).filter(([key]) => !own.includes(key)));
  };
  const [was, is] = [before, after].map((schema) => member(schema, 'additionalProperties') !== false);
  if (was !== is)
    yield is
      ? ['compatible', 'Other members are allowed now.']
      : ['breaking', 'Members that inputSchema does not name are no longer allowed.'];
  if (!isSame(rest(before), rest(after))) yield ['breaking', 'The rules of inputSchema for all parameters changed.'];
}

function* compareSchema(name: string, before: JsonObject, after: JsonObject): Generator<[Weight, string]> {
  const { description: was, ...old } = before;
  const { description: is, ...now } = after;
  if (!isSame(was, is)) yield ['text', `The description of "${name}" changed.`];
  if (isSame(old, now)) return;
  const [values, allowed] = [member(old, 'enum'), member(now, 'enum')];
  const onlyMore =
    Array.isArray(values) &&
    Array.isArray(allowed) &&
    values.every((one) => allowed.some((other) => isSame(one, other))) &&
    isSame({ ...old, enum: null }, { ...now, enum: null });
  yield onlyMore
    ? ['compatible', `The parameter "${name}" allows more values.`]
    : ['breaking', `The schema of the parameter "${name}" changed.`];
}

function* compareOutput(before: unknown, after: unknown): Generator<[Weight, string]> {
  if (isSame(before, after)) return;
  if (!isObject(before)) yield ['compatible', 'The output schema is new.'];
  else if (!isObject(after)) yield ['breaking', 'The output schema was removed.'];
  else {
    const now = new Map(propertiesOf(after));
    const gone = propertiesOf(before).find(([name, schema]) => !isSame(schemaOf(now.get(name)), schemaOf(schema)));
    yield gone === undefined
      ? ['compatible', 'The output has new members.']
      : ['breaking', `The member "${gone[0]}" of the output changed or was removed.`];
  }
}

function schemaOf(schema: JsonObject | undefined): unknown {
  const { description: _, ...rest } = schema ?? {};
  return schema === undefined ? undefined : rest;
}

function requiredOf(schema: unknown): ReadonlySet<string> {
  const required = member(schema, 'required');
  return new Set(Array.isArray(required) ? required.filter((name) => typeof name === 'string') : []);
}

/** Members in any order. */
function isSame(one: unknown, other: unknown): boolean {
  return toText(one) === toText(other);
}

function toText(value: unknown): string {
  return (
    JSON.stringify(value, (_, inner: unknown) =>
      isObject(inner) ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1))) : inner,
    ) ?? ''
  );
}
