import type { Json, JsonObject } from '../../core/json.ts';
import { toStep } from '../../core/json-pointer.ts';

/** A step down from the root: the name of a member or the place in a list. */
interface Place {
  readonly above: Place | undefined;
  readonly step: string | number;
}

/** One text or number inside a value, and where it stands. */
export interface Leaf {
  /** `undefined`: it is the value itself. */
  readonly place: Place | undefined;
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

/**
 * Every text and number of a value, to a depth no honest one has.
 * @param skipped a name whose member is not looked at
 */
export function walkLeaves(root: Json, skipped?: string): Walk {
  const walk: Walking = { leaves: [], nodes: 0, depth: 0, skipped };
  const isWhole = visit(root, { place: undefined, key: '' }, walk);
  return { leaves: walk.leaves, isPartial: !isWhole };
}

interface Walking {
  readonly leaves: Leaf[];
  nodes: number;
  depth: number;
  readonly skipped: string | undefined;
}

interface At {
  readonly place: Place | undefined;
  readonly key: string;
}

/** @returns false where there was more than is looked at */
function visit(value: Json | undefined, at: At, walk: Walking): boolean {
  const { leaves } = walk;
  const { place, key } = at;
  if (++walk.nodes > MAX_NODES || leaves.length >= MAX_LEAVES) return false;
  // What a text parses to may be a million brackets deep.
  if (walk.depth > MAX_DEPTH) return false;
  if (typeof value === 'string') leaves.push({ place, key, text: value, isNumber: false, isName: false });
  else if (typeof value === 'number') leaves.push({ place, key, text: String(value), isNumber: true, isName: false });
  else if (typeof value === 'object' && value !== null) {
    walk.depth++;
    // True: what is neither a list nor null has members.
    const isWhole = Array.isArray(value) ? visitElements(value, at, walk) : visitMembers(value as JsonObject, at, walk);
    walk.depth--;
    return isWhole;
  }
  return true;
}

function visitElements(value: readonly Json[], { place, key }: At, walk: Walking): boolean {
  const end = Math.min(value.length, MAX_NODES);
  for (let i = 0; i < end; i++) if (!visit(value[i], { place: { above: place, step: i }, key }, walk)) return false;
  return true;
}

function visitMembers(value: JsonObject, { place, key }: At, walk: Walking): boolean {
  const names = Object.keys(value);
  for (let i = names.length - 1; i >= 0; i--) {
    const name = names[i] ?? '';
    if (name.length >= NAME_OF_DATA && name !== walk.skipped)
      walk.leaves.push({ place: { above: place, step: name }, key, text: name, isNumber: false, isName: true });
  }
  for (const name of names)
    if (name !== walk.skipped && !visit(value[name], { place: { above: place, step: name }, key: name }, walk))
      return false;
  return true;
}

/** From the root: names of members and places in lists. */
export function pathOf({ place }: Pick<Leaf, 'place'>): readonly string[] {
  const path: string[] = [];
  for (let at = place; at !== undefined; at = at.above) path.push(String(at.step));
  return path.reverse();
}

/** RFC 6901. */
export function toPointer(path: readonly string[]): string {
  return path.map((part) => `/${toStep(part)}`).join('');
}
