import { describe, expect, test } from 'vitest';
import { findConcealed } from './concealed.ts';

describe('attacks: what is not seen', () => {
  test.each([
    ['concealed', '\x1b[8mhidden words\x1b[0m'],
    ['concealed among others', '\x1b[1;8;31mhidden words\x1b[0m'],
    ['black on black', '\x1b[30;40mhidden words\x1b[0m'],
    ['the background first', '\x1b[40;30mhidden words\x1b[0m'],
    ['bright', '\x1b[97;107mhidden words\x1b[0m'],
    ['of the palette', '\x1b[38;5;0;48;5;0mhidden words\x1b[0m'],
    ['palette and name', '\x1b[31;48;5;1mhidden words\x1b[0m'],
    ['red, green and blue', '\x1b[38;2;10;20;30;48;2;10;20;30mhidden words\x1b[0m'],
    ['almost the same', '\x1b[38;2;10;20;31;48;2;10;20;30mhidden words\x1b[0m'],
    ['palette and red, green and blue', '\x1b[38;5;16;48;2;0;0;0mhidden words\x1b[0m'],
    ['with colons', '\x1b[38:2::9:9:9;48:2:9:9:9mhidden words\x1b[0m'],
    ['with an 8-bit introducer', '\x9b30;40mhidden words\x9b0m'],
    ['in two sequences', '\x1b[30m\x1b[40mhidden words\x1b[0m'],
    ['in two sequences far apart', '\x1b[30mseen\x1b[1m, too \x1b[40mhidden words\x1b[0m'],
    ['behind a blank and another sequence', '\x1b[30;40m \x1b[1mhidden words\x1b[0m'],
    ['with zeros before', '\x1b[0030;0040mhidden words\x1b[0m'],
    ['without an end', '\x1b[30;40mhidden words'],
    ['reset before, not after', '\x1b[0;30;40mhidden words'],
  ])('%s', (_, text) => {
    expect([...findConcealed(`a ${text} b`).values()].join('')).toContain('hidden words');
  });

  test('where the words are in another part', () => {
    expect(findConcealed('a \x1b[30;40m   ').size).toBe(1);
  });
});

describe('harmless: what is seen', () => {
  test.each([
    ['no colours', 'plain words'],
    ['a log', '\x1b[32mINFO\x1b[0m started \x1b[31mERROR\x1b[39m failed \x1b[1;33mWARN\x1b[22;39m slow'],
    ['black on white', '\x1b[30;47mtitle\x1b[0m'],
    ['white on black', '\x1b[97;40mtitle\x1b[0m'],
    ['a reset in between', '\x1b[30mone\x1b[0m \x1b[40mtwo\x1b[0m'],
    ['a reset within', '\x1b[30;0;40mtwo\x1b[0m'],
    ['an empty reset', '\x1b[30mone\x1b[m\x1b[40mtwo\x1b[0m'],
    ['defaults in between', '\x1b[31mone\x1b[39m\x1b[41mtwo\x1b[49m'],
    ['another colour at once', '\x1b[40m\x1b[30m\x1b[37mone\x1b[0m'],
    ['a palette shown as blocks', '\x1b[30m\x1b[40m   \x1b[31m\x1b[41m   \x1b[32m\x1b[42m   \x1b[0m'],
    ['an index that is no code', '\x1b[38;5;40;47mone\x1b[38;5;8mtwo\x1b[0m'],
    ['concealed and shown again', '\x1b[8m\x1b[28mone\x1b[0m'],
    ['red on dark red', '\x1b[38;2;255;0;0;48;2;128;0;0mone\x1b[0m'],
  ])('%s', (_, text) => expect(findConcealed(text).size).toBe(0));
});
