import { blocksOf } from '../decode/blocks.ts';
import { MAX_DEPTH, MAX_PACKED } from '../decode/bounds.ts';
import { wideText } from '../decode/bytes-text.ts';
import { decodeEscapes, decodeQuoted } from '../decode/escapes.ts';
import { inflate } from '../decode/inflate.ts';
import { surveyRuns } from '../decode/survey-runs.ts';
import { unfold } from '../decode/unfold.ts';

/** How much may come out of a text. Characters. */
const MAX_DECODED = 262_144;
/** Encoded parts of one text that are tried. */
const MAX_PARTS = 4_096;
/** Shorter parts say too little once they are decoded. */
const SHORTEST_PART = 16;

/**
 * What a text says when it is decoded, one encoding inside the other (`decode/`). Only what becomes readable text counts, and
 * nobody asks where it stood.
 */
export function decodeForms(text: string): readonly string[] {
  if (!mayHide(text)) return NOTHING;
  const found: string[] = [];
  let left = MAX_DECODED;
  let level = [text];
  for (let depth = 0; depth < MAX_DEPTH && level.length > 0; depth++) {
    const next: string[] = [];
    for (const one of level) {
      for (const decoded of decodeOnce(one)) {
        if (decoded.length > left) return found;
        left -= decoded.length;
        found.push(decoded);
        next.push(decoded);
      }
    }
    level = next;
  }
  return found;
}

const NOTHING: readonly string[] = Object.freeze([]);

/** Most texts have neither a sign of an encoding nor a word that is long enough for one. */
function mayHide(text: string): boolean {
  let run = 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    const kind = code < 128 ? KINDS[code] : SIGN;
    run = kind === CODED ? run + 1 : 0;
    if (run === SHORTEST_PART || (kind === SIGN && (code < 128 || HIDDEN.test(text)))) return true;
  }
  return false;
}

const CODED = 1;
/** Of an escape, of quoted-printable or of a terminal. */
const SIGN = 2;
const KINDS = Uint8Array.from({ length: 128 }, (_, code) => {
  const sign = String.fromCharCode(code);
  if (/[A-Za-z0-9+/_-]/.test(sign)) return CODED;
  return '%&\\=\x1b'.includes(sign) ? SIGN : 0;
});
/** What spells something that nobody sees, and letters that no fold of `normalise.ts` knows. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
const HIDDEN = /[\x1b\x90-\x9f]|(?:\ud83c[\udd10-\uddff] ?){5}|\udb40[\udc00-\uddef]|[\ufe00-\ufe0f]{2}/;

function* decodeOnce(text: string): Generator<string> {
  let parts = MAX_PARTS;
  let packed = MAX_PACKED;
  for (const { bytes } of blocksOf(text, surveyRuns(text, SHORTEST_PART))) {
    if (parts-- <= 0) break;
    const said = readable(bytes);
    if (said !== undefined) yield said;
    else if (packed-- > 0) yield* unpack(bytes);
  }
  for (const again of [decodeEscapes(text), decodeQuoted(text)]) if (again !== undefined) yield again.text;
  if (HIDDEN.test(text)) yield unfold(text).text;
}

function* unpack(bytes: Buffer): Generator<string> {
  const inner = inflate(bytes);
  const said = inner === undefined ? undefined : readable(Buffer.from(inner.bytes));
  if (said !== undefined) yield said;
}

const FEWEST_BYTES = 6;

/** What bytes say; `undefined`: they are no text. A single odd byte at the end is where the encoded part was cut. */
export function readable(bytes: Buffer): string | undefined {
  if (bytes.length < FEWEST_BYTES) return undefined;
  const text = wideText(bytes) ?? bytes.toString('utf8');
  return /[^\P{Cc}\t\n\r]|\ufffd/u.test(text.slice(0, -2)) ? undefined : text;
}
