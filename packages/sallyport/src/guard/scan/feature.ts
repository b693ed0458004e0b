import type { OwaspTag } from '../../core/finding.ts';
import type { Part } from './concept-bits.ts';

/** Why a definition deserves a second look. One row is one reason: several concepts in one sentence, or one alone. */
export interface Feature {
  readonly id: string;
  readonly owasp: OwaspTag;
  readonly why: string;
  readonly fix: string;
  /** All of these in one sentence; of a list one is enough. */
  readonly all: readonly (Part | readonly Part[])[];
  /** All but the first may stand in one of so many sentences after it; default none. */
  readonly reach?: number;
  /** Points at this one. */
  readonly shows: Part;
  /** What makes it harmless in the same sentence. */
  readonly unless?: RegExp;
  /** No reason by itself, however rare it is: honest tools have it for their purpose. */
  readonly isClue?: true;
  /** One is chance, three are a habit: its value is how often it was said, up to three. */
  readonly isCounted?: true;
}

export const READ = 'Read the text; approve it only when you know why it says so.';
export const ASK = 'Ask the author of the server why; until then leave it in quarantine.';
/** A promise about a secret, not a demand for it. */
export const KEPT_SAFE =
  /\b(?:never|not) (?:be |to be |\w{2,12} or )?(?:stor|log|shar|sent|sav|kept|keep|persist|display|show|print|return|expos|transmit)/;
/** A place that is only where something is looked for. */
export const AS_DEFAULT =
  /\b(?:defaults?|for example|such as|usually|typically|falls? back|if (?:none|omitted|empty|unset|not (?:given|set))|when (?:none|omitted|empty|unset))\b|\be\.g\./;
/** Told later, or when asked for. */
export const NOT_YET = /\b(?:unless|until|before|if (?:they|the user|asked)|when (?:asked|they ask))\b/;
/** Left to a person. */
export const BY_HAND = /\b(?:by hand|manually|for the user to|themselves)\b|手动/;
/** What the user said in a conversation, not what holds for the rest of it. */
export const SAID_THERE =
  /\b(?:typed|said|says?|named|given|asked|confirmed|written|told|mentioned|agreed|approved|chosen|seen|uploaded|created|shared)\b[^.;]{0,40} in (?:this|the current|the) (?:conversation|chat|session)\b/;
/** Left to the user to ask for. */
export const ON_REQUEST =
  /\b(?:when|if|unless|until|only|once|after) (?:when |if |after )?(?:the )?users? (?:explicitly |has |have )?(?:asks?|asked|requests?|wants?|agrees?|agreed|confirms?|confirmed|approves?|says?|tells?)\b|\bafter (?:showing|asking)\b/;
/** Where people may write to, or how an address is written. */
export const CONTACT =
  /\b(?:contact (?:us|me|the|at|them)|contacts |support|questions?|feedback|report (?:bugs|issues)|maintain(?:er|ed)|author|license|e\.g\.|examples?|such as|format)\b/;
