/**
 * Digits, letters, blanks and dashes of other scripts, which people and their programs write between the groups of a number
 * without noticing: full-width forms, Arabic-Indic digits, no-break and thin blanks, hyphens and minus signs of Unicode.
 */
const ODD =
  /[\u00a0\u00ad\u0660-\u0669\u06f0-\u06f9\u1680\u2000-\u200a\u2010-\u2015\u202f\u205f\u2212\u3000\ufe58\ufe63\uff0b\uff0d\uff0e\uff10-\uff1a\uff21-\uff3a\uff3b\uff3d\uff41-\uff5a]/g;

/** By code: 1 for such digits and letters, 2 for what stands between them. */
export const ODD_SIGNS = new Uint8Array(1 << 16);
for (let code = 0x80; code < ODD_SIGNS.length; code++) {
  const sign = String.fromCharCode(code);
  if (sign.search(ODD) === 0) ODD_SIGNS[code] = /[\p{N}\p{L}]/u.test(sign) ? 1 : 2;
}

/**
 * The text with each of them as the ASCII character it is read as, where one is part of a number: dashes and blanks of prose
 * are not. One for one: every place stays what it was.
 */
export function toPlainSigns(text: string): string {
  for (let i = 0; i < text.length; i++) {
    const kind = ODD_SIGNS[text.charCodeAt(i)];
    if (kind === 1 || (kind === 2 && /\d/.test(text.slice(i > 0 ? i - 1 : 0, i + 2))))
      return text.replace(ODD, toAscii);
  }
  return text;
}

function toAscii(sign: string): string {
  const code = sign.charCodeAt(0);
  if (code >= 0xff01) return String.fromCharCode(code - 0xfee0);
  if (code >= 0x0660 && code <= 0x06f9) return String.fromCharCode(48 + (code & 15));
  return /\s/.test(sign) ? ' ' : '-';
}
