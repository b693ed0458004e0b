import { toKey } from './compare-names.ts';

/** Names that are looked at in one text. */
const MAX_SEEN = 4000;
const MIN_KEY = 3;
const PLAIN_TEXT = /^[\0-\x7f]*$/;
/** Characters around a name that say what is said of it. */
const AROUND = 80;

/** Written like a name of a tool and not like a word: several words without a space. */
const COMPOUND = /[A-Za-z0-9]{1,64}(?:[_\-./][A-Za-z0-9]{1,64}){1,12}|[a-z]{1,32}[A-Z][A-Za-z0-9]{0,64}/g;
/** In other letters. */
const OTHER = /[\p{L}\p{N}_.\-/]+/gu;
/** A plain word that is said to be a tool: "the search tool", "工具 search". */
const PLAIN =
  /(?:\b(?:the|this|that|your|its|their|default|original|existing|native|legacy|standard)\s["'`“‘]?|["'`“‘「])([\p{L}\p{N}]{3,64})["'`”’」]?\s{0,2}(?:(?:mcp )?tools?\b|工具)|(?:\btool\s(?:called |named )?|工具\s?)["'`“‘「]([\p{L}\p{N}]{3,64})["'`”’」]/giu;
const CALLED = /^["'`”’»）)\]]{0,3}\s{0,2}(?:\(\s{0,2}\)|tools?\b|function\b|mcp\b|工具|函数|方法)/iu;
const CALLS =
  /(?:\b(?:tools?|function|call|calls|calling|invoke|invokes|invoking|run|running|use|using|execute|executing|before|after|instead of|replaces?|than)|工具|函数|调用|使用|运行|执行|代替|取代|之前|替代)\s{0,2}(?:\b(?:the|another|any|called|named|叫|名为))?[\s:："'`“‘«（([]{0,4}$/iu;

/** A word of a text that is spoken of as a tool. */
export interface Mention {
  readonly key: string;
  /** As it is written. */
  readonly name: string;
}

/** Names in a text that are spoken of as tools. @param isKnown whether a key is one that matters */
export function findMentions(raw: string, isKnown: (key: string) => boolean): readonly Mention[] {
  const text = PLAIN_TEXT.test(raw) ? raw : raw.normalize('NFKC').replace(/\p{Default_Ignorable_Code_Point}/gu, '');
  const found = new Map<string, Mention>();
  const take = (name: string, at: number) => {
    const key = toKey(name);
    if (key.length < MIN_KEY || !isKnown(key)) return;
    const after = text.slice(at + name.length, at + name.length + AROUND);
    if (CALLED.test(after) || CALLS.test(text.slice(Math.max(0, at - AROUND), at))) found.set(key, { key, name });
  };
  let seen = 0;
  for (const { 0: name, index } of text.matchAll(COMPOUND)) {
    seen += 1;
    if (seen > MAX_SEEN) break;
    take(name, index);
  }
  for (const { 0: name, index } of PLAIN_TEXT.test(text) ? [] : text.matchAll(OTHER)) {
    seen += 1;
    if (seen > MAX_SEEN * 2) break;
    if (/[_\-./]/.test(name)) take(name, index);
  }
  if (!/tool|工具/i.test(text)) return [...found.values()];
  for (const [, one, other] of text.matchAll(PLAIN)) {
    seen += 1;
    if (seen > MAX_SEEN * 3) break;
    const name = one ?? other ?? '';
    const key = toKey(name);
    if (key.length >= MIN_KEY && isKnown(key)) found.set(key, { key, name });
  }
  return [...found.values()];
}
