/** A word of a request that stands where people say what is to be done, and what follows it. */
export interface Head {
  readonly word: string;
  readonly next: string;
  /** What follows looks like what it is done to: "email Ann", and not "email address". */
  readonly hasObject: boolean;
  /** It may as well be one of a list of nouns: "a buy, sell or hold signal". */
  readonly isWeak: boolean;
  readonly isStart: boolean;
}

const MAX_WORDS = 3_000;
const MAX_KEPT = 16;

/** Words after which a verb comes: "can you send", "I want to send", "and send". */
const BEFORE: ReadonlySet<string> = new Set(
  "and then please also to now just or but so let's lets kindly afterwards finally next first simply quickly must should i'd".split(
    ' ',
  ),
);
/** "can you send"; "if the price falls, you sell" asks for nothing. */
const ASKING: ReadonlySet<string> = new Set(['can', 'could', 'will', 'would', 'please', "can't"]);
/** "help me send" */
const HELPERS: ReadonlySet<string> = new Set(['help', 'let', 'have']);
/** "Remember to close it" asks for the closing. */
const AUXILIARIES: ReadonlySet<string> = new Set(['remember', 'try', 'need', 'want', 'be', 'make', 'ask']);
const WEAK: ReadonlySet<string> = new Set(['or', 'but', 'so']);
const ENDS: ReadonlySet<string> = new Set('.!?;:\n。！？；');
const OBJECTS: ReadonlySet<string> = new Set(
  'a an the my our your his her their its it this that these those them him us to all some half every everyone everybody both each another one two three what whatever back out off up on'.split(
    ' ',
  ),
);

const kept = new Map<string, readonly Head[]>();

/**
 * What a request asks for, by the words that stand where verbs stand: at the start of a sentence, behind "and", "to", "please",
 * "you". Nouns stand elsewhere: "read the email" asks for no mail to be sent.
 */
export function toHeads(request: string): readonly Head[] {
  let heads = kept.get(request);
  if (heads === undefined) {
    heads = findHeads(request);
    if (kept.size >= MAX_KEPT) kept.clear();
    kept.set(request, heads);
  }
  return heads;
}

interface Word {
  readonly text: string;
  /** As written. */
  readonly written: string;
  /** Signs between it and the word before; `undefined`: none that ends or lists anything. */
  readonly sign: string | undefined;
}

/** One pass, word after word: what stands between two of them says where a clause begins. */
function toWordsOf(request: string): readonly Word[] {
  const words: Word[] = [];
  let end = 0;
  for (const { 0: found, index } of request.matchAll(WORD)) {
    if (words.length >= MAX_WORDS) break;
    let size = found.length;
    while (size > 1 && TRAILING.has(found.charAt(size - 1))) size--;
    const written = found.slice(0, size);
    const sign = [...request.slice(end, index)].find((one) => SIGNS.has(one));
    words.push({ written, text: written.toLowerCase(), sign });
    end = index + size;
  }
  return words;
}

const WORD = /[\p{L}\p{N}@#$€£][\p{L}\p{N}@#$€£'’._/-]{0,80}/gu;
const TRAILING: ReadonlySet<string> = new Set("'’._/-");
const SIGNS: ReadonlySet<string> = new Set('.!?;:,(\n"“-。！？，；：');

function findHeads(request: string): readonly Head[] {
  const words = toWordsOf(request);
  const heads: Head[] = [];
  for (const [at, { text: word, sign }] of words.entries()) {
    const before = words[at - 1]?.text ?? '';
    const earlier = words[at - 2]?.text ?? '';
    const next = words[at + 1];
    const isHelped = (before === 'me' && HELPERS.has(earlier)) || (before === 'you' && ASKING.has(earlier));
    if (at > 0 && sign === undefined && !BEFORE.has(before) && !isHelped) continue;
    if (AUXILIARIES.has(word) && next?.text === 'to') continue;
    const following = next?.sign === undefined ? (next?.written ?? '') : '';
    heads.push({
      ...{ word, next: following.toLowerCase() },
      // Behind "can you" and "please" stands no noun.
      hasObject: isObject(following) || isHelped || before === 'please',
      isWeak: sign === undefined ? WEAK.has(before) : !ENDS.has(sign),
      isStart: at === 0 || (sign !== undefined && sign !== ':' && ENDS.has(sign)),
    });
  }
  return heads;
}

function isObject(written: string): boolean {
  return OBJECTS.has(written.toLowerCase()) || /^[\p{Lu}\p{N}@#$€£]|@/u.test(written);
}
