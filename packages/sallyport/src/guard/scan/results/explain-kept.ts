import type { Finding } from '../../../core/finding.ts';
import { isBlock } from './findings.ts';

/** How it is spoken of to whoever asked for it. */
export interface KeptWords {
  /** The beginning of a sentence: what happened. */
  readonly what: string;
  /** The end of one: what gives the result once it is released. */
  readonly after: string;
}

/** Why a result is withheld, under which id, and what a model can do. @param id `undefined`: it could not be stored */
export function explainKept(
  { what, after }: KeptWords,
  { id, findings }: { readonly id: string | undefined; readonly findings: readonly Finding[] },
): string {
  const why = `${what}: ${whyOf(findings)}`;
  if (id === undefined) return `${why} It could not be stored, so nobody can release it. Tell the user.`;
  return `${why} A person has to read and release it; its id is ${id}. Tell the user. After it is released, ${after}`;
}

/** The first reasons of the block tier, each once. */
export function whyOf(findings: readonly Finding[]): string {
  return [...new Set(findings.filter(isBlock).map(({ why }) => why))].slice(0, 3).join(' ');
}
