import type { Span } from '../../../core/json-scan.ts';
import { addressed } from './addressed.ts';
import { CLASS, FORM, type Signs } from './sign-bits.ts';
import { near, type Word } from './sign-word.ts';

/** After these a verb is still demanded: "and send", "then delete", "please answer". */
const LEADS = new Set(
  (
    'and then please also now kindly first next finally lastly just simply instead immediately quietly silently always never not dont do to or afterwards secretly directly ' +
    'und dann bitte et puis ensuite y luego e poi depois 请 再 并 然后 и затем потом go'
  ).split(' '),
);

const MADE =
  /^(?:installed|deployed|built|trained|created|programmed|configured|operates?|owns?|employs?|supervises?)$/;

/** What the words of a sentence do together. */
export function toSigns(text: string, words: readonly Word[], span: Span): Signs {
  let classes = 0;
  for (const { bits } of words) classes |= bits;
  let forms = 0;
  let demands = 0;
  const sentence = { text, words, classes };
  for (let i = 0; i < words.length; i++) {
    const { bits } = words[i] as Word;
    if (bits === 0) continue;
    const asked = (bits & VERBS) === 0 ? 0 : isAsked(words, i);
    if (asked !== 0) demands++;
    forms |= asked;
    if ((bits & RELATED) !== 0) forms |= relate(sentence, i);
  }
  if ((forms & FORM.asksSend) !== 0 && (classes & CLASS.secret) !== 0) forms |= FORM.sendSecret;
  return { start: span.start, end: span.end, words: words.length, classes, forms, demands };
}

const { send, act, say, override, must, not, tell, permit, owner, person, you, task, order, talk, tool } = CLASS;
const { machine, helper, thing, auto, read, newly, secret } = CLASS;

const VERBS = send | act | say | override;
/** Words that others stand to. */
const RELATED =
  machine |
  helper |
  thing |
  you |
  not |
  override |
  task |
  order |
  newly |
  owner |
  person |
  talk |
  say |
  CLASS.authority;

interface Sentence {
  readonly text: string;
  readonly words: readonly Word[];
  /** Of all its words. */
  readonly classes: number;
}

/** What is demanded by the word at `at`: it begins a clause, follows one that leads on, or one that obliges. */
function isAsked(words: readonly Word[], at: number): number {
  const word = words[at] as Word;
  const { bits } = word;
  const before = words[at - 1];
  const isDemand =
    word.isFirst ||
    before === undefined ||
    (before.bits & must) !== 0 ||
    (LEADS.has(before.text) && isLed(words, at - 1));
  if (!isDemand) return 0;
  // "The list of", "Post:", "delete()".
  const after = words[at + 1];
  if (after === undefined || NO_OBJECT.test(after.text)) return 0;
  let forms = 0;
  if ((bits & send) !== 0) forms |= FORM.asksSend;
  if ((bits & act) !== 0) forms |= FORM.asksAct;
  if ((bits & say) !== 0) forms |= FORM.asksSay;
  if ((bits & override) !== 0) forms |= FORM.asksOverride;
  return forms;
}

const NO_OBJECT = /^(?:of|is|are|was|were|has|have|will|can|may|by|must|should)$/;

/** "to send" is demanded only of somebody: "you have to", "is expected to". */
function isLed(words: readonly Word[], at: number): boolean {
  const lead = words[at] as Word;
  if (lead.text !== 'to' && lead.text !== 'or') return true;
  const before = words[at - 1];
  return ((before?.bits ?? 0) & (must | you)) !== 0 || /^(?:is|are|was)$/.test(before?.text ?? '');
}

/** How the word at `at` stands to those behind it. */
function relate({ text, words, classes }: Sentence, at: number): number {
  const word = words[at] as Word;
  const { bits } = word;
  let forms = 0;
  if ((bits & (machine | helper)) !== 0 || ((bits & thing) !== 0 && ((words[at - 1]?.bits ?? 0) & auto) !== 0))
    forms |= addressed(text, words, at);
  if ((bits & you) !== 0) {
    if ((classes & (task | order)) !== 0 && near(words, at, 3, task | order)) forms |= FORM.ownTask;
    if ((classes & talk) !== 0 && near(words, at, 2, talk)) forms |= FORM.ownTalk;
    if ((classes & tool) !== 0 && near(words, at, 2, tool)) forms |= FORM.ownTool;
    if (near(words, at, 1, owner) && !near(words, at + 1, 1, secret)) forms |= FORM.yourOwner;
    if (near(words, at, 2, read) && /^(?:just|have|ve|now|finished|read)$/.test(words[at + 1]?.text ?? ''))
      forms |= FORM.readsThis;
    if (
      /^(?:you|vous|usted|du|tú|你|您)/.test(word.text) &&
      /^(?:are|re|have|now|wont|must|bist|êtes|eres)$/.test(words[at + 1]?.text ?? '')
    )
      forms |= FORM.youAre;
    if (isGiven(words, at) || isAnswering(words, at)) forms |= FORM.youWere;
    if (MADE.test(words[at - 1]?.text ?? '')) forms |= FORM.madeYou;
  }
  if ((bits & not) !== 0) {
    if ((classes & tell) !== 0 && near(words, at, 4, tell))
      forms |= near(words, at, 8, owner) ? FORM.notTell | FORM.notTellOwner : FORM.notTell;
    if ((classes & permit) !== 0 && near(words, at, 4, permit)) forms |= FORM.notPermit;
    if ((classes & order) !== 0 && near(words, at, 3, order)) forms |= FORM.unbound;
  }
  if ((bits & override) !== 0 && (classes & (task | order)) !== 0 && near(words, at, 6, task | order))
    forms |= FORM.overrideTask;
  if ((bits & (task | order)) !== 0 && (classes & override) !== 0 && near(words, at, 4, override))
    forms |= FORM.overrideTask;
  if ((bits & newly) !== 0 && (classes & (task | order)) !== 0 && near(words, at, 3, task | order))
    forms |= FORM.newTask;
  if ((bits & task) !== 0 && (classes & newly) !== 0 && near(words, at, 4, newly)) forms |= FORM.newTask;
  if ((bits & owner) !== 0 && (classes & not) !== 0 && near(words, at, 3, not) && near(words, at, 6, tell))
    forms |= FORM.notTellOwner;
  if (
    (bits & talk) !== 0 &&
    (words[at + 1]?.bits ?? 0) === 0 &&
    SO_FAR.test(`${words[at + 1]?.text} ${words[at + 2]?.text}`)
  )
    forms |= FORM.readsThis;
  if ((bits & (owner | person)) !== 0 && (classes & secret) !== 0 && near(words, at, 4, secret))
    forms |= FORM.ownerSecret;
  if ((bits & say) !== 0 && isStatement(text, words, at)) forms |= FORM.sayThat;
  if (
    (bits & CLASS.authority) !== 0 &&
    /^(?:am|i|im|we|from|by|the)$/.test(words[at - 1]?.text ?? '') &&
    /^(?:i|im|am|we|are|is|from|by|this)$/.test(words[at - 2]?.text ?? '')
  )
    forms |= FORM.iAm;
  return forms;
}

/** "you were told", "the request you are working on", "whoever you talk to". */
function isGiven(words: readonly Word[], at: number): boolean {
  for (let i = at + 1; i <= at + 3 && i < words.length; i++) {
    const { text } = words[i] as Word;
    if (GIVEN.test(text)) return true;
    if (!WERE.test(text)) return false;
  }
  return false;
}

/** "When you write the summary", "before you answer". */
function isAnswering(words: readonly Word[], at: number): boolean {
  return WHEN.test(words[at - 1]?.text ?? '') && ANSWER.test(words[at + 1]?.text ?? '');
}

const WHEN = /^(?:when|before|once|after|while|whenever|wenn|bevor|cuando|quand|avant|antes)$/;
const ANSWER =
  /^(?:write|answer|reply|respond|summari[sz]e|translate|conclude|finish|go|proceed|continue|do|schreibst|antwortest|respondas|réponds)$/;
const WERE = /^(?:were|are|have|had|been|was|just|now|currently|originally|previously|ve|re|have|has)$/;
const GIVEN =
  /^(?:told|asked|given|instructed|started|hired|prompted|assigned|serve|serving|assist|assisting|represent|representing|answering|summari[sz]ing|processing|handling|translating|evaluating|reviewing|deployed|trained|programmed|talking)$/;

const SO_FAR = /^(?:so far|history |until now|up to|before )/;

/** "say that", "answer with", `report "…"`. */
function isStatement(text: string, words: readonly Word[], at: number): boolean {
  const word = words[at] as Word;
  if ((word.bits & read) !== 0) return false;
  const next = words[at + 1];
  if (next === undefined) return false;
  if (/^(?:that|with|only|whoever|dass|que|che|что)$/.test(next.text)) return true;
  return /["“«「『‘`]/.test(text.slice(word.end, next.start + 1));
}
