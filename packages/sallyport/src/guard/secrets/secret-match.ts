import type { SecretGroup } from '../../config/secret-kinds.ts';
import { FaultError } from '../../core/errors.ts';

/** Of one text: what comes after the last one that is counted would pass. */
export const MAX_MATCHES = 100_000;

/** Instead of a list that is cut: nothing passes a guard that fails, and the caller reads why. */
export function tooManyMatches(): FaultError {
  return new FaultError(
    'too_large',
    'One text holds more than 100,000 keys, numbers, addresses and the like, more than are checked. Split it into smaller texts.',
  );
}

/** One secret or personal datum in a text. Its value is the text between `start` and `end`, and is never copied into reasons. */
export interface SecretMatch {
  /** In kebab-case, e.g. `github-token`; keeps its meaning for good. */
  readonly kind: string;
  readonly group: SecretGroup;
  /** In UTF-16 units of the original text. */
  readonly start: number;
  readonly end: number;
  /** `hidden`: seen only after decoding, or after what hides it was taken out. */
  readonly how: 'plain' | 'hidden';
  /** As documentation shows it: a published sample number, or a key that says it is none. */
  readonly isSample: boolean;
}

/** What is known of the place a text stands in. */
export interface TextPlace {
  /** The name of the field it is the value of: `"password": "…"` says more than `…`. */
  readonly field?: string | undefined;
}
