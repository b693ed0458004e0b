import type { Step, TextRule } from './text-rules.ts';
import { TEXT_RULES } from './text-rules.ts';
import { IS_DISGUISED, type Words } from './words.ts';

/** Where a rule holds, in the text that was read. */
export interface Match {
  readonly rule: TextRule;
  readonly start: number;
  readonly end: number;
  /** Its words are not written as they are read. */
  readonly isDisguised: boolean;
}

/** A text full of demands is found by the first of them. */
const MAX_MATCHES = 64;

/** Every rule wherever it holds within one sentence; each word is at the head of each rule once, so this is linear. */
export function matchRules(words: Words): readonly Match[] {
  const matches: Match[] = [];
  for (let at = 0; at < words.count && matches.length < MAX_MATCHES; at++) {
    const rules = RULES_OF[words.kinds[at] ?? 0];
    if (rules === undefined) continue;
    for (const rule of rules) {
      const [head] = rule.steps;
      if (head === undefined || !fits(words, at, head)) continue;
      const last = follow(words, at, rule.steps);
      if (last !== undefined)
        matches.push({
          rule,
          start: words.starts[at] ?? 0,
          end: words.ends[last] ?? 0,
          isDisguised: isDisguised(words, at, last),
        });
    }
  }
  return matches;
}

function isDisguised({ marks }: Words, first: number, last: number): boolean {
  return ((marks[first] ?? 0) & (marks[last] ?? 0) & IS_DISGUISED) !== 0;
}

function fits(words: Words, at: number, { kinds, marks, only }: Step): boolean {
  const own = words.marks[at] ?? 0;
  return (kinds[words.kinds[at] ?? 0] === 1 || (own & marks) !== 0) && (own & only) === only;
}

/** The word of the last step; of several that fit a step the nearest is taken. */
function follow(words: Words, head: number, steps: readonly Step[]): number | undefined {
  const sentence = words.sentences[head];
  let at = head;
  for (let i = 1; i < steps.length; i++) {
    // True by the bound of the loop.
    const step = steps[i] as Step;
    const limit = (words.places[at] ?? 0) + step.gap + 1;
    let next = at + 1;
    while (next < words.count && words.sentences[next] === sentence && (words.places[next] ?? 0) <= limit) {
      if (fits(words, next, step)) break;
      next++;
    }
    if (next >= words.count || words.sentences[next] !== sentence || (words.places[next] ?? 0) > limit)
      return undefined;
    at = next;
  }
  return at;
}

/** The rules that begin with a word of this kind: all begin with a word, none with a name. */
const RULES_OF: readonly (readonly TextRule[] | undefined)[] = Array.from(
  TEXT_RULES[0]?.steps[0]?.kinds ?? [],
  (_, kind) => {
    const rules = TEXT_RULES.filter(({ steps }) => steps[0]?.kinds[kind] === 1);
    return rules.length === 0 ? undefined : rules;
  },
);
