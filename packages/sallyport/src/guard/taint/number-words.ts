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
