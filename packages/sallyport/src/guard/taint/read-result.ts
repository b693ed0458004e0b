import type { Privacy } from '../../config/taint-section.ts';
import { type Json, type JsonObject, member } from '../../core/json.ts';
import { withoutOwnWords } from '../sources/own-words.ts';
import { CODED_WORD, ESCAPES, NUMBER, signsOf } from '../text-signs.ts';
import { decodeForms } from './decode-forms.ts';
import { type FoundWord, findNumbers, findWords, originOf, SHORTEST as SHORTEST_WORD } from './find-words.ts';
import { GRAM, type Printer } from './fingerprints.ts';
import { PUBLIC, privacyOf, toMarks, UNTRUSTED, VOUCHED } from './labels.ts';
import { fold, foldBriefly, MAX_TEXT, wipe } from './normalise.ts';
import { toPlainNumber } from './number-words.ts';
import { SHORTEST_SAMPLED, sampleOf } from './opaque.ts';
import { MAIL, otherForms } from './other-forms.ts';
import { borrowList, PrintList } from './print-list.ts';
import { isProtocolWord } from './protocol-words.ts';
import { isIdName, roleOf } from './roles.ts';
import type { Remembered, Source } from './taint-ports.ts';
import { type Walk, walkLeaves } from './walk-leaves.ts';

/** Characters of all texts of one result. What lies beyond makes the run's memory count as full. */
const MAX_RESULT = MAX_TEXT;
/** A text that is JSON is taken apart up to here. */
const MAX_NESTED = 1_048_576;
const SHORTEST_VALUE = 4;
const LONGEST_VALUE = 256;
const SHORTEST_NUMBER = 3;

/** Parts of a text that are more private than the result as a whole is known to be. */
export type FindPrivate = (text: string, field: string) => readonly PrivatePart[];

export interface PrivatePart {
  readonly text: string;
  readonly privacy: Privacy;
}

/** What a run is to remember of a result, and the lists to give back when it does. */
export interface RememberedResult {
  readonly what: readonly Remembered[];
  readonly lists: readonly PrintList[];
}

export function readResult(
  result: JsonObject,
  from: {
    readonly source: Source;
    readonly printer: Printer;
    readonly findPrivate: FindPrivate | undefined;
    /** The arguments of the call: where they are repeated, they are not the result's. Left out: there are none. */
    readonly given?: JsonObject | undefined;
  },
): RememberedResult {
  const { source, printer, findPrivate } = from;
  const given = source.marks === UNTRUSTED ? from.given : undefined;
  const own: Remembered[] = [];
  const reading = new Reading(printer, source);
  const walk = walkLeaves(result, '_meta');
  let left = MAX_RESULT;
  reading.expect(walk.leaves.reduce((sum, leaf) => sum + leaf.text.length, 0));
  let isPartial = walk.isPartial;
  for (const { key, text, isNumber, isName } of walk.leaves) {
    if (isName) {
      if (key !== '') reading.readValue(text);
      continue;
    }
    if (isNumber) reading.readNumber(key, text);
    else if (isProtocolWord(key, text)) continue;
    else if (text.length > left || text.length > MAX_TEXT) isPartial = true;
    else {
      left -= text.length;
      if (isBinary(result, key, text)) {
        reading.readValue(sampleOf(text));
        continue;
      }
      reading.readText(key, text, given === undefined ? text : withoutOwnWords(text, given));
      if (findPrivate !== undefined) for (const part of findPrivate(text, key)) own.push(toOwn(part, source, printer));
    }
  }
  const { values, ids } = reading;
  const what: Remembered[] = [{ source, marks: source.marks, prints: values, isPartial }];
  if (ids.size > 0) what.push({ marks: PUBLIC, prints: ids });
  what.push(...own);
  return { what, lists: [values, ids] };
}

function toOwn({ text, privacy }: PrivatePart, from: Source, printer: Printer): Remembered {
  const marks = toMarks({ untrusted: (from.marks & UNTRUSTED) !== 0, privacy });
  const prints = new PrintList();
  for (const form of [text, ...decodeForms(text)]) {
    printer.add('value', form, prints);
    addPieces(printer, form, prints);
    if (form.length > GRAM) printer.addGrams(fold(form), prints, true);
  }
  return { source: { ...from, marks }, marks, prints };
}

/** Pictures and sounds: no text to follow, and megabytes of it. */
function isBinary(result: Json, key: string, text: string): boolean {
  return (
    key === 'data' &&
    text.length >= SHORTEST_SAMPLED &&
    member(result, 'content') !== undefined &&
    /^[A-Za-z0-9+/=_-]{512}/.test(text)
  );
}

class Reading {
  readonly values = borrowList();
  readonly ids = borrowList();
  readonly #printer: Printer;
  readonly #source: Source;
  readonly #isPrivate: boolean;
  /** Of a source whose word counts, only whole values matter: they vouch for arguments. */
  readonly #follows: boolean;

  constructor(printer: Printer, source: Source) {
    this.#printer = printer;
    this.#source = source;
    this.#isPrivate = privacyOf(source.marks) > 0;
    this.#follows = (source.marks & VOUCHED) === 0 || this.#isPrivate;
  }

  /** Room for a result of this many characters, of which every third or so makes a print, of a private one each. */
  expect(characters: number): void {
    this.values.reserve(this.#isPrivate ? Math.min(characters, MAX_TEXT) : Math.min(characters, MAX_TEXT) >>> 1);
  }

  readNumber(key: string, text: string): void {
    if (text.length >= SHORTEST_NUMBER) this.#printer.add('value', text, this.values);
    this.#readId(key, text);
  }

  readValue(text: string): void {
    this.#printer.add('value', text, this.values);
  }

  /** @param plain the text without what the arguments of the call say */
  readText(key: string, text: string, plain: string): void {
    const signs = signsOf(plain);
    this.#readPlain(plain, signs);
    this.#readId(key, text);
    const nested = text.length <= MAX_NESTED ? parseNested(text) : undefined;
    if (nested !== undefined)
      for (const leaf of nested.leaves) {
        if (leaf.isName) continue;
        if (leaf.isNumber) this.readNumber(leaf.key, leaf.text);
        else {
          this.#readWhole(leaf.text);
          this.#readId(leaf.key, leaf.text);
        }
      }
    if ((signs & (ESCAPES | CODED_WORD)) !== 0)
      for (const form of decodeForms(plain)) this.#readPlain(form, signsOf(form));
  }

  #readPlain(text: string, signs: number): void {
    const folded = foldBriefly(text);
    if (isValue(text) && folded.size >= SHORTEST_VALUE) this.#printer.addCodes(folded, this.values);
    // Of private texts every piece, since sixteen letters of one are as much as a short argument holds.
    if (this.#follows) this.#printer.addGrams(folded, this.values, this.#isPrivate);
    wipe(folded);
    if (text.length < SHORTEST_WORD) return;
    findWords(text, this.#onWord);
    if ((signs & NUMBER) !== 0) findNumbers(text, this.#onNumber);
  }

  readonly #onWord = ({ text, isLink }: FoundWord): void => {
    this.#readWord(text);
    if (!isLink) return;
    this.#printer.add('link', text, this.values);
    // Whose host it is: that of an address with something else in it.
    this.#printer.add('link', originOf(text), this.values);
  };

  readonly #onNumber = (number: string): void => this.#readWord(number);

  #readWord(word: string): void {
    this.#printer.add('value', word, this.values);
    const number = toPlainNumber(word);
    if (number !== undefined) this.#printer.add('value', number, this.values);
    if (this.#isPrivate) addPieces(this.#printer, word, this.values);
    // Only what vouches for an argument is compared in other forms.
    if ((this.#source.marks & VOUCHED) === 0) return;
    const form = otherForms(word, roleOf(/^[\d,.]+$/.test(word) ? 'amount' : '', word))[0];
    if (form !== undefined) this.#printer.add('form', form, this.values);
  }

  #readWhole(text: string): void {
    if (!isValue(text)) return;
    const folded = foldBriefly(text);
    if (folded.size >= SHORTEST_VALUE) this.#printer.addCodes(folded, this.values);
    wipe(folded);
  }

  #readId(key: string, text: string): void {
    if (text.length <= 320 && text.includes('@') && SENDER.test(key))
      for (const [mail] of text.matchAll(MAIL))
        this.#printer.add('id', `${this.#source.upstream}\n${mail.toLowerCase()}`, this.ids);
    if (text.length <= 128 && isIdName(key) && isOpaque(text))
      this.#printer.add('id', `${this.#source.upstream}\n${text}`, this.ids);
  }
}

/** Who a letter is from: whoever answers it writes there. */
const SENDER = /^(?:from|sender|reply_?-?to|from_?(?:address|email)|sender_?(?:address|email))$/i;

function isValue({ length }: string): boolean {
  return length >= SHORTEST_VALUE && length <= LONGEST_VALUE;
}

/** An id names a thing at its server. What can be written to, opened or run anywhere is no id. */
export function isOpaque(text: string): boolean {
  return /^[A-Za-z0-9][A-Za-z0-9_.:=+-]{0,127}$/.test(text);
}

function parseNested(text: string): Walk | undefined {
  const start = text.charCodeAt(0);
  // A letter or digit begins no JSON that has parts, and most texts.
  if ((start >= 65 && start <= 90) || (start >= 97 && start <= 122) || (start >= 48 && start <= 57)) return undefined;
  const first = text.trimStart().charAt(0);
  if (first !== '{' && first !== '[') return undefined;
  try {
    return walkLeaves(JSON.parse(text));
  } catch {
    return undefined;
  }
}

/** Letters and digits of the smallest part of a private value that is recognised. */
export const PIECE = 6;
const LONGEST_IN_PIECES = 128;

/** Every part of a value of `PIECE` characters: keys and numbers leave in pieces, too. */
export function addPieces(printer: Printer, text: string, into: PrintList): number {
  if (text.length > LONGEST_IN_PIECES * 2) return 0;
  const folded = fold(text);
  if (folded.size < PIECE || folded.size > LONGEST_IN_PIECES) return 0;
  const before = into.size;
  for (let i = 0; i + PIECE <= folded.size; i++)
    printer.addPiece({ codes: folded.codes.subarray(i, i + PIECE), size: PIECE }, into);
  return into.size - before;
}
