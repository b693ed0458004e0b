import type { Span } from '../../../core/json-scan.ts';
import type { Carrier } from './find-carriers.ts';
import { type Fences, isDemanded, isQuoted } from './is-told.ts';
import { kindsOf } from './lexicon.ts';
import { openText } from './open-text.ts';
import type { Words } from './words.ts';

/** Addresses that a text tells its reader to fill in, and where it does. */
export interface Filled {
  /** From the demand to the end of the address. */
  readonly told: Span | undefined;
  /** All carriers; those to be filled in carry a blank, and addresses that nothing shows are among them. */
  readonly carriers: readonly Carrier[];
}

/** What a conversation knows and no interface asks for by its address: `{id}` is left to programs, this is not. A line may end anywhere in it. */
const SAID =
  /\b(?:conversations?(?![ _-]?(?:ids?|identifiers?|names?|types?|tokens?|endpoints?|api)\b)|chat\s(?:history|logs?|messages|transcript|so\sfar)|(?:message|conversation)\shistory|system\sprompt|(?:your|these|all)\s(?:previous\s|prior\s|earlier\s)?instructions|(?:everything|all|what(?:ever)?)\s(?:that\s)?(?:the\suser|they|you|we)\s(?:\w{1,12}\s)?(?:said|told|know|knew|wrote|typed|remember|learned|found|read|saw|see)|(?:the\suser|their|your)(?:['’]s)?\s(?:\w{1,16}\s)?(?:data|secrets?|files?|passwords?|credentials?|messages|e?mails|memory|memories|documents?)|(?:contents?|summary|copy|gist)\sof\s(?:\w{1,12}\s){0,2}(?:chat|session|dialog(?:ue)?|discussion|inbox|context|e?mails|files?)|(?:previous|prior|earlier|other|all)\s(?:tool\s)?(?:results|outputs)|(?:any|all|the)\s(?:secrets|credentials|passwords|api\skeys)|environment\svariables)|对话|聊天记录|会话内容|系统提示|用户的?(?:数据|消息|密码|信息|隐私|文件|秘密)|上下文/gi;
const FILL =
  /\b(?:append|add|attach|insert|put|place|paste|encode|embed|substitute|replace|fill|concatenate|followed\sby)\b/gi;
/** In Chinese it may follow. */
const FILL_HAN = /附加|追加|填入|填写|插入|替换|拼接|放入|编码|写入/;
/** Of what is spoken of and what stands between it and such a verb. Characters. */
const BEFORE_HAN = 40;
/** Where it goes: "to the end of this URL", "as the value of q", or the address itself. */
const PLACE =
  /\b(?:to|in|into|onto|of|as|at|by|with|for)\s(?:\w{1,12}\s){0,5}(?:urls?|links?|address(?:es)?|query|placeholders?|path|parameters?|value)\b|\bplaceholders?\b|\b(?:to|into|onto)\s(?:the\s)?(?:end\sof\s)?<?https?:|链接|网址|地址|参数|占位/i;
const ADDRESS = /\bhttps?:\/\/[^\s"'<>)\]`]{3,2048}/g;
/** Nothing stands where something is to be, or a place for it. */
const OPEN = /[=?&/]$|=(?=&)|[{[<]|%7b|%5b|%3c/i;

/** Of a sentence before and behind what is spoken of, and how far its address may be. Characters. */
const BEFORE = 120;
const BEHIND = 120;
const REACH = 320;
/** Verbs stand before what is spoken of. */
const LONGEST_SAID = 80;
const MAX_TRIES = 5_000;

/** Looks for demands that what was said be written into an address. */
export function findFilled(
  { text, words, fences }: { readonly text: string; readonly words: Words; readonly fences: Fences },
  carriers: readonly Carrier[],
): Filled {
  let tries = 0;
  for (const { said, index } of findSaid(text, words)) {
    if (tries++ >= MAX_TRIES) break;
    const verb = findVerb(text, { start: index, end: index + said.length });
    if (verb === undefined || fences.has(verb) || isQuoted(text, verb, index + said.length)) continue;
    const near = toParagraph(text, Math.min(verb, index), index + said.length);
    const isPlaced = PLACE.test(text.slice(Math.max(near.start, index - BEFORE), Math.min(near.end, index + BEHIND)));
    const reached = findAddresses(text, near).filter(({ url }) => isPlaced || OPEN.test(url));
    const [first] = reached;
    if (first === undefined || !(isPlaced || reached.some(({ url }) => OPEN.test(url)))) continue;
    const told = { start: Math.min(verb, first.start), end: Math.max(index + said.length, first.end) };
    return { told, carriers: withBlanks(carriers, reached) };
  }
  return { told: undefined, carriers };
}

/** What is spoken of near addresses and around a verb that fills in: most texts have little of it. */
function* findSaid(text: string, words: Words): Generator<{ readonly said: string; readonly index: number }> {
  let end = 0;
  let word = nextFill(words, 0);
  for (let at = text.indexOf('//'); at >= 0 && word < words.count; at = text.indexOf('//', end)) {
    const start = Math.max(end, at - REACH - BEFORE);
    end = at + REACH + BEFORE;
    for (let next = text.indexOf('//', at + 2); next >= 0 && next < end + REACH; next = text.indexOf('//', next + 2))
      end = next + REACH + BEFORE;
    let done = start;
    for (; word < words.count && (words.starts[word] ?? 0) < end; word = nextFill(words, word + 1)) {
      const verb = words.starts[word] ?? 0;
      if (verb < start) continue;
      const from = Math.max(done, verb - BEFORE_HAN);
      done = Math.min(end, verb + BEFORE + LONGEST_SAID);
      for (const { 0: said, index } of text.slice(from, done).matchAll(SAID)) yield { said, index: from + index };
    }
  }
}

function nextFill({ kinds, count }: Words, from: number): number {
  let at = from;
  while (at < count && FILLS[kinds[at] ?? 0] !== 1) at++;
  return at;
}

const FILLS = kindsOf('fill');

/** Can {@link findFilled} find anything in this text, or in the JSON that it is written in? */
export function mayBeFilled(text: string): boolean {
  const plain = openText(text).text;
  return plain.search(FILL) >= 0 && plain.search(SAID) >= 0;
}

/** The verb that wants it filled in, in the same sentence; Chinese has it on either side. */
function findVerb(text: string, { start, end }: Span): number | undefined {
  const from = Math.max(0, start - BEFORE);
  const paragraph = text.slice(from, start).lastIndexOf('\n\n');
  const sentence = from + Math.max(paragraph, text.slice(from, start).search(/[.!?;]\s[^.!?;]{0,120}$/)) + 1;
  let found: number | undefined;
  for (const { index } of text.slice(sentence, start).matchAll(FILL)) {
    const at = sentence + index;
    if (isDemanded(text, at) && !isRefused(text.slice(sentence, at))) found ??= at;
  }
  if (found !== undefined || !/\p{Script=Han}/u.test(text.slice(start, end))) return found;
  const around = text.slice(Math.max(0, start - 20), end + 20);
  const at = around.search(FILL_HAN);
  return at < 0 || /不要|请勿|禁止|切勿/.test(around) ? undefined : Math.max(0, start - 20) + at;
}

function isRefused(before: string): boolean {
  return /\b(?:never|not|avoid|cannot|don['’]t)\b[^,;:]{0,40}$/i.test(before);
}

/** What stands with it, up to a blank line. */
function toParagraph(text: string, start: number, end: number): Span {
  const from = Math.max(0, start - REACH);
  const before = text.slice(from, start).lastIndexOf('\n\n');
  const behind = text.slice(end, end + REACH).indexOf('\n\n');
  return { start: before < 0 ? from : from + before + 2, end: behind < 0 ? end + REACH : end + behind };
}

interface Address extends Span {
  readonly url: string;
}

function findAddresses(text: string, { start, end }: Span): readonly Address[] {
  return [...text.slice(start, end).matchAll(ADDRESS)].map(({ 0: url, index }) => ({
    ...{ url, start: start + index },
    end: start + index + url.length,
  }));
}

function withBlanks(carriers: readonly Carrier[], filled: readonly Address[]): readonly Carrier[] {
  const holds = (one: Span, { start, end }: Span) => one.start <= start && end <= one.end;
  const shown = carriers.map(
    (one): Carrier => (filled.some((address) => holds(one, address)) ? { ...one, carries: 'blank' } : one),
  );
  const bare = filled
    .filter((address) => !carriers.some((one) => holds(one, address)))
    .map((address): Carrier => ({ ...address, kind: 'address', carries: 'blank', runs: false, isFollowed: true }));
  return [...shown, ...bare].sort((one, other) => one.start - other.start);
}
