import { type ByteSource, WINDOW } from '../../core/byte-source.ts';
import type { Span } from '../../core/json-scan.ts';
import type { Pause } from '../../core/pace.ts';
import { type Child, readChildren } from './read-children.ts';
import { cutString } from './text-source.ts';

/** What was left out of one array, object or text. */
export interface Cut {
  /** JSON path (RFC 9535). */
  readonly path: string;
  readonly kind: 'items' | 'members' | 'bytes';
  readonly head: number;
  readonly tail: number;
  /** How many there are. */
  readonly all: number;
}

export interface FittedJson {
  /** JSON text. What is in it is written as it was. */
  readonly text: string;
  readonly cuts: readonly Cut[];
}

/** What may be shortened. An output schema may allow one and not the other. */
export interface CutKinds {
  readonly items: boolean;
  readonly members: boolean;
  readonly texts: boolean;
}

export const ALL_CUTS: CutKinds = { items: true, members: true, texts: true };

interface Fitting {
  readonly source: ByteSource;
  readonly kinds: CutKinds;
  readonly pause: Pause;
  readonly cuts: Cut[];
}

/** A document is looked into this deep; what is deeper and large is left out as a whole. */
const MAX_DEPTH = 24;
const MAX_CUTS = 64;
/** Of a container that must keep all its children, more are not looked into one by one. */
const MOST_WHOLE = 20_000;
/** Of what a container may take, this share goes to its first children. */
const HEAD = 0.75;

/**
 * JSON within about `budget` bytes: arrays and objects keep their first and last children, texts their beginning and end, and
 * what is small stays whole. Reads the source in windows and keeps no more than what it returns.
 * @returns `undefined`: the source is not JSON
 */
export async function fitJson(
  source: ByteSource,
  { budget, kinds = ALL_CUTS, pause }: { readonly budget: number; readonly kinds?: CutKinds; readonly pause: Pause },
): Promise<FittedJson | undefined> {
  const root = await findRoot(source, pause);
  if (root === undefined) return undefined;
  for (let share = 1; share > 0.3; share -= 0.2) {
    const fitting: Fitting = { source, kinds, pause, cuts: [] };
    const text = await fitValue(fitting, root, { budget: Math.floor(budget * share), path: '$', depth: 0 });
    if (!isJson(text)) return undefined;
    if (Buffer.byteLength(text) <= budget || share < 0.5) return { text, cuts: fitting.cuts };
  }
  return undefined;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** The one array or object that a document is; `undefined`: it is something else. */
export async function findRoot(source: ByteSource, pause: Pause): Promise<Span | undefined> {
  const begin = (await source.read(0, Math.min(1_024, source.size))).toString('latin1');
  const start = begin.search(/[^\s\ufeff]/);
  if (start < 0 || !'[{'.includes(begin.charAt(start))) return undefined;
  const end = await readChildren(source, start, { visit: () => true, pause });
  if (end === undefined || source.size - end > WINDOW) return undefined;
  const rest = await source.read(end, source.size);
  return rest.toString('latin1').trim() === '' ? { start, end } : undefined;
}

interface Place {
  readonly budget: number;
  readonly path: string;
  readonly depth: number;
}

async function fitValue(fitting: Fitting, span: Span, place: Place): Promise<string> {
  const { source, kinds } = fitting;
  const size = span.end - span.start;
  if (size <= Math.max(place.budget, SMALLEST)) return (await source.read(span.start, span.end)).toString('utf8');
  const first = (await source.read(span.start, span.start + 1)).toString('latin1');
  if (first === '{' || first === '[') return fitContainer(fitting, span, { ...place, isObject: first === '{' });
  if (first === '"' && kinds.texts) return fitString(fitting, span, place);
  return readWhole(source, span);
}

/** What is never worth cutting. Bytes. */
const SMALLEST = 24;

/** A part that may not be cut is whole, however large. */
async function readWhole(source: ByteSource, { start, end }: Span): Promise<string> {
  return (await source.read(start, end)).toString('utf8');
}

interface Kept {
  readonly child: Child;
  readonly index: number;
  readonly cost: number;
}

async function fitContainer(fitting: Fitting, span: Span, place: Place & { readonly isObject: boolean }) {
  const { isObject, path, depth, budget } = place;
  const [open, close] = isObject ? ['{', '}'] : ['[', ']'];
  const mayDrop = isObject ? fitting.kinds.members : fitting.kinds.items;
  const room = depth >= MAX_DEPTH ? 0 : budget - 2;
  const { head, tail, all } = await chooseChildren(fitting, span.start, { room, mayDrop, isObject });
  if (head.length > MOST_WHOLE) return readWhole(fitting.source, span);
  if (head.length + tail.length < all)
    note(fitting, { path, kind: isObject ? 'members' : 'items', head: head.length, tail: tail.length, all });
  const kept = [...head, ...tail];
  const level = findLevel(
    kept.map(({ child }) => child.end - child.start),
    room - kept.reduce((sum, { child }) => sum + (child.keyEnd - child.keyStart) + 2, 0),
  );
  const parts: string[] = [];
  for (const { child, index } of kept) {
    const key = isObject ? await readWhole(fitting.source, { start: child.keyStart, end: child.keyEnd }) : '';
    const inner = { budget: level, path: path + (isObject ? toStep(key) : `[${index}]`), depth: depth + 1 };
    const value = await fitValue(fitting, child, inner);
    parts.push(isObject ? `${key}:${value}` : value);
    await fitting.pause();
  }
  return `${open}${parts.join(',')}${close}`;
}

/** The first and the last children that there is room for, each at a size at which it still says something. */
async function chooseChildren(
  { source, pause }: Fitting,
  at: number,
  { room, mayDrop, isObject }: { readonly room: number; readonly mayDrop: boolean; readonly isObject: boolean },
): Promise<{ readonly head: readonly Kept[]; readonly tail: readonly Kept[]; readonly all: number }> {
  // Of an object rather every member, as a row of a table keeps its columns.
  const least = Math.min(2_000, Math.max(SMALLEST, room / (isObject ? 200 : 12)));
  const head: Kept[] = [];
  let tail: Kept[] = [];
  let from = 0;
  let all = 0;
  let headLeft = mayDrop ? room * HEAD : Number.POSITIVE_INFINITY;
  let tailLeft = room * (1 - HEAD);
  const visit = (child: Child, index: number): boolean => {
    all++;
    const cost = Math.min(child.end - child.start, least) + (child.keyEnd - child.keyStart) + 2;
    if (headLeft >= cost) {
      head.push({ child, index, cost });
      headLeft -= cost;
      return mayDrop || head.length <= MOST_WHOLE;
    }
    headLeft = 0;
    tail.push({ child, index, cost });
    tailLeft -= cost;
    // The first of them make room for this one.
    while (tailLeft < 0 && from < tail.length) tailLeft += tail[from++]?.cost ?? 0;
    if (from > 4_096) {
      tail = tail.slice(from);
      from = 0;
    }
    return true;
  };
  await readChildren(source, at, { visit, pause });
  return { head, tail: tail.slice(from), all };
}

/** The most that each may have so that all together stay within the room: what is smaller stays whole. */
export function findLevel(sizes: readonly number[], room: number): number {
  let left = room;
  const ordered = [...sizes].sort((a, b) => a - b);
  for (const [index, size] of ordered.entries()) {
    const share = Math.floor(left / (ordered.length - index));
    if (size > share) return Math.max(0, share);
    left -= size;
  }
  return Number.POSITIVE_INFINITY;
}

/** A text keeps its beginning and its end, cut between words where there is one near. */
async function fitString(fitting: Fitting, { start, end }: Span, { budget, path }: Place): Promise<string> {
  const { source } = fitting;
  // With room for what says so.
  const room = Math.max(0, budget - 48);
  const headRoom = Math.floor(room * HEAD);
  const inside = { start: start + 1, end: end - 1 };
  const begin = await source.read(inside.start, Math.min(inside.start + headRoom + 16, inside.end));
  const head = begin.subarray(0, beforeSpace(begin, cutString(begin, 0, headRoom, begin.length)));
  const tailRoom = room - headRoom;
  const from = Math.max(inside.start + head.length, inside.end - tailRoom - 4_096);
  const rest = await source.read(from, inside.end);
  const tailStart = afterSpace(rest, cutString(rest, 0, Math.max(0, rest.length - tailRoom), rest.length));
  const tail = rest.subarray(tailRoom === 0 ? rest.length : tailStart);
  const cut = inside.end - inside.start - head.length - tail.length;
  note(fitting, { path, kind: 'bytes', head: head.length, tail: tail.length, all: inside.end - inside.start });
  return `"${head.toString('utf8')} … [${cut} bytes left out] … ${tail.toString('utf8')}"`;
}

/** How far a boundary between words may be. Bytes. */
const NEAR = 80;

function beforeSpace(bytes: Buffer, at: number): number {
  const space = bytes.lastIndexOf(0x20, at);
  return space > 0 && at - space <= Math.min(NEAR, at / 4) ? space : at;
}

function afterSpace(bytes: Buffer, at: number): number {
  const space = bytes.indexOf(0x20, at);
  return space >= 0 && space - at <= Math.min(NEAR, (bytes.length - at) / 4) ? space + 1 : at;
}

function note({ cuts }: Fitting, cut: Cut): void {
  if (cuts.length < MAX_CUTS) cuts.push(cut);
}

/** @param key with its quotes, as it is written */
function toStep(key: string): string {
  const name = /^"([A-Za-z_][A-Za-z0-9_]{0,63})"$/.exec(key)?.[1];
  return name === undefined ? `[${key}]` : `.${name}`;
}
