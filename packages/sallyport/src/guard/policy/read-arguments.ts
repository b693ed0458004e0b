import { lookalikesOf } from '../../core/fold-name.ts';
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
  const values = readObject(shape, given, { path: '', problems, budget: { left: MAX_READ } });
  return problems.length === 0 ? { kind: 'read', values } : { kind: 'misfit', problem: problems[0] ?? '' };
}

/** Characters that are given to the evaluator: 200,000 names in a list took it two seconds, a text of four megabytes half of one. */
const MAX_READ = 262_144;
/** What an element costs beside its characters. */
const ELEMENT = 256;

interface Place {
  readonly path: string;
  readonly problems: string[];
  readonly budget: { left: number };
}

function readObject(shape: ArgumentShape, given: JsonObject, at: Place): { [name: string]: CedarValueJson } {
  const entries: [string, CedarValueJson][] = [];
  const lookalike = findLookalike(shape, given);
  // A server that takes "Env" for "env" would read what no rule has seen.
  if (lookalike !== undefined)
    at.problems.push(`the argument ${pathOf(at, lookalike).slice(0, 128)} can be taken for another one`);
  for (const [name, wanted] of shape.members) {
    const value = member(given, name);
    // null is how many clients leave a value out.
    if (value === undefined || value === null) continue;
    const place = { path: pathOf(at, name), problems: at.problems, budget: at.budget };
    const read = readValue(wanted, value, place);
    if (read !== undefined) entries.push([name, read]);
  }
  // fromEntries defines own properties: `__proto__` is a name like any other.
  return Object.fromEntries(entries);
}

const lookalikes = new WeakMap<ArgumentShape, (given: JsonObject) => string | undefined>();

function findLookalike(shape: ArgumentShape, given: JsonObject): string | undefined {
  let find = lookalikes.get(shape);
  if (find === undefined) {
    find = lookalikesOf(shape.members.keys());
    lookalikes.set(shape, find);
  }
  return find(given);
}

function pathOf({ path }: Place, name: string): string {
  return path === '' ? name : `${path}.${name}`;
}

function readValue(wanted: ArgumentShape, value: Json, at: Place): CedarValueJson | undefined {
  if (wanted.members.size > 0) {
    if (isObject(value)) return readObject(wanted, value, at);
    at.problems.push(`the argument ${at.path} is not an object`);
    return undefined;
  }
  const read = READERS[wanted.type](value);
  if (read === undefined) at.problems.push(`the argument ${at.path} is not ${NOUNS[wanted.type]}`);
  else at.budget.left -= toCost(read);
  if (at.budget.left >= 0) return read;
  at.problems.push(`the argument ${at.path} is too long to be judged`);
  return undefined;
}

function toCost(read: CedarValueJson): number {
  if (typeof read === 'string') return read.length;
  if (!Array.isArray(read)) return 0;
  return read.reduce((cost: number, item) => cost + ELEMENT + (typeof item === 'string' ? item.length : 0), 0);
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
