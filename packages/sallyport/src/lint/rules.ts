import type { Rule } from './rule.ts';
import { ANNOTATION_RULES } from './rules/annotations.ts';
import { DESCRIPTION_RULES } from './rules/descriptions.ts';
import { NAME_RULES } from './rules/names.ts';
import { OVERLAP_RULES } from './rules/overlap.ts';
import { PAGE_RULES } from './rules/pages.ts';
import { SCHEMA_RULES } from './rules/schemas.ts';
import { SECURITY_RULES } from './rules/security.ts';
import { SIZE_RULES } from './rules/size.ts';
import { SPEC_RULES } from './rules/spec.ts';

/** Every rule, in the order of reports. A new rule is one row in the file of its group. */
export const RULES: readonly Rule[] = [
  ...SPEC_RULES,
  ...NAME_RULES,
  ...DESCRIPTION_RULES,
  ...SCHEMA_RULES,
  ...ANNOTATION_RULES,
  ...PAGE_RULES,
  ...SIZE_RULES,
  ...OVERLAP_RULES,
  ...SECURITY_RULES,
];

export function findRule(id: string): Rule | undefined {
  return RULES.find((rule) => rule.id === id);
}
