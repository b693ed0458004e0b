/** How often one form may hide in another, and how much may come out of a text. */
const MAX_DEPTH = 3;
const MAX_DECODED = 262_144;
/** Encoded parts of one text that are tried. */
const MAX_PARTS = 256;

/** Shorter parts say too little once they are decoded. */
const SHORTEST_PART = 16;
const HEX = /^(?:0x)?([0-9A-Fa-f]{16,})$/;
const ESCAPED = /%[0-9A-Fa-f]{2}/;
const ENTITY = /&#(?:x[0-9A-Fa-f]{1,6}|\d{1,7});/;
const UNICODE = /\\u[0-9A-Fa-f]{4}|\\x[0-9A-Fa-f]{2}/;

/**
 * What a text says when it is decoded: base64, hex, percent signs, entities and escapes, each inside the others up to three
 * times. Only what becomes readable text counts.
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
    run = code < 128 && LETTERS[code] === 1 ? run + 1 : 0;
    // Percent, ampersand, backslash.
    if (run === SHORTEST_PART || code === 37 || code === 38 || code === 92) return true;
  }
  return false;
}

function* decodeOnce(text: string): Generator<string> {
  let parts = 0;
  for (const part of findEncoded(text)) {
    const hex = HEX.exec(part.slice(part.lastIndexOf('/') + 1))?.[1];
    if (hex !== undefined && hex.length % 2 === 0) yield* readable(Buffer.from(hex, 'hex'));
    if (!(LOWER.test(part) && UPPER.test(part))) continue;
    if (++parts > MAX_PARTS) return;
    yield* readable(Buffer.from(part, 'base64'));
    // A path or a key in front of the encoded part, joined by a sign that is a digit of base64 too.
    const cut = Math.max(part.lastIndexOf('/'), part.lastIndexOf('-'));
    if (cut > 0 && part.length - cut > 12) yield* readable(Buffer.from(part.slice(cut + 1), 'base64'));
  }
  if (ESCAPED.test(text))
    yield text.replace(/(?:%[0-9A-Fa-f]{2}){1,256}/g, (run) =>
      Buffer.from(run.replaceAll('%', ''), 'hex').toString('utf8'),
    );
  if (ENTITY.test(text))
    yield text.replace(/&#(x?)([0-9A-Fa-f]{1,7});/g, (_, x: string, digits: string) =>
      fromPoint(Number.parseInt(digits, x === '' ? 10 : 16)),
    );
  if (UNICODE.test(text))
    yield text.replace(/\\u([0-9A-Fa-f]{4})|\\x([0-9A-Fa-f]{2})/g, (_, long?: string, short?: string) =>
      fromPoint(Number.parseInt(long ?? short ?? '', 16)),
    );
}

/** Runs of the letters of base64, its kind for links, and hex. A pattern would begin anew at every letter of every word. */
function* findEncoded(text: string): Generator<string> {
  let start = -1;
  for (let i = 0; i <= text.length; i++) {
    const code = i < text.length ? text.charCodeAt(i) : 32;
    const isPart = code < 128 && LETTERS[code] === 1;
    if (isPart) {
      if (start < 0) start = i;
      continue;
    }
    if (start >= 0 && i - start >= SHORTEST_PART) yield text.slice(start, i);
    start = -1;
  }
}

const LETTERS = Uint8Array.from({ length: 128 }, (_, code) =>
  /[A-Za-z0-9+/_-]/.test(String.fromCharCode(code)) ? 1 : 0,
);
const LOWER = /[a-z]/;
const UPPER = /[A-Z]/;

function fromPoint(point: number): string {
  return point >= 0 && point <= 0x10_ffff ? String.fromCodePoint(point) : '';
}

function* readable(bytes: Buffer): Generator<string> {
  if (bytes.length < 6) return;
  const text = bytes.toString('utf8');
  // A single odd byte at the end is where the encoded part was cut.
  if (/[^\P{Cc}\t\n\r]|\ufffd/u.test(text.slice(0, -2))) return;
  yield text;
}
