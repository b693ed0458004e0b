import type { ApiResult } from './api.ts';
import { toLine } from './plain-text.ts';

export type ShownFinding = Omit<ApiResult<'listFindings'>['items'][number], 'server' | 'item' | 'state' | 'digest'>;

/** Of evidence, a path or a sentence, which stand on one line each. Columns. */
const MAX_LINE = 1_024;

/** A finding for people: what and where, the words it is about, why, what to do. */
export function describeFinding({ id, tier, owasp, where, evidence, why, fix }: ShownFinding): string[] {
  const place = where === '' ? '' : ` at ${toLine(where, MAX_LINE)}`;
  return [
    `  ${tier === 'block' ? '!!' : '! '} ${id} (${tier}, ${owasp})${place}`,
    `       "${toLine(evidence, MAX_LINE)}"`,
    `       ${toLine(why, MAX_LINE)}`,
    `       ${toLine(fix, MAX_LINE)}`,
  ];
}
