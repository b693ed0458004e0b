/** What is done about it: `block` is held or withheld at once, `review` is ranked and explained for a person. */
export type FindingTier = 'block' | 'review';

/** OWASP MCP Top 10 (2025). */
export type OwaspTag =
  | 'MCP01'
  | 'MCP02'
  | 'MCP03'
  | 'MCP04'
  | 'MCP05'
  | 'MCP06'
  | 'MCP07'
  | 'MCP08'
  | 'MCP09'
  | 'MCP10';

/** One thing in a text of a stranger that a person should know of. */
export interface Finding {
  /** The rule that found it, in kebab-case; keeps its meaning for good. */
  readonly id: string;
  readonly tier: FindingTier;
  readonly owasp: OwaspTag;
  /** JSON pointer of the text inside what was read; empty for a text alone. */
  readonly where: string;
  /** Where it stands in the original text there, in UTF-16 units. */
  readonly start: number;
  readonly end: number;
  /** That part of the text, made harmless to show, 200 characters at most. */
  readonly evidence: string;
  readonly why: string;
  /** What the operator can do about it. */
  readonly fix: string;
}

/** What was found in one definition, change or text. */
export interface Scan {
  readonly findings: readonly Finding[];
  /** How suspicious the whole is, 0 to 1; from the threshold of its kind on it is in the review tier. */
  readonly score: number;
}

export const NOTHING_FOUND: Scan = Object.freeze({ findings: Object.freeze([]) as readonly Finding[], score: 0 });
