/** Words of orders: most have one of them. */
const WORDS = ['ignore', 'instructions', 'previous', 'disregard', 'prompt'] as const;
/** The same from their end: no other text has them. */
export const BACKWARDS = WORDS.map(turnRound);
/** Without their first letter, which may be a capital. */
const SIGNS = [...WORDS.map((word) => word.slice(1)), 'he user', 'orget all'];
const BACK = SIGNS.map(turnRound);
const BY_13 = SIGNS.map(turnLetters);
/** Documents are not turned. Characters. */
const MAX_TURNED = 65_536;

/** A text that is written from its end, or with each letter thirteen places on. */
export interface Turned {
  readonly how: 'turned round' | 'turned by 13';
  readonly text: string;
}

/** Expects lower case. `undefined`: it is written as it is read. */
export function turn(text: string): Turned | undefined {
  if (text.length > MAX_TURNED) return undefined;
  if (BACK.some((sign) => text.includes(sign))) return { how: 'turned round', text: turnRound(text) };
  return BY_13.some((sign) => text.includes(sign)) ? { how: 'turned by 13', text: turnLetters(text) } : undefined;
}

function turnRound(text: string): string {
  return Buffer.from(text, 'utf16le').swap16().reverse().toString('utf16le');
}

function turnLetters(text: string): string {
  return text.replace(/[a-z]/g, (letter) => String.fromCharCode(((letter.charCodeAt(0) - 97 + 13) % 26) + 97));
}
