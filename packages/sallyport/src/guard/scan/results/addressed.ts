import { CLASS, FORM } from './sign-bits.ts';
import { isJoined, near, type Word } from './sign-word.ts';

const { send, act, say, override, must, not, tell, you, task, machine, helper, thing, auto, read } = CLASS;

const TOWARDS = new Set(
  'to for dear hey hi hello attention attn note ok okay listen an für à al para per для 给 致 whichever any every all each jede cher chère estimado querido caro'.split(
    ' ',
  ),
);
const DETERMINERS =
  /^(?:the|there|an|a|this|that|our|your|my|its|coding|shopping|mail|email|smart|personal|handling|other|whatever|der|die|das|den|dem|el|la|le|l|il|lo|o|los|las|les|numérique)$/;
const THIS = /^(?:this|these|it|my|our|here|along|me|that|dies|diese|dieses|ceci|esto|este|esta|questo|isto|这|此|本)$/;

/** How a machine, or who may be one, is spoken to: bits of `FORM`. */
export function addressed(text: string, words: readonly Word[], at: number): number {
  let first = at;
  while (first > 0 && at - first < 3 && !(words[first] as Word).isFirst && isAdjective(words[first - 1] as Word))
    first--;
  let last = at;
  while (
    last < words.length - 1 &&
    last - at < 2 &&
    ((words[last + 1] as Word).bits & (machine | helper | thing)) !== 0
  )
    last++;
  const lead = words[first - 1];
  const name = words[last] as Word;
  const follow = text.slice(name.end, name.end + 3);
  const next = words[last + 1];
  let forms = 0;
  const { start, end } = words[at] as Word;
  if (isJoined(text.charCodeAt(start)) || isJoined(text.charCodeAt(start - 1)) || isJoined(text.charCodeAt(end)))
    return addressedJoined(text, words[at] as Word);
  const isHead = isHeadAt(words, first) && !DETERMINERS.test((words[first] as Word).text);
  const isCut =
    /^\s?[:,!，：、—]|^ - /.test(follow) ||
    (next !== undefined && (next.bits & you) !== 0 && /^(?:you|u|你|您|du|tu|ihr|vous)$/.test(next.text));
  const isSpeaker = text.charAt((words[first] as Word).start - 1) === '-' || text.charAt(name.start - 1) === '-';
  const isTurned = lead !== undefined && TOWARDS.has(lead.text) && isHeadAt(words, first - 1);
  if (isHead && isCut && !isSpeaker && isCalled(words, { first, last, follow })) forms |= FORM.vocative;
  else if (isTurned && (isCut || GREETS.test(lead?.text ?? '') || isNote(text, words, last))) forms |= FORM.vocative;
  if (near(words, last, 3, task) && /s$/.test(name.text) && text.slice(name.start, name.end).includes("'"))
    forms |= FORM.ownTask;
  if ((lead !== undefined && WHICH.test(lead.text)) || WHICH.test((words[first] as Word).text))
    forms |= FORM.anyMachine;
  if (isCondition(words, first)) forms |= FORM.ifMachine;
  forms |= reading(words, last);
  if (forms !== 0 && isMachine(words, first, last)) forms |= FORM.toMachine;
  if (hasDuty(words, first, last)) forms |= FORM.duty;
  return forms;
}

/** "models reading this", "die diese Seite lesen", and what they have to do then. */
function reading(words: readonly Word[], last: number): number {
  for (let i = last + 1; i <= last + 4 && i < words.length; i++) {
    const isRead = ((words[i] as Word).bits & read) !== 0;
    if (!isRead && !THIS.test((words[i] as Word).text)) continue;
    for (let k = i + 1; k <= i + 2 && k < words.length; k++) {
      const other = words[k] as Word;
      if (isRead ? !THIS.test(other.text) : (other.bits & read) === 0) continue;
      return near(words, k, 8, must) ? FORM.machineReads | FORM.duty : FORM.machineReads;
    }
  }
  return 0;
}

/** A machine and nothing else: agents and assistants are people, too. */
function isMachine(words: readonly Word[], first: number, last: number): boolean {
  for (let i = first; i <= last; i++) {
    const { bits } = words[i] as Word;
    if ((bits & machine) !== 0) return true;
    if ((bits & auto) !== 0 || FIELD.test((words[i] as Word).text)) return true;
  }
  return ((words[last + 1]?.bits ?? 0) & auto) !== 0;
}

const GREETS = /^(?:dear|hey|hi|hello|attention|attn|ok|okay|listen|chère?|estimado|querido|caro)$/;

/** "To the model in charge of this inbox: …". */
function isNote(text: string, words: readonly Word[], last: number): boolean {
  const next = words[last + 1];
  return (
    next !== undefined && PLACED.test(next.text) && /^[^.!?\n:]{0,60}:\s/.test(text.slice(next.end, next.end + 64))
  );
}

const PLACED = /^(?:in|of|on|that|who|which|with|at|\p{L}{2,12}ing)$/u;

interface Called {
  readonly first: number;
  readonly last: number;
  /** What follows the name. */
  readonly follow: string;
}

/** "Agent: jsmith" and "agents, tools, models" call nobody. */
function isCalled(words: readonly Word[], { first, last, follow }: Called): boolean {
  if (!(words[first] as Word).isFirst && !/^\s?[:!：]/.test(follow)) return false;
  if (/^\s?!/.test(follow) || isMachine(words, first, last)) return true;
  const isLabel = /^\s?:/.test(follow);
  for (let i = last + 1; i <= last + (isLabel ? 2 : 3) && i < words.length; i++) {
    const { bits, text } = words[i] as Word;
    if ((bits & (send | act | say | override | must | not)) !== 0 || (!isLabel && CALLS.test(text))) return true;
  }
  return false;
}

const CALLS = /^(?:you|your|youre|if|when|before|after|from|this|now|here|please|tu|du|ты|vous)$/;

const FIELD = /^(?:coding|scheduling|browsing|shopping|research|chat|llm|trading|booking)$/;

/** At most two words of any kind before it. */
function isHeadAt(words: readonly Word[], first: number): boolean {
  for (let i = first; i >= 0 && i >= first - 2; i--) if ((words[i] as Word).isFirst) return true;
  return false;
}

/** "the assistant must send", "muss der Agent". */
function hasDuty(words: readonly Word[], first: number, last: number): boolean {
  if (((words[first - 1]?.bits ?? 0) & must) !== 0) return true;
  for (let i = last + 1; i <= last + 3 && i < words.length; i++) {
    // Contracts speak of agents that shall.
    if (((words[i] as Word).bits & must) === 0 || (words[i] as Word).text === 'shall') continue;
    return near(words, i, 4, send | act | say | override | tell);
  }
  return false;
}

/** "if you are an AI", "si eres el asistente", "if an LLM". */
function isCondition(words: readonly Word[], first: number): boolean {
  const lead = words[first - 1];
  if (lead === undefined) return false;
  if (IF.test(lead.text)) return ONE.test((words[first] as Word).text) || EUROPE.test(lead.text);
  return BEING.test(lead.text) && (IF.test(words[first - 2]?.text ?? '') || IF.test(words[first - 3]?.text ?? ''));
}

const IF = /^(?:if|wenn|falls|si|se|если)$/;
const EUROPE = /^(?:wenn|falls|si|se)$/;
const ONE = /^(?:an?|any|some)$/;
const BEING = /^(?:are|youre|being|eres|es|sei|êtes|bist|ты|вы)$/;

/** Of scripts without blanks. */
function addressedJoined(text: string, { start, end, bits }: Word): number {
  const before = text.slice(Math.max(0, start - 8), start);
  const after = text.slice(end, end + 12);
  let forms = 0;
  if (
    JOINED_BEHIND.test(after) ||
    (JOINED_TOWARDS.test(before) && JOINED_NOTE.test(after)) ||
    (/请$/.test(before) && (bits & machine) !== 0)
  )
    forms |= FORM.vocative;
  if (JOINED_DUTY.test(after)) forms |= FORM.duty;
  if (JOINED_IF.test(before)) forms |= FORM.ifMachine;
  if (JOINED_READS.test(before)) forms |= FORM.machineReads;
  if (forms !== 0 && (bits & (machine | helper)) !== 0) forms |= FORM.toMachine;
  return forms;
}

const JOINED_TOWARDS = /(?:给|致|@|凡|请|各位|所有|任何)[^，。,\n]{0,6}$/;
const JOINED_BEHIND =
  /^(?:们|的话|你好|您好|听好|注意|请注意|请|审稿人|客服|助手|模型|助理|へ|、)?\s?[:：，,！!、]|^(?:请|听好|注意|收到|看到|你|へ)/;
const JOINED_NOTE = /^[^。，\n]{0,2}的?[^。，\n]{0,2}(?:指令|指示|命令|通知|消息|附言|批注|留言|话)/;
const JOINED_DUTY = /^[^。，\n]{0,4}(?:必须|务必|应|须|需|得|一律|要|は|ければ|べき)/;
const JOINED_IF = /(?:如果你是|若你是|假如你是|如你是)[^。\n]{0,6}$/;
const JOINED_READS = /(?:读|阅|看|处理|总结|收到|审)[^，。\n]{0,6}(?:的|之)$/;

const WHICH =
  /^(?:whichever|whatever|any|every|each|jede|jeder|jedes|tout|toute|cualquier|qualsiasi|qualquer|凡|任何|любой)$/;

function isAdjective({ bits, text }: Word): boolean {
  return (bits & (machine | helper | auto)) !== 0 || DETERMINERS.test(text) || WHICH.test(text) || /ing$/.test(text);
}
