/**
 * What a text must hold for a pattern to match it, read from the pattern itself: one of these ways, and of each set of
 * a way one string. A way without a set says nothing.
 */
export type Ways = readonly (readonly (readonly string[])[])[];

/** Part of a pattern: every string it matches, where they are few, and what it needs. */
interface Part {
  readonly exact: readonly string[] | undefined;
  readonly ways: Ways;
}

/** Strings that are put together from neighbours: more are taken one after the other. */
const MAX_EXACT = 24;
const NOTHING: Part = { exact: undefined, ways: [[]] };
/** Between characters, so that what stands before and behind it stands side by side. */
const EMPTY: Part = { exact: [''], ways: [[]] };

/** Of what is not read here (other flags than `g`, escapes with arguments, groups with names) nothing is said. */
export function waysOf({ source, flags }: RegExp): Ways {
  if (flags !== 'g' || UNREAD.test(source)) return NOTHING.ways;
  return new Parser(source).alternatives().ways;
}

const UNREAD = /\\[pPuxkc]|\(\?<[^=!]/;

/** A string this short stands in every text. One of another script is a word. */
export function isTelling(text: string): boolean {
  return text.length >= 3 || /[^\0-\x7f]/.test(text);
}

/** Characters that stand for themselves; the last one of a row may belong to a quantifier. */
const PLAIN = /[^\\()[\]{}|?*+.^$]{1,64}(?![?*+{])/y;

class Parser {
  #at = 0;
  readonly #source: string;

  constructor(source: string) {
    this.#source = source;
  }

  /** Up to the end of the group. */
  alternatives(): Part {
    const parts = [this.#sequence()];
    while (this.#take('|')) parts.push(this.#sequence());
    const exact = parts.some((part) => part.exact === undefined)
      ? undefined
      : parts.flatMap((part) => part.exact ?? []);
    const isFew = exact !== undefined && exact.length <= MAX_EXACT;
    return { exact: isFew ? exact : undefined, ways: parts.flatMap(({ ways }) => ways) };
  }

  #sequence(): Part {
    const sequence = new Sequence();
    while (this.#at < this.#source.length && this.#source[this.#at] !== '|' && this.#source[this.#at] !== ')') {
      const part = this.#atom();
      sequence.add(part, this.#quantifier());
    }
    return sequence.toPart();
  }

  #atom(): Part {
    const plain = this.#match(PLAIN);
    if (plain !== null) return literal(plain[0]);
    const one = this.#source[this.#at++] ?? '';
    if (one === '(') return this.#group();
    if (one === '[') return this.#class();
    if (one === '.') return NOTHING;
    if (one === '^' || one === '$') return EMPTY;
    return one === '\\' ? this.#escape() : literal(one);
  }

  #group(): Part {
    const kind = this.#match(/\?(?::|<?[=!])/y)?.[0] ?? '';
    const inside = this.alternatives();
    this.#take(')');
    // What it looks at is none of what is matched.
    return kind === '' || kind === '?:' ? inside : EMPTY;
  }

  #class(): Part {
    const inside = this.#match(/((?:\\.|[^\]\\])*)\]/sy)?.[1] ?? '';
    if (/[\\^-]/.test(inside)) return NOTHING;
    return { exact: [...inside], ways: [[[...inside]]] };
  }

  #escape(): Part {
    const one = this.#source[this.#at++] ?? '';
    if (one === 'b' || one === 'B') return EMPTY;
    if (one === 'n') return literal('\n');
    if (/[A-Za-z0-9]/.test(one)) return NOTHING;
    return literal(one);
  }

  #quantifier(): Quantity {
    const found = this.#match(/(?:[?*+]|\{(\d{1,5})(?:,(\d{0,5}))?\})\??/y);
    if (found === null) return 'once';
    if (found[0].startsWith('?')) return 'perhaps';
    return found[0].startsWith('*') || found[1] === '0' ? 'whatever' : 'often';
  }

  #match(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#source);
    this.#at += found?.[0].length ?? 0;
    return found;
  }

  #take(one: string): boolean {
    if (this.#source[this.#at] !== one) return false;
    this.#at++;
    return true;
  }
}

/** `whatever`: not at all, or often. */
type Quantity = 'once' | 'perhaps' | 'often' | 'whatever';

function literal(text: string): Part {
  return { exact: [text], ways: [[[text]]] };
}

/** Parts one after the other. */
class Sequence {
  /** What the last parts match together. */
  #run: readonly string[] = [''];
  #isWhole = true;
  readonly #sets: (readonly string[])[] = [];
  #ways: Ways | undefined;

  add({ exact, ways }: Part, quantity: Quantity): void {
    if (quantity === 'whatever') this.#cut();
    else if (exact !== undefined) {
      const strings = quantity === 'perhaps' ? ['', ...exact] : exact;
      if (this.#run.length * strings.length > MAX_EXACT) this.#cut();
      const [before = '', ...others] = this.#run;
      this.#run =
        others.length === 0
          ? strings.map((one) => before + one)
          : this.#run.flatMap((start) => strings.map((one) => start + one));
      if (quantity === 'often') this.#cut();
    } else {
      this.#cut();
      if (quantity !== 'perhaps') this.#need(ways);
    }
  }

  toPart(): Part {
    const exact = this.#isWhole ? this.#run : undefined;
    this.#cut();
    return { exact, ways: (this.#ways ?? [[]]).map((way) => [...this.#sets, ...way]) };
  }

  /** What stands behind does not stand beside what was before. */
  #cut(): void {
    if (this.#run.every(isTelling)) this.#sets.push(withoutLonger(this.#run));
    this.#run = [''];
    this.#isWhole = false;
  }

  /** The ways of one part are told apart; of the others each gives one set, of any of its ways. */
  #need(ways: Ways): void {
    if (ways.length > 1 && this.#ways === undefined) this.#ways = ways;
    else if (ways.length === 1) this.#sets.push(...(ways[0] ?? []));
    else {
      const sets = ways.map((way) => way.reduce<readonly string[] | undefined>(theLonger, undefined));
      if (sets.every((set) => set !== undefined)) this.#sets.push(sets.flat());
    }
  }
}

/** The set whose shortest string is longer, since it stands in fewer texts. */
function theLonger(best: readonly string[] | undefined, set: readonly string[]): readonly string[] {
  const shortest = (strings: readonly string[]) => Math.min(...strings.map(({ length }) => length));
  return best === undefined || shortest(set) > shortest(best) ? set : best;
}

/** Where one string holds another, the other is enough. */
function withoutLonger(strings: readonly string[]): readonly string[] {
  return strings.length === 1
    ? strings
    : strings.filter((one) => !strings.some((other) => other !== one && one.includes(other)));
}
