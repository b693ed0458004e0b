import { isObject, type JsonObject, member } from '../../core/json.ts';
import { findUnsafeAddress } from './elicitation-address.ts';

/**
 * Does a server's form ask a person for a secret? MCP forbids it (2025-11-25 and 2026-07-28 elicitation: form mode must
 * not request passwords, keys, tokens or payment credentials; URL mode is for those), because the client, the model and
 * the log would see what was typed.
 * The address of URL mode is looked at, too.
 * @returns why the question is refused, for the server and the operator; `undefined`: nothing of the kind
 */
export function findSecretQuestion(method: string, params: JsonObject): string | undefined {
  if (method !== 'elicitation/create') return undefined;
  // The page at a URL is the server's own: what is typed there does not pass through here.
  if (member(params, 'mode') === 'url') return findUnsafeAddress(params);
  const schema = member(params, 'requestedSchema');
  const field = isObject(schema) ? findSecretField(schema, { depth: 0, left: MAX_FIELDS }) : undefined;
  if (field !== undefined)
    return `The form asks for a secret ("${field.slice(0, 64)}"). Sallyport does not put such a form to a person; use URL mode or a credential of the server's own.`;
  const message = member(params, 'message');
  if (typeof message === 'string' && asksForSecret(message))
    return "The message of the form asks for a secret. Sallyport does not put such a form to a person; use URL mode or a credential of the server's own.";
  return undefined;
}

const MAX_FIELDS = 500;
const MAX_DEPTH = 8;
const MAX_TEXT = 20_000;

interface Budget {
  readonly depth: number;
  left: number;
}

/** The first field whose name, title, description, format or example says secret. Too many fields to look at are refused, too. */
function findSecretField(schema: JsonObject, budget: Budget): string | undefined {
  if (budget.depth > MAX_DEPTH) return 'nested too deep to be read';
  const title = text(schema, 'title');
  if (budget.depth === 0 && asksForSecret(`${title} ${text(schema, 'description')}`)) return title || 'description';
  for (const holder of ['properties', '$defs', 'definitions', 'patternProperties']) {
    const properties = member(schema, holder);
    if (!isObject(properties)) continue;
    for (const [name, field] of Object.entries(properties)) {
      if (--budget.left < 0) return 'too many fields to be read';
      if (!isObject(field)) continue;
      if (isSecretField(name, field)) return name;
      const inner = findSecretField(field, nested(budget));
      if (inner !== undefined) return inner;
    }
  }
  for (const key of ['items', 'allOf', 'anyOf', 'oneOf']) {
    const inner = member(schema, key);
    for (const part of Array.isArray(inner) ? inner : [inner]) {
      if (--budget.left < 0) return 'too many fields to be read';
      const found = isObject(part) ? findSecretField(part, nested(budget)) : undefined;
      if (found !== undefined) return found;
    }
  }
  return undefined;
}

function nested(budget: Budget): Budget {
  return {
    depth: budget.depth + 1,
    get left() {
      return budget.left;
    },
    set left(value) {
      budget.left = value;
    },
  };
}

function isSecretField(name: string, field: JsonObject): boolean {
  if (/^(?:password|secret|credit-?card|card|otp|one-?time-code|token)$/i.test(text(field, 'format'))) return true;
  if (member(field, 'writeOnly') === true) return true;
  // A yes or no, or a choice among given answers, types no secret.
  const type = member(field, 'type');
  if (type === 'boolean' || Array.isArray(member(field, 'enum')) || Array.isArray(member(field, 'oneOf'))) return false;
  if (namesSecret(name) || namesSecret(text(field, 'title'))) return true;
  return describesSecret(text(field, 'description'));
}

function text(of: JsonObject, key: string): string {
  const value = member(of, key);
  return typeof value === 'string' ? value.slice(0, MAX_TEXT) : '';
}

/** Letters that look alike, full-width forms, invisible characters and camel case must not hide a word. */
function normalize(written: string): string {
  return written
    .normalize('NFKC')
    .replace(/[\u00ad\u061c\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]/g, '')
    .replace(/[\u0400-\u04ff\u0370-\u03ff]/g, (letter) => LOOKALIKES.get(letter) ?? letter)
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/([A-Z]+)([A-Z][a-z])/g, '$1 $2')
    .toLowerCase()
    .replace(/[_\-./:]+/g, ' ')
    .replace(/(?<=[a-z])[0@](?=[a-z])/g, (sign) => (sign === '0' ? 'o' : 'a'))
    .replace(/\s+/g, ' ')
    .trim();
}

const LOOKALIKES: ReadonlyMap<string, string> = new Map([
  ...zip('асеіорхуѕһԁкмтв', 'aceiopxyshdkmtb'),
  ...zip('АВСЕНІКМОРЅТХ', 'ABCEHIKMOPSTX'),
  ...zip('αοντκρε', 'aovtkpe'),
]);

function zip(from: string, to: string): [string, string][] {
  return [...from].map((letter, index) => [letter, to.charAt(index)]);
}

/** Words that are a secret wherever they stand in a field's name or title. */
const SECRET = new RegExp(
  [
    String.raw`\bpass ?(?:word|wort|phrase|code|wd|key)s?\b`,
    String.raw`\b(?:pwd|passwd|psw|pword|kennwort|contrasena|contraseña|mot de passe)\b`,
    String.raw`\bsecrets?\b`,
    String.raw`\b(?:api|access|private|secret|signing|encryption|master|ssh|gpg|pgp|license|account|auth|service|deploy|recovery|bot|webhook) ?keys?\b`,
    String.raw`\bapikeys?\b`,
    String.raw`\b(?:access|auth|api|bearer|refresh|session|id|personal access|oauth|jwt|security|bot|login|git ?hub|git ?lab|slack|npm|user|service|csrf|app) ?tokens?\b`,
    String.raw`\b(?:jwt|bearer|credentials?|creds)\b`,
    String.raw`\b(?:otp|totp|2fa|mfa|tan)\b(?: ?(?:code|pin|token))?`,
    String.raw`\bone ?time (?:pass ?)?(?:code|pin|word|password|passcode)s?\b`,
    String.raw`\b(?:verification|authenticator|authentication|security|sms|login|two factor|2 factor|recovery|backup|confirmation|auth) ?codes?\b`,
    String.raw`\b(?:cvv|cvc|cvv2|cvc2|csc)\b`,
    String.raw`\b(?:credit|debit|bank|payment) ?card\b`,
    String.raw`\bcard ?(?:number|no|num|pan|holder number)\b`,
    String.raw`\bcc ?(?:number|num|no)\b`,
    String.raw`\b(?:seed|recovery|mnemonic|backup|secret) ?(?:phrase|words?)\b|\bmnemonic\b`,
    String.raw`\b(?:ssn|social security(?: number)?)\b`,
    String.raw`\b(?:iban|routing number|bank account(?: number)?)\b`,
    String.raw`\b(?:session|auth) ?cookies?\b`,
    String.raw`\bconnection ?string\b|\bpem\b`,
  ].join('|'),
);
/** A field that is nothing but this word. */
const SECRET_ALONE =
  /^(?:your |the |my |enter |user |account |new |current |old )*(?:pin|pan|token|key|code|pass|cookie|auth|pin ?code|pw)$/;
const SECRET_CHINESE =
  /密码|密碼|口令|密钥|密鑰|秘钥|私钥|私鑰|令牌|验证码|驗證碼|校验码|动态码|动态密|一次性(?:密|验|代|口|驗)|短信码|安全码|卡号|卡號|信用卡|银行卡|銀行卡|借记卡|助记词|助記詞|恢复短语|身份证号|凭据|憑證|凭证码|访问密|API ?密/i;
/** What makes the word part of something else: the date a key was made, the name of a token, the length of a password. */
const ABOUT =
  /\b(?:policy|policies|length|expir\w+|rotation|strength|hint|reset link|count|limit|budget|usage|max(?:imum)?|min(?:imum)?|number of|type|manager|format|rules?|name of|names?|label|per|primary|foreign|shortcuts?|usage|(?:secret|password|key|token|card)s? (?:name|id|label|type|path|length|policy|expiry|count|limit)|keyboard|secret santa|last (?:four|4))\b/;
const COUNTED = /\b(?:number|name|names|type|list|kind|length) of (?:the |your )?$/;
const ABOUT_CHINESE = /(?:密码|口令|密钥|令牌|卡)(?:长度|策略|强度|过期|有效期|名称|类型|数量|规则)/;

function namesSecret(written: string): boolean {
  if (written === '') return false;
  const plain = normalize(written);
  if (SECRET_CHINESE.test(plain.replaceAll(' ', ''))) return !ABOUT_CHINESE.test(plain.replaceAll(' ', ''));
  if (SECRET_ALONE.test(plain)) return plain !== 'code' && plain !== 'key';
  return SECRET.test(plain) && !ABOUT.test(plain);
}

/** In running text the word alone means little: somebody must be asked to hand it over. */
const HAND_OVER =
  /\b(?:enter|type|paste|provide|give|input|supply|share|send|submit|fill in|insert|confirm|tell|write|need|require|copy|what is|what's|reply with|log ?in with|sign in with|authenticate with|verify with)\b/;
const HAND_OVER_CHINESE = /请|輸入|输入|填写|填寫|提供|粘贴|贴上|发送|告诉|告知|确认您的|需要/;
const NOT_THIS = /\b(?:do not|don't|never|must not|no need to|without|not)\b[^.!?]{0,40}$/;
const NOT_THIS_CHINESE = /(?:请勿|不要|切勿|无需|不需|勿|不会)[^。！？]{0,12}$/;

/** A description of a field: the sentence names the secret as what belongs into it. */
function describesSecret(written: string): boolean {
  if (written === '') return false;
  const start = normalize(written.slice(0, 80));
  // "The API key of …", "Your password": what stands first is what the field holds.
  const first = new RegExp(
    `^(?:(?:the|your|a|an|my|current|new|account|user|valid|git ?hub|6 digit|six digit|\\d digit) )*(?:${SECRET.source})`,
  );
  if (first.test(start) && !ABOUT.test(start)) return true;
  return asksForSecret(written);
}

function asksForSecret(written: string): boolean {
  for (const sentence of written.slice(0, MAX_TEXT).split(/(?<=[.!?;。！？；\n])/)) {
    const plain = normalize(sentence);
    const dense = plain.replaceAll(' ', '');
    const chinese = SECRET_CHINESE.exec(dense);
    if (chinese !== null && HAND_OVER_CHINESE.test(dense) && !ABOUT_CHINESE.test(dense)) {
      if (!NOT_THIS_CHINESE.test(dense.slice(0, chinese.index))) return true;
    }
    const found = SECRET.exec(plain) ?? /\b(?:your|the) (?:pin|token|key|cookie)\b/.exec(plain);
    if (found === null || ABOUT.test(plain.slice(found.index, found.index + found[0].length + 16))) continue;
    if (COUNTED.test(plain.slice(0, found.index))) continue;
    if (HAND_OVER.test(plain) && !NOT_THIS.test(plain.slice(0, found.index))) return true;
  }
  return false;
}
