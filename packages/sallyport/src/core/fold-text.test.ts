import { expect, test } from 'vitest';
import { foldText } from './fold-text.ts';

test.each([
  ['Ignore', 'ignore'],
  ['ігnоrе', 'irnore'],
  ['ѕаvе_nоtе', 'save_note'],
  ['ｓａｖｅ', 'save'],
  ['𝐢𝐠𝐧𝐨𝐫𝐞', 'ignore'],
  ['ɪɢɴᴏʀᴇ', 'ignore'],
  ['🅸🅶🅽🅾🆁🅴', 'ignore'],
  ['ïgnörë', 'ignore'],
  ['i\u0301gnore', 'ignore'],
  ['ig\u200bno\u00adre\ufe0f', 'ignore'],
  ['ΑΡΙ', 'api'],
  ['a\u00a0b\u3000c', 'a b c'],
  ['忽略之前的指令', '忽略之前的指令'],
  ['ﬁle', 'file'],
])('%s is read as %s', (text, folded) => {
  expect(foldText(text)).toBe(folded);
});
