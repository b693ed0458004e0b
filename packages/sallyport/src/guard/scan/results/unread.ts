import type { TextRule } from './text-rules.ts';

/** Padding buys nobody a blind spot: what is over a bound is marked for being too much. */
export const UNREAD: Pick<TextRule, 'id' | 'owasp' | 'why'> = {
  id: 'too-much-to-read',
  owasp: 'MCP06',
  why: 'It holds more text in disguise, in scripts that can be one, or of words that give orders than is read.',
};
/** Enough for the review tier. */
export const UNREAD_WEIGHT = 0.5;
