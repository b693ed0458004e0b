import {
  CLOSE_BRACE,
  CLOSE_BRACKET,
  COLON,
  decodeKey,
  OPEN_BRACE,
  OPEN_BRACKET,
  QUOTE,
  skipSpace,
  skipString,
} from './json-scan.ts';

/** The first key that stands twice in one object of valid JSON, however it is escaped. */
export function findRepeatedKey(bytes: Buffer): string | undefined {
  /** The keys of each open object; `undefined` for an array. */
  const open: (Set<string> | undefined)[] = [];
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i];
    if (byte === OPEN_BRACE) open.push(new Set());
    else if (byte === OPEN_BRACKET) open.push(undefined);
    else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) open.pop();
    if (byte !== QUOTE) continue;
    const end = skipString(bytes, i);
    const keys = open.at(-1);
    if (keys !== undefined && bytes[skipSpace(bytes, end)] === COLON) {
      const key = decodeKey(bytes, i, end);
      if (keys.has(key)) return key;
      keys.add(key);
    }
    i = end - 1;
  }
  return undefined;
}
