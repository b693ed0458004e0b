import type { TextSeal } from '../src/core/text-seal.ts';
import { createRowKeys } from '../src/state/row-keys.ts';

/** Seals as an installation does; each number is another installation. */
export function sampleTexts(secret: number): TextSeal {
  return createRowKeys(Buffer.alloc(32, secret));
}

export const SAMPLE_TEXTS = sampleTexts(7);
