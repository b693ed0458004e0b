import { expect, it } from 'vitest';
import { createPlainText } from './plain-text.ts';

it.each([
  ['plain', 'Cannot reach host\tnow ä€', 'Cannot reach host\tnow ä€'],
  ['colours', '\u001b[31mred\u001b[0m', 'red'],
  ['screen control', 'a\u001b[2J\u001b]0;title\u0007b\u0008\u0000', 'ab'],
  ['8-bit controls', 'a\u009b31mb', 'ab'],
  ['a turned direction', 'a\u202eb\u2066c\u2069', 'abc'],
  ['what nobody sees', 'a\u{e0069}\u{e0067}b\u200b\ufeff\u2060c\u{e0100}', 'abc'],
  ['emoji and joined letters', '👩\u200d💻 नी', '👩\u200d💻 नी'],
  ['a secret', 'key sk-12345678 refused', 'key [API_KEY] refused'],
  ['the longer of two secrets', 'sk-12345678-long', '[LONG_KEY]'],
  ['a short value', 'level debug', 'level debug'],
  ['an address with a password', 'no pg://me:hunter2@db/x', 'no pg://…@db/x'],
  ['a path', 'no such file /var/data/file', 'no such file /var/data/file'],
])('%s', (_, text, plain) => {
  const toPlain = createPlainText({
    API_KEY: 'sk-12345678',
    LONG_KEY: 'sk-12345678-long',
    LEVEL: 'debug',
    DATA: '/var/data/file',
  });
  expect(toPlain(text)).toBe(plain);
});
