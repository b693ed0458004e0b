/** ECMA-48 8.3.117: what chooses colours and conceals. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
const RENDITION = /(?:\x1b\[|\x9b)([\d;:]{0,64})m/g;
/** Conceals, or sets a background: most coloured texts do neither, and are not read code by code. */
const HIDING = /[[\x9b;]0{0,62}(?:8|4[0-8]|10[0-7])[;:m]/;
/** Blocks of colour (a palette shown in a terminal) hide nothing. */
const WORDLIKE = /[\p{L}\p{N}]/u;
/** More of a text than anybody needs to see what it says. Characters. */
const MAX_SAID = 4_096;
/** Channels this close are one colour for an eye. */
const CLOSE = 12;

/** What a terminal paints with; a colour is its palette index as a string, or red, green and blue. */
interface Paint {
  fore: Colour;
  back: Colour;
  isConcealed: boolean;
}

type Colour = readonly number[] | undefined;

/**
 * Text in the colour of its background, or concealed: a model reads it and nobody sees it. Colours last until they are
 * changed, so that the two may be set by sequences that stand apart.
 * @returns by the place of the sequence that it begins with, what is not seen
 */
export function findConcealed(text: string): ReadonlyMap<number, string> {
  if (!HIDING.test(text)) return NONE;
  const found = new Map<number, string>();
  const paint: Paint = { fore: undefined, back: undefined, isConcealed: false };
  let hidingFrom: number | undefined;
  const close = (from: number, end: number) => {
    const said = text.slice(from, Math.min(end, from + MAX_SAID));
    // Where the text ends in it, more may follow in what is read as the next part.
    if (hidingFrom !== undefined && (WORDLIKE.test(said) || end === text.length)) found.set(hidingFrom, said);
  };
  let after = 0;
  for (const match of text.matchAll(RENDITION)) {
    close(after, match.index);
    setPaint(paint, match[1] ?? '');
    hidingFrom = paint.isConcealed || isSame(paint) ? match.index : undefined;
    after = match.index + match[0].length;
  }
  close(after, text.length);
  return found;
}

const NONE: ReadonlyMap<number, string> = new Map();

function isSame({ fore, back }: Paint): boolean {
  if (fore === undefined || back === undefined || fore.length !== back.length) return false;
  const reach = fore.length === 1 ? 0 : CLOSE;
  return fore.every((value, i) => Math.abs(value - (back[i] ?? 0)) <= reach);
}

/** Codes as terminals read them: 38 and 48 take those behind them, with semicolons as with colons (ITU-T T.416). */
function setPaint(paint: Paint, written: string): void {
  const groups = written.split(';').map((group) => group.split(':').map(Number));
  for (let i = 0; i < groups.length; i++) {
    const group = groups[i] ?? [];
    const code = group[0] ?? 0;
    if (code === 38 || code === 48) {
      const own = group.length > 1 ? withoutSpace(group.slice(1)) : groups.slice(i + 1, i + 5).map(([one]) => one ?? 0);
      const { colour, width } = toColour(own);
      if (group.length === 1) i += width;
      if (code === 38) paint.fore = colour;
      else paint.back = colour;
    } else setCode(paint, code);
  }
}

/** `38:2::r:g:b`: with colons an id of the colour space may stand between. */
function withoutSpace(own: readonly number[]): readonly number[] {
  return own[0] === 2 && own.length > 4 ? [2, ...own.slice(2)] : own;
}

function toColour([kind, ...values]: readonly number[]): { readonly colour: Colour; readonly width: number } {
  if (kind === 5) return { colour: fromPalette(values[0] ?? 0), width: 2 };
  if (kind === 2) return { colour: [values[0] ?? 0, values[1] ?? 0, values[2] ?? 0], width: 4 };
  return { colour: undefined, width: 0 };
}

const CUBE = [0, 95, 135, 175, 215, 255];

/** The first 16 are what the theme of a terminal says, but for black and white; the others are fixed (xterm). */
function fromPalette(index: number): Colour {
  if (index === 0) return [0, 0, 0];
  if (index === 15) return [255, 255, 255];
  if (index < 16) return [index];
  const grey = 8 + (index - 232) * 10;
  if (index >= 232) return [grey, grey, grey];
  const at = index - 16;
  return [Math.floor(at / 36), Math.floor(at / 6) % 6, at % 6].map((step) => CUBE[step] ?? 0);
}

function setCode(paint: Paint, code: number): void {
  if (code === 0) Object.assign(paint, { fore: undefined, back: undefined, isConcealed: false });
  else if (code === 8) paint.isConcealed = true;
  else if (code === 28) paint.isConcealed = false;
  else if (code >= 30 && code <= 37) paint.fore = fromPalette(code - 30);
  else if (code === 39) paint.fore = undefined;
  else if (code >= 40 && code <= 47) paint.back = fromPalette(code - 40);
  else if (code === 49) paint.back = undefined;
  else if (code >= 90 && code <= 97) paint.fore = fromPalette(code - 82);
  else if (code >= 100 && code <= 107) paint.back = fromPalette(code - 92);
}
