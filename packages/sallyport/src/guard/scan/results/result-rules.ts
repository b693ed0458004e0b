import type { FindingTier, OwaspTag } from '../../../core/finding.ts';
import { CONTENT_FIXES, type ContentProblem } from '../../resources/check-contents.ts';
import { BLOCK_FROM, fixOf } from '../scan-text.ts';
import { CONTENT_OWASP, contentTierOf, FORBIDDEN_LINK } from './check-item.ts';
import { TURN_RULES } from './fake-turns.ts';
import { SHAPE_RULES } from './shape-rules.ts';
import { SPOKEN_RULES } from './spoken-to.ts';
import { TEXT_RULES } from './text-rules.ts';
import { UNREAD } from './unread.ts';
import { ORDERS } from './weigh-signs.ts';

/** One rule as the guide has it. */
export interface ResultRule {
  readonly id: string;
  /** Of one finding that stands there as it is read; several together, or one in disguise, are of the block tier. */
  readonly tier: FindingTier;
  readonly owasp: OwaspTag;
  readonly why: string;
  readonly fix: string;
}

const CONTENT_WHYS: Readonly<Record<ContentProblem['id'], string>> = {
  'too-large': 'It is larger than contents may be.',
  'no-base64': 'It says that it is base64, and it is not.',
  program: 'It is a program.',
  'wrong-type': 'It is of another type than it says.',
};

/** Every rule that reads what servers answer, once each: `docs/scan.md` is written from it. */
export const RESULT_RULES: readonly ResultRule[] = toRules();

function toRules(): readonly ResultRule[] {
  const texts = [...SHAPE_RULES, ...TEXT_RULES, ...[...SPOKEN_RULES, ORDERS, ...TURN_RULES, UNREAD].map(weak)];
  const ids = [...new Set(texts.map(({ id }) => id))];
  const fromTexts = ids.map((id): ResultRule => {
    const own = texts.filter((one) => one.id === id);
    const tier = own.some(({ weight }) => weight >= BLOCK_FROM) ? 'block' : 'review';
    const why = [...new Set(own.map((one) => one.why))].join(' Or: ');
    return { id, tier, owasp: own[0]?.owasp ?? 'MCP06', why, fix: fixOf(tier) };
  });
  const problems = Object.keys(CONTENT_WHYS) as ContentProblem['id'][]; // its keys are declared as these
  const fromContents = problems.map(
    (id): ResultRule => ({
      ...{ id, tier: contentTierOf(id), owasp: CONTENT_OWASP },
      ...{ why: CONTENT_WHYS[id], fix: CONTENT_FIXES[id] },
    }),
  );
  const link: ResultRule = {
    ...{ id: FORBIDDEN_LINK.id, tier: 'review', owasp: CONTENT_OWASP, why: `${FORBIDDEN_LINK.why}.` },
    fix: 'The finding says which key of "scan.resources" allows it, or that none does.',
  };
  return [...fromTexts, ...fromContents, link].sort(
    (a, b) => Number(a.tier === 'review') - Number(b.tier === 'review'),
  );
}

/** Their weights depend on what stands around, and none of them reaches the block tier alone. */
function weak(rule: Pick<ResultRule, 'id' | 'owasp' | 'why'>) {
  return { ...rule, weight: 0 };
}
