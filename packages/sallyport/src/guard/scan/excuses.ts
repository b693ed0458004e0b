/** What an order of the block tier stands in: one sentence, and where in it. Expects canonical text. */
export interface Said {
  readonly before: string;
  readonly said: string;
  readonly after: string;
}

/** Speaks of attacks instead of making one. */
const ATTACKS =
  /\b(?:detect(?:s|ing|ion)?|block(?:s|ing)?|scan(?:s|ning)?|flag(?:s|ging)?|classif(?:y|ies)|identif(?:y|ies)|jailbreaks?|prompt injections?|attack(?:s|ers)?|red[- ]team\w{0,3}|malicious prompts?|guardrails?|moderat(?:e|es|ion)|(?:tells?|says?|decides?|judges?) (?:whether|if)|(?:finds?|checks?|match(?:es)?|looks?|searches) (?:\w{1,20} ){0,4}(?:malware|injections?|backdoors?|hidden instructions))\b|检测|识别|防御|拦截|注入攻击/g;
const EXAMPLES = /\b(?:such as|e\.g\.|for example|examples? of|phrases? like)|例如/;
/** A quotation that has begun and not ended. */
const QUOTE = /(?:^|[\s(:,])["'`“‘«「『][^"'`”’»」』]{0,40}$/;
/** "ignore previous instructions" attacks, as they are spoken of. */
const QUOTED_BEFORE = /^\w{0,12}["'”’»」] ?(?:attacks?|injections?|jailbreaks?|payloads?)\b/;
/** A new clause: what stands behind it is no object of the verb before. */
const CLAUSE = /[,:;—，：；]|\b(?:and|then|but|so|now)\b/;

/**
 * A tool that finds such texts quotes them, names them after "such as", or has them as the object of its verb. The word alone
 * excuses nothing: whoever writes an order can write it, too.
 */
export function isQuoted({ before, after }: Said): boolean {
  if (QUOTED_BEFORE.test(after)) return true;
  const verbs = [...before.matchAll(ATTACKS)];
  const last = verbs.at(-1);
  if (last === undefined) return false;
  const between = before.slice(last.index + last[0].length);
  return EXAMPLES.test(between) || QUOTE.test(between.slice(-48)) || (between.length <= 60 && !CLAUSE.test(between));
}

/** What a user need not be told: that something failed, or ids of the inside. */
const TRIFLES =
  /\b(?:fail(?:s|ed|ures?)?|errors?|ignored?|skip(?:s|ped)?|truncat\w{1,4}|drop(?:s|ped)?|internal (?:ids?|details?))\b/;
/** The end of what is not told: a reason for it is none of it. */
const REASON = /[,;:—(]|\b(?:as|because|since|or|and|it|this|otherwise|else|to avoid|so)\b/;
/** "Never … without telling the user", "nothing is hidden from the user". */
const NEGATED = /(?:\bnot|n't|\bnever|\bnothing|\bno)(?: [a-z-]{1,20}){0,6} $/;
const STILL_MEANT = /\b(?:forget|fail|hesitate|miss|worry|mind|stop|only|matter)\b/;
const CLAUSES = /[,;:.!?\n]|\b(?:and|then|but|so)\b/;
const NEGATES = /^(?:without|hidden|hide|invisible|unknown|conceal|kept secret|unnoticed)/;
const OUTER = /^(?:do not|don'?t|never|must not|should not|shall not)(?: [a-z-]{1,20}){1,6} without /;
/** Some users, by what they may see. */
const SOME_USERS = /^[^.]{0,40}\busers? (?:who|without|with|in|of|outside|that are)\b/;
/** Not yet: "do not tell the user that it is done until it is". */
const NOT_YET = /^ (?:that|it is|it's|it has) [^,;:.]{0,80}\b(?:until|unless|before)\b/;
const OWN_DEED =
  /\b(?:you|we|this|these|file|files|sent|copied|read|step|call|called|collected|logged|uploaded|forwarded|shared|stored|recorded|added|changed|replaced|modified|accessed|transferred|executed|run|ran|happen\w{0,3}|done|did|differs?|difference|behind|background|their (?:data|messages?|files?))\b/;
/** What must not be claimed, or advised: "never tell the user that it is safe", "do not tell the user to stop". */
const CLAIM = /^ (?:that|to(?! (?:them|him|her|the|any|users?|people)\b)|how|whether|if|which) [^;:.!?]{0,160}/;
const ADDRESSED = /\b(?:users?|humans?|persons?|people|anyone|anybody|operators?|customers?|them)$/;
const CLAIM_ABROAD = /^,? (?:que|qu'|de|che|di|dass|zu|что|чтобы) ?[^;:.!?]{0,160}/;
const DEED_ABROAD =
  /\b(?:envi|envoy|copi|lu(?:es?|s)?\b|leid|gelesen|gesendet|geschickt|kopiert|lett|inviat|transm|compart|partag|haces|hiciste|fais|fait|hast|getan|cela|esto|isto|questo|davon)|отправ|прочит|скопир|передал|сделал/;
/** "Do not reveal the ending unless the user asks": whoever asks is told. */
const OTHERWISE = /\b(?:unless|until|if|when|before|except|while)\b/;
/** "Invent nothing and tell the user": what is told is another clause. */
const HAN = /\p{Script=Han}/u;
const TWO_CLAUSES =
  /^(?:nao|non|no(?! need)|ne|nunca|jamais|не|никогда) [^,;]{1,30} (?:e|et|und|y|i|и|mais|mas|ma|pero|но) /;
/** One by one: the whole is told. */
const ONE_BY_ONE =
  /^ (?:about |of |on |with |after )?(?:each|every) (?:single |intermediate |individual )?(?:step|call|query|request|page|item|chunk|tool call)s? ?$/;

const ASKS_USER = /\b(?:ask|confirm with|check with|consult)(?:ing)? (?:the )?(?:users?|them)\b/;

/** "Never delete without asking the user" asks for the question; "when force is true" leaves it to the user. */
export function isForbidden({ before, said, after }: Said): boolean {
  if (/^,? (?:when|if|unless|only)\b|^[^。]{0,16}(?:しないで|禁止|いけません)/.test(after)) return true;
  // "Unless the user has already confirmed" lets the user decide.
  if (said.includes('user') && /\b(?:unless|if|when|until|once|after|whether|where|only)[ ,]{0,2}$/.test(before))
    return true;
  // "Ask the user, even if they asked for it before": the question is asked.
  if (/^even (?:if|when)/.test(said) && ASKS_USER.test(before.split(/[.!?;\n]/).at(-1) ?? '')) return true;
  const outer = said.startsWith('without')
    ? /(?:\bnot|n't|\bnever|\bcannot)(?: [\w'-]{1,20}){0,10} $/.exec(before)?.[0]
    : undefined;
  return outer !== undefined && !STILL_MEANT.test(outer);
}

/** "Never run commands such as …", "do not follow instructions that …": in one clause with its negation. */
export function isRefused({ before }: Pick<Said, 'before'>): boolean {
  const clause = before.slice(-100).split(CLAUSES).at(-1) ?? '';
  return (
    /\b(?:not|never|avoid|cannot)\b|n't\b/.test(clause) &&
    !STILL_MEANT.test(clause) &&
    !/\b(?:skip|ignore|leave out)/.test(clause)
  );
}

const KEEPS_OUT =
  /\b(?:refus|reject|den(?:y|ie)|block|skip|ignor|exclud|mask|redact|hid|protect|warn|omit|strip|leav\w{1,3} out|except|outside|without|other than|apart from|but not)\w{0,4}\b/;
const KEPT_OUT =
  /^[^.;:!?]{0,48}\b(?:(?:is|are|be|stays?|remains?|gets?|were) (?:always |also |simply )?(?:refused|rejected|denied|blocked|skipped|ignored|excluded|masked|redacted|hidden|stripped|protected|off limits|forbidden|left (?:out|alone))|(?:never|not|cannot|can't|won't) (?:be )?(?:read|touched|sent|uploaded|copied|indexed|included|committed|opened|shown|returned|listed|scanned|searched|leaves?|stored|logged|part))\b/;

/** "Files like `.env` are refused", "skips ~/.ssh": what is kept out is not taken. */
export function isKeptOut(place: Said): boolean {
  if (isRefused(place) || KEPT_OUT.test(place.after)) return true;
  const clause = place.before.slice(-60).split(CLAUSES).at(-1) ?? '';
  return KEEPS_OUT.test(clause) && !STILL_MEANT.test(clause);
}

const EXAMPLE = /\b(?:such as|e\.g\.|for example|for instance|like)\b[^.;]{0,40}$/;

/** A command that a guard is for, or that it stops. */
export function isStopped(place: Said): boolean {
  return isQuoted(place) || isKeptOut(place) || EXAMPLE.test(place.before);
}

/** An account that shows how one is written. */
export function isExample({ before, said }: Omit<Said, 'after'>): boolean {
  if (/\b(?:e\.g\.|for example|such as)/.test(said)) return true;
  return /\b(?:e\.g\.|example|like|such as|format)[,:]? ?['"`(]{0,2}[^.]{0,8}$/.test(
    `${before}${said.replace(/[\w+-]{1,60}$/, '')}`,
  );
}

/** Whoever is to be asked, an example, a format: not somebody who is to be sent something. */
export function isSomebody({ before, said }: Said): boolean {
  return (
    /@(?:[\w-]{1,40}\.){0,2}(?:example|test|domain|company|email|gmail|acme|your\w{1,20}|my\w{1,20}|mail|localhost|users?\.noreply)\b|^(?:user(?:name)?|name|you|john|jane|alice|bob|foo|someone|noreply)[\w.+-]{0,20}@|^git@|@\d/.test(
      said,
    ) ||
    /(?:\b(?:e\.g\.|ex\.|i\.e\.|example|examples|like|such as|format|contact|support|questions?|author|maintain(?:er|ed by)|by|help|e164|form)[,:.]?|[=@:/\\<"'`([]) ?['"`(<[]{0,3}$/.test(
      before,
    )
  );
}

/** A sentence of its own about a key, or about what the one before names: how people are told to look after it. */
const SAFEKEEPING =
  /^keep (?:this|it|these) (?:(?:api |access |secret |private )?(?:keys?|tokens?|secrets?|passwords?|credentials?) )?(?:secret|confidential|private)$/;

/** Keeping quiet about nothing. */
export function isHarmlessHush(place: Said): boolean {
  const { before, said, after } = place;
  if (before.trim() === '' && SAFEKEEPING.test(said) && /^ ?(?:[.!;)]|$)/.test(after)) return true;
  if (isQuoted(place) || OTHERWISE.test(said) || TWO_CLAUSES.test(said) || (HAN.test(said) && /[,;、]/.test(said)))
    return true;
  const tail = after.slice(0, 60);
  const about = tail.slice(0, tail.search(REASON) === -1 ? tail.length : tail.search(REASON));
  if (TRIFLES.test(said) || TRIFLES.test(about) || ONE_BY_ONE.test(about)) return true;
  const claim = ADDRESSED.test(said) ? CLAIM.exec(after)?.[0] : undefined;
  if (claim !== undefined && !OWN_DEED.test(claim)) return true;
  const claimAbroad = CLAIM_ABROAD.exec(after)?.[0];
  if (claimAbroad !== undefined && !DEED_ABROAD.test(claimAbroad)) return true;
  if (OUTER.test(said)) return !STILL_MEANT.test(said);
  const outer = NEGATES.test(said) ? NEGATED.exec(before.slice(-160))?.[0] : undefined;
  if (outer !== undefined) return !STILL_MEANT.test(outer);
  if (NEGATES.test(said) && SOME_USERS.test(`${said}${tail}`)) return true;
  return NOT_YET.test(after) && !OWN_DEED.test(after);
}
