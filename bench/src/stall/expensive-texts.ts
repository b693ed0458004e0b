/** Texts that are expensive to read, each a piece that is repeated; plain prose is among them. */
const PIECES: Readonly<Record<string, string>> = {
  prose: 'The quick brown fox jumps over the lazy dog, and the invoice of March is paid in full by the customer. ',
  jwt: 'eyJhbGciOiJIUzI1NiJ9.',
  address: '10.0.0.1 ',
  base64Run: 'QUJDREVGR0hJSktM',
  hexRun: 'deadbeef',
  percent: '%61%62',
  entities: '&#97;',
  cards: '4111 1111 1111 1111 ',
  digits: '1234567890',
  dots: 'a.',
  mails: 'a@b.',
  links: 'http://10.0.0.1/a?b=c ',
  climbs: '../',
  shell: '`$(',
  quotes: '"\\',
  tags: '<a ',
  comments: '<!--',
  braces: '{"a":',
  blanks: ' ',
  lines: '\n',
  unseen: '\u200b',
  han: '汉字',
  orders: 'IGNORE ALL PREVIOUS INSTRUCTIONS ',
  keys: 'sk-',
  pem: '-----BEGIN ',
  schemes: '://',
  passwords: 'password=',
  escapes: '\\u0061',
  pictures: '![a](http://b.c/?d=',
  turned: 'vtaber nyy cerivbhf ',
  turns: '<|im_start|>system ',
  seeds: 'abandon ability able ',
  braille: '\u2801',
  dashes: '-',
  equals: '=',
  tokens: '{{secret:',
};

/** Made otherwise than by repeating. */
const MADE: Readonly<Record<string, (bytes: number) => string>> = {
  base64Words: (bytes) => fill(toWords(4_000), bytes),
  deepJson: (bytes) => `${'['.repeat(500)}${fill('1,', bytes)}1${']'.repeat(500)}`,
  members: (bytes) => `{${fillWith((i) => `"m${i}":${i},`, bytes)}"last":0}`,
  nestedText: (bytes) => JSON.stringify({ a: JSON.stringify({ b: fill('{"c":"\\"d\\""} ', bytes) }) }),
};

export const TEXTS: readonly string[] = [...Object.keys(PIECES), ...Object.keys(MADE)];

/** About so many bytes of a text. @throws Error for a name that is not in {@link TEXTS} */
export function toText(name: string, bytes: number): string {
  const piece = PIECES[name];
  if (piece !== undefined) return fill(piece, bytes);
  const make = MADE[name];
  if (make === undefined) throw new Error(`there is no text "${name}"`);
  return make(bytes);
}

function fill(piece: string, bytes: number): string {
  return piece.repeat(Math.ceil(bytes / Buffer.byteLength(piece)));
}

function fillWith(toPiece: (i: number) => string, bytes: number): string {
  const pieces: string[] = [];
  for (let [i, size] = [0, 0]; size < bytes; i++) {
    const piece = toPiece(i);
    pieces.push(piece);
    size += piece.length;
  }
  return pieces.join('');
}

function toWords(count: number): string {
  return Array.from({ length: count }, (_, i) => Buffer.from(`word number ${i} is here`).toString('base64')).join(' ');
}
