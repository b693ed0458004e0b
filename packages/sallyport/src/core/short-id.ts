const SIGNS = 'abcdefghijklmnopqrstuvwxyz234567';

/** Sixteen letters and digits of at least 16 bytes, 80 bits: nobody guesses them, and no change of case loses one. */
export function toShortId(bytes: Buffer): string {
  return [...bytes.subarray(0, 16)].map((byte) => SIGNS[byte & 31]).join('');
}
