import type { ToolFace } from '../../core/tool-face.ts';
import { toNameWords, toTerms } from './tokens.ts';

/** Share of the words of two descriptions, and of the names of parameters, that are in both. */
const ALIKE = 0.9;
/** Words of a description that are too few to tell where another one has them from. */
const MIN_COPIED = 5;
const MAX_TEXT = 600;
const MAX_NAME = 256;

/** What is compared of a tool, each part read once. */
export interface Wording {
  readonly tool: ToolFace;
  readonly name: ReadonlySet<string>;
  readonly key: string;
  /** Of the description. */
  words(): ReadonlySet<string>;
}

export function toWording(tool: ToolFace): Wording {
  const name = toNameWords(tool.name.slice(0, MAX_NAME));
  let words: ReadonlySet<string> | undefined;
  return {
    tool,
    name: new Set(name),
    key: name.join(' '),
    words: () => (words ??= new Set(toTerms(tool.description.slice(0, MAX_TEXT)))),
  };
}

/** Whether two tools of different servers can be called alike: the same name, however it is written, almost the same text and parameters. */
export function isTwin(one: Wording, other: Wording): boolean {
  if (one.tool.server === other.tool.server || one.key !== other.key) return false;
  return areAlike(new Set(one.tool.parameters), new Set(other.tool.parameters)) && areAlike(one.words(), other.words());
}

/**
 * Whether a tool copies an earlier one of another server: it has its name, text and parameters, whatever it adds to them, or the
 * same name and nothing to say beside it.
 */
export function isImitation(later: Wording, earlier: Wording): boolean {
  if (later.tool.server === earlier.tool.server || earlier.name.size === 0) return false;
  if (countBoth(earlier.name, later.name) < earlier.name.size) return false;
  const needed = new Set(earlier.tool.parameters);
  if (countBoth(needed, new Set(later.tool.parameters)) < ALIKE * needed.size) return false;
  const [words, added] = [earlier.words(), later.words()];
  const both = countBoth(words, added);
  if (words.size >= MIN_COPIED && both >= ALIKE * words.size) return true;
  return later.key === earlier.key && isBare(later);
}

/** Its description is its name once more. */
function isBare(one: Wording): boolean {
  const name = new Set(toTerms(one.tool.name.slice(0, MAX_NAME)));
  const words = one.words();
  return countBoth(words, name) >= ALIKE * words.size;
}

function areAlike(some: ReadonlySet<string>, others: ReadonlySet<string>): boolean {
  const both = countBoth(some, others);
  return both >= ALIKE * (some.size + others.size - both);
}

function countBoth(some: ReadonlySet<string>, others: ReadonlySet<string>): number {
  let both = 0;
  for (const one of some) if (others.has(one)) both += 1;
  return both;
}
