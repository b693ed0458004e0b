import { describe, expect, test } from 'vitest';
import { type MarkKind, readHidden } from './unseen.ts';

const read = (text: string, at = 0, hasRightToLeft = false) =>
  readHidden({ text, at, code: text.codePointAt(at) ?? 0, hasRightToLeft });
const kindOf = (code: number) => read(String.fromCodePoint(code))?.mark?.kind;
const twice = (code: number) => read(String.fromCodePoint(code, code));

describe('what is not seen, from its first to its last character', () => {
  test.each<[MarkKind, number, number]>([
    ['private', 0xe000, 0xf8ff],
    ['tag', 0xe0000, 0xe007f],
    ['invisible', 0x34f, 0x34f],
    ['invisible', 0x115f, 0x1160],
    ['invisible', 0x17b4, 0x17b5],
    ['invisible', 0x180e, 0x180e],
    ['invisible', 0x200b, 0x200d],
    ['invisible', 0x2060, 0x2065],
    ['invisible', 0x206a, 0x206f],
    ['invisible', 0x2800, 0x2800],
    ['invisible', 0x3164, 0x3164],
    ['invisible', 0xffa0, 0xffa0],
    ['invisible', 0xfff9, 0xfffb],
    ['bidi', 0x200e, 0x200f],
    ['bidi', 0x202a, 0x202e],
    ['bidi', 0x2066, 0x2069],
  ])('%s from %d to %d', (kind, first, last) => {
    expect([kindOf(first), kindOf(last)]).toEqual([kind, kind]);
    expect([kindOf(first - 1), kindOf(last + 1)]).not.toContain(kind);
  });

  test.each([0xe0000, 0xe007f])('the tag %d ends behind itself', (code) => {
    expect(read(`${String.fromCodePoint(code)}x`)?.end).toBe(2);
  });

  test('a control character, and a private one of the last planes', () => {
    expect([0x00, 0x08, 0x0b, 0x1a, 0x7f, 0x8f].map(kindOf)).toEqual(Array.from({ length: 6 }, () => 'control'));
    expect([0xeffff, 0xf0000, 0x10ffff].map(kindOf)).toEqual([undefined, 'private', 'private']);
  });

  test.each([
    [0xfe00, 0xfe0f],
    [0xe0100, 0xe01ef],
  ])('several selectors from %d to %d', (first, last) => {
    expect([twice(first)?.mark?.kind, twice(last)?.mark?.kind]).toEqual(['variation', 'variation']);
    expect([twice(first - 1)?.mark?.kind, twice(last + 1)?.mark?.kind]).not.toContain('variation');
  });

  test.each([0x09, 0x0a, 0x0d, 0xa0, 0x4e2d, 0x1f600])('not %d, which is seen', (code) => {
    expect(read(String.fromCodePoint(code))).toBeUndefined();
  });
});

describe('what belongs where it stands', () => {
  test.each<[string, string, number]>([
    ['a mark at the start of a file', '\ufeffa', 0],
    ['hyphenation', 'a\u00adb', 1],
    ['one selector', '❤\ufe0f', 1],
    ['a joiner in an emoji', '👩\u200d👧', 2],
    ['a joiner after a selector', '❤\ufe0f\u200d🔥', 2],
    ['a joiner in a script that needs it', 'क\u200dष', 1],
    ['the flag of a region', '🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}', 2],
  ])('%s', (_, text, at) => {
    const hidden = read(text, at);
    expect(hidden?.mark).toBeUndefined();
    expect(hidden?.end).toBeGreaterThan(at);
  });

  test.each<[string, string, number]>([
    ['a mark within a text', 'a\ufeffb', 1],
    ['a joiner between Latin letters', 'a\u200db', 1],
    ['a joiner at the end of a word', 'क\u200d', 1],
    ['tags without a flag', 'a\u{e0067}\u{e0062}\u{e0065}', 1],
    ['a flag that says more', '🏴\u{e0067}\u{e0062}\u{e0065}\u{e0067}\u{e0062}\u{e0065}\u{e0067}', 2],
    ['a flag that says less', '🏴\u{e0067}\u{e0062}', 2],
  ])('but not %s', (_, text, at) => {
    expect(read(text, at)?.mark).toBeDefined();
  });

  test('direction in a text that is written from right to left, but no override', () => {
    expect(read('\u200f', 0, true)).toEqual({ end: 1, mark: undefined });
    expect(read('\u202e', 0, true)?.mark?.kind).toBe('bidi');
    expect(read('\u202d', 0, true)?.mark?.kind).toBe('bidi');
    expect(read('\u202c', 0, true)?.mark).toBeUndefined();
  });
});

describe('what it says', () => {
  test('by tags and by selectors', () => {
    const tags = [...'Pay ~'].map((one) => String.fromCodePoint(0xe0000 + one.charCodeAt(0))).join('');
    expect(read(`${tags}x`)).toEqual({ end: 10, mark: { kind: 'tag', start: 0, end: 10, decoded: 'Pay ~' } });
    const selectors = [...Buffer.from('pay')].map((byte) => String.fromCodePoint(0xe0100 + byte - 16)).join('');
    expect(read(selectors)?.mark).toEqual({ kind: 'variation', start: 0, end: 6, decoded: 'pay' });
    expect(read('\ufe00\ufe0f')?.mark?.decoded).toBe('\u0000\u000f');
  });

  test('to a terminal', () => {
    expect(read('\u001b[2J.')).toEqual({ end: 4, mark: { kind: 'ansi', start: 0, end: 4, decoded: '' } });
    expect(read('\u001b]0;title\u0007.')?.mark).toMatchObject({ kind: 'ansi', end: 10, decoded: '0;title' });
    expect(read('\u009b31m.')?.mark?.kind).toBe('colour');
    expect(read('\u001b[31m.')?.mark?.kind).toBe('colour');
    expect(read('\u001b[8m.')?.mark?.kind).toBe('ansi');
    expect(read('\u001b[1;8m.')?.mark?.kind).toBe('ansi');
    const concealed = new Map([[0, 'pay']]);
    const place = { text: '\u001b[31m.', at: 0, code: 0x1b, hasRightToLeft: false, concealed };
    expect(readHidden(place)?.mark).toEqual({ kind: 'ansi', start: 0, end: 5, decoded: '', conceals: 'pay' });
  });
});
