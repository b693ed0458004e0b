import type { Reading } from './key-material.ts';
import { isMixedKey, PROVIDER_MARKS, readProviderKey } from './provider-keys.ts';
import type { SecretMatch } from './secret-match.ts';
import { countLikely, FEWEST_WORDS, findSeedPhrases } from './seed-phrase.ts';
import type { PlacedText, PlacedValue } from './walk-strings.ts';

/** One key in pieces: which texts hold them. */
export interface SplitSecret {
  readonly kind: string;
  /** JSON pointers, in order. */
  readonly pointers: readonly string[];
}

/** A key cut into more pieces than this, or among more texts, is not put together. */
export const MAX_PIECES = 8;
const MAX_TEXTS = 4_096;
/** Longer texts hold prose. */
const MAX_LENGTH = 512;
const MAX_HEAD = 132;
const PIECE = /(?:^|[\s:=])([A-Za-z0-9_.+/=-]{2,128})$/;
/** What a text goes on with, whatever stands behind it. */
const BEGIN = /^\s{0,8}([A-Za-z0-9_.+/=-]{2,512})(?![A-Za-z0-9_.+/=-])/;
/** Texts that are looked through for those of the same name. */
const MAX_APART = 64;
const HEAD = /(?:^|[^A-Za-z0-9_.-])([A-Za-z0-9_.-]{3,128})$/;

const MARK = new RegExp(`^(?:${PROVIDER_MARKS.map((mark) => mark.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&')).join('|')})`);

/**
 * Keys cut into pieces that stand in several arguments, or elements of a list, one after the other. Only forms with a mark of
 * their own are put together, and only where the whole is as mixed as keys are: words side by side are no key.
 */
export function findSplitSecrets(texts: readonly PlacedText[], find: Find): readonly SplitSecret[] {
  if (texts.length < 2) return NONE;
  const found: SplitSecret[] = [];
  const count = Math.min(texts.length, MAX_TEXTS);
  for (let i = 0; i < count - 1; i++) {
    const first = texts[i] as PlacedText; // True by the bound of the loop.
    const begun = readHead(first.text);
    if (begun === undefined) continue;
    // Items of a result have other texts between them, such as their type.
    const sameName = texts.slice(i + 1, i + MAX_APART).filter(({ field }) => field === first.field);
    for (const rest of [texts.slice(i + 1, i + MAX_PIECES), sameName.slice(0, MAX_PIECES - 1)]) {
      const split = readOn(rest, begun);
      if (split === undefined) continue;
      const pieces = [first, ...rest.slice(0, split.pieces)];
      found.push({ kind: split.kind, pointers: pieces.map(({ pointer }) => pointer) });
      break;
    }
  }
  findSplitCode(texts.slice(0, MAX_TEXTS), find, found);
  findSplitPhrases(texts.slice(0, MAX_TEXTS), found);
  return found.length === 0 ? NONE : found;
}

const NONE: readonly SplitSecret[] = Object.freeze([]);

/** A key that is begun at the end of a text, and is none yet. */
export function readHead(text: string): { readonly head: string; readonly mark: string } | undefined {
  const head = hasHead(text) ? HEAD.exec(text.slice(-MAX_HEAD))?.[1] : undefined;
  const mark = head === undefined ? undefined : MARK.exec(head)?.[0];
  if (head === undefined || mark === undefined || readProviderKey(head, mark, 0) !== undefined) return undefined;
  return { head, mark };
}

/** Can a key go on from the one text into the next? False is certain for what {@link findSplitSecrets} puts together. */
export function mayBeSplit(first: Pick<PlacedText, 'text' | 'field'>, text: string, field: string): boolean {
  if (first.field === field && isPiece(first.text) && isPiece(text)) return true;
  return hasHead(first.text);
}

function isPiece(text: string): boolean {
  return CODED.test(text) && MIXED.test(text);
}

/** A mark where the last word of the text begins: a pattern is tried only there. */
function hasHead(text: string): boolean {
  let start = text.length;
  while (start > 0 && isHeadSign(text.charCodeAt(start - 1))) start--;
  if (text.length - start < 3) return false;
  return BEGINNINGS.get(text.slice(start, start + 2))?.some((mark) => text.startsWith(mark, start)) === true;
}

const HEAD_SIGNS = Uint8Array.from({ length: 128 }, (_, code) =>
  /[A-Za-z0-9_.-]/.test(String.fromCharCode(code)) ? 1 : 0,
);

function isHeadSign(code: number): boolean {
  return HEAD_SIGNS[code] === 1;
}

const BEGINNINGS: ReadonlyMap<string, readonly string[]> = new Map(
  PROVIDER_MARKS.map((mark) => [
    mark.slice(0, 2),
    PROVIDER_MARKS.filter((other) => other.startsWith(mark.slice(0, 2))),
  ]),
);

/** Looks into one text, as `findSecrets` does. */
type Find = (text: string) => readonly SecretMatch[];

/** Base64 and hexadecimal in pieces. Shorter ones are words. */
const CODED = /^[A-Za-z0-9+/_-]{4,4096}={0,2}$/;
const MIXED = /\d|[a-z][A-Z]|[A-Z][a-z][A-Z]/;

/** A list of pieces of one encoding: what none of them says, all of them together may. */
function findSplitCode(texts: readonly PlacedText[], find: Find, found: SplitSecret[]): void {
  for (let i = 0; i < texts.length; ) {
    const { field } = texts[i] as PlacedText; // True by the bound of the loop.
    let end = i;
    while (end < texts.length && texts[end]?.field === field && CODED.test(texts[end]?.text ?? '')) end += 1;
    const pieces = texts.slice(i, end);
    i = Math.max(end, i + 1);
    if (pieces.length < 2 || !pieces.every(({ text }) => MIXED.test(text))) continue;
    const whole = pieces.map(({ text }) => text.replace(/={1,4}$/, '')).join('');
    const hidden = find(whole).find(({ group, how }) => group === 'credentials' && how === 'hidden');
    const isInOne = hidden !== undefined && pieces.some(({ text }) => find(text).some(({ how }) => how === 'hidden'));
    if (hidden !== undefined && !isInOne)
      found.push({ kind: hidden.kind, pointers: pieces.map(({ pointer }) => pointer) });
  }
}

/** The words of a recovery phrase one by one, or some of them in each text. */
function findSplitPhrases(texts: readonly PlacedText[], found: SplitSecret[]): void {
  for (let i = 0; i < texts.length; i++) {
    const pieces: PlacedText[] = [];
    let words = 0;
    for (; i < texts.length; i++) {
      const piece = texts[i] as PlacedText; // True by the bound of the loop.
      const more = countLikely(piece.text);
      if (more === 0) break;
      words += more;
      pieces.push(piece);
    }
    if (pieces.length < 2 || words < FEWEST_WORDS) continue;
    const starts: number[] = [];
    let whole = '';
    for (const { text } of pieces) {
      starts.push(whole.length);
      whole += `${text}\n`;
    }
    const phrases: Reading[] = [];
    findSeedPhrases(whole, pieces[0]?.field, phrases);
    for (const { kind, start, end: last } of phrases) {
      const held = pieces.filter(({ text }, at) => (starts[at] ?? 0) < last && (starts[at] ?? 0) + text.length > start);
      if (held.length > 1) found.push({ kind, pointers: held.map(({ pointer }) => pointer) });
    }
  }
}

/** No key is shorter. */
export const FEWEST_UNITS = 15;

/** What a text of one character, or a number that is the code of one, spells; `undefined`: it is neither. */
export function unitOf(value: string | number): string | undefined {
  if (typeof value === 'string') return value.length === 1 ? value : undefined;
  return Number.isInteger(value) && value >= 9 && value <= 126 ? String.fromCharCode(value) : undefined;
}

/** Keys letter by letter, or as the codes of their characters, in a list or under a name each. */
export class Spelled {
  readonly found: SplitSecret[] = [];
  readonly #find: Find;
  #said = '';
  #pointers: string[] = [];
  #hasCodes = false;

  constructor(find: Find) {
    this.#find = find;
  }

  add({ text, form, pointer }: PlacedValue): void {
    if (form === 'name') return;
    const unit = form === 'flag' ? undefined : unitOf(form === 'number' ? Number(text) : text);
    if (unit === undefined) this.end();
    else {
      this.#said += unit;
      this.#pointers.push(pointer);
      this.#hasCodes ||= form === 'number';
    }
  }

  end(): void {
    if (this.#said.length >= FEWEST_UNITS)
      // Numbers may well be the codes of digits.
      for (const { kind, group, start, end } of this.#find(this.#said))
        if (group === 'credentials' || (group === 'financial' && !this.#hasCodes))
          this.found.push({ kind, pointers: this.#pointers.slice(start, end) });
    this.#said = '';
    this.#pointers = [];
    this.#hasCodes = false;
  }
}

function readOn(
  texts: readonly PlacedText[],
  { head, mark }: { readonly head: string; readonly mark: string },
): { readonly kind: string; readonly pieces: number } | undefined {
  let whole = head;
  for (const [i, { text }] of texts.entries()) {
    const begun = readBegun(whole, { text, mark });
    if (begun !== undefined) return { kind: begun, pieces: i + 1 };
    const piece = text.length > MAX_LENGTH ? undefined : PIECE.exec(text)?.[1];
    if (piece === undefined) return undefined;
    whole += piece;
    const key = readProviderKey(whole, mark, 0);
    if (key !== undefined && key.end === whole.length && isMixedKey(whole.slice(mark.length)))
      return { kind: key.kind, pieces: i + 1 };
  }
  return undefined;
}

/** A key that ends where the next text begins. Running text goes on behind it, so that it must look like chance. */
function readBegun(
  whole: string,
  { text, mark }: { readonly text: string; readonly mark: string },
): string | undefined {
  const piece = BEGIN.exec(text)?.[1];
  if (piece === undefined) return undefined;
  const key = readProviderKey(whole + piece, mark, 0);
  if (key === undefined || key.end <= whole.length) return undefined;
  const rest = (whole + piece).slice(mark.length, key.end);
  return isMixedKey(rest) && DIGIT_WITHIN.test(rest) ? key.kind : undefined;
}

/** Names and words have their digits at the end. */
const DIGIT_WITHIN = /\d[A-Za-z]/;
