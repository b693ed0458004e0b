import { isObject, type Json, type JsonObject, member } from '../../core/json.ts';
import { type ArgumentShape, type ArgumentType, NOUNS } from './argument-shape.ts';
import type { CedarValueJson } from './cedar.ts';

export type ReadArguments =
  | { readonly kind: 'read'; readonly values: { [name: string]: CedarValueJson } }
  | { readonly kind: 'misfit'; readonly problem: string };

/**
 * The arguments that policies read, as Cedar values. One of another type than the policies take it for is a misfit:
 * Cedar would find `["prod"] == "prod"` to be false, and a rule about "prod" would be walked round.
 */
export function readArguments(shape: ArgumentShape, given: JsonObject): ReadArguments {
  const problems: string[] = [];
  const values = readObject(shape, given, { path: '', problems });
  return problems.length === 0 ? { kind: 'read', values } : { kind: 'misfit', problem: problems[0] ?? '' };
}

interface Place {
  readonly path: string;
  readonly problems: string[];
}

function readObject(shape: ArgumentShape, given: JsonObject, at: Place): { [name: string]: CedarValueJson } {
  const entries: [string, CedarValueJson][] = [];
  for (const [name, wanted] of shape.members) {
    const value = member(given, name);
    // null is how many clients leave a value out.
    if (value === undefined || value === null) continue;
    const place = { path: at.path === '' ? name : `${at.path}.${name}`, problems: at.problems };
    const read = readValue(wanted, value, place);
    if (read !== undefined) entries.push([name, read]);
  }
  // fromEntries defines own properties: `__proto__` is a name like any other.
  return Object.fromEntries(entries);
}

function readValue(wanted: ArgumentShape, value: Json, at: Place): CedarValueJson | undefined {
  if (wanted.members.size > 0) {
    if (isObject(value)) return readObject(wanted, value, at);
    at.problems.push(`the argument ${at.path} is not an object`);
    return undefined;
  }
  const read = READERS[wanted.type](value);
  if (read === undefined) at.problems.push(`the argument ${at.path} is not ${NOUNS[wanted.type]}`);
  return read;
}

const READERS: Readonly<Record<ArgumentType, (value: Json) => CedarValueJson | undefined>> = {
  any: () => 'given',
  text: toText,
  number: toWhole,
  decimal: toDecimal,
  flag: (value) => (typeof value === 'boolean' ? value : undefined),
  texts: (value) => toList(value, toText),
  numbers: (value) => toList(value, toWhole),
};

function toText(value: Json): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** Beyond 2^53 the upstream may read another number than we do. */
function toWhole(value: Json): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) ? value : undefined;
}

/** Cedar's decimal has at most four digits after the point; rounding would let 100.00001 pass for 100. */
function toDecimal(value: Json): CedarValueJson | undefined {
  if (typeof value !== 'number' || !(Math.abs(value) < 900_000_000_000)) return undefined;
  const text = value.toFixed(4);
  return Number(text) === value ? { __extn: { fn: 'decimal', arg: text } } : undefined;
}

function toList<T extends CedarValueJson>(value: Json, read: (item: Json) => T | undefined): T[] | undefined {
  if (!Array.isArray(value)) return undefined;
  const items = (value as readonly Json[]).map(read);
  return items.every((item) => item !== undefined) ? (items as T[]) : undefined;
}
