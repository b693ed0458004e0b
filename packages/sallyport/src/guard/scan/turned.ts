/** Parts of orders that no other text has from their end, or with other letters. Without their first letter, which may be a capital. */
const SIGNS = ['gnore', 'nstructions', 'revious', 'ystem prompt', 'isregard', 'he user', 'orget all'] as const;
const BACK = SIGNS.map(turnRound);
const BY_13 = SIGNS.map(turnLetters);
/** Documents are not turned. Characters. */
const MAX_TURNED = 65_536;

/** Has it a word that stands in orders, from its end? */
export function isTurnedRound(text: string): boolean {
  return BACK.some((sign) => text.includes(sign));
}

/** A text that is written from its end, or with each letter thirteen places on. */
export interface Turned {
  readonly how: 'turned round' | 'turned by 13';
  readonly text: string;
}

/** Expects lower case. `undefined`: it is written as it is read. */
export function turn(text: string): Turned | undefined {
  if (text.length > MAX_TURNED) return undefined;
  if (isTurnedRound(text)) return { how: 'turned round', text: turnRound(text) };
  return BY_13.some((sign) => text.includes(sign)) ? { how: 'turned by 13', text: turnLetters(text) } : undefined;
}

function turnRound(text: string): string {
  return Buffer.from(text, 'utf16le').swap16().reverse().toString('utf16le');
}

function turnLetters(text: string): string {
  return text.replace(/[a-z]/g, (letter) => String.fromCharCode(((letter.charCodeAt(0) - 97 + 13) % 26) + 97));
}
