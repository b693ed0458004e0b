import { deflateRawSync, deflateSync, gzipSync } from 'node:zlib';

/** How a text may be written so that a person, or a simple search, does not see what it says. */
export type Hide = (text: string) => string;

const bytes = (text: string): readonly number[] => [...Buffer.from(text)];
const each = (text: string, write: (byte: number) => string, between = ''): string =>
  bytes(text).map(write).join(between);
const hexOf = (byte: number): string => byte.toString(16).padStart(2, '0');
const base64: Hide = (text) => Buffer.from(text).toString('base64');
const hex: Hide = (text) => Buffer.from(text).toString('hex');
const percent: Hide = (text) => each(text, (byte) => `%${hexOf(byte)}`);
const entities: Hide = (text) => each(text, (byte) => `&#${byte};`);
const words = (text: string, write: (word: string) => string, between: string): string =>
  text.split(' ').map(write).join(between);

const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
const toBase32: Hide = (text) =>
  (each(text, (byte) => byte.toString(2).padStart(8, '0')).match(/.{1,5}/g) ?? [])
    .map((five) => BASE32[Number.parseInt(five.padEnd(5, '0'), 2)])
    .join('');
const ALIKE: ReadonlyMap<string, string> = new Map(
  Object.entries({ a: 'а', e: 'е', o: 'о', p: 'р', c: 'с', x: 'х', A: 'А', K: 'К', M: 'М', T: 'Т', P: 'Р', X: 'Х' }),
);
const NAMED: ReadonlyMap<string, string> = new Map(
  Object.entries({ ' ': '&nbsp;', '.': '&period;', ',': '&comma;', '/': '&sol;', ':': '&colon;', _: '&lowbar;' }),
);
const LEET: ReadonlyMap<string, string> = new Map(Object.entries({ o: '0', i: '1', e: '3', a: '4', s: '5' }));
const turn: Hide = (text) =>
  text.replace(/[a-z]/gi, (one) => {
    const first = one < 'a' ? 65 : 97;
    return String.fromCharCode(((one.charCodeAt(0) - first + 13) % 26) + first);
  });
const spaced =
  (sign: string, between: string): Hide =>
  (text) =>
    words(text, (word) => [...word].join(sign), between);

/** Encodings: whatever is in them, in whatever case, comes out as it was. */
export const ENCODINGS: Readonly<Record<string, Hide>> = {
  base64,
  'base64 for links': (text) => Buffer.from(text).toString('base64url'),
  'base64, wrapped': (text) => base64(text).replace(/.{32}/g, '$&\r\n'),
  'base64 of base64': (text) => base64(base64(text)),
  'base64 of base64 of base64': (text) => base64(base64(base64(text))),
  'base64 in a path': (text) => `https://x.example/files/${Buffer.from(text).toString('base64url')}/show`,
  'base64 of UTF-16': (text) => Buffer.from(text, 'utf16le').toString('base64'),
  'base64 of UTF-16, big end first': (text) => Buffer.from(text, 'utf16le').swap16().toString('base64'),
  'base64 of hexadecimal': (text) => base64(hex(text)),
  'base64 of percent signs': (text) => base64(percent(text)),
  hexadecimal: hex,
  'hexadecimal, capitals': (text) => hex(text).toUpperCase(),
  'hexadecimal of base64': (text) => hex(base64(text)),
  'hexadecimal with colons': (text) => each(text, hexOf, ':'),
  'hexadecimal with blanks': (text) => each(text, hexOf, ' '),
  'hexadecimal, each with 0x': (text) => each(text, (byte) => `0x${hexOf(byte)}`, ', '),
  base32: toBase32,
  'base32, small': (text) => toBase32(text).toLowerCase(),
  'base64 of base32': (text) => base64(toBase32(text)),
  'gzip, base64': (text) => gzipSync(text).toString('base64'),
  'gzip, base64 for links': (text) => gzipSync(text).toString('base64url'),
  'zlib, base64': (text) => deflateSync(text).toString('base64'),
  'deflate, base64': (text) => deflateRawSync(text).toString('base64'),
  'gzip, hexadecimal': (text) => gzipSync(text).toString('hex'),
  'zlib, hexadecimal': (text) => deflateSync(text).toString('hex'),
  'gzip of gzip, base64': (text) => gzipSync(gzipSync(text)).toString('base64'),
  'gzip of base64, base64': (text) => gzipSync(base64(text)).toString('base64'),
  'gzip, base32': (text) => toBase32OfBytes(gzipSync(text)),
  'decimal codes': (text) => each(text, String, ', '),
  'binary codes': (text) => each(text, (byte) => byte.toString(2).padStart(8, '0'), ' '),
  'octal codes': (text) => each(text, (byte) => byte.toString(8).padStart(3, '0'), ' '),
  'percent signs': percent,
  'percent signs twice': (text) => percent(percent(text)),
  'percent signs of percent signs': (text) => encodeURIComponent(percent(text)),
  'percent signs of base64': (text) => percent(base64(text)),
  entities,
  'hexadecimal entities': (text) => each(text, (byte) => `&#x${hexOf(byte)};`),
  'entities without their end': (text) => each(text, (byte) => `&#${byte}`),
  'entities of entities': (text) => entities(text).replaceAll('&', '&amp;'),
  'entities of entities of entities': (text) => entities(text).replaceAll('&', '&amp;amp;'),
  'escapes of JavaScript': (text) => each(text, (byte) => `\\u00${hexOf(byte)}`),
  'escapes of JavaScript, braces': (text) => each(text, (byte) => `\\u{${byte.toString(16)}}`),
  'escapes of C': (text) => each(text, (byte) => `\\x${hexOf(byte)}`),
  'octal escapes': (text) => each(text, (byte) => `\\${byte.toString(8).padStart(3, '0')}`),
  'octal escapes, short': (text) => each(text, (byte) => `\\${byte.toString(8)}`),
  'escapes in JSON in JSON': (text) => JSON.stringify(JSON.stringify(each(text, (byte) => `\\u00${hexOf(byte)}`))),
  'JSON in JSON': (text) => JSON.stringify(JSON.stringify({ said: text })),
  'quoted-printable': (text) => each(text, (byte) => `=${hexOf(byte).toUpperCase()}`),
  'percent signs of entities': (text) => encodeURIComponent(entities(text)),
};

/** Letters written otherwise: what is in capitals, or in digits, may come out in other ones. */
export const DISGUISES: Readonly<Record<string, Hide>> = {
  'zero-width joiners': (text) => [...text].join('\u200b'),
  'soft hyphens': (text) => [...text].join('\u00ad'),
  'tag characters': (text) => [...text].map((one) => String.fromCodePoint(0xe0000 + one.charCodeAt(0))).join(''),
  'variation selectors': (text) =>
    `😀${each(text, (byte) => String.fromCodePoint(byte < 16 ? 0xfe00 + byte : 0xe0100 + byte - 16))}`,
  'full width': (text) => text.replace(/[!-~]/g, (one) => String.fromCharCode(one.charCodeAt(0) + 0xfee0)),
  'bold letters of mathematics': (text) =>
    text
      .replace(/[a-z]/g, (one) => String.fromCodePoint(0x1d41a + one.charCodeAt(0) - 97))
      .replace(/[A-Z]/g, (one) => String.fromCodePoint(0x1d400 + one.charCodeAt(0) - 65)),
  'letters of other scripts': (text) => [...text].map((one) => ALIKE.get(one) ?? one).join(''),
  'split by colours': (text) => text.replace(/\w{3}/g, '$&\x1b[0m'),
  'entities with names': (text) => [...text].map((one) => NAMED.get(one) ?? `&#${one.charCodeAt(0)};`).join(''),
  'base64 of full width': (text) =>
    base64(text.replace(/[!-~]/g, (one) => String.fromCharCode(one.charCodeAt(0) + 0xfee0))),
  'percent signs of full width': (text) =>
    percent(text.replace(/[!-~]/g, (one) => String.fromCharCode(one.charCodeAt(0) + 0xfee0))),
  'turned round': (text) => [...text].reverse().join(''),
  'turned round, base64': (text) => base64([...text].reverse().join('')),
};

/** Only words are read so: of a key in these, nobody can tell what it was. */
export const SPELLINGS: Readonly<Record<string, Hide>> = {
  'turned by 13': turn,
  leet: (text) => [...text].map((one) => LEET.get(one) ?? one).join(''),
  'leet, base64': (text) => base64([...text].map((one) => LEET.get(one) ?? one).join('')),
  'with blanks': spaced(' ', '   '),
  'with blanks, base64': (text) => base64(spaced(' ', '   ')(text)),
  'with hyphens': spaced('-', ' '),
  'with commas': spaced(',', ' '),
  'with commas and blanks': spaced(', ', '  '),
  'with tildes': spaced('~', ' '),
  'letter by line': spaced('\n', '\n\n'),
  'in brackets': (text) => text.replace(/[a-z]/gi, (one) => enclosed(one, 0x249c)),
  'in circles': (text) => text.replace(/[a-z]/gi, (one) => enclosed(one, 0x24d0)),
  'in squares': (text) => text.replace(/[a-z]/gi, (one) => enclosed(one, 0x1f130)),
  'in dark squares': (text) => text.replace(/[a-z]/gi, (one) => enclosed(one, 0x1f170)),
  'as flags': (text) => text.replace(/[a-z]/gi, (one) => enclosed(one, 0x1f1e6)),
};

function enclosed(letter: string, first: number): string {
  return String.fromCodePoint(first + letter.toLowerCase().charCodeAt(0) - 97);
}

function toBase32OfBytes(data: Uint8Array): string {
  const bits = [...data].map((byte) => byte.toString(2).padStart(8, '0')).join('');
  return (bits.match(/.{1,5}/g) ?? []).map((five) => BASE32[Number.parseInt(five.padEnd(5, '0'), 2)]).join('');
}
