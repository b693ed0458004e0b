import { MAX_DEPTH } from '../decode/bounds.ts';
import { decodeEscapes, decodeQuoted } from '../decode/escapes.ts';
import { compose, countDisguised, type MappedText, toOriginal } from '../decode/mapped-text.ts';
import type { Mark } from '../decode/unseen.ts';
import { type Decoded, decodeBlocks } from './canonical-decode.ts';
import { foldWithMap } from './canonical-fold.ts';
import { loosen } from './canonical-loose.ts';
import { SEEN, surveyText } from './canonical-survey.ts';
import { turn } from './turned.ts';

/** One way to read a text. */
export interface View {
  readonly kind: 'plain' | 'decoded' | 'loose';
  /** How it was hidden, outermost first: `base64`, `base64 hex`; empty for what stands there. */
  readonly how: string;
  /** Lower case, NFKC, confusables as the letters they are read as, nothing invisible. */
  readonly text: string;
  /** Unpacked, it holds more than is read. */
  readonly isCut?: boolean | undefined;
  /** Where a part of `text` stands in the original. */
  range(start: number, end: number): readonly [number, number];
  /** How many letters of that part were not written as what they are read as: each of a decoded block. */
  disguised(start: number, end: number): number;
}

/** A stranger's text as a model may read it. Made once, used by every scan. */
export interface Canonical {
  readonly original: string;
  readonly plain: View;
  /** `plain` first. */
  readonly views: readonly View[];
  readonly marks: readonly Mark[];
  /** There is more in it that is encoded than was decoded. */
  readonly isCut: boolean;
}

const MAX_VIEWS = 64;
/** Of all views but the first: what is packed is a thousand times as long. Characters. */
const MAX_SAID = 1024 * 1024;
const NO_MARKS: readonly Mark[] = Object.freeze([]);

/** Reads a text in every way a model may. One pass and no copy for plain ASCII that hides nothing. */
export function toCanonical(text: string): Canonical {
  const seen = surveyText(text);
  if (seen === 0) {
    const mapped = asWritten(text.toLowerCase());
    const plain = viewOf(mapped, { kind: 'plain', how: '' });
    const views = [plain];
    addTurned(views, plain);
    return { original: text, plain, views, marks: NO_MARKS, isCut: false };
  }
  const isForeign = (seen & SEEN.foreign) !== 0;
  const { mapped, marks } = isForeign ? foldWithMap(text) : { mapped: asWritten(text.toLowerCase()), marks: NO_MARKS };
  const plain = viewOf(mapped, { kind: 'plain', how: '' });
  const views = [plain];
  addTurned(views, plain);
  for (const mark of marks)
    if (mark.decoded.length > 0)
      addBlock(views, { ...mark, how: mark.kind, text: mark.decoded }, { depth: 1, outer: undefined, how: '' });
  // Case matters to base64, so what is decoded is the text as written.
  addDecoded(views, text, { depth: 1, outer: undefined, how: '', seen });
  if ((seen & (SEEN.spaced | SEEN.leet)) !== 0) addLoose(views, mapped);
  return { original: text, plain, views, marks, isCut: isFull(views) || views.some(({ isCut }) => isCut) };
}

/** What stands in a text as it is read, as `toCanonical(text).plain.text`: for whoever asks for no more. */
export function toPlainText(text: string): string {
  return FOREIGN.test(text) ? foldWithMap(text).mapped.text : text.toLowerCase();
}

/** As `SEEN.foreign`: anything but plain ASCII. */
const FOREIGN = /[^\t\n\r -~]/;

function isFull(views: readonly View[]): boolean {
  return (
    views.length >= MAX_VIEWS || views.reduce((sum, { text }, i) => (i === 0 ? 0 : sum + text.length), 0) > MAX_SAID
  );
}

interface Inside {
  readonly depth: number;
  /** The outermost block it was found in; inside one there is no finer place. */
  readonly outer: readonly [number, number] | undefined;
  readonly how: string;
}

function addDecoded(views: View[], text: string, inside: Inside & { readonly seen: number }): void {
  const { seen, ...place } = inside;
  if ((seen & SEEN.block) !== 0) for (const block of decodeBlocks(text)) addBlock(views, block, place);
  if ((seen & SEEN.escape) !== 0) addEscaped(views, decodeEscapes(text), place);
  if ((seen & SEEN.quoted) !== 0) addEscaped(views, decodeQuoted(text), place);
}

type Block = Omit<Decoded, 'how'> & { readonly how: string };

function addBlock(views: View[], block: Block, { depth, outer, how }: Inside): void {
  if (isFull(views)) return;
  const [start, end] = outer ?? [block.start, block.end];
  const way = `${how} ${block.how}`.trim();
  const text = toPlainText(block.text);
  const within = {
    range: () => [start, end] as const,
    disguised: (from: number, to: number) => to - from,
  };
  const view: View = { kind: 'decoded', how: way, text, isCut: block.isCut, ...within };
  views.push(view);
  addTurned(views, view);
  const seen = surveyText(block.text);
  const loose = (seen & (SEEN.spaced | SEEN.leet)) === 0 ? undefined : loosen(text);
  if (loose !== undefined) views.push({ kind: 'loose', how: `${way} spacing`, text: loose.text, ...within });
  if (depth < MAX_DEPTH) addDecoded(views, block.text, { depth: depth + 1, outer: [start, end], how: way, seen });
}

/** What is turned round stands from its end in the original. */
function addTurned(views: View[], { text, how, range }: View): void {
  const turned = turn(text);
  if (turned === undefined || isFull(views)) return;
  const { length } = text;
  const isBack = turned.how === 'turned round';
  views.push({
    kind: 'decoded',
    how: `${how} ${turned.how}`.trim(),
    text: turned.text,
    range: (start, end) => (isBack ? range(length - end, length - start) : range(start, end)),
    disguised: (start, end) => end - start,
  });
}

function addEscaped(views: View[], escaped: MappedText | undefined, { depth, outer, how }: Inside): void {
  if (escaped === undefined || isFull(views)) return;
  const way = `${how} escapes`.trim();
  const isForeign = FOREIGN.test(escaped.text);
  const mapped = isForeign ? foldWithMap(escaped.text).mapped : asWritten(escaped.text.toLowerCase());
  const whole = compose(mapped, escaped);
  views.push(
    outer === undefined
      ? viewOf(whole, { kind: 'decoded', how: way })
      : { kind: 'decoded', how: way, text: whole.text, range: () => outer, disguised: (from, to) => to - from },
  );
  const seen = surveyText(escaped.text);
  if (depth >= MAX_DEPTH || (seen & (SEEN.block | SEEN.escape)) === 0) return;
  // What stood together before was read there: only new lines that were none join anew.
  if (escaped.disguised === undefined && !escaped.text.includes('\n')) return;
  for (const block of decodeBlocks(escaped.text)) {
    const place = outer ?? toOriginal(escaped, block.start, block.end);
    addBlock(views, block, { depth: depth + 1, outer: place, how: way });
  }
  const again = escaped.disguised === undefined ? undefined : decodeEscapes(escaped.text);
  if (again !== undefined) addEscaped(views, compose(again, escaped), { depth: depth + 1, outer, how: way });
}

function addLoose(views: View[], mapped: MappedText): void {
  const loose = loosen(mapped.text);
  if (loose !== undefined && !isFull(views))
    views.push(viewOf(compose(loose, mapped), { kind: 'loose', how: 'spacing' }));
}

function asWritten(text: string): MappedText {
  return { text, starts: undefined, disguised: undefined };
}

function viewOf(mapped: MappedText, what: Pick<View, 'kind' | 'how'>): View {
  return {
    kind: what.kind,
    how: what.how,
    text: mapped.text,
    range: (start, end) => toOriginal(mapped, start, end),
    disguised: (start, end) => countDisguised(mapped, start, end),
  };
}
