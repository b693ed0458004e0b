import { createHash } from 'node:crypto';
import { createInspection as createReading } from '../catalog/pins/inspect-item.ts';
import type { Inspection } from '../catalog/pins/inspection.ts';
import { BLOCK_RULES, HIDDEN_ORDER, MARK_RULES } from '../guard/scan/block-rules.ts';
import { CONCEPTS } from '../guard/scan/concepts.ts';
import { FEATURES } from '../guard/scan/features.ts';
import { PARAMETER_RULES } from '../guard/scan/parameters.ts';
import { scanChange } from '../guard/scan/scan-change.ts';
import { DEFINITION_RULES_VERSION, scanDefinition } from '../guard/scan/scan-definition.ts';
import { REVIEW_FROM } from '../guard/scan/thresholds.ts';
import { BIAS, WEIGHTS } from '../guard/scan/weights.ts';

/** Reads definitions with the rules of `guard/` and compares them with the tools of others as `catalog/` does. */
export function createInspection(): Inspection {
  return createReading({ version: toVersion(), scan: scanDefinition, scanChange, reviewFrom: REVIEW_FROM });
}

/** Of the tables too: whoever changes a rule need not remember to raise a number. */
function toVersion(): string {
  const rules = [
    ...[BLOCK_RULES, HIDDEN_ORDER, [...MARK_RULES], FEATURES, PARAMETER_RULES],
    ...[CONCEPTS, [...WEIGHTS], BIAS, REVIEW_FROM],
  ];
  const text = JSON.stringify(rules, (_key, value: unknown) => (value instanceof RegExp ? String(value) : value));
  return `${DEFINITION_RULES_VERSION}-${createHash('sha256').update(text).digest('hex').slice(0, 12)}`;
}
