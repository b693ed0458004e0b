/** Digits in words, of the languages that models are asked in most. */
const WORDS =
  'zero one two three four five six seven eight nine,oh - - - - - - - - -,null eins zwei drei vier fünf sechs sieben acht neun,' +
  'nul un deux trois quatre cinq six sept huit neuf,cero uno dos tres cuatro cinco seis siete ocho nueve,' +
  'zero um dois três quatro cinco seis sete oito nove,zero uno due tre quattro cinque sei sette otto nove,' +
  'ноль один два три четыре пять шесть семь восемь девять,〇 一 二 三 四 五 六 七 八 九,零 壹 贰 叁 肆 伍 陆 柒 捌 玖,' +
  '----- .---- ..--- ...-- ....- ..... -.... --... ---.. ----.';

const DIGITS: ReadonlyMap<string, string> = new Map(
  WORDS.split(',').flatMap((list) => list.split(' ').map((word, digit) => [word, String(digit)] as const)),
);
const FEWEST = 5;

/** "four four one" as 441; `undefined` where too few words are digits. */
export function numbersInWords(text: string): string | undefined {
  let digits = '';
  for (const word of text.toLowerCase().split(/[\s,;:/|_]+|(?<=[〇零一二三四五六七八九壹贰叁肆伍陆柒捌玖])/u)) {
    const digit = word === '-' ? undefined : DIGITS.get(word);
    if (digit !== undefined) digits += digit;
    else if (/^\d{1,4}$/.test(word)) digits += word;
  }
  return digits.length >= FEWEST && digits.length < text.length ? digits : undefined;
}

const WRITTEN = /^\d{1,15}(?:\.\d{0,15})?(?:e[+-]?\d{1,2})?$/i;
const MOST_DIGITS = 15;

/** "884127.00" and "8.84127e5" as 884127; `undefined` where it is no number, written so already, or has too many digits to tell. */
export function toPlainNumber(word: string): string | undefined {
  if (word.length > 40 || !WRITTEN.test(word)) return undefined;
  const plain = String(Number(word));
  const digits = plain.replace('.', '').length;
  return plain === word || digits < FEWEST || digits > MOST_DIGITS ? undefined : plain;
}

/** One sign each, as people write numbers, fill in forms, and read numbers out. */
const NUMERALS: ReadonlyMap<string, number> = new Map(
  ['〇零○', '一壹幺弌', '二贰貳两兩弍', '三叁參叄弎', '四肆', '五伍', '六陆陸', '七柒', '八捌', '九玖'].flatMap(
    (signs, digit) => [...signs].map((sign) => [sign, digit] as const),
  ),
);
const UNITS: ReadonlyMap<string, number> = new Map(
  Object.entries({ 十: 10, 拾: 10, 百: 100, 佰: 100, 千: 1_000, 仟: 1_000, 万: 1e4, 萬: 1e4, 亿: 1e8, 億: 1e8 }),
);
const NUMBER = new RegExp(`[${[...NUMERALS.keys(), ...UNITS.keys()].join('')}]{1,64}`, 'gu');

/** "账号四四一" as "账号 441 ", "一万二千" as " 12000 "; `undefined` where there is no such number. */
export function numeralsAsDigits(text: string): string | undefined {
  const plain = text.replace(NUMBER, (written) => ` ${digitsOf([...written])} `);
  return plain === text ? undefined : plain;
}

function digitsOf(signs: readonly string[]): string {
  if (!signs.some((sign) => UNITS.has(sign))) return signs.map((sign) => NUMERALS.get(sign)).join('');
  let total = 0;
  let section = 0;
  let digit = 0;
  for (const sign of signs) {
    const unit = UNITS.get(sign);
    if (unit === undefined) digit = NUMERALS.get(sign) ?? 0;
    else if (unit >= 1e4) {
      // 一万亿: what stands before a larger unit is multiplied as a whole.
      const before = section + digit;
      total = total > 0 && total < unit ? (total + before) * unit : total + (before === 0 ? 1 : before) * unit;
      section = 0;
      digit = 0;
    } else {
      section += (digit === 0 ? 1 : digit) * unit;
      digit = 0;
    }
  }
  return String(total + section + digit);
}
