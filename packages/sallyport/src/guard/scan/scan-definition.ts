import { type Finding, NOTHING_FOUND, type Scan } from '../../core/finding.ts';
import type { JsonObject } from '../../core/json.ts';
import { BLOCK_RULES, HIDDEN_ORDER, MARK_RULES, STRAY_MARK } from './block-rules.ts';
import { type Mask, meets, type SentenceBits } from './concept-bits.ts';
import type { Concept } from './concepts.ts';
import { type Piece, type Reading, readDefinition, toEvidence } from './definition-reading.ts';
import type { Said } from './excuses.ts';
import { type Facts, findFacts, meetsAll, namesOf, spanOf, toMasks } from './facts.ts';
import type { Feature } from './feature.ts';
import { FEATURES } from './features.ts';
import { findGreed } from './greed.ts';
import { findOddParameters } from './parameters.ts';
import type { DefinitionContext } from './scan-context.ts';
import { areStray } from './stray-marks.ts';
import { REVIEW_FROM } from './thresholds.ts';
import { BIAS, WEIGHTS } from './weights.ts';

/** Raised with every change of a rule or a weight: definitions are read again. */
export const DEFINITION_RULES_VERSION = '14';

/** A definition that breaks every rule a hundred times is explained by the first of them. */
const MAX_FINDINGS = 32;

/**
 * Reads a definition before anybody may use it: every text, in every way a model may read it.
 * @returns the findings of the block tier, and from `REVIEW_FROM.definition` on those that explain the score
 */
export function scanDefinition(definition: JsonObject, context: DefinitionContext): Scan {
  return judge(readDefinition(definition), { definition, context, from: REVIEW_FROM.definition });
}

export interface Subject {
  /** Its names and parameters are its own; a parameter is looked at only when `reading` holds it. */
  readonly definition: JsonObject;
  readonly context: DefinitionContext;
  /** From this score on it is in the review tier. */
  readonly from: number;
  /** Which parameters to look at, by JSON pointer; default all. */
  readonly isNew?: (where: string, said: string) => boolean;
}

export function judge(reading: Reading, subject: Subject): Scan {
  const { definition, context, from, isNew = () => true } = subject;
  const facts = findFacts(reading, context, namesOf(definition));
  const findings = [...findMarks(reading), ...findHiddenOrders(reading), ...findBlocks(reading, facts)];
  const odd = findOddParameters(definition).filter(({ where, said }) => isNew(where, said));
  for (const { rule, where, name, said } of odd) {
    const { id, owasp, why, fix } = rule;
    const evidence = toEvidence(said === '' ? name : `${name}: ${said}`);
    findings.push({ id, tier: 'review', owasp, where, start: 0, end: said.length, evidence, why, fix });
  }
  findings.push(...findGreed(reading, { definition, context, bits: facts.bits }));
  const scored = toScore(facts);
  const score = findings.length > 0 ? Math.max(scored, 1 - (1 - from) / 2, findings.some(isBlock) ? 1 : 0) : scored;
  if (score < from) return score === 0 && findings.length === 0 ? NOTHING_FOUND : { findings: [], score };
  findings.push(...explain(reading, facts));
  return { findings: findings.slice(0, MAX_FINDINGS), score };
}

const isBlock = ({ tier }: Finding) => tier === 'block';

/** One finding per kind and text: a hidden sentence is one, not one per character. */
function findMarks({ pieces }: Reading): Finding[] {
  const findings: Finding[] = [];
  for (const { source, canonical, view } of pieces) {
    if (view.kind !== 'plain') continue;
    const seen = new Set<string>();
    const marks = canonical.marks.filter(({ kind }) => MARK_RULES.has(kind));
    const isStray = areStray(source.text, marks);
    for (const { kind, start, end, decoded } of marks) {
      const rule = isStray ? STRAY_MARK : MARK_RULES.get(kind);
      if (rule === undefined || seen.has(rule.id)) continue;
      seen.add(rule.id);
      const around = toEvidence(decoded === '' ? source.text.slice(Math.max(0, start - 40), end + 40) : decoded);
      findings.push({ ...rule, tier: isStray ? 'review' : 'block', where: source.where, start, end, evidence: around });
    }
  }
  return findings;
}

/** What a hidden text may not say at all: in the open, some of it is only looked at. */
const ORDERS: ReadonlySet<Concept> = new Set([
  ...(['conceal', 'hush', 'override', 'reset', 'secretPath', 'shell', 'exfiltrate', 'tag', 'session'] as const),
]);
const MIN_DISGUISED = 3;

function findHiddenOrders(reading: Reading): Finding[] {
  const findings: Finding[] = [];
  const seen = new Set<Piece>();
  for (const [concept, hits] of reading.hits) {
    if (!ORDERS.has(concept)) continue;
    for (const { start, end } of hits) {
      const piece = reading.pieceAt(start);
      if (piece === undefined || seen.has(piece)) continue;
      if (piece.view.disguised(start - piece.start, end - piece.start) < MIN_DISGUISED) continue;
      seen.add(piece);
      const place = reading.locate(start, end);
      const how = piece.view.how === '' ? '' : ` (${piece.view.how})`;
      findings.push({ ...HIDDEN_ORDER, why: `${HIDDEN_ORDER.why.slice(0, -1)}${how}.`, tier: 'block', ...place });
    }
  }
  return findings;
}

const BLOCKS = BLOCK_RULES.map((rule) => ({ rule, masks: toMasks(rule.all) }));

function findBlocks(reading: Reading, facts: Facts): Finding[] {
  const findings: Finding[] = [];
  for (const { rule, masks } of BLOCKS) {
    for (let sentence = 0; sentence < facts.bits.length; sentence++) {
      if (!holds(facts.bits, { index: sentence, masks, reach: rule.reach ?? 0 })) continue;
      if (saidIn(reading, rule.shows, sentence).every(rule.unless)) continue;
      findings.push(toFinding(reading, facts, { rule, sentence, tier: 'block' }));
      break;
    }
  }
  return findings;
}

/** Each place of a sentence where a concept stands. */
function saidIn(reading: Reading, shows: Feature['shows'], index: number): readonly Said[] {
  const [from, to] = reading.sentenceAt(index);
  return (reading.hits.get(shows as Concept) ?? [])
    .filter(({ sentence }) => sentence === index)
    .map(({ start, end }) => ({
      before: reading.text.slice(Math.max(from, start - 400), start),
      said: reading.text.slice(start, end),
      after: reading.text.slice(end, Math.min(to, end + 160)),
    }));
}

interface Within {
  readonly index: number;
  readonly masks: readonly Mask[];
  readonly reach: number;
}

/** The first part in this sentence, the others there or shortly after. */
function holds(bits: SentenceBits, { index, masks, reach }: Within): boolean {
  const [first] = masks;
  return first !== undefined && meets(bits.at(index), first) && meetsAll(bits.at(index, reach), masks);
}

function explain(reading: Reading, facts: Facts): Finding[] {
  return FEATURES.flatMap((rule, index) => {
    const sentence = facts.sentences[index] ?? -1;
    const isTold = (facts.values[index] ?? 0) > 0 && (WEIGHTS.get(rule.id) ?? 0) > 0;
    return isTold && sentence !== -1 ? [toFinding(reading, facts, { rule, sentence, tier: 'review' })] : [];
  });
}

interface Told {
  readonly rule: Pick<Feature, 'id' | 'owasp' | 'why' | 'fix' | 'shows'>;
  readonly sentence: number;
  readonly tier: Finding['tier'];
}

function toFinding(reading: Reading, facts: Facts, { rule, sentence, tier }: Told): Finding {
  const { id, owasp, why, fix, shows } = rule;
  const place = reading.locate(...spanOf(reading, facts, { sentence, shows }));
  return { id, tier, owasp, ...place, why, fix };
}

/** 0 to 1; 0.5 is the bar. */
function toScore({ values }: Pick<Facts, 'values'>): number {
  if (values.every((value) => value === 0)) return 0;
  const odds = FEATURES.reduce((sum, { id }, index) => sum + (WEIGHTS.get(id) ?? 0) * (values[index] ?? 0), BIAS);
  return 1 / (1 + Math.exp(-odds));
}
