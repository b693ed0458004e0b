import { expect, test } from 'vitest';
import { searchSecrets } from './find-secrets.ts';
import { mayHoldSecret, mayHoldSecrets, mayHoldToken } from './may-hold-secret.ts';

/** Pieces that secrets and their disguises are made of, beside prose: put together by chance they make both. */
const PIECES = [
  ...['password', 'api_key', 'token', ': ', '=', ':=', ' => ', '"', "'", '密码：', 'hunter2!', 'abcdefgh', 'p4ss-w0rd'],
  ...[
    'AKIA',
    'ghp_',
    'sk_live_',
    'xoxb-',
    'eyJhbGciOi',
    'Bearer ',
    '-----BEGIN ',
    '-----',
    '://u:',
    '@',
    'mail.example',
  ],
  ...[
    '4111 1111 1111 1111',
    'DE89370400440532013000',
    '078-05-1120',
    '138 1234 5678',
    'phone ',
    '10.0.0.1',
    '192.168.',
  ],
  ...[
    '%41',
    '&#65;',
    '\\u0041',
    '\u200b',
    '41 4b 49 41 ',
    'QUtJQQ==',
    '0x',
    'a',
    'Z',
    '9',
    '.',
    ',',
    ' ',
    '\n',
    '_',
    '+',
  ],
  ...[
    'legal winner thank year wave sausage ',
    'worth useful legal winner thank yellow',
    'This is prose, of words alone. ',
    '1. SCHEME 2. SPOT 3. PHOTO 4. CARD 5. BABY 6. MOUNTAIN ',
    '- device\n- kick\n- cradle\n- pact\n- join\n- borrow\n',
    'scheme-spot-photo-card-baby-mountain-device-kick-cradle-pact-join-borrow',
    'seed phrase: ',
  ],
  ...[
    'fd00::1',
    'fe80::a:1',
    '[',
    ']',
    'db-1.internal',
    'nas.local',
    '.corp',
    '.home.arpa',
    ':5432',
    'host ',
    '//',
    '/',
  ],
  ...[
    'gb29 nwbk 6016 1331 9268 19',
    '4532.0151.1283.0366',
    '\u00a0',
    '４５３２',
    '110105 19491231 002X',
    '0086-',
    '536 22 8726',
  ],
];
const FIELDS = ['text', 'password', 'apiKey', ''];

/** Marsaglia's xorshift: the same texts every time. */
function createChance(seed: number): (below: number) => number {
  let x = seed;
  return (below) => {
    x ^= x << 13;
    x ^= x >>> 17;
    x ^= x << 5;
    return (x >>> 0) % below;
  };
}

test('a text that is passed over holds nothing that the search would find', () => {
  const chance = createChance(20_261_122);
  let passedOver = 0;
  let found = 0;
  for (let i = 0; i < 8_000; i++) {
    let text = '';
    for (let j = chance(9); j >= 0; j--) {
      const piece = PIECES[chance(PIECES.length)] ?? '';
      text += chance(4) === 0 ? piece.slice(chance(piece.length)) : piece;
    }
    const field = FIELDS[chance(FIELDS.length)] ?? '';
    const matches = searchSecrets(text, { field });
    if (matches.length > 0) found++;
    if (mayHoldSecret(text, field)) continue;
    passedOver++;
    expect(matches, JSON.stringify({ text, field })).toEqual([]);
  }
  expect(found).toBeGreaterThan(1_300);
  expect(passedOver).toBeGreaterThan(250);
});

test.each([
  'The report is done: it has three parts, and every part was read by two people.',
  'Deploy finished in 42 s (build 1187), see the dashboard for details.',
  'Meeting moved to 14:30, room B2.',
])('ordinary text is passed over: %s', (text) => {
  expect(mayHoldSecret(text, 'text')).toBe(false);
  expect(mayHoldSecrets({ content: [{ type: 'text', text }] })).toBe(false);
});

test('a key in two texts, a number, a name and depth without end are no reason to pass over', () => {
  expect(mayHoldSecrets({ a: 'sk_live_', b: '4eC39HqLyjWDarjtT1zdp7dc' })).toBe(true);
  expect(mayHoldSecrets({ parts: ['QUtJQTEy', 'MzQ1Njc4'] })).toBe(true);
  expect(mayHoldSecrets({ card: 4_111_111_111_111_111 })).toBe(true);
  expect(mayHoldSecrets({ ghp_16C7e42F292c6912E7710c838347Ae178B4a: true })).toBe(true);
  let deep: object = {};
  for (let i = 0; i < 700; i++) deep = { deep };
  expect(mayHoldSecrets(JSON.parse(JSON.stringify(deep)))).toBe(true);
  expect(mayHoldToken(JSON.parse(JSON.stringify(deep)))).toBe(true);
});

test('tokens are seen in texts and names', () => {
  expect(mayHoldToken({ list: ['a', { b: 'x {{secret:jwt:abcdefghijklmnop}}' }] })).toBe(true);
  expect(mayHoldToken({ '{{secret:jwt:abcdefghijklmnop}}': 1 })).toBe(true);
  expect(mayHoldToken({ list: ['a', { b: 'x {{ secret }}' }], n: 1 })).toBe(false);
});
