/**
 * Digits, letters, blanks and dashes of other scripts, which people and their programs write between the groups of a number
 * without noticing: full-width forms, Arabic-Indic digits, no-break and thin blanks, hyphens and minus signs of Unicode.
 */
const ODD =
  /[\u00a0\u00ad\u0660-\u0669\u06f0-\u06f9\u1680\u2000-\u200a\u2010-\u2015\u202f\u205f\u2212\u3000\ufe58\ufe63\uff0b\uff0d\uff0e\uff10-\uff1a\uff21-\uff3a\uff3b\uff3d\uff41-\uff5a]/g;

/** Where they lie: to ask of each of 65,536 codes would take the start of the program some milliseconds. */
const BLOCKS = [
  [0xa0, 0xad],
  [0x660, 0x6f9],
  [0x1680, 0x1680],
  [0x2000, 0x2212],
  [0x3000, 0x3000],
  [0xfe58, 0xff5a],
] as const;

/** By code: 1 for such digits and letters, 2 for what stands between them. */
export const ODD_SIGNS = new Uint8Array(1 << 16);
for (const [from, to] of BLOCKS)
  for (let code = from as number; code <= to; code++) {
    const sign = String.fromCharCode(code);
    if (sign.search(ODD) === 0) ODD_SIGNS[code] = /[\p{N}\p{L}]/u.test(sign) ? 1 : 2;
  }

/** The text with each of them as the ASCII character it is read as. One for one: every place stays what it was. */
export function toPlainSigns(text: string): string {
  return text.replace(ODD, toAscii);
}

function toAscii(sign: string): string {
  const code = sign.charCodeAt(0);
  if (code >= 0xff01) return String.fromCharCode(code - 0xfee0);
  if (code >= 0x0660 && code <= 0x06f9) return String.fromCharCode(48 + (code & 15));
  return /\s/.test(sign) ? ' ' : '-';
}
