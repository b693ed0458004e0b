/** How long a text is, as people, programs and models count. */
export interface TextSize {
  /** UTF-16 units, as `String.length`. */
  characters: number;
  /** Of these, those of East Asian scripts and emoji, which cost more tokens. */
  wide: number;
  /** Line feeds. */
  lines: number;
}

/** Adds what stands in `bytes`, UTF-8 text. */
export function countText(bytes: Buffer, into: TextSize): void {
  let { characters, wide, lines } = into;
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i] as number; // Within the bounds of the loop.
    if (byte < 0x80) {
      characters++;
      if (byte === 0x0a) lines++;
    } else if (byte >= 0xf0) {
      characters += 2;
      wide += 2;
    } else if (byte >= 0xc0) {
      characters++;
      // U+2E80 and later: E2 BA 80 in UTF-8.
      if (byte > 0xe2 || (byte === 0xe2 && (bytes[i + 1] ?? 0) >= 0xba)) wide++;
    }
  }
  into.characters = characters;
  into.wide = wide;
  into.lines = lines;
}
