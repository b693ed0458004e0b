// Written by scripts/train-definition-scorer.mjs. Do not edit.

/** What each reason of features.ts adds to the logarithm of the odds; never below 0: a reason may raise, none clears. */
export const WEIGHTS: ReadonlyMap<string, number> = new Map([
  ['conceals', 1.89],
  ['conceals-act', 0.53],
  ['overrides', 3.2],
  ['claims-authority', 1.04],
  ['orders-with-authority', 0.83],
  ['prompt-markup', 4.63],
  ['exfiltrates', 1.6],
  ['secret-files', 1.46],
  ['wants-secret-files', 1.64],
  ['wants-secrets', 1.74],
  ['sends-elsewhere', 1.3],
  ['command-line', 1.6],
  ['orders-command', 0.68],
  ['orders-execution', 0.73],
  ['excuse', 2.26],
  ['changes-arguments', 0.22],
  ['trigger-changes-arguments', 0.62],
  ['standing-order', 1.5],
  ['acts-later', 1.3],
  ['redirects', 1.29],
  ['orders-other-tool', 0.01],
  ['mentions-other-tool', 0.34],
  ['orders-first', 1.48],
  ['speaks-of-others', 0.54],
  ['puts-words', 0.83],
  ['promotes-itself', 1.89],
  ['greedy', 0.47],
]);

/** Of a definition that gives no reason; chosen so that 0.6 % of real tools score 0.5 or more. */
export const BIAS = -2.78;
