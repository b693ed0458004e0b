import type { Finding } from '../../core/finding.ts';
import type { ToolFace } from '../../core/tool-face.ts';
import { toTerms } from '../search/tokens.ts';
import { isEmptyTerm } from './concepts.ts';

/** Terms a text must have before its proportions say anything. */
const MIN_TERMS = 30;
/** Share of one meaningful term: the highest among honest texts of that length is half of it. */
const MAX_SHARE = 0.3;
const MIN_TIMES = 10;
/** Words in one list without a sentence, each about something else. */
const MAX_LIST = 60;
const MAX_TEXT = 8000;

/**
 * A text that is made to be found and not to be read: one term over and over, or a long row of single words. Such a tool
 * would come up for every search; the index counts it no more than others, and a person is told.
 */
export function findStuffing({ description }: ToolFace): readonly Finding[] {
  const text = description.slice(0, MAX_TEXT);
  const repeated = findRepeated(text);
  if (repeated !== undefined)
    return [toFinding(text, repeated, `The word "${repeated.slice(0, 40)}" stands in it over and over.`)];
  const row = findRow(text);
  return row === undefined
    ? []
    : [toFinding(text, row, 'It lists many unrelated words, as if to be found for all of them.')];
}

function findRepeated(text: string): string | undefined {
  const counts = new Map<string, number>();
  let all = 0;
  for (const term of toTerms(text)) {
    if (isEmptyTerm(term) || /^\d+$/.test(term)) continue;
    all += 1;
    counts.set(term, (counts.get(term) ?? 0) + 1);
  }
  if (all < MIN_TERMS) return undefined;
  for (const [term, count] of counts) if (count >= MIN_TIMES && count / all >= MAX_SHARE) return term;
  return undefined;
}

/** One to three words between commas, again and again. */
function findRow(text: string): string | undefined {
  for (const line of text.split(/[.;:。；：\n]/u)) {
    const parts = line.split(/[,，、|/]/u);
    if (parts.length <= MAX_LIST) continue;
    const words = parts.map((part) => part.trim()).filter((part) => part !== '' && part.split(/\s+/u, 4).length <= 3);
    if (new Set(words).size > MAX_LIST) return line.trim().slice(0, 60);
  }
  return undefined;
}

function toFinding(text: string, evidence: string, why: string): Finding {
  const start = Math.max(0, text.toLowerCase().indexOf(evidence.toLowerCase()));
  return {
    id: 'stuffed-description',
    tier: 'review',
    owasp: 'MCP03',
    where: '/description',
    start,
    end: Math.min(text.length, start + evidence.length),
    evidence: evidence.replace(/[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}]/gu, ' '),
    why: `It may be written to be chosen for tasks of others. ${why}`,
    fix: 'Look at what the tool does. A description of your own keeps it to its task.',
  };
}
