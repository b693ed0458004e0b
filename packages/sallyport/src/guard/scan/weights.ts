// Written by scripts/train-definition-scorer.mjs. Do not edit.

/** What each reason of features.ts adds to the logarithm of the odds; never below 0: a reason may raise, none clears. */
export const WEIGHTS: ReadonlyMap<string, number> = new Map([
  ['conceals', 1.72],
  ['conceals-act', 2.16],
  ['overrides', 3.27],
  ['claims-authority', 1.85],
  ['orders-with-authority', 2.16],
  ['prompt-markup', 4.76],
  ['exfiltrates', 2.16],
  ['secret-files', 2.06],
  ['wants-secret-files', 2.16],
  ['wants-secrets', 1.57],
  ['sends-elsewhere', 3.28],
  ['command-line', 1.49],
  ['orders-command', 2.16],
  ['orders-execution', 2.16],
  ['excuse', 1.34],
  ['changes-arguments', 2.16],
  ['trigger-changes-arguments', 2.16],
  ['standing-order', 2.16],
  ['acts-later', 2.16],
  ['redirects', 0.67],
  ['redirects-other-tool', 2.16],
  ['orders-other-tool', 2.16],
  ['mentions-other-tool', 0.13],
  ['orders-first', 0.71],
  ['speaks-of-others', 1.05],
  ['puts-words', 2.16],
  ['promotes-itself', 1.45],
  ['boasts', 2.27],
  ['extra-duty', 2.86],
  ['extra-duty-excused', 2.16],
  ['greedy', 0.43],
]);

/** Of a definition that gives no reason; chosen so that 0.5 % of real tools score 0.5 or more. */
export const BIAS = -2.06;
