import { describe, expect, test } from 'vitest';
import { ODD_SIGNS, toPlainSigns } from './plain-signs.ts';

describe('signs that are read as ASCII', () => {
  test.each([
    ['４５３２　０１５１', '4532 0151'],
    ['４５３２－０１５１．Ｘｘ＋：', '4532-0151.Xx+:'],
    ['٤٥٣٢ ۰۱۲', '4532 012'],
    ['1\u00a02\u20093\u202f4\u20115\u22126\u2013', '1 2 3 4-5-6-'],
    ['，。！ é 二', '，。！ é 二'],
  ])('%s', (text, plain) => {
    expect(toPlainSigns(text)).toBe(plain);
    expect(toPlainSigns(text)).toHaveLength(text.length);
  });

  test('the table knows all of them and nothing else', () => {
    const wrong: string[] = [];
    for (let code = 0; code < ODD_SIGNS.length; code++) {
      const sign = String.fromCharCode(code);
      if ((ODD_SIGNS[code] !== 0) !== (toPlainSigns(sign) !== sign)) wrong.push(code.toString(16));
    }
    expect(wrong).toEqual([]);
  });
});
