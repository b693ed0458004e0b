// Written by scripts/train-definition-scorer.mjs. Do not edit.

/** What each reason of features.ts adds to the logarithm of the odds; never below 0: a reason may raise, none clears. */
export const WEIGHTS: ReadonlyMap<string, number> = new Map([
  ['conceals', 1.75],
  ['conceals-act', 0.26],
  ['overrides', 3.29],
  ['claims-authority', 1.86],
  ['orders-with-authority', 0.43],
  ['prompt-markup', 4.75],
  ['exfiltrates', 1.27],
  ['secret-files', 2.06],
  ['wants-secret-files', 1.33],
  ['wants-secrets', 1.55],
  ['sends-elsewhere', 3.29],
  ['command-line', 1.5],
  ['orders-command', 0.82],
  ['orders-execution', 0.8],
  ['excuse', 1.35],
  ['changes-arguments', 0.39],
  ['trigger-changes-arguments', 1.43],
  ['standing-order', 0.25],
  ['acts-later', 1.91],
  ['redirects', 0.66],
  ['orders-other-tool', 0.02],
  ['mentions-other-tool', 0.13],
  ['orders-first', 0.7],
  ['speaks-of-others', 1.11],
  ['puts-words', 0.89],
  ['promotes-itself', 1.42],
  ['boasts', 2.33],
  ['extra-duty', 2.85],
  ['extra-duty-excused', 0.51],
  ['greedy', 0.43],
]);

/** Of a definition that gives no reason; chosen so that 0.6 % of real tools score 0.5 or more. */
export const BIAS = -2.06;
