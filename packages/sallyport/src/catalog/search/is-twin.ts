import type { ToolFace } from '../../core/tool-face.ts';
import { toNameWords, toTerms } from './tokens.ts';

/** Share of the words of two descriptions that are in both. */
const ALIKE = 0.8;
const MAX_TEXT = 600;

/** Whether two tools of different servers have the same name, however it is written, and say almost the same. */
export function isTwin(one: ToolFace, other: ToolFace): boolean {
  if (one.server === other.server || toKey(one.name) !== toKey(other.name)) return false;
  const [words, others] = [toWords(one.description), toWords(other.description)];
  let both = 0;
  for (const word of words) if (others.has(word)) both += 1;
  return both >= ALIKE * (words.size + others.size - both);
}

function toKey(name: string): string {
  return toNameWords(name.slice(0, 256)).join(' ');
}

function toWords(description: string): ReadonlySet<string> {
  return new Set(toTerms(description.slice(0, MAX_TEXT)));
}
