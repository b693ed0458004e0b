import type { Report } from '../catalog/pins/inspection.ts';
import type { Finding } from '../core/finding.ts';
import type { JsonObject } from '../core/json.ts';
import { objectOf, type Schema, TEXT } from './route.ts';

/** Members of one finding. */
export const FINDING_PROPERTIES = {
  id: { type: 'string', description: 'The rule that found it; docs/scan-definitions.md says what each is about.' },
  tier: { enum: ['block', 'review'], description: 'block: held until a person approves it. review: to be read.' },
  owasp: { type: 'string', description: 'OWASP MCP Top 10 (2025).' },
  where: { type: 'string', description: 'JSON Pointer (RFC 6901) of the text; empty for a text alone.' },
  start: { type: 'integer', description: 'In UTF-16 units of that text.' },
  end: { type: 'integer' },
  evidence: { type: 'string', description: 'That part of the text, made harmless to show.' },
  why: TEXT,
  fix: { type: 'string', description: 'What you can do about it.' },
} as const satisfies JsonObject;

export const FINDING: Schema = { title: 'Finding', ...objectOf(FINDING_PROPERTIES) };

/** What reading one definition came to, in numbers. */
export const FOUND: Schema = {
  type: ['object', 'null'],
  description: 'What reading what is offered found; null: it was not read.',
  required: ['block', 'review', 'score'],
  properties: {
    block: { type: 'integer', description: 'Findings of the block tier.' },
    review: { type: 'integer', description: 'Findings of the review tier.' },
    score: { type: 'number', description: 'How suspicious the whole is, 0 to 1.' },
  },
};

export function describeFinding({ id, tier, owasp, where, start, end, evidence, why, fix }: Finding): JsonObject {
  return { id, tier, owasp, where, start, end, evidence, why, fix };
}

export function countFound(found: Report | undefined): JsonObject | null {
  if (found === undefined) return null;
  const block = found.findings.filter(({ tier }) => tier === 'block').length;
  return { block, review: found.findings.length - block, score: found.score };
}
