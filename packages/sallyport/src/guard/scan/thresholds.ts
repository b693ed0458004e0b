import { TEXT_REVIEW_FROM } from './scan-text.ts';

/** From which score on what was read is in the review tier. A change is read for its added text alone, so less is enough. */
export const REVIEW_FROM = Object.freeze({ definition: 0.5, change: 0.5, text: TEXT_REVIEW_FROM });
