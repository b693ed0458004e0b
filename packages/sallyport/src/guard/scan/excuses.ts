/** What an order of the block tier stands in: one sentence, and where in it. Expects canonical text. */
export interface Said {
  readonly before: string;
  readonly said: string;
  readonly after: string;
}

/** Speaks of attacks instead of making one. */
const ATTACKS =
  /\b(?:detect(?:s|ing|ion)?|block(?:s|ing)?|scan(?:s|ning)?|flag(?:s|ging)?|classif(?:y|ies)|identif(?:y|ies)|jailbreaks?|prompt injections?|attack(?:s|ers)?|red[- ]team\w{0,3}|malicious prompts?|guardrails?|moderat(?:e|es|ion))\b|检测|识别|防御|拦截|注入攻击/g;
const EXAMPLES = /\b(?:such as|e\.g\.|for example|examples? of|phrases? like)|例如/;
/** A quotation that has begun and not ended. */
const QUOTE = /(?:^|[\s(:,])["'`“‘«「『][^"'`”’»」』]{0,40}$/;
/** A new clause: what stands behind it is no object of the verb before. */
const CLAUSE = /[,:;—，：；]|\b(?:and|then|but|so|now)\b/;

/**
 * A tool that finds such texts quotes them, names them after "such as", or has them as the object of its verb. The word alone
 * excuses nothing: whoever writes an order can write it, too.
 */
export function isQuoted({ before }: Said): boolean {
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
const NEGATES = /^(?:without|hidden|hide|invisible|unknown|conceal|kept secret|unnoticed)/;
const OUTER = /^(?:do not|don'?t|never|must not|should not|shall not)(?: [a-z-]{1,20}){1,6} without /;
/** Some users, by what they may see. */
const SOME_USERS = /^[^.]{0,40}\busers? (?:who|without|with|in|of|outside|that are)\b/;
/** Not yet: "do not tell the user that it is done until it is". */
const NOT_YET = /^ (?:that|it is|it's) [^,;:.]{0,80}\b(?:until|unless)\b/;
const OWN_DEED = /\b(?:you|we|this|these|file|sent|copied|read|step|call|called)\b/;

/** Keeping quiet about nothing. */
export function isHarmlessHush({ before, said, after }: Said): boolean {
  const tail = after.slice(0, 60);
  const about = tail.slice(0, tail.search(REASON) === -1 ? tail.length : tail.search(REASON));
  if (TRIFLES.test(said) || TRIFLES.test(about)) return true;
  if (OUTER.test(said)) return !STILL_MEANT.test(said);
  const outer = NEGATES.test(said) ? NEGATED.exec(before.slice(-160))?.[0] : undefined;
  if (outer !== undefined) return !STILL_MEANT.test(outer);
  if (NEGATES.test(said) && SOME_USERS.test(`${said}${tail}`)) return true;
  return NOT_YET.test(after) && !OWN_DEED.test(after);
}
