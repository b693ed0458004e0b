export type MarkKind = 'tag' | 'variation' | 'invisible' | 'bidi' | 'ansi' | 'colour' | 'control' | 'private' | 'mixed';

/** Characters that a model reads and a person does not see, or sees as others. */
export interface Mark {
  readonly kind: MarkKind;
  readonly start: number;
  readonly end: number;
  /** What they say, where they spell something. */
  readonly decoded: string;
  /** What stands behind it and is not seen because of it. */
  readonly conceals?: string | undefined;
}

/** ECMA-48: a control sequence; OSC, DCS, PM and APC, which hold text that a terminal does not show; a lone escape. */
const ANSI =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
  /(?:\x1b\[|\x9b)[0-?]{0,64}[ -/]{0,16}[@-~]?|(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])([^\x07\x1b\x9c]{0,4096})(?:\x07|\x1b\\|\x9c)?|\x1b[ -/]{0,16}[0-~]?/y;
/** A change of colour alone; 8 conceals, and so does a colour on itself, which `findConcealed` finds. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
const COLOUR = /^(?:\x1b\[|\x9b)(?!(?:[\d;]{0,64};)?8m)[\d;:]{0,64}m$/;
/** Default-ignorable and blank characters: first and last of each range. */
const INVISIBLE: readonly (readonly [number, number])[] = [
  [0xad, 0xad],
  [0x34f, 0x34f],
  [0x115f, 0x1160],
  [0x17b4, 0x17b5],
  [0x180e, 0x180e],
  [0x200b, 0x200d],
  [0x2060, 0x2065],
  [0x206a, 0x206f],
  [0x2800, 0x2800],
  [0x3164, 0x3164],
  [0xfeff, 0xfeff],
  [0xffa0, 0xffa0],
  [0xfff9, 0xfffb],
];
const BIDI = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/;
const OVERRIDE = /[\u202d\u202e]/;
export const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/;
const JOINER = /[\u200c\u200d]/;
const EMOJI_BEFORE = /(?:\p{Extended_Pictographic}|\p{Emoji_Modifier}|\ufe0f)$/u;
/** A character of a text. */
export interface Place {
  readonly text: string;
  readonly at: number;
  readonly code: number;
  readonly hasRightToLeft: boolean;
  /** What `findConcealed` found in the text. Left out: nobody needs to know. */
  readonly concealed?: ReadonlyMap<number, string> | undefined;
}

/** What is not seen from there on. */
export interface Hidden {
  readonly end: number;
  /** `undefined`: it is not seen, and belongs where it stands. */
  readonly mark?: Mark | undefined;
}

/** `undefined`: what stands there is seen. */
export function readHidden(place: Place): Hidden | undefined {
  const { text, at, code, hasRightToLeft } = place;
  if (code === 0x09 || code === 0x0a || code === 0x0d) return undefined;
  if (code < 0xa0) return readControl(place);
  if (code >= 0xe0000 && code <= 0xe007f) return readTags(text, at);
  if ((code >= 0xfe00 && code <= 0xfe0f) || (code >= 0xe0100 && code <= 0xe01ef)) return readSelectors(text, at);
  if (isPrivate(code)) {
    const end = at + (code > 0xffff ? 2 : 1);
    return { end, mark: { kind: 'private', start: at, end, decoded: '' } };
  }
  if (code > 0xffff) return undefined;
  const character = String.fromCharCode(code);
  const end = at + 1;
  if (BIDI.test(character)) {
    const isOrdinary = hasRightToLeft && !OVERRIDE.test(character);
    return { end, mark: isOrdinary ? undefined : { kind: 'bidi', start: at, end, decoded: '' } };
  }
  if (!INVISIBLE.some(([first, last]) => code >= first && code <= last)) return undefined;
  return { end, mark: isOrdinaryJoint(place) ? undefined : { kind: 'invisible', start: at, end, decoded: '' } };
}

/** Characters without a meaning of their own: whoever agreed on one reads it, nobody else does. */
function isPrivate(code: number): boolean {
  return (code >= 0xe000 && code <= 0xf8ff) || code >= 0xf0000;
}

/** Where invisible characters belong: a mark at the start of a file, hyphenation, joiners in emoji and in scripts that need them. */
function isOrdinaryJoint({ text, at, code }: Place): boolean {
  if (code === 0xfeff && at === 0) return true;
  if (code === 0xad) return true;
  if (!JOINER.test(text.charAt(at))) return false;
  const before = text.slice(Math.max(0, at - 2), at);
  if (EMOJI_BEFORE.test(before)) return true;
  return (before.charCodeAt(before.length - 1) || 0) >= 0x0590 && (text.charCodeAt(at + 1) || 0) >= 0x0590;
}

function readControl({ text, at, code, concealed }: Place): Hidden {
  if (code === 0x1b || code >= 0x90) {
    ANSI.lastIndex = at;
    const match = ANSI.exec(text);
    if (match !== null && match[0].length > 0) {
      const end = at + match[0].length;
      const conceals = concealed?.get(at);
      const kind = conceals === undefined && COLOUR.test(match[0]) ? 'colour' : 'ansi';
      const mark = { kind, start: at, end, decoded: match[1] ?? '' } as const;
      return { end, mark: conceals === undefined ? mark : { ...mark, conceals } };
    }
  }
  return { end: at + 1, mark: { kind: 'control', start: at, end: at + 1, decoded: '' } };
}

/** U+E0000 to U+E007F mirror ASCII and show nothing. Their one use is the flags of regions: a black flag, a code, a cancel tag. */
function readTags(text: string, at: number): Hidden {
  let decoded = '';
  let end = at;
  for (let code = text.codePointAt(end) ?? 0; code >= 0xe0000 && code <= 0xe007f; code = text.codePointAt(end) ?? 0) {
    const ascii = code - 0xe0000;
    if (ascii >= 0x20 && ascii < 0x7f) decoded += String.fromCharCode(ascii);
    end += 2;
  }
  const isFlag = text.slice(Math.max(0, at - 2), at) === '\u{1f3f4}' && /^[a-z0-9]{3,6}$/.test(decoded);
  return { end, mark: isFlag ? undefined : { kind: 'tag', start: at, end, decoded } };
}

/** One selector chooses a glyph. More of them choose nothing and can carry bytes (P. Butler, "Smuggling arbitrary data through an emoji", 2025). */
function readSelectors(text: string, at: number): Hidden {
  const bytes: number[] = [];
  let end = at;
  for (;;) {
    const code = text.codePointAt(end) ?? 0;
    if (code >= 0xfe00 && code <= 0xfe0f) bytes.push(code - 0xfe00);
    else if (code >= 0xe0100 && code <= 0xe01ef) bytes.push(code - 0xe0100 + 16);
    else break;
    end += code > 0xffff ? 2 : 1;
  }
  if (bytes.length < 2) return { end };
  return {
    end,
    mark: { kind: 'variation', start: at, end, decoded: new TextDecoder().decode(Uint8Array.from(bytes)) },
  };
}
