/** How `fingerprints.ts` hashes a text: two polynomials, each begun with the kind. */
export interface RowHash {
  readonly bases: readonly [number, number];
  readonly kind: number;
  readonly letterOf: (code: number) => number;
}

/** Both hashes of one row; the second with its size. */
export interface HashedRow {
  readonly a: number;
  readonly b: number;
}

/**
 * So many words in a row, from each word on, written together; all of them where there are fewer. A row is a part of all
 * words, so what comes before it is taken off, instead of reading each word as often as there are rows with it.
 */
export function hashRows(words: readonly string[], row: number, { bases, kind, letterOf }: RowHash): HashedRow[] {
  if (words.length === 0) return [];
  // A unit of 0 is left out wherever a text is hashed.
  const texts = words.map((word) => (word.includes('\0') ? word.replaceAll('\0', '') : word));
  const text = texts.join('');
  const letters = new Int32Array(text.length);
  for (let i = 0; i < letters.length; i++) letters[i] = letterOf(text.charCodeAt(i));
  const [partA, partB] = [createParts(letters, bases[0]), createParts(letters, bases[1])];
  const rows: HashedRow[] = [];
  let start = 0;
  let end = 0;
  for (const first of texts.slice(0, row)) end += first.length;
  for (let i = 0; i === 0 || i + row <= texts.length; i++) {
    rows.push({ a: partA(start, end, kind), b: partB(start, end, kind) ^ (end - start) });
    start += texts[i]?.length ?? 0;
    end += texts[i + row]?.length ?? 0;
  }
  return rows;
}

/** The hash of a part, from those of the texts up to its start and up to its end. */
function createParts(letters: Int32Array, base: number): (start: number, end: number, kind: number) => number {
  const upTo = new Int32Array(letters.length + 1);
  const powers = new Int32Array(letters.length + 1);
  powers[0] = 1;
  for (let i = 0; i < letters.length; i++) {
    upTo[i + 1] = Math.imul(upTo[i] ?? 0, base) + (letters[i] ?? 0);
    powers[i + 1] = Math.imul(powers[i] ?? 0, base);
  }
  return (start, end, kind) => ((upTo[end] ?? 0) + Math.imul(kind - (upTo[start] ?? 0), powers[end - start] ?? 0)) | 0;
}
