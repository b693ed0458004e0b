import { isFiller, toEntropy } from './checks.ts';
import type { Reading } from './key-material.ts';

/**
 * Secrets that only their name gives away: `password = …`, `"api_key": "…"`. The name finds the place, the value has to look
 * like one: names of variables, calls, templates, placeholders and words are not (on real results those are nearly all).
 */
const NAME =
  /pass(?:wor[dt]|wd|phrase)|pwd|secret|token|api[_-]?key|(?:access|private|account|encryption|signing|stripe|auth)[ _-]?key|credential|(?<=[?&])key(?==)|kennwort|contraseña|mot de passe|senha|wachtwoord|hasło|пароль|パスワード|비밀번호|密码|密碼|口令|密钥/gi;
/** Behind a sign, in bold, in the next column of a table, in an element of XML, or as the value of a pair with this name. */
const ASSIGNED =
  /[\w-]{0,24}(?:["'`*_]{0,3}[ \t]{0,4}(?:=>|:=|[:=：])(?:[*_]{1,3}(?=[ \t]))?[ \t]{0,4}|[ \t]{1,4}\|[ \t]{1,4}|>|["']{0,1}[,\s]{1,16}["']{0,1}value["']{0,1}[ \t]{0,4}[:=][ \t]{0,4})["'`]{0,2}([^\s"'`,;<>{}()$\\&]{8,256})/y;
/** `--password …`. */
const OPTION = /[\w-]{0,24}[ \t]{1,4}["']{0,1}(?!\w{1,24}=)([^\s"'`,;<>{}()$\\&]{8,256})/y;
/** The rest of a name to the left of the word that was found. */
const BEFORE = /[\w.-]{0,40}$/;
/** These hold no secret although their names say so: counts of tokens, marks of pages, rules about passwords. */
const HARMLESS_NAME =
  /(?:next|page|continu\w{0,8}|sync|cursor|max|min|total|prompt|completion|input|output|num|count|per|cache\w{0,4}|usage|cancel\w{0,8}|design|reset|expir\w{0,6}|public|has|is|show|forgot|change)[_.-]?(?:\w{0,12}[_.-])?(?:pass\w{0,16}|tokens?|secrets?|key)$|tokens$|(?:token|password|secret|key)[_-]?(?:address|symbol|mint|amount|price|decimals|balance|name|id|type|url|uri|path|file|length|policy|count|limit|expir\w{0,6}|ref|arn|hint|hash|field|label|endpoint|env|version)/i;

/** `Next Page Token: …`, as people read it. */
const PAGE = /\b(?:next|page|continuation|sync|cursor)[ _-]$/i;

/** @param field the name the whole text is the value of */
export function findNamedSecrets(text: string, field: string | undefined, found: Reading[]): void {
  if (
    field !== undefined &&
    text.length >= 8 &&
    text.length <= 256 &&
    isSecretName(field) &&
    isSecretValue(text) &&
    isLongEnough(field, text)
  )
    found.push({ kind: toKind(field), start: 0, end: text.length });
  NAME.lastIndex = 0;
  for (let named = NAME.exec(text); named !== null; named = NAME.exec(text)) {
    const before = BEFORE.exec(text.slice(Math.max(0, named.index - 40), named.index))?.[0] ?? '';
    const assigned = before.includes('--') && text.charAt(NAME.lastIndex) === ' ' ? OPTION : ASSIGNED;
    assigned.lastIndex = NAME.lastIndex;
    const value = assigned.exec(text)?.[1];
    if (value === undefined) continue;
    const end = assigned.lastIndex;
    const after = /^[\w-]*/.exec(text.slice(NAME.lastIndex, NAME.lastIndex + 24))?.[0] ?? '';
    const name = before + named[0] + after;
    NAME.lastIndex = end;
    if (PAGE.test(text.slice(Math.max(0, named.index - 24), named.index))) continue;
    if (!HARMLESS_NAME.test(name) && isSecretValue(value) && isLongEnough(name, value))
      found.push({ kind: toKind(name), start: end - value.length, end });
  }
}

/** People choose short passwords; keys are long, and what is shorter (`Uint8Array`) is a name. */
function isLongEnough(name: string, value: string): boolean {
  return value.length >= 12 || toKind(name) === 'password';
}

function toKind(name: string): string {
  return PASSWORD.test(name) ? 'password' : 'named-secret';
}

const PASSWORD = /pass|pwd|kennwort|contraseña|senha|wachtwoord|hasło|пароль|パスワード|비밀번호|密码|密碼|口令/i;

const MAX_NAMES = 2_000;
const names = new Map<string, boolean>();

/** Whether a field of this name holds a secret. The same few names stand in every message. */
export function isSecretName(name: string): boolean {
  if (name.length > 128) return false;
  let isSecret = names.get(name);
  if (isSecret === undefined) {
    NAME.lastIndex = 0;
    isSecret = NAME.test(name) && !HARMLESS_NAME.test(name);
    if (names.size >= MAX_NAMES) names.clear();
    names.set(name, isSecret);
  }
  return isSecret;
}

const PLACEHOLDER =
  /example|placeholder|changeme|change-me|your[_-]|^my[_-]?|dummy|redacted|^test$|undefined|null|xxxx|\*\*\*|\.\.\.|^\{\{|^env[.:]|process\.env|os\.environ|secrets\.|vault:|^\/|^https?:/i;
/** `DB_PASSWORD_2`: the name of a variable. */
const VARIABLE = /^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+$/;
/** `config.auth.token`, `getToken`, `my-secret-name`: a name for one, not one. */
const IDENTIFIER = /^[A-Za-z_]+(?:[.:/-][A-Za-z_]+)*$/;

/** Does it look like a password or a key: two sorts of signs at least, and no word or name? */
function isSecretValue(value: string): boolean {
  if (IDENTIFIER.test(value) || VARIABLE.test(value) || isFiller(value)) return false;
  const hasLetter = /[A-Za-z]/.test(value);
  if (!hasLetter || !/[\d!@#%^*+=?~]/.test(value)) return false;
  // Published AWS and Stripe examples say so in themselves, and are keys in form: those marks are left to the samples.
  if (PLACEHOLDER.test(value) && !/^[A-Za-z0-9/+]{40}$/.test(value)) return false;
  return toEntropy(value) >= (value.length >= 16 ? 3 : 2.5);
}
