/**
 * Counts the ways that lead through a regular expression from one place of a text: a backtracking engine tries each of them
 * at worst, and each takes time in proportion to what it reads. Whatever it cannot read is an error, never nothing.
 */
export interface Shape {
  /** Infinity where a repetition without end can be left in more than one place. */
  readonly paths: number;
  /** Is there a repetition without end? Outside of what only looks. */
  readonly isUnbounded: boolean;
  /** Whether repetitions without end are never read from more than a bounded number of places where a search may begin. */
  readonly isReadOnce: boolean;
  /** Can it match at the beginning of a text only? */
  readonly isAnchored: boolean;
  /** Is there something that recheck's automata do not read? */
  readonly hasLooks: boolean;
}

/** A set of characters, one bit for each of {@link SAMPLE}. */
type Units = Uint32Array;

type Node =
  | { readonly kind: 'units'; readonly units: Units }
  | { readonly kind: 'begin' | 'nothing' | 'edge' }
  | { readonly kind: 'end'; readonly units: Units }
  | { readonly kind: 'look'; readonly body: Node; readonly notBehind: boolean }
  | { readonly kind: 'back' }
  | { readonly kind: 'sequence' | 'choice'; readonly parts: readonly Node[] }
  | { readonly kind: 'repeat'; readonly body: Node; readonly least: number; readonly most: number };

/** @throws SyntaxError where the source is no pattern of its flags */
export function readShape(source: string, flags: string): Shape {
  // What the engine refuses has no shape.
  new RegExp(source, flags);
  const tree = new Reader(source, flags).read();
  const looks: Node[] = [];
  let isUnbounded = false;
  let hasBack = false;
  const visit = (node: Node): void => {
    if (node.kind === 'look') looks.push(node.body);
    hasBack ||= node.kind === 'back';
    isUnbounded ||= node.kind === 'repeat' && node.most === Number.POSITIVE_INFINITY;
    for (const part of partsOf(node)) visit(part);
  };
  visit(tree);
  return {
    paths: looks.reduce((paths, look) => paths * countPaths(look, END), countPaths(tree, END)),
    isUnbounded,
    isReadOnce: walk(tree, { before: [], lines: flags.includes('m') }, END) !== undefined,
    isAnchored: flags.includes('y') || (!flags.includes('m') && beginsAtStart(tree)),
    hasLooks: looks.length > 0 || hasBack,
  };
}

function partsOf(node: Node): readonly Node[] {
  if (node.kind === 'sequence' || node.kind === 'choice') return node.parts;
  return node.kind === 'look' || node.kind === 'repeat' ? [node.body] : [];
}

/** Since the last repetition without end, or the beginning: sets of which one character each certainly stood there. */
interface Past {
  readonly before: readonly Units[];
  readonly lines: boolean;
}

/**
 * Follows every way through the pattern. Two searches that began at different places read the same run of a repetition only
 * when the second one's characters before it lie inside the run of the first. Where one of these characters cannot stand in
 * the run, the beginnings that share it lie within the bounded rest, so that each character is read a bounded number of times.
 * @returns what stood before whatever follows; `undefined` where that cannot be said of a repetition
 */
function walk(node: Node, past: Past, after: Ahead): Past | undefined {
  switch (node.kind) {
    case 'units':
      return { ...past, before: [...past.before, node.units].slice(-FARTHEST) };
    case 'begin':
      return { ...past, before: [...past.before, past.lines ? readUnits(LINE_END, '') : emptyUnits()] };
    case 'edge':
      // At the edge of a word that follows, no character of a word stood before.
      return isWithin(after[0], WORD()) ? { ...past, before: [...past.before, readUnits('[^\\w]', '')] } : past;
    case 'look': {
      if (walk(node.body, past, END) === undefined) return undefined;
      const { body } = node;
      const behind = body.kind === 'sequence' && body.parts.length === 1 ? body.parts[0] : body;
      if (!node.notBehind || behind?.kind !== 'units') return past;
      return { ...past, before: [...past.before, behind.units.map((word) => ~word)] };
    }
    case 'choice':
      return joinPasts(node.parts.map((part) => walk(part, past, after)));
    case 'sequence': {
      let at: Past | undefined = past;
      for (const [index, part] of node.parts.entries()) {
        const rest = node.parts.slice(index + 1).reduceRight((behind, one) => aheadOf(one, behind), after);
        at = at && walk(part, at, rest);
      }
      return at;
    }
    case 'repeat':
      return walkRepeat(node, past, after);
    default:
      return past;
  }
}

function walkRepeat(node: Node & { readonly kind: 'repeat' }, past: Past, after: Ahead): Past | undefined {
  const { body, least, most } = node;
  if (most === Number.POSITIVE_INFINITY) {
    // What ends with it has matched, so that nobody reads on.
    if (after === END && body.kind === 'units') return past;
    const all = unitsOf(body);
    const isApart = past.before.some((one) => areApart([one], [all]));
    return isApart ? { ...past, before: [] } : undefined;
  }
  const again = joinAhead(aheadOf(body, []), after);
  let at: Past | undefined = walk(body, past, again);
  // What stood before the second time is the same each time after it.
  for (let round = 0; round < 2 && most > 1 && at !== undefined; round += 1)
    at = walk(body, joinPasts([past, at]) ?? past, again);
  return least === 0 ? joinPasts([past, at]) : at;
}

/** What holds whichever of them was the case. */
function joinPasts(pasts: readonly (Past | undefined)[]): Past | undefined {
  let joined: Past | undefined;
  for (const past of pasts) {
    if (past === undefined) return undefined;
    if (joined === undefined) joined = past;
    else if (joined.before !== past.before) {
      const same = joined.before.filter((one) => past.before.includes(one));
      const either = joined.before
        .flatMap((one) => past.before.map((other) => joinUnits(one, other)))
        // The smallest say most of what cannot have stood there.
        .sort((one, other) => sizeOf(one) - sizeOf(other))
        .slice(0, 64);
      joined = { ...past, before: [...same, ...either] };
    }
  }
  return joined;
}

function unitsOf(node: Node): Units {
  if (node.kind === 'back') return new Uint32Array(WORDS).fill(0xffff_ffff);
  return partsOf(node)
    .map(unitsOf)
    .reduce(joinUnits, node.kind === 'units' ? node.units : emptyUnits());
}

function sizeOf(units: Units): number {
  let size = 0;
  for (let rest of units) for (; rest !== 0; rest &= rest - 1) size += 1;
  return size;
}

function isWithin(units: Units | undefined, others: Units): boolean {
  return units === undefined ? false : units.every((word, at) => (word & ~(others[at] ?? 0)) === 0);
}

function beginsAtStart(node: Node): boolean {
  if (node.kind === 'begin') return true;
  if (node.kind === 'choice') return node.parts.every(beginsAtStart);
  return node.kind === 'sequence' && node.parts[0] !== undefined && beginsAtStart(node.parts[0]);
}

/**
 * What certainly stands next, one set of characters per place, as far as that is known. Something that has matched, or stands
 * at the end of a text, is followed by none: {@link END}.
 */
type Ahead = readonly Units[];

const FARTHEST = 12;

/** `after`: what stands behind. What arrives at the end of the pattern has matched and is not tried again. */
function countPaths(node: Node, after: Ahead): number {
  if (node.kind === 'sequence') {
    let paths = 1;
    let behind = after;
    for (const part of [...node.parts].reverse()) {
      paths *= countPaths(part, behind);
      behind = aheadOf(part, behind);
    }
    return paths;
  }
  if (node.kind === 'choice') return countChoice(node.parts, after);
  if (node.kind !== 'repeat') return 1;
  const { body, least, most } = node;
  const again = joinAhead(aheadOf(body, []), after);
  const ways = countPaths(body, most === 1 ? after : again);
  // What stands next says alone whether to go on: leaving earlier fails at once.
  const isDecided = least === most || (areApart(aheadOf(body, again), after) && !isNullable(body));
  if (isDecided && ways === 1) return 1;
  if (most === Number.POSITIVE_INFINITY) return most;
  if (isDecided) return ways ** most;
  let sum = 0;
  for (let count = least; count <= most && sum < Number.MAX_SAFE_INTEGER; count += 1) sum += ways ** count;
  return sum;
}

/** Of alternatives only those that the same text can begin are ever tried together. */
function countChoice(parts: readonly Node[], after: Ahead): number {
  const all = parts.map((part) => ({ ways: countPaths(part, after), ahead: aheadOf(part, after) }));
  return Math.max(
    ...all.map((one) =>
      all.reduce((sum, other) => (one === other || !areApart(one.ahead, other.ahead) ? sum + other.ways : sum), 0),
    ),
  );
}

function aheadOf(node: Node, after: Ahead): Ahead {
  switch (node.kind) {
    case 'units':
      return [node.units, ...after].slice(0, FARTHEST);
    case 'end':
      return [node.units];
    case 'back':
      return [];
    case 'choice':
      return node.parts.map((part) => aheadOf(part, after)).reduce(joinAhead);
    case 'sequence':
      return node.parts.reduceRight((behind, part) => aheadOf(part, behind), after);
    case 'repeat': {
      const { body, least, most } = node;
      let ahead = least === most ? after : joinAhead(aheadOf(body, most === 1 ? after : []), after);
      if (least > FARTHEST) ahead = [];
      for (let count = 0; count < Math.min(least, FARTHEST); count += 1) ahead = aheadOf(body, ahead);
      return ahead;
    }
    default:
      // Whether it fails is not known: what stands behind it is not the end.
      return [...after];
  }
}

/** Known as far as both are. */
function joinAhead(a: Ahead, b: Ahead): Ahead {
  return a.slice(0, b.length).map((units, at) => joinUnits(units, b[at] ?? emptyUnits()));
}

function areApart(a: Ahead, b: Ahead): boolean {
  return a.slice(0, b.length).some((units, at) => units.every((word, place) => (word & (b[at]?.[place] ?? 0)) === 0));
}

function isNullable(node: Node): boolean {
  if (node.kind === 'sequence') return node.parts.every(isNullable);
  if (node.kind === 'choice') return node.parts.some(isNullable);
  if (node.kind === 'repeat') return node.least === 0 || isNullable(node.body);
  return node.kind !== 'units';
}

/**
 * UTF-16 units by which sets are told apart: all of ASCII and Latin-1, those that lower and upper case make of ASCII, spaces, halves
 * of pairs, and of the rest every 64th, which falls into every script and kind of character that patterns name.
 */
const SAMPLE: readonly number[] = [
  ...Array.from({ length: 256 }, (_, unit) => unit),
  ...[
    0x131, 0x17f, 0x212a, 0x1680, 0x2000, 0x2028, 0x2029, 0x200b, 0x200e, 0x202e, 0x2060, 0x3000, 0xfeff, 0xff1a,
    0x4e00,
  ],
  ...Array.from({ length: 1020 }, (_, at) => 256 + at * 64 + 7),
];
const WORDS = Math.ceil(SAMPLE.length / 32);

const LINE_END = '[\\n\\r\\u2028\\u2029]';
const WORD = (): Units => readUnits('\\w', '');
const END: Ahead = [new Uint32Array(WORDS)];

function emptyUnits(): Units {
  return new Uint32Array(WORDS);
}

function joinUnits(a: Units, b: Units): Units {
  return a.map((word, at) => word | (b[at] ?? 0));
}

/** Sets of characters by how they are written. */
const KNOWN = new Map<string, Units>();

function readUnits(written: string, flags: string): Units {
  const own = flags.replace(/[dgmy]/g, '');
  const key = `${own} ${written}`;
  let units = KNOWN.get(key);
  if (units !== undefined) return units;
  units = emptyUnits();
  const pattern = new RegExp(`^${written}$`, own);
  const holdsPairs =
    /[uv]/.test(own) && (written === '.' || /\\[pPSWD]|^\[\^|[\ud800-\udfff]|\\u\{0*[0-9a-f]{5}/i.test(written));
  // Characters beyond the first plane begin with half of a pair.
  for (const [at, unit] of SAMPLE.entries())
    if (pattern.test(String.fromCharCode(unit)) || (holdsPairs && unit >= 0xd800 && unit < 0xdc00))
      units[at >> 5] = (units[at >> 5] ?? 0) | (1 << (at & 31));
  KNOWN.set(key, units);
  return units;
}

class Reader {
  readonly #source: string;
  readonly #flags: string;
  #at = 0;

  constructor(source: string, flags: string) {
    this.#source = source;
    this.#flags = flags;
  }

  read(): Node {
    const tree = this.#choice();
    if (this.#at < this.#source.length) throw new SyntaxError(`unread: ${this.#source.slice(this.#at)}`);
    return tree;
  }

  #choice(): Node {
    const parts = [this.#sequence()];
    while (this.#take('|')) parts.push(this.#sequence());
    return parts.length === 1 && parts[0] !== undefined ? parts[0] : { kind: 'choice', parts };
  }

  #sequence(): Node {
    const parts: Node[] = [];
    while (this.#at < this.#source.length && !/[|)]/.test(this.#source[this.#at] ?? ''))
      parts.push(this.#repeat(this.#atom()));
    return { kind: 'sequence', parts };
  }

  #repeat(body: Node): Node {
    const found = /^(?:([*+?])|\{(\d{1,9})(,?)(\d{0,9})\})\??/.exec(this.#rest(24));
    if (found === null) return body;
    const [text, sign, low = '0', comma, high = ''] = found;
    this.#at += text.length;
    const endless = Number.POSITIVE_INFINITY;
    if (sign !== undefined)
      return { kind: 'repeat', body, least: sign === '+' ? 1 : 0, most: sign === '?' ? 1 : endless };
    return {
      kind: 'repeat',
      body,
      least: Number(low),
      most: comma === '' ? Number(low) : high === '' ? endless : Number(high),
    };
  }

  #atom(): Node {
    if (this.#source[this.#at] === '(') return this.#group();
    const found =
      /^(?:\^|\$|\[(?:[^\]\\]|\\[\s\S])*\]|\\(?:u\{[0-9a-fA-F]{1,6}\}|[pP]\{[^}]{1,60}\}|k<[^>]{1,60}>|u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|c[A-Za-z]|[1-9][0-9]?|[\s\S])|[\ud800-\udbff][\udc00-\udfff]|[\s\S])/.exec(
        this.#source.slice(this.#at),
      );
    const text = found?.[0] ?? '';
    this.#at += text.length;
    if (text === '^') return { kind: 'begin' };
    if (text === '$') return { kind: 'end', units: this.#flags.includes('m') ? readUnits(LINE_END, '') : emptyUnits() };
    if (text === '\\b') return { kind: 'edge' };
    if (text === '\\B') return { kind: 'nothing' };
    if (/^\\(?:[1-9]|k<)/.test(text)) return { kind: 'back' };
    // Without the flag u these are letters with quantifiers; nobody means them.
    if (!/[uv]/.test(this.#flags) && /^\\[pPu]\{/.test(text)) throw new SyntaxError(`${text} needs the flag u`);
    return { kind: 'units', units: readUnits(text, this.#flags) };
  }

  #group(): Node {
    const open = /^\((?:\?(?:<?[=!]|<[^>]{1,60}>|[a-z]{0,9}(?:-[a-z]{1,9})?:))?/.exec(this.#rest(80))?.[0] ?? '(';
    this.#at += open.length;
    const body = this.#choice();
    if (!this.#take(')')) throw new SyntaxError('a group without an end');
    return /^\(\?<?[=!]$/.test(open) ? { kind: 'look', body, notBehind: open === '(?<!' } : body;
  }

  #rest(length: number): string {
    return this.#source.slice(this.#at, this.#at + length);
  }

  #take(sign: string): boolean {
    if (this.#source[this.#at] !== sign) return false;
    this.#at += 1;
    return true;
  }
}
