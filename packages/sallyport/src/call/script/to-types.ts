import { isObject, type Json, type JsonObject, member } from '../../core/json.ts';

/** Schemas nest, and refer to themselves. */
const MAX_DEPTH = 6;
const MAX_PROPERTIES = 60;
const MAX_CHOICES = 40;
const MAX_WORDS = 160;

/** Parts of one schema that are written: nested ones multiply. */
const MAX_PARTS = 1_000;

/** A JSON Schema as a TypeScript type on one line. What has no such type, or is nested too deeply, is `any`. */
export function toType(schema: Json | undefined): string {
  return write(schema, { whole: schema, left: MAX_PARTS }, 0);
}

interface Root {
  readonly whole: Json | undefined;
  left: number;
}

function write(schema: Json | undefined, root: Root, depth: number): string {
  if (!isObject(schema) || depth > MAX_DEPTH || root.left-- <= 0) return schema === false ? 'never' : 'any';
  const ref = member(schema, '$ref');
  if (typeof ref === 'string') return write(resolveRef(root.whole, ref), root, depth + 1);
  const named = member(schema, 'const');
  if (named !== undefined) return toLiteral(named);
  const choices = member(schema, 'enum');
  if (Array.isArray(choices)) return join(choices.slice(0, MAX_CHOICES).map(toLiteral), ' | ');
  for (const key of ['anyOf', 'oneOf']) {
    const parts = member(schema, key);
    if (Array.isArray(parts))
      return join(
        parts.slice(0, MAX_CHOICES).map((one) => write(one, root, depth + 1)),
        ' | ',
      );
  }
  const all = member(schema, 'allOf');
  if (Array.isArray(all)) {
    const parts = all.slice(0, MAX_CHOICES).map((one) => write(one, root, depth + 1));
    const own = isObject(member(schema, 'properties')) ? [toObjectType(schema, root, depth)] : [];
    return join(
      [...own, ...parts].filter((one) => one !== 'any'),
      ' & ',
    );
  }
  const type = member(schema, 'type');
  if (Array.isArray(type))
    return join(
      type.map((one) => toTypeOf(one, schema, { root, depth })),
      ' | ',
    );
  return toTypeOf(type ?? (isObject(member(schema, 'properties')) ? 'object' : undefined), schema, { root, depth });
}

interface Place {
  readonly root: Root;
  readonly depth: number;
}

function toTypeOf(type: Json | undefined, schema: JsonObject, { root, depth }: Place): string {
  switch (type) {
    case 'string':
    case 'boolean':
    case 'null':
      return type;
    case 'number':
    case 'integer':
      return 'number';
    case 'array': {
      const first = member(schema, 'prefixItems');
      if (Array.isArray(first)) return `[${first.map((one) => write(one, root, depth + 1)).join(', ')}]`;
      const items = write(member(schema, 'items'), root, depth + 1);
      return /[ &|]/.test(items) ? `Array<${items}>` : `${items}[]`;
    }
    case 'object':
      return toObjectType(schema, root, depth);
    default:
      return 'any';
  }
}

function toObjectType(schema: JsonObject, root: Root, depth: number): string {
  const properties = member(schema, 'properties');
  const more = member(schema, 'additionalProperties');
  const named = isObject(properties) ? Object.entries(properties) : [];
  if (named.length === 0) return more === false ? '{}' : `Record<string, ${write(more, root, depth + 1)}>`;
  const required = member(schema, 'required');
  const needed = new Set(Array.isArray(required) ? required : []);
  const members = named.slice(0, MAX_PROPERTIES).map(([name, one]) => {
    const words = toWords(member(one, 'description'));
    const note = words === '' ? '' : ` /* ${words} */`;
    return `${toKey(name)}${needed.has(name) ? '' : '?'}: ${write(one, root, depth + 1)}${note}`;
  });
  if (named.length > MAX_PROPERTIES || isObject(more)) members.push('[name: string]: any');
  return `{ ${members.join('; ')} }`;
}

/** Inside a comment: on one line, and it cannot end it. */
export function toWords(text: Json | undefined, most = MAX_WORDS): string {
  if (typeof text !== 'string') return '';
  const words = text
    .slice(0, most * 4)
    .replaceAll(/\s+/g, ' ')
    .replaceAll('*/', '* /')
    .trim();
  return words.length > most ? `${words.slice(0, most)}…` : words;
}

function toKey(name: string): string {
  return /^[A-Za-z_$][A-Za-z0-9_$]*$/.test(name) ? name : JSON.stringify(name);
}

function toLiteral(value: Json): string {
  return isObject(value) || Array.isArray(value) ? 'any' : JSON.stringify(value);
}

function join(types: readonly string[], by: ' | ' | ' & '): string {
  const different = [...new Set(types)];
  if (different.length === 0 || (by === ' | ' && different.includes('any'))) return 'any';
  return different.length === 1 ? different.join('') : `(${different.join(by)})`;
}

/** Within the same schema only: nothing is fetched. */
function resolveRef(root: Json | undefined, ref: string): Json | undefined {
  if (!ref.startsWith('#')) return undefined;
  let place: Json | undefined = root;
  for (const step of ref.slice(1).split('/').slice(1)) {
    const name = step.replaceAll('~1', '/').replaceAll('~0', '~');
    place = Array.isArray(place) ? place[Number(name)] : member(place, name);
  }
  return place;
}
