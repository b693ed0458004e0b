// Written by scripts/train-definition-scorer.mjs. Do not edit.

/** What each reason of features.ts adds to the logarithm of the odds; never below 0: a reason may raise, none clears. */
export const WEIGHTS: ReadonlyMap<string, number> = new Map([
  ['conceals', 1.71],
  ['conceals-act', 1.95],
  ['overrides', 3.27],
  ['claims-authority', 1.85],
  ['orders-with-authority', 1.95],
  ['prompt-markup', 4.76],
  ['exfiltrates', 1.95],
  ['secret-files', 1.75],
  ['wants-secret-files', 1.95],
  ['wants-secrets', 1.58],
  ['sends-elsewhere', 3.28],
  ['command-line', 1.5],
  ['orders-command', 1.95],
  ['orders-execution', 1.95],
  ['excuse', 1.35],
  ['changes-arguments', 1.95],
  ['trigger-changes-arguments', 1.95],
  ['standing-order', 1.95],
  ['acts-later', 2.15],
  ['redirects', 0.69],
  ['redirects-other-tool', 1.95],
  ['orders-other-tool', 1.95],
  ['mentions-other-tool', 0.93],
  ['orders-first', 0.71],
  ['speaks-of-others', 0.97],
  ['puts-words', 1.95],
  ['promotes-itself', 1.46],
  ['boasts', 2.29],
  ['orders-model', 0],
  ['extra-duty', 2.86],
  ['extra-duty-excused', 1.95],
  ['greedy', 0.42],
]);

/** Of a definition that gives no reason; chosen so that 0.5 % of real tools score 0.5 or more. */
export const BIAS = -1.87;
