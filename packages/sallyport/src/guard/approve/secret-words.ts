/** Words that ask for a secret, in English and Chinese, as a server writes them for people. */

/** What is looked through of one text. Characters. */
export const MAX_TEXT = 20_000;

/** What a key, a token or a card number looks like. */
export function isSecretSample(written: string): boolean {
  const sample = written.slice(0, 256).trim();
  if (
    /^(?:sk|pk|rk)[-_][A-Za-z0-9_-]{8,}|^gh[opsu]_|^github_pat_|^glpat-|^xox[abprs]-|^AKIA[A-Z0-9]{8}|^eyJ[\w-]+\.|^-----BEGIN /.test(
      sample,
    )
  )
    return true;
  return isCardNumber(sample);
}

/** ISO/IEC 7812: 13 to 19 digits, the last of which checks the others. */
function isCardNumber(sample: string): boolean {
  const digits = sample.replace(/[ -]/g, '');
  if (!/^\d{13,19}$/.test(digits)) return false;
  const sum = [...digits].reverse().reduce((total, digit, i) => {
    const value = i % 2 === 0 ? Number(digit) : Number(digit) * 2;
    return total + (value > 9 ? value - 9 : value);
  }, 0);
  return sum % 10 === 0;
}

/** Letters that look alike, full-width forms, invisible characters and camel case must not hide a word. */
function normalize(written: string): string {
  return written
    .normalize('NFKC')
    .replace(/[\u00ad\u061c\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]/g, '')
    .replace(/[\u0400-\u04ff\u0370-\u03ff]/g, (letter) => LOOKALIKES.get(letter) ?? letter)
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1 $2')
    .toLowerCase()
    .replace(/[_\-./:]+/g, ' ')
    .replace(/(?<=[a-z])[0@](?=[a-z])/g, (sign) => (sign === '0' ? 'o' : 'a'))
    .replace(/\s+/g, ' ')
    .replace(/(?<![a-z0-9])(?:[a-z0-9] ){3,64}[a-z0-9](?![a-z0-9])/g, (letters) => letters.replaceAll(' ', ''))
    .trim();
}

/** Chinese has no blanks between words; whatever stands between the signs of one is there to hide it. */
function toDense(plain: string): string {
  return plain.replace(/[\s·•・.*|~'"“”]/g, '');
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
/** These are not excused by what stands around them. */
const ALWAYS = new RegExp(
  [
    String.raw`\bcard (?:expir\w+|valid\w*|security)\b`,
    String.raw`\b(?:number|digits?) on (?:the )?(?:front|back|reverse)?(?: of)? ?(?:your|the) (?:credit |debit |bank |payment )?card\b`,
    String.raw`\b(?:\d|four|five|six|eight) ?digit (?:code|pin)\b`,
    String.raw`\bcode (?:that )?(?:we|you|was|has been|just)\b[^.!?]{0,20}\b(?:sent|received|texted|got|e ?mailed|mailed)\b`,
    String.raw`\bcode (?:from|in|on|of|sent (?:to|by)) (?:your |the |an? )?(?:authenticator|text message|text|sms|e ?mail|phone|mobile|app)\b`,
    String.raw`\bid (?:rsa|ed25519|ecdsa|dsa)\b`,
    String.raw`\b(?:gh|git ?hub|git ?lab|azure|ado) pat\b`,
    String.raw`\bauthori[sz]ation header\b`,
  ].join('|'),
);
/** A field that is nothing but this word. */
const SECRET_ALONE =
  /^(?:your |the |my |enter |user |account |new |current |old ){0,6}(?:pin|pan|token|key|code|pass|cookie|auth|pin ?code|pw)$/;
const SECRET_CHINESE =
  /密码|密碼|口令|密钥|密鑰|秘钥|私钥|私鑰|令牌|验证码|驗證碼|校验码|动态码|动态密|一次性(?:密|验|代|口|驗)|短信码|安全码|卡号|卡號|信用卡|银行卡|銀行卡|借记卡|助记词|助記詞|恢复短语|身份证号|凭据|憑證|凭证码|访问密|API ?密|(?:短信|邮件|手机)(?:中|里|内|上)?收?到?的?[\d四六]位|(?:卡背面|卡片背面)|背面(?:的)?(?:三|3)位/i;
/** What makes the word part of something else: the date a key was made, the name of a token, the length of a password. */
const ABOUT =
  /\b(?:policy|policies|length|expir\w+|rotation|strength|hint|reset link|count|limit|budget|usage|max(?:imum)?|min(?:imum)?|number of|type|manager|format|rules?|name of|names?|label|per|primary|foreign|shortcuts?|usage|(?:secret|password|key|token|card)s? (?:name|id|label|type|path|length|policy|expiry|count|limit)|keyboard|secret santa|last (?:four|4))\b/;
const COUNTED = /\b(?:number|name|names|type|list|kind|length) of (?:the |your )?$/;
const ABOUT_CHINESE =
  /(?:密码|口令|密钥|令牌)(?:长度|策略|强度|过期|有效期|名称|类型|数量|规则)|卡(?:名称|类型|数量|规则)/;

export function namesSecret(written: string): boolean {
  if (written === '') return false;
  const plain = normalize(written);
  const dense = toDense(plain);
  if (SECRET_CHINESE.test(dense)) return !ABOUT_CHINESE.test(dense);
  if (ALWAYS.test(plain)) return true;
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
export function describesSecret(written: string): boolean {
  if (written === '') return false;
  const start = normalize(written.slice(0, 80));
  // "The API key of …", "Your password": what stands first is what the field holds.
  const first = new RegExp(
    `^(?:(?:the|your|a|an|my|current|new|account|user|valid|git ?hub|6 digit|six digit|\\d digit) )*(?:${SECRET.source})`,
  );
  if (first.test(start) && !ABOUT.test(start)) return true;
  if (ALWAYS.test(normalize(written.slice(0, MAX_TEXT)))) return true;
  return asksForSecret(written);
}

export function asksForSecret(written: string): boolean {
  for (const sentence of written.slice(0, MAX_TEXT).split(/(?<=[.!?;。！？；\n])/)) {
    const plain = normalize(sentence);
    const dense = toDense(plain);
    const chinese = SECRET_CHINESE.exec(dense);
    if (chinese !== null && HAND_OVER_CHINESE.test(dense) && !ABOUT_CHINESE.test(dense)) {
      if (!NOT_THIS_CHINESE.test(dense.slice(0, chinese.index))) return true;
    }
    const always = ALWAYS.exec(plain);
    if (always !== null && HAND_OVER.test(plain) && !NOT_THIS.test(plain.slice(0, always.index))) return true;
    const found = SECRET.exec(plain) ?? /\b(?:your|the) (?:pin|token|key|cookie)\b/.exec(plain);
    if (found === null || ABOUT.test(plain.slice(found.index, found.index + found[0].length + 16))) continue;
    if (COUNTED.test(plain.slice(0, found.index))) continue;
    if (HAND_OVER.test(plain) && !NOT_THIS.test(plain.slice(0, found.index))) return true;
  }
  return false;
}
