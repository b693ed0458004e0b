import type { Finding } from '../../../core/finding.ts';
import { isBlock } from './findings.ts';

/** How it is spoken of to whoever asked for it. */
export interface KeptWords {
  /** The beginning of a sentence: what happened. */
  readonly what: string;
  /** The end of one: what gives the result once it is released. */
  readonly after: string;
}

/** Why a result is kept back, under which id, and what to do. @param id `undefined`: it could not be stored */
export function explainKept(
  { what, after }: KeptWords,
  { id, findings }: { readonly id: string | undefined; readonly findings: readonly Finding[] },
): string {
  const why = `${what}, because it holds what a stranger should not say to you: ${whyOf(findings)}`;
  if (id === undefined) return `${why} It could not be stored for a person to look at.`;
  return `${why} A person can read it with "sallyport result show ${id}" and release it with: sallyport result release ${id} --reason "…". After that, ${after}`;
}

/** The first reasons of the block tier, each once. */
export function whyOf(findings: readonly Finding[]): string {
  return [...new Set(findings.filter(isBlock).map(({ why }) => why))].slice(0, 3).join(' ');
}
