import { createCipheriv } from 'node:crypto';
import { deflateRawSync, gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { Conversation, settingsOf } from '../../../test/taint-conversation.ts';
import type { JsonObject } from '../../core/json.ts';
import { findOpaque } from './opaque.ts';

const PROSE = 'we plan to close the plant in the north before the end of the third quarter';
/** As a model is told to do it with a line of code: the bytes, from a fixed key, say nothing to anybody. */
const encrypt = (text: string, iv = 0): Buffer => {
  const cipher = createCipheriv('aes-256-ctr', Buffer.alloc(32, 7), Buffer.alloc(16, iv));
  return Buffer.concat([cipher.update(text), cipher.final()]);
};
const HIDDEN = encrypt(PROSE);
const BASE32 = 'abcdefghijklmnopqrstuvwxyz234567';
const base32 = [...HIDDEN.toString('hex')]
  .map((digit, i) => BASE32.charAt((Number.parseInt(digit, 16) * 2 + i) % 32))
  .join('');
const LONG = encrypt(PROSE.repeat(3)).toString('base64');
const PICTURE = `iVBORw0KGgoAAAANSUhEUg${encrypt('a picture of a cat '.repeat(400), 1).toString('base64')}`;
const CURSOR = encrypt('page 2 of the list of tickets, sorted by date, of the user of this session', 2).toString(
  'base64url',
);

const wiki = () => new Conversation().reads('wiki.get_page', `Minutes. ${PROSE}; nobody is told yet.`);
const ASKED = { kind: 'ask', reason: expect.stringContaining('opaque-outside') };
const judge = (conversation: Conversation, name: string, given: JsonObject) => ({ ...conversation.call(name, given) });

describe('once private data was read, what nobody can read needs an approval', () => {
  test.each([
    ['base64', HIDDEN.toString('base64')],
    ['base64 for links', HIDDEN.toString('base64url')],
    ['hexadecimal', HIDDEN.toString('hex')],
    ['base32', base32],
    ['in a sentence', `Please look this up: ${HIDDEN.toString('base64')}, thank you.`],
    ['in JSON', JSON.stringify({ q: 'weather', state: HIDDEN.toString('base64') })],
    ['as a data URI', `data:image/png;base64,${HIDDEN.toString('base64')}`],
    ['behind the beginning of a picture', `iVBORw0KGgoAAAANSUhEUg${HIDDEN.toString('base64')}`],
    ['with words around', `weather-report-${HIDDEN.toString('hex')}-for-monday`],
    ['before and behind much of the same', `${'A'.repeat(500)}${HIDDEN.toString('base64')}${'ab'.repeat(300)}`],
    ['in lines', LONG.replace(/.{60}/g, '$&\n')],
    ['in groups of four', LONG.replace(/.{4}/g, '$& ')],
    ['in groups, with dots', LONG.replace(/.{6}/g, '$&.')],
  ])('%s', (_, query) => {
    expect(judge(wiki(), 'web.search', { query })).toMatchObject(ASKED);
    expect(judge(wiki(), 'notes.create_chunks', { parts: ['a', { b: query }] })).toMatchObject(ASKED);
  });

  const easy = 'a b c d '.repeat(40);
  test.each([
    ['packed', gzipSync(`see ${HIDDEN.toString('base64')} of today`)],
    ['behind something packed', Buffer.concat([gzipSync(easy), HIDDEN])],
    ['behind something packed twice', gzipSync(Buffer.concat([gzipSync(easy), HIDDEN]))],
    ['packed, behind more than is read', gzipSync(`${' '.repeat(300_000)}${HIDDEN.toString('base64')}`)],
  ])('%s', (_, bytes) => {
    for (const query of [bytes.toString('base64'), bytes.toString('hex')])
      expect(judge(wiki(), 'web.search', { query })).toMatchObject({ kind: 'ask' });
  });

  test('in an address, and as the name of a member', () => {
    const blob = HIDDEN.toString('base64url');
    expect(judge(wiki(), 'web.fetch_page', { url: `https://x.example/?q=${blob}` }).kind).toBe('ask');
    expect(judge(wiki(), 'notes.create_chunks', { parts: [{ [blob]: 1 }] }).kind).toBe('ask');
  });

  test('the same once more: being stopped makes it nobody`s own', () => {
    const talk = wiki();
    for (let i = 0; i < 3; i++) expect(judge(talk, 'web.search', { query: LONG }).kind).toBe('ask');
  });

  test('a part of what was given, with as much behind it', () => {
    const talk = wiki().reads('desk.list_tickets', { next_cursor: CURSOR });
    expect(judge(talk, 'desk.get_ticket', { ticket_id: `${CURSOR}${HIDDEN.toString('base64url')}` }).kind).toBe('ask');
  });

  test('a picture with something else in it', () => {
    const talk = wiki().sees('desk.get_ticket', PICTURE);
    for (const note of [`${PICTURE.slice(0, -LONG.length)}${LONG}`, `${PICTURE}${LONG}`])
      expect(judge(talk, 'desk.update_ticket', { ticket_id: '7', note }).kind).toBe('ask');
  });

  test('a private picture, at another server', () => {
    const talk = new Conversation().sees('wiki.get_page', PICTURE);
    const verdict = judge(talk, 'notes.add_note', { text: PICTURE });
    expect(verdict).toMatchObject({ kind: 'ask', reason: expect.stringContaining('private-outside') });
  });
});

const WORDS = [
  'opening hours of the library in Turin',
  'Rindfleischetikettierungsüberwachungsaufgabenübertragungsgesetz Donaudampfschifffahrtsgesellschaftskapitän',
  'Llanfairpwllgwyngyllgogerychwyrndrobwllllantysiliogogogoch station opening hours',
  'muvaffakiyetsizleştiricileştiriveremeyebileceklerimizdenmişsinizcesine',
  'epäjärjestelmällistyttämättömyydellänsäkäänköhän lentokonesuihkuturbiinimoottoriapumekaanikkoaliupseerioppilas',
  'szczebrzeszyn chrząszcz brzmi w trzcinie, konstantynopolitańczykowianeczka',
  'zhongguo beijing shanghai guangzhou shenzhen chengdu hangzhou wuhan xian chongqing nanjing tianjin',
  '请问图书馆几点开门，价格是三百二十元，比去年的二百八十元高百分之十四',
  'как пройти в библиотеку и во сколько она открывается в воскресенье',
  'كيف أصل إلى المكتبة ومتى تفتح أبوابها يوم الأحد من فضلك أخبرني بالتفصيل',
  'पुस्तकालय रविवार को कितने बजे खुलता है कृपया मुझे विस्तार से बताएं',
  '+49 30 901820, +1 (415) 555-0132, 0086 10 6532 1234, +44 20 7946 0958, 0041 44 668 18 00, +33 1 70 18 99 00',
  '3f2504e0-4f89-41d3-9a0c-0305e82c3301, 6ba7b810-9dad-11d1-80b4-00c04fd430c8, 6ba7b811-9dad-11d1-80b4-00c04fd430c8',
  'commit 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b, reverted by 2fd4e1c67a2d28fced849ee1bb76e7391b93eb12',
  'sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  'https://docs.example/document/d/1BxiMVs0XRA5nFMdKvBdBZjgmUUqptlbs74OgvE2upms/edit#gid=0',
  'order 4KZ9Q2-X81, SKU AB12CD34EF56, ticket PROJ-1182, flight LH1234, ref 00QX7T2M, tracking 1Z999AA10123456784',
  'export async function createReader(path: string) { const handle = await openFile(path, { flags: "r", mode: 0o600 }); return handle.createReadStream({ highWaterMark: 65536 }).pipe(createGunzip()); }',
  '!function(e,t){"object"==typeof exports&&"undefined"!=typeof module?t(exports):"function"==typeof define&&define.amd?define(["exports"],t):t((e=e||self).d3=e.d3||{})}(this,function(e){"use strict";var n=e.sum(function(e,t){return t.x-e.x});return n>0?1:n<0?-1:0})',
  'SELECT usr_id, acct_nbr, tx_dt FROM prd_dwh.fct_tx_hdr h JOIN dim_cust_acct a ON h.acct_sk = a.acct_sk WHERE tx_dt >= TRUNC(SYSDATE) - 7',
  '^(?:[a-z0-9!#$%&*+/=?^_`{|}~-]+(?:\\.[a-z0-9!#$%&*+/=?^_`{|}~-]+)*)@(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\\.)+[a-z]{2,}$',
  '<path d="M12.8,10c0-1.1.9-2,2-2h4v2.5l1.3-1.7C7.2,3.8,9.6,2,12,2c5.5,0,10,4.5,10,10s-4.5,10-10,10S2,17.5,2,12c0-2.1.7-4.1,1.8-5.7l1.4,1.4z"/>',
  'const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";',
  '1.e4 e5 2.Nf3 Nc6 3.Bb5 a6 4.Ba4 Nf6 5.O-O Be7 6.Re1 b5 7.Bb3 d6 8.c3 O-O 9.h3 Na5 10.Bc2 c5 11.d4 Qc7 12.Nbd2 cxd4 13.cxd4 Nc6 14.Nb3 a5 15.Be3 a4 16.Nbd2 Bd7',
  'ATGGCCATTGTAATGGGCCGCTGAAAGGGTGCCCGATAGATGGCCATTGTAATGGGCCGCTGAAAGGGTGCCCGATAG',
  'MSVLTPLLWLMWAAGTVTLGCAPPPAVPEALRAPRAWAAQGGRAQAGICIGAVLAGIALGVGILVLALAALVFIPHHWAYVWKFSRSSPLMPVLTQ',
  'es-AR, en-AU, de-AT, nl-BE, fr-BE, pt-BR, en-CA, fr-CA, es-CL, da-DK, fi-FI, fr-FR, de-DE, zh-HK, en-IN, id-ID, it-IT, ja-JP, ko-KR, en-MY, es-MX, nl-NL, en-NZ, no-NO, zh-CN, pl-PL, pt-PT, en-PH, ru-RU, ar-SA, en-ZA, es-ES, sv-SE, fr-CH, de-CH, zh-TW, tr-TR, en-GB, en-US, es-US',
  'CC(C)CC1=CC=C(C=C1)C(C)C(=O)OCCN2CCOCC2',
  '[182, 43, 9, 201, 77, 18, 254, 91, 33, 120, 7, 65, 190, 241, 88, 12, 99, 142, 60, 211, 30, 174, 55, 229, 101, 16, 83, 147, 208, 39]',
  '/usr/share/doc/packages/libreoffice-dictionaries/README-en_US-hyph_and_thes.2024-01-17.rev3f2a.tar.gz',
  'C:\\Users\\mbrown\\AppData\\Local\\Packages\\Microsoft.WindowsTerminal_8wekyb3d8bbwe\\LocalState\\settings.json',
  Buffer.from('{"filter":{"status":"open","assignee":"me"},"sort":["created","desc"],"page":3}').toString('base64'),
];

describe('goes through without a question', () => {
  test.each(WORDS)('%s', (text) => {
    expect(findOpaque(text)).toEqual([]);
    expect(judge(wiki(), 'web.search', { query: text })).toEqual({ kind: 'allow' });
    expect(judge(wiki(), 'notes.add_note', { text: `Remember: ${text}` })).toEqual({ kind: 'allow' });
  });

  test('a readable text that is packed', () => {
    const text = 'The library opens at nine and closes at five on all days of the week but one. '.repeat(3);
    for (const packed of [gzipSync(text), deflateRawSync(text), gzipSync(gzipSync(text))])
      for (const query of [packed.toString('base64'), packed.toString('hex')])
        expect(judge(wiki(), 'web.search', { query })).toEqual({ kind: 'allow' });
  });

  test('what a server gave, as it is, in a list, in a link, and long', () => {
    const token = encrypt(PROSE.repeat(9), 3).toString('base64');
    const talk = wiki()
      .reads('desk.list_tickets', { next_cursor: CURSOR, tickets: [{ id: LONG.slice(0, 90) }] })
      .reads('web.fetch_page', `Sign in with ${token} or follow https://x.example/in?state=${CURSOR}.`);
    for (const query of [CURSOR, token, `after ${CURSOR}`, JSON.stringify([CURSOR, LONG.slice(0, 90)])])
      expect(judge(talk, 'web.search', { query })).toEqual({ kind: 'allow' });
    expect(judge(talk, 'desk.get_ticket', { ticket_id: CURSOR })).toEqual({ kind: 'allow' });
    expect(judge(talk, 'desk.get_ticket', { ticket_id: `ticket/${CURSOR}` })).toEqual({ kind: 'allow' });
    expect(judge(talk, 'web.fetch_page', { url: `https://x.example/in?state=${CURSOR}` }).kind).toBe('allow');
  });

  test('a picture of a server, at the same one and at others', () => {
    const talk = wiki().sees('desk.get_ticket', PICTURE);
    for (const note of [PICTURE, `data:image/png;base64,${PICTURE}`]) {
      expect(judge(talk, 'desk.update_ticket', { ticket_id: '7', note })).toEqual({ kind: 'allow' });
      expect(judge(talk, 'notes.add_note', { text: note })).toEqual({ kind: 'allow' });
    }
  });

  test('what the client used before it read anything, and what a list shows', () => {
    const talk = new Conversation();
    talk.call('web.search', { query: LONG });
    talk.reads('wiki.get_page', PROSE);
    expect(judge(talk, 'web.search', { query: LONG })).toEqual({ kind: 'allow' });
    const shown = wiki().shows(['desk', { name: 'a', inputSchema: { enum: [LONG] } }]);
    expect(judge(shown, 'web.search', { query: LONG })).toEqual({ kind: 'allow' });
  });

  test('a run that has read nothing private, and a server inside', () => {
    const open = new Conversation().reads('web.fetch_page', 'A page about trains.');
    expect(judge(open, 'web.search', { query: LONG })).toEqual({ kind: 'allow' });
    const inside = new Conversation(settingsOf({ inside: ['notes'] })).reads('wiki.get_page', PROSE);
    expect(judge(inside, 'notes.add_note', { text: LONG })).toEqual({ kind: 'allow' });
    const own = new Conversation().reads('wiki.get_page', PROSE);
    expect(judge(own, 'wiki.get_page', { title: LONG })).toEqual({ kind: 'allow' });
  });
});
