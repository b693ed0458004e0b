import { estimateTokens } from '../../core/estimate-tokens.ts';
import { isObject, type Json, type JsonObject, member } from '../../core/json.ts';

export interface Trimmed {
  readonly schema: JsonObject;
  /** Nothing was left out that says which arguments are valid. */
  readonly isWhole: boolean;
}

export interface TrimOptions {
  /** The result should take no more. */
  readonly tokens: number;
  /** Only these arguments, and those that are required; the others are named. Left out: all. */
  readonly only?: ReadonlySet<string> | undefined;
}

/** How much of a schema is kept. */
interface Level {
  /** Characters of a description. */
  readonly text: number;
  /** The same where the argument is optional. */
  readonly optionalText: number;
  /** Values of an enumeration. */
  readonly values: number;
  /** Levels of objects inside arguments; deeper ones are only called objects. */
  readonly depth: number;
  /** Are optional arguments described, or only named? */
  readonly hasOptional: boolean;
}

const LEVELS: readonly Level[] = [
  { text: 400, optionalText: 400, values: 100, depth: 12, hasOptional: true },
  { text: 200, optionalText: 100, values: 40, depth: 6, hasOptional: true },
  { text: 160, optionalText: 40, values: 12, depth: 3, hasOptional: true },
  { text: 120, optionalText: 0, values: 8, depth: 2, hasOptional: true },
  { text: 120, optionalText: 0, values: 12, depth: 3, hasOptional: false },
  { text: 60, optionalText: 0, values: 6, depth: 1, hasOptional: false },
];

/** The input schema of a tool for a model: without what only programs read, and short enough. */
export function trimSchema(schema: JsonObject, { tokens, only }: TrimOptions): Trimmed {
  let smallest: Trimmed = { schema, isWhole: true };
  for (const level of LEVELS) {
    smallest = trimTo(schema, level, { tokens, only });
    if (estimateTokens(smallest.schema) <= tokens) break;
  }
  return smallest;
}

function trimTo(schema: JsonObject, level: Level, { tokens, only }: TrimOptions): Trimmed {
  const cut = { isWhole: true };
  const properties = member(schema, 'properties');
  const required = requiredOf(schema);
  if (!isObject(properties)) return { schema: trim(schema, { level, depth: 0, cut, isOptional: false }), ...cut };
  const isShown = (name: string) => required.has(name) || (only === undefined ? level.hasOptional : only.has(name));
  const shown = Object.entries(properties).filter(([name]) => isShown(name));
  const others = Object.keys(properties).filter((name) => !isShown(name));
  const whole = trim({ ...schema, properties: Object.fromEntries(shown) }, { level, depth: 0, cut, isOptional: false });
  if (others.length === 0) return { schema: withoutUnused(whole), ...cut };
  return { schema: withoutUnused({ ...whole, $comment: nameOthers(others, tokens) }), isWhole: false };
}

function nameOthers(names: readonly string[], tokens: number): string {
  // Half of what there is room for; a name has some five tokens.
  const some = names.slice(0, Math.max(8, Math.floor(tokens / 10)));
  const rest = names.length - some.length;
  return `Optional arguments not shown: ${some.join(', ')}${rest === 0 ? '' : ` and ${rest} more`}`;
}

function requiredOf(schema: JsonObject): ReadonlySet<string> {
  const required = member(schema, 'required');
  return new Set(Array.isArray(required) ? required.filter((name) => typeof name === 'string') : []);
}

/** Keywords that tell a model nothing that decides whether arguments are valid. */
const NOISE: ReadonlySet<string> = new Set([
  ...['$schema', '$id', '$comment', 'title', 'examples', 'example', 'readOnly', 'writeOnly', 'externalDocs', 'xml'],
  ...['contentMediaType', 'contentEncoding'],
]);
/** Keywords whose value has schemas by names that a server chose. */
const MAPS: ReadonlySet<string> = new Set([
  'properties',
  'patternProperties',
  '$defs',
  'definitions',
  'dependentSchemas',
]);
/** Keywords whose value is data. */
const DATA: ReadonlySet<string> = new Set(['enum', 'const', 'default', 'required', 'type', 'dependentRequired']);

interface Trimming {
  readonly level: Level;
  /** Objects it is inside of. */
  readonly depth: number;
  readonly isOptional: boolean;
  readonly cut: { isWhole: boolean };
}

function trim(schema: JsonObject, at: Trimming): JsonObject {
  const { level, depth, cut, isOptional } = at;
  const kept: [string, Json][] = [];
  for (const [key, value] of Object.entries(schema)) {
    if (value === undefined || NOISE.has(key) || key.startsWith('x-')) continue;
    if (key === 'description') {
      const text = typeof value === 'string' ? shorten(value, isOptional ? level.optionalText : level.text) : '';
      if (text !== '') kept.push([key, text]);
    } else if (key === 'enum' && Array.isArray(value) && value.length > level.values) {
      cut.isWhole = false;
      kept.push([
        '$comment',
        `${value.length} values, e.g. ${value
          .slice(0, 3)
          .map((one) => JSON.stringify(one))
          .join(', ')}`,
      ]);
    } else if (MAPS.has(key) && isObject(value)) {
      if (depth >= level.depth) cut.isWhole = false;
      else kept.push([key, trimMap(key, value, { schema, at })]);
    } else if (key === 'required' && depth >= level.depth && isObject(member(schema, 'properties'))) {
      cut.isWhole = false;
    } else kept.push([key, DATA.has(key) ? value : trimValue(value, at)]);
  }
  return Object.fromEntries(kept);
}

function trimMap(
  key: string,
  map: JsonObject,
  { schema, at }: { readonly schema: JsonObject; readonly at: Trimming },
): JsonObject {
  const required = requiredOf(schema);
  return Object.fromEntries(
    Object.entries(map).map(([name, one]) => {
      const isOptional = key === 'properties' && !required.has(name);
      return [
        name,
        isObject(one) ? trim(one, { ...at, depth: at.depth + 1, isOptional: at.isOptional || isOptional }) : one,
      ];
    }),
  );
}

/** Of a keyword with one schema, a list of schemas, or data. */
function trimValue(value: Json, at: Trimming): Json {
  if (Array.isArray(value)) return value.map((one: Json) => (isObject(one) ? trim(one, at) : one));
  return isObject(value) ? trim(value, at) : value;
}

/** A text on one line, cut at a word. */
export function shorten(text: string, most: number): string {
  const line = text
    .slice(0, most * 4 + 100)
    .replace(/\s+/g, ' ')
    .trim();
  if (most === 0) return '';
  if (line.length <= most) return line;
  const end = line.lastIndexOf(' ', most);
  return `${line.slice(0, end > most / 2 ? end : most).trimEnd()}…`;
}

const DEFINITIONS = ['$defs', 'definitions'];

/** Without definitions that nothing refers to any more. */
function withoutUnused(schema: JsonObject): JsonObject {
  const known = DEFINITIONS.filter((key) => isObject(schema[key]));
  if (known.length === 0) return schema;
  const { $defs, definitions, ...rest } = schema;
  const used = new Set<string>();
  const waiting: Json[] = [rest];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop())
    for (const ref of refsIn(next)) {
      if (used.has(ref)) continue;
      used.add(ref);
      const [, key = '', name = ''] = ref.split('/', 3);
      const found = member(schema[key], name);
      if (found !== undefined) waiting.push(found);
    }
  const kept = known.flatMap((key) => {
    const some = Object.entries(schema[key] as JsonObject).filter(([name]) => used.has(`#/${key}/${name}`));
    return some.length === 0 ? [] : [[key, Object.fromEntries(some)] as const];
  });
  return { ...rest, ...Object.fromEntries(kept) };
}

function refsIn(value: Json): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(refsIn);
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([key, one]) => {
    if (key === '$ref' && typeof one === 'string') return [one.split('/').slice(0, 3).join('/')];
    return one === undefined ? [] : refsIn(one);
  });
}
