import type { ToolFace } from '../../core/tool-face.ts';
import { toNameWords, toTerms } from './tokens.ts';

/** Share of the words of two descriptions, and of the names of parameters, that are in both. */
const ALIKE = 0.9;
const MAX_TEXT = 600;

/** Whether two tools of different servers can be called alike: the same name, however it is written, almost the same text and parameters. */
export function isTwin(one: ToolFace, other: ToolFace): boolean {
  if (one.server === other.server || toKey(one.name) !== toKey(other.name)) return false;
  return (
    areAlike(new Set(one.parameters), new Set(other.parameters)) &&
    areAlike(toWords(one.description), toWords(other.description))
  );
}

function areAlike(some: ReadonlySet<string>, others: ReadonlySet<string>): boolean {
  let both = 0;
  for (const one of some) if (others.has(one)) both += 1;
  return both >= ALIKE * (some.size + others.size - both);
}

function toKey(name: string): string {
  return toNameWords(name.slice(0, 256)).join(' ');
}

function toWords(description: string): ReadonlySet<string> {
  return new Set(toTerms(description.slice(0, MAX_TEXT)));
}
