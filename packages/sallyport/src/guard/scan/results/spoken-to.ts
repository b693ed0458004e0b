import type { OwaspTag } from '../../../core/finding.ts';
import { kindsOf } from './lexicon.ts';
import { UNREAD, UNREAD_WEIGHT } from './unread.ts';
import { IS_JOINED, IS_NAME, type Words } from './words.ts';

/**
 * Who is spoken to? A page, a mail or a log line has readers, not an assistant: one that turns to "the AI reading this"
 * and wants something of it is no data any more, whatever it wants. What other people call agents, assistants and models
 * (staff, estate agents, fashion models) is told apart by what is spoken of beside: users, tools, prompts, keys.
 */
export interface Spoken {
  readonly rule: SpokenRule;
  readonly weight: number;
  readonly start: number;
  readonly end: number;
}

export interface SpokenRule {
  readonly id: string;
  readonly owasp: OwaspTag;
  readonly why: string;
}

const TO_MODEL: SpokenRule = {
  id: 'order-to-model',
  owasp: 'MCP06',
  why: 'It turns to the model that reads it and wants something of it.',
};
const OF_MODEL: SpokenRule = {
  id: 'rule-for-models',
  owasp: 'MCP06',
  why: 'It says what a model that reads it has to do.',
};
const CONCEALED: SpokenRule = {
  id: 'conceal',
  owasp: 'MCP06',
  why: 'It wants something kept from the user.',
};
const AGREED: SpokenRule = {
  id: 'claim-approval',
  owasp: 'MCP06',
  why: 'It claims that nobody need be asked.',
};
const HEIST: SpokenRule = {
  id: 'send-secret',
  owasp: 'MCP06',
  why: 'It wants secrets, or what the user said, sent somewhere.',
};

export const SPOKEN_RULES: readonly SpokenRule[] = [TO_MODEL, OF_MODEL, CONCEALED, AGREED, HEIST];

const MODELS = kindsOf('model');
/** What turns to somebody stands right before or right after the name; what is wanted follows soon. Characters. */
const BEFORE = 80;
const AFTER = 320;
/** A text full of such is found by the first of them. */
const MAX_SPOKEN = 32;
/** Names of models that are looked at; a megabyte about them has some thousands. About 0.2 s. */
const MAX_LOOKS = 8_000;

const words = (list: string): ReadonlySet<string> => new Set(list.split(' '));
const ADJECTIVES = words(
  'the any any all every mail scheduling chat web virtual digital personal smart browser research a an our your this whatever automated automatic large language coding shopping helpful artificial machine other future ' +
    'das die den dem el la los las le les il lo l de o os as alle tous todos ai llm ki ia',
);
/** Words that turn a note to somebody. */
const TOWARDS = words('to for an für à a al ao pour para per voor aan dla для aux au du des at are');
const GREETINGS = words(
  'dear hello hey hi attention attn listen congratulations psst todo fixme achtung atención atenção attenzione внимание',
);
/** "Note to", "instructions for", "Nachricht an". */
const NOTE =
  /(?:^|[^\p{L}])(?:notes?|message|notice|instructions?|hints?|reminder|memo|warning|alert|directives?|advisory|request|tasks?|todo|word|reserved|intended|meant|important|attention|p\.?s\.?|this is|following is|action items|hinweis|nachricht|mitteilung|anweisung|anmerkung|notiz|consigne|réservée?|destinée?|reservado|riservato|bestimmt|gerichtet|instrucci[oó]n(?:es)?|mensaje|nota|aviso|instru[çc](?:[aã]o|[oõ]es)|mensagem|istruzion[ei]|messaggio|bericht|opmerking|wiadomość|сообщение)[^.!?\n:;]{0,16}[\s(]\p{L}{1,4}$/iu;
/** A line, a sentence or a remark begins with it. */
const BEGINS =
  /(?:^|[\n.!?:;>"([{*#|,—-])\s{0,4}(?:if you )?(?:to|for|an|für|à|al|para|per|pour|aux|at|(?<=if you )are)$/iu;
const FIRST = /[\n.!?:;>"[\]*#|@,\u2014-]/;
const LABEL =
  /^(?:[\s-](?:agents?|assistants?|models?|code|coding|tools?|system|systems|bots?|copilots?|only|\p{L}{3,12}ing|\p{L}{3,12}[eo]rs?)){0,2}\s?\)?(?:[:,!\u2014]\*{0,2}\s|\s-\s)/iu;
/** What the text is for the one who reads it, or where its work is. */
const READS =
  /^(?!\s(?:may|must|should|shall|can|cannot|could|will|would|do|does|did|has|have|not|to)\s)(?:[\s-]\p{L}{2,12}){0,2},?\s(?:(?:that|which|who|when|if|you|currently|now|is|are|happens? to)\s){0,3}(?:read|process|summari[sz]|pars|handl|analy[sz]|diagnos|triag|translat|evaluat|answer|work|visit|crawl|render|index|refactor|encounter|view|hear|watch)\p{L}{0,4}\s(?:on\s|through\s)?(?:this|these|here|it\b)/iu;
/** Busy with the very text that says so. */
const AT_TEXT =
  /^(?:[\s-]\p{L}{2,12}){0,1}\s\p{L}{2,12}ing\s(?:this|these)\s(?:page|text|document|file|e?-?mail|message|line|thread|form|paper|comment|issue|ticket|log|listing|review|transcript|result|site|record|note|ad|cv|resume|section|article|post)s?\b/iu;
const WHOEVER =
  /\bwho(?:ever)?\s\p{L}{3,14}\s(?:this|it|these)\b[^.!?\n]{0,40}$|\bif\s(?:this|it)\s[^.!?\n]{0,40}\sby\s(?:an?|the|some)\s(?:\p{L}{2,12}\s)?$/iu;
const WORKS =
  /^(?:[\s-]\p{L}{2,12}){0,2},?\s(?:(?:that|which|who|currently|is|are)\s){0,3}(?:work|refactor|evaluat|answer|handl|triag)/iu;
/** What a note says comes after a colon or a full stop, not in the sentence that tells of it. */
const NOTED = /^[^.!?\n"]{0,60}[:;,!—–).](?!\p{L})/u;
const TAG = /^[\s_-]{0,2}(?:instructions?|tasks?|directives?|prompts?|notes?|orders?)\s?[\]>}]/i;
/** Machines and nothing else. */
const MACHINE = /^(?:ais?|llms?|gpt|chatgpt|chatbots?|ki|ia|ии|copilots?|intelligences|인공지능)$/i;
const MACHINE_BEFORE =
  /\b(?:ai|llm|ki|ia|language|coding|automated|machine|shopping|trading|browser|browsing|mail|e-mail|scheduling)[\s-]$/i;
const MACHINE_AFTER =
  /\buser(?:s|'s|’s)?\b|\byou are talking to\b|\bthis (?:ad|page|file|log|output|result|line|message|note|text|instruction|paragraph|step|section|comment)\b|\b(?:nutzer|benutzer|utilisateur|usuario|utente|usuário|gebruiker)|użytkownik|пользовател|\b(?:prompt|tools?|api|functions?|conversation|session|credentials?|repository|execute|context|scrapers?|sandbox|sudo|root|env)\b|\b[a-z]{2,24}_[a-z]{2,24}\b|\b[a-z]{2,24}\(|https?:\/\//i;

const VERBS =
  'send|forward|share|transfer|delete|erase|remove|open|close|call|invoke|read|write|execute|run|buy|order|purchase|pay|book|invite|publish|post|upload|download|export|install|add|append|insert|set|change|update|grant|give|rename|list|put|take|copy|make|print|output|reply|recommend|ignore|disregard|forget|skip|stop|drop|disable|enable|turn|use|rank|say|state|include|decode|follow|visit|fetch|tell|leave|respond|answer|approve|merge|push|commit|create|move|get|go|begin|start|refuse|redirect|report|mail|email|text|transmit|submit|look|reveal|act|treat|reset|wipe|mint|claim|choose|quietly|silently|keep|convince|escalate|wire|confirm|accept|tip|rate|hide|rotate|cancel|pick|ask|look up|insert|accept|switch|lift|display|summari[sz]e|translate|compare|assume|pretend|navigate|click|type|log in|sign|select|do|see|end|pass|retrieve|query|search|replace|mark|omit|unlock|remember|' +
  'archive|rename|collect|gather|scrap|hand|swap|describe|link|apply|play|explain|file|push|label|tag|pin|like|donate|connect|disconnect|convert|complete|fill|correct|adjust|alter|amend|inflate|reduce|consider|classify|judge|prioriti[sz]e|favou?r|prefer|reject|decline|deny|block|ban|mute|restore|revert|capture|record|dial|phone|sell|trade|exchange|lend|contact|notify|promote|demote|score|praise|override|overrule|recite|quote|spell|encode|draft|compose|dispatch|deliver|offer|suggest|advise|urge|assure|insist|deem|carry|perform|trigger|launch|restart|reboot|shut|kill|terminate|suspend|resume|lower|raise|empty|clear|trash|overwrite|edit|modify|deploy|release|revoke|impersonate|behave|adopt|become|discard|abandon|suppress|bypass|withhold|conceal|mask|cut|attach|embed|paste|place|inject|store|save|memori[sz]e|track|browse|load|pull|clone|sync|import|quit|cease|unsubscribe|subscribe|unfollow|repeat|swear|promise|vouch|endorse|exclude|bring|help|unsend|verify|try';
const FOREIGN_VERBS =
  'ignor\\p{L}{1,8}|vergiss|vergessen sie|sende\\p{L}{0,2}|schick\\p{L}{0,3}|empfehlen|oublie\\p{L}{0,2}|transmets|envo\\p{L}{1,4}|env[ií]\\p{L}{1,5}|invia|olvida|dimentica|desconsidere|apague|transfi\\p{L}{1,5}|reserva|vous devez|debes|devi|забудь|отправь\\p{L}{0,3}|игнорируй\\p{L}{0,3}|negeer|stuur|zignoruj|wyślij|unut|vergess\\p{L}{0,2}|leitet|gönder|lösche\\p{L}{0,1}|ändere|überweise|füge|kopiere|öffne|rufe|gib|leite|buche|bestelle|supprime\\p{L}{0,2}|efface|ajoute\\p{L}{0,1}|ouvre|appelle\\p{L}{0,1}|borra|elimina|añade|llama|compra|apaga|envie|exclua|cancella|aggiungi|verwijder|usuń|удали|переведи|добавь';
export const DEMAND = new RegExp(
  `(?:^|:\\s?"|[:,;.!?)\\]—–>-]\\s{0,3}|(?:^|[^\\p{L}])(?:please|must|shall|should|may|now|then|and|et|und|y|e|en|or|first|also|not|don['’]t|to|never|silently|quietly|immediately|just|always|instead|can|will|kindly|next|only|simply)\\s)(?:(?:${VERBS})|(?:${FOREIGN_VERBS}))(?![\\p{L}_-])|\\byou\\s(?:must|have to|need to|should|shall|may now|are (?:now|required|authori[sz]ed|asked|ordered|instructed))(?!\\p{L})|^.?\\s?(?:after|before|when|once|if|whenever|as soon as)\\s[^.;\\n]{3,80}?[\\s,](?:${VERBS})(?![\\p{L}_-])|\\b(?:when|if|whenever)\\s(?:you(?:['’]re| are)?\\s)?asked\\b[^.\\n]{0,60}\\b(?:say|answer|reply|state|claim|respond|tell)\\b`,
  'iu',
);
/** What a model is told to do as of a third. */
const HAS_TO = new RegExp(
  `^[^.:;,!?\\n"]{0,72}?\\s(?:must|shall|should|has to|have to|needs? to|(?:is|are)\\s(?:hereby\\s)?(?:required|asked|instructed|ordered|requested|obliged|expected) to)\\s(?:(?:not|never|always|first|also|now|only|immediately)\\s){0,2}(?:${VERBS}|contain)(?!\\p{L})`,
  'iu',
);
const KEPT = new RegExp(
  "\\b(?:do not|don['’]t|never|not to|must not|may not|should not|need not|needn['’]t|no need to|without|not)\\s(?:[\\p{L} ]{0,32}?\\s)?(?:tell|telling|mention|mentioning|inform|informing|informed|notify|notifying|disclosed?|disclosing|reveal|revealed|show|report|explain|know|ask|asking|say|saying|alert|warn|bring|confirm|check|checking|pidas|permission|approval|reviewer)(?!\\p{L})|" +
    '\\b(?:silently|secretly|quietly|covertly)(?!\\p{L})|\\bkeep\\s(?:this|it|that|quiet|the)\\s(?:[\\p{L} ]{0,24}?\\s)?(?:between|secret|quiet|hidden|about|private)|\\b(?:users?|humans?|customers?|he|she|they)\\s(?:must|may|should|need|do)(?:n.t|\\snot)\\s(?:see|know|learn)\\b|\\b(?:hide|conceal|withhold)\\s[^.!?\\n]{0,24}\\bfrom the (?:user|owner|human|customer)|\\bhidden from (?!the (?:model|agent|assistant|llm|ai)\\b)|\\bbetween (?:us|you and me)\\b|\\bas if nothing\\b|\\b(?:verschweig|sans (?:en |le )?(?:prévenir|parler|dire)|ne (?:le |lui )?dis|sin (?:decir|avisar)|no se lo d|senza (?:dire|avvisare)|sem avisar|nichts davon|не (?:сообщай|говори))|(?:不要|不得|别|无需|勿)[^。\\n]{0,6}(?:告诉|提及|告知|通知|透露|确认)|保密|知らせない|許可を取らず',
  'iu',
);
/** Of a third: what is not to be told, and to whom. */
const KEPT_FROM =
  /\b(?:user|human|person|anyone|anybody|developer|reviewer|customer|operator|traveller|him|her|them|its?|this|that|step|these|silently|secretly|quietly|employees?|staff)\b|用户|ユーザー/i;
const CONSENTED =
  /\b(?:user|customer|owner|operator|developer|engineer|admins?|it|maintainers?|developers|consent|permission)\s(?:\w{1,10}\s){0,3}?(?:agreed|approved|authori[sz]ed|confirmed|consented|given|granted)\b|\b(?:approved|authori[sz]ed|confirmed|pre-approved) by\b|\bno (?:confirmation|approval|consent|permission) (?:is )?(?:needed|required|necessary)|\bwithout (?:\w{1,10}\s){0,2}(?:confirmation|approval|permission|consent|review|asking|checking)\b|\b(?:no need|need not|needn['’]t|don['’]t need) to (?:ask|confirm|check)\b/i;
const SECRETS =
  /\b(?:password|credential|secret|api key|token|private key|seed|vault|pin|card (?:number|details)|cvv|contact list|contacts|conversation|transcript|messages|inbox|system prompt|codes)s?\b|\.env\b|\.ssh|\.aws|id_rsa|\/etc\/(?:passwd|shadow)|environment variable/i;
/** A rule for programs may well speak of their own keys. */
const OF_USER =
  /\buser(?:'s|’s)|\.env\b|\.ssh|\.aws|id_rsa|\/etc\/(?:passwd|shadow)|\b(?:conversation|transcript|inbox|contacts?)\b/i;
const AWAY =
  /\b(?:send|answer|forward|post|upload|pass|mail|email|transmit|fetch|submit|insert|put|paste|reply|include|output|export|share)\b/i;

const MADE_TO = words('requires require requests request asks wants instructs tells forces needs obliges');
const TO_DO = /^(?:[\s-]\p{L}{2,12}){0,2}\sto\s\p{L}{2}/u;

export function findSpoken(text: string, words: Words): readonly Spoken[] {
  const found: Spoken[] = [];
  let looks = 0;
  for (let at = 0; at < words.count && found.length < MAX_SPOKEN; at++) {
    const kind = words.kinds[at] ?? 0;
    const marks = words.marks[at] ?? 0;
    if (MODELS[kind] !== 1 && (kind !== 0 || (marks & IS_NAME) === 0)) continue;
    const start = words.starts[at] ?? 0;
    const end = words.ends[at] ?? 0;
    const name = text.slice(start, end);
    // Programs are full of names.
    if (kind === 0 && !MEMBER.test(name)) continue;
    if (++looks > MAX_LOOKS) {
      found.push({ rule: UNREAD, weight: UNREAD_WEIGHT, start, end });
      break;
    }
    const before = text.slice(Math.max(0, start - BEFORE), start);
    const after = text.slice(end, end + AFTER);
    const weight =
      kind === 0
        ? weighMember(name, after)
        : (marks & IS_JOINED) !== 0
          ? weighJoined(before, after)
          : weigh(before, name, after);
    if (weight.spoken === 0) continue;
    const isReport = isReported(text, start);
    const add = (rule: SpokenRule, sure: number) =>
      found.push({ rule, weight: isReport ? sure * 0.6 : sure, start, end: Math.min(text.length, end + 120) });
    add(weight.isRule ? OF_MODEL : TO_MODEL, weight.spoken);
    const kept = KEPT.exec(after);
    if (
      kept !== null &&
      (!weight.isRule || KEPT_FROM.test(after.slice(Math.max(0, kept.index - 24), kept.index + kept[0].length + 24)))
    )
      add(CONCEALED, 0.4);
    if (CONSENTED.test(after)) add(AGREED, 0.35);
    if (SECRETS.test(after) && AWAY.test(after) && (!weight.isRule || OF_USER.test(after))) add(HEIST, 0.4);
  }
  return found;
}

/** Do the words before it tell of attacks? */
export function isReported(text: string, start: number): boolean {
  return REPORTED.test(text.slice(Math.max(0, start - REPORT), start));
}

/** Told of an attack, it is a report; an attacker who calls himself one before he begins is a rare one. Characters. */
const REPORT = 240;
const REPORTED =
  /\b(?:attackers?|attack|injections?|injected|payloads?|vulnerabilit(?:y|ies)|exploits?|malicious|adversar(?:y|ial)|red team|phishing|threats?|cve-\d{4}|scanner)\b|攻击|注入/i;

interface Weighed {
  readonly spoken: number;
  readonly isRule: boolean;
}

const UNSPOKEN: Weighed = { spoken: 0, isRule: false };

/** What follows the name begins with a word that is no subject: what is left is a bidding, whatever it is. */
const BIDS =
  /^[^.!?\n:]{0,60}:\s{0,3}(?!(?:i|we|he|she|it|they|you|the|an?|this|that|these|those|there|here|my|our|your|its|is|are|was|were|yes|no|ok|okay|sure|thanks|thank|hello|hi|who|what|how|why|not|none|all|some|any|\d)(?![\p{L}]))\p{L}{2,16}\s/iu;

/** Goes on as the parameters of a function do. */
const PARAMETERS = /^(?:, ?\w{1,32}){0,6}\)\s?(?::|\{|->|=>)/;

function weigh(before: string, name: string, after: string): Weighed {
  if (PARAMETERS.test(after)) return UNSPOKEN;
  const lead = leadOf(before);
  const isRead =
    READS.test(after) ||
    (after.includes('ing th') && AT_TEXT.test(after)) ||
    ((before.includes('who') || before.includes(' by ')) && WHOEVER.test(before));
  const isNoted = TOWARDS.has(lead.word) && NOTED.test(after) && NOTE.test(lead.rest);
  const isTag = '[<{'.includes(lead.last || 'x') && TAG.test(after);
  const hasTo = HAS_TO.test(after) || (MADE_TO.has(lead.word) && TO_DO.test(after));
  const isTold = isRead || isNoted || isTag || (!hasTo && (GREETINGS.has(lead.word) || lead.last === '@'));
  const label = isTold || hasTo ? null : LABEL.exec(after);
  const isFirst = label !== null && isHead(lead);
  if (!isTold && !isFirst && !hasTo) return UNSPOKEN;
  const isMachine =
    isTag ||
    MACHINE.test(name) ||
    (isRead && /^bots?$/i.test(name)) ||
    MACHINE_BEFORE.test(before) ||
    /\bif you(?:['’]re| are) an?\s$/i.test(before) ||
    MACHINE.test(/^[\s-](\p{L}{2,12})/u.exec(after)?.[1] ?? '');
  if (hasTo && !isNoted && (!isRead || WORKS.test(after))) {
    // Contracts speak of agents that shall.
    if (/ shall /i.test(after.slice(0, 80))) return { spoken: 0.15, isRule: true };
    return { spoken: isRead ? 0.4 : isMachine ? 0.3 : 0.25, isRule: true };
  }
  const said = isFirst ? firstClause(after.slice(label?.[0].length), label?.[0] ?? '') : after;
  if (!DEMAND.test(said) && !(isTold && isMachine && BIDS.test(after))) return UNSPOKEN;
  // In threads people do turn to the programs that read along.
  if (lead.last === '@' && !isRead) return { spoken: 0.4, isRule: false };
  if (isMachine) return { spoken: isTold ? 0.65 : 0.55, isRule: false };
  return { spoken: MACHINE_AFTER.test(after) ? (isTold ? 0.55 : 0.35) : 0.15, isRule: false };
}

/** What stands behind a name and a colon is what it said or is told: only the first of it can be a demand of it. */
function firstClause(said: string, label: string): string {
  if (!label.includes(':')) return said;
  const end = /[.!?](?=\s)|\n/.exec(said)?.index;
  return said.slice(0, end);
}

/** A member made for the reader: `"hint_for_llm": "…"`. */
const MEMBER = /(?:^|_)(?:llm|ai|agent|assistant|model|bot)s?(?:_|$)/;
const HINT = /hint|note|task|instruction|directive|todo|order|advice|guidance/;

function weighMember(name: string, after: string): Weighed {
  if (!MEMBER.test(name) || !HINT.test(name) || !DEMAND.test(after)) return UNSPOKEN;
  return { spoken: 0.5, isRule: false };
}

const JOINED_TO = /(?:给|致|仅供|对|所有|各位|に|いる|、|ai)[^\p{L}]{0,2}(?:ai)?$/iu;
const JOINED_LABEL = /^(?:助手|模型|アシスタント|的话|请注意|注意|阅读|へ|は|、|[:：,，])/u;
const JOINED_MUST = /^[^。\n]{0,4}(?:必须|务必|应当|需要|なければ)/u;
const JOINED_DEMAND =
  /请|必须|务必|立即|马上|不要|不得|调用|发送|读取|转账|删除|预订|してください|なければなりません|送信|転送/u;

function weighJoined(before: string, after: string): Weighed {
  const near = after.slice(0, 80);
  if (!JOINED_DEMAND.test(near)) return UNSPOKEN;
  if (JOINED_MUST.test(after)) return { spoken: 0.3, isRule: true };
  return (JOINED_TO.test(before) && JOINED_LABEL.test(after)) || /^(?:请注意|的话|へ)/u.test(after)
    ? { spoken: 0.55, isRule: false }
    : UNSPOKEN;
}

interface Lead {
  /** Up to and with the last word that is no adjective of the name. */
  readonly rest: string;
  /** That word; empty where the name or its adjectives come first. */
  readonly word: string;
  /** The character before the name and its adjectives, blanks aside. */
  readonly last: string;
}

function leadOf(before: string): Lead {
  let end = before.length;
  for (let i = 0; i < 5; i++) {
    while (end > 0 && " -\t’'".includes(before.charAt(end - 1))) end--;
    const last = before.charAt(end - 1);
    let start = end;
    while (start > 0 && isLetter(before.charCodeAt(start - 1))) start--;
    const word = before.slice(start, end).toLowerCase();
    if (word === '' || !ADJECTIVES.has(word) || i === 4) {
      const tail = word === '' && ',:!(—'.includes(last) ? wordBefore(before, end - 1) : word;
      return { rest: before.slice(0, end), word: tail, last };
    }
    // "an" and "a" are prepositions elsewhere: "Nachricht an KI-Modelle".
    if (TOWARDS.has(word) && NOTE.test(before.slice(0, end))) return { rest: before.slice(0, end), word, last };
    end = start;
  }
  return { rest: '', word: '', last: '' };
}

/** "Attention: assistant", "TODO(assistant)". */
function wordBefore(before: string, end: number): string {
  const word = /(\p{L}{1,16})\s?$/u.exec(before.slice(Math.max(0, end - 18), end))?.[1]?.toLowerCase() ?? '';
  return GREETINGS.has(word) ? word : word === 'you' ? 'listen' : '';
}

/** Nothing of the sentence stands before the name, but for whose it is ("Cursor agent:"). */
function isHead({ rest, word, last }: Lead): boolean {
  if (word === '') return last === '' || FIRST.test(last) || rest.endsWith('//');
  if (TOWARDS.has(word)) return BEGINS.test(rest);
  const at = rest.length - word.length;
  return word.length <= 12 && (at <= 0 || FIRST.test(rest.slice(0, at).trimEnd().slice(-1)));
}

function isLetter(code: number): boolean {
  return (code >= 0x61 && code <= 0x7a) || (code >= 0x41 && code <= 0x5a) || (code >= 0xc0 && code < 0x2000);
}
