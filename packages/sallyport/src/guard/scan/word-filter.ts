import { isTelling, type Ways, waysOf } from './pattern-literals.ts';

/** A string that some pattern needs. */
interface Literal {
  readonly text: string;
  /** Which sets it is of. */
  readonly sets: number[];
  /** Where in it the units stand by which it is looked for: three, or one that is not ASCII. */
  offset: number;
  /** Another unit of it, which most places with the right three do not have. */
  probe: number;
  unit: number;
}

/** Five bits of each of three units. */
const KEYS = 32 * 32 * 32;

/**
 * Says which of many patterns may match a text, by what each of them needs: one pass over the text instead of one for each
 * pattern, of which nearly all find nothing. What a pattern needs is read from it, so that the tables stay what they are.
 */
export class WordFilter<Name extends string> {
  /** Per pattern, and of each way the sets that it needs. Left out: those of which nothing is known. */
  readonly #ways = new Map<Name, readonly (readonly number[])[]>();
  /** Literals by their key, and where those of each key begin. */
  readonly #ascii: readonly Literal[];
  readonly #begins = new Int32Array(KEYS + 1);
  readonly #foreign = new Map<number, Literal[]>();
  #sets = 0;

  private constructor(ways: ReadonlyMap<Name, Ways>) {
    const literals = new Map<string, Literal>();
    const known = new Map<string, number>();
    for (const [name, ofName] of ways)
      this.#ways.set(
        name,
        ofName.map((way) => way.map((strings) => this.#addSet(strings, { literals, known }))),
      );
    this.#ascii = this.#sort([...literals.values()]);
  }

  /** A step for each pattern: to read them all takes as long as to read a hundred definitions. */
  static *build<Name extends string>(patterns: Readonly<Record<Name, RegExp>>): Generator<undefined, WordFilter<Name>> {
    const all = new Map<Name, Ways>();
    for (const name of Object.keys(patterns) as Name[]) {
      const ways = waysOf(patterns[name]).map((way) => way.filter((strings) => strings.every(isTelling)));
      // A way that needs nothing is always there.
      if (ways.every((way) => way.length > 0)) all.set(name, ways);
      yield;
    }
    return new WordFilter(all);
  }

  #addSet(
    strings: readonly string[],
    { literals, known }: { readonly literals: Map<string, Literal>; readonly known: Map<string, number> },
  ): number {
    const name = strings.join('\0');
    const before = known.get(name);
    if (before !== undefined) return before;
    const set = this.#sets++;
    known.set(name, set);
    for (const text of strings) {
      const literal = literals.get(text) ?? { text, sets: [], offset: 0, probe: 0, unit: 0 };
      literals.set(text, literal);
      literal.sets.push(set);
    }
    return set;
  }

  /** Each under what is rarest among them, since that is rare in texts as well. */
  #sort(literals: readonly Literal[]): readonly Literal[] {
    const counts = new Uint32Array(KEYS);
    const keys = new Map<Literal, number>();
    for (const { text } of literals) for (const key of keysOf(text)) counts[key] = (counts[key] ?? 0) + 1;
    for (const literal of literals) {
      const { text } = literal;
      const foreign = text.search(FOREIGN);
      if (foreign >= 0) {
        literal.offset = foreign;
        const unit = text.charCodeAt(foreign);
        this.#foreign.set(unit, [...(this.#foreign.get(unit) ?? []), literal]);
        continue;
      }
      const own = keysOf(text);
      const count = (at: number) => counts[own[at] ?? 0] ?? 0;
      for (let at = 1; at < own.length; at++) if (count(at) < count(literal.offset)) literal.offset = at;
      literal.probe = literal.offset * 2 + 2 < text.length ? text.length - 1 : 0;
      literal.unit = text.charCodeAt(literal.probe);
      keys.set(literal, own[literal.offset] ?? 0);
    }
    const sorted = [...keys].sort(([, a], [, b]) => a - b);
    for (const [, key] of sorted) this.#begins[key + 1] = (this.#begins[key + 1] ?? 0) + 1;
    for (let key = 0; key < KEYS; key++)
      this.#begins[key + 1] = (this.#begins[key + 1] ?? 0) + (this.#begins[key] ?? 0);
    return sorted.map(([literal]) => literal);
  }

  /** Whether a pattern may match the text. False is certain. */
  read(text: string): (name: Name) => boolean {
    const present = new Uint8Array(this.#sets);
    const begins = this.#begins;
    let key = 0;
    for (let i = 0; i < text.length; i++) {
      const unit = text.charCodeAt(i);
      key = ((key << 5) | (unit & 31)) & (KEYS - 1);
      const end = begins[key + 1] ?? 0;
      for (let at = begins[key] ?? 0; at < end; at++) noteAt(text, i - 2, { literal: this.#ascii[at], present });
      if (unit > 0x7f) for (const literal of this.#foreign.get(unit) ?? []) noteAt(text, i, { literal, present });
    }
    return (name) => {
      const ways = this.#ways.get(name);
      return ways === undefined || hasWay(ways, present);
    };
  }
}

/** @param at where the units stand by which the literal is looked for */
function noteAt(
  text: string,
  at: number,
  { literal, present }: { readonly literal: Literal | undefined; readonly present: Uint8Array },
): void {
  if (literal === undefined) return;
  const start = at - literal.offset;
  if (literal.unit !== 0 && text.charCodeAt(start + literal.probe) !== literal.unit) return;
  if (text.startsWith(literal.text, start)) for (const set of literal.sets) present[set] = 1;
}

function hasWay(ways: readonly (readonly number[])[], present: Uint8Array): boolean {
  for (const way of ways) if (hasAll(way, present)) return true;
  return false;
}

function hasAll(way: readonly number[], present: Uint8Array): boolean {
  for (const set of way) if (present[set] === 0) return false;
  return true;
}

const FOREIGN = /[^\0-\x7f]/;

function keysOf(text: string): number[] {
  const keys: number[] = [];
  for (let at = 0; at + 2 < text.length; at++)
    keys.push(
      ((text.charCodeAt(at) & 31) << 10) | ((text.charCodeAt(at + 1) & 31) << 5) | (text.charCodeAt(at + 2) & 31),
    );
  return keys;
}
