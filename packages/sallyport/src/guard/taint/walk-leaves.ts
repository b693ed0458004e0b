import { isObject } from '../../core/json.ts';

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
  const leaves: Leaf[] = [];
  const open: { readonly value: unknown; readonly path: readonly string[]; readonly key: string }[] = [
    { value: root, path: [], key: '' },
  ];
  let nodes = 0;
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    if (++nodes > MAX_NODES || leaves.length >= MAX_LEAVES) return { leaves, isPartial: true };
    const { value, path, key } = at;
    // A path is copied at every step: what a text parses to may be a million brackets deep.
    if (path.length > MAX_DEPTH) return { leaves, isPartial: true };
    if (typeof value === 'string') leaves.push({ path, key, text: value, isNumber: false, isName: false });
    else if (typeof value === 'number') leaves.push({ path, key, text: String(value), isNumber: true, isName: false });
    else if (Array.isArray(value))
      for (let i = Math.min(value.length, MAX_NODES) - 1; i >= 0; i--)
        open.push({ value: value[i], path: [...path, String(i)], key });
    else if (isObject(value))
      for (const name of Object.keys(value).reverse()) {
        if (skip(name)) continue;
        const inside = [...path, name];
        if (name.length >= NAME_OF_DATA) leaves.push({ path: inside, key, text: name, isNumber: false, isName: true });
        open.push({ value: value[name], path: inside, key: name });
      }
  }
  return { leaves, isPartial: false };
}

function never(): boolean {
  return false;
}

/** RFC 6901. */
export function toPointer(path: readonly string[]): string {
  return path.map((part) => `/${part.replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}
