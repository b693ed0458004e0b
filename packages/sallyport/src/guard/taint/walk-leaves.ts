import { isObject, type JsonObject } from '../../core/json.ts';

/** One text or number inside a value, and where it stands. */
export interface Leaf {
  /** From the root: names of members and places in lists. */
  readonly path: readonly string[];
  /** The name it stands under; of an element of a list, the list's. Empty for the value itself. */
  readonly key: string;
  readonly text: string;
  readonly isNumber: boolean;
  /** It is the name of a member, where data can hide as well. */
  readonly isName: boolean;
}

export interface Walk {
  readonly leaves: readonly Leaf[];
  /** There were more than are looked at. */
  readonly isPartial: boolean;
}

const MAX_LEAVES = 20_000;
const MAX_NODES = 40_000;
const MAX_DEPTH = 128;
/** Names that are as long as data. */
const NAME_OF_DATA = 6;

/** Every text and number of a value, to a depth no honest one has. */
export function walkLeaves(root: unknown, skip: (key: string) => boolean = never): Walk {
  const walk: Walking = { leaves: [], nodes: 0, skip };
  const isWhole = visit(root, { path: ROOT, key: '' }, walk);
  return { leaves: walk.leaves, isPartial: !isWhole };
}

interface Walking {
  readonly leaves: Leaf[];
  nodes: number;
  readonly skip: (key: string) => boolean;
}

const ROOT: readonly string[] = Object.freeze([]);

/** @returns false where there was more than is looked at */
function visit(value: unknown, { path, key }: Pick<Leaf, 'path' | 'key'>, walk: Walking): boolean {
  const { leaves } = walk;
  if (++walk.nodes > MAX_NODES || leaves.length >= MAX_LEAVES) return false;
  // What a text parses to may be a million brackets deep.
  if (path.length > MAX_DEPTH) return false;
  if (typeof value === 'string') leaves.push({ path, key, text: value, isNumber: false, isName: false });
  else if (typeof value === 'number') leaves.push({ path, key, text: String(value), isNumber: true, isName: false });
  else if (Array.isArray(value)) {
    const end = Math.min(value.length, MAX_NODES);
    for (let i = 0; i < end; i++) if (!visit(value[i], { path: [...path, String(i)], key }, walk)) return false;
  } else if (isObject(value)) return visitMembers(value, { path, key }, walk);
  return true;
}

function visitMembers(value: JsonObject, { path, key }: Pick<Leaf, 'path' | 'key'>, walk: Walking): boolean {
  const names = Object.keys(value);
  for (let i = names.length - 1; i >= 0; i--) {
    const name = names[i] ?? '';
    if (name.length >= NAME_OF_DATA && !walk.skip(name))
      walk.leaves.push({ path: [...path, name], key, text: name, isNumber: false, isName: true });
  }
  for (const name of names)
    if (!walk.skip(name) && !visit(value[name], { path: [...path, name], key: name }, walk)) return false;
  return true;
}

function never(): boolean {
  return false;
}

/** RFC 6901. */
export function toPointer(path: readonly string[]): string {
  return path.map((part) => `/${part.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}
