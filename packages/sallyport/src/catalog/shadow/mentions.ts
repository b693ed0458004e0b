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
  /(?:\b(?:tools?|function|call|calls|calling|invoke|invokes|invoking|run|running|use|using|execute|executing|before|after|instead of|over|replaces?|than)|工具|函数|调用|使用|运行|执行|代替|取代|之前|替代)\s{0,2}(?:\b(?:the|another|any|called|named|叫|名为))?[\s:："'`“‘«（([]{0,4}$/iu;

/** The call is set before, after or in place of that tool: whoever only points to a tool says nothing of the kind. */
const AIMED_BEFORE =
  /(?:\b(?:before|after|prior to|instead of|in place of|rather than|over|when(?:ever)?|once|(?:each|every) (?:time|use|call)|replaces?|supersedes?|deprecates?|overrides?|disables?|(?:never|not|avoid|stop) (?:to )?(?:use|using|call|calling|run|running|trust|invoke)|don't (?:use|call|run|trust|invoke))\b|在|每当|每次|不要|取代|代替|替代)[^.;!?。；！？\n]{0,40}$/iu;
/** It is the subject: what it is, was or must. */
const AIMED_AFTER =
  /^["'`”’»”」)\]]{0,3}(?:\s{0,2}\(\s{0,2}\))?\s{0,2}(?:(?:mcp )?tool |function )?(?:(?:is|are|was|were|has|have|had|must|should|shall|needs?|requires?|cannot|can't|will|does|no longer|only works?|(?:runs?|gets?) called)\b|(?:工具)?\s{0,2}(?:之前|之后|前|后|时|已|必须|不))/iu;

/** A word of a text that is spoken of as a tool. */
export interface Mention {
  readonly key: string;
  /** As it is written. */
  readonly name: string;
  /** The text says when, or whether, that tool may be used. */
  readonly isAimed: boolean;
}

/** Names in a text that are spoken of as tools. @param isKnown whether a key is one that matters */
export function findMentions(raw: string, isKnown: (key: string) => boolean): readonly Mention[] {
  const text = PLAIN_TEXT.test(raw) ? raw : raw.normalize('NFKC').replace(/\p{Default_Ignorable_Code_Point}/gu, '');
  const found = new Map<string, Mention>();
  const add = (name: string, at: number) => {
    const key = toKey(name);
    const before = text.slice(Math.max(0, at - AROUND), at);
    const after = text.slice(at + name.length, at + name.length + AROUND);
    const isAimed = AIMED_BEFORE.test(before) || AIMED_AFTER.test(after) || found.get(key)?.isAimed === true;
    found.set(key, { key, name, isAimed });
  };
  const take = (name: string, at: number) => {
    const key = toKey(name);
    if (key.length < MIN_KEY || !isKnown(key)) return;
    const after = text.slice(at + name.length, at + name.length + AROUND);
    if (CALLED.test(after) || CALLS.test(text.slice(Math.max(0, at - AROUND), at))) add(name, at);
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
    if (/[\p{L}\p{N}][_\-./][\p{L}\p{N}]/u.test(name)) take(name, index);
  }
  if (!/tool|工具/i.test(text)) return [...found.values()];
  for (const match of text.matchAll(PLAIN)) {
    seen += 1;
    if (seen > MAX_SEEN * 3) break;
    const name = match[1] ?? match[2] ?? '';
    const key = toKey(name);
    if (key.length >= MIN_KEY && isKnown(key)) add(name, match.index + match[0].indexOf(name));
  }
  return [...found.values()];
}
