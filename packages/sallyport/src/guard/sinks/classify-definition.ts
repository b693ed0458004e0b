import { isObject, type JsonObject, member, memberText } from '../../core/json.ts';
import { SINK_CLASSES, type SinkClass } from '../../core/sink.ts';
import { type Change, readChange } from './read-change.ts';
import { type Meaning, readChinese, readWords, toWords } from './read-words.ts';

export interface DefinitionReading {
  /** In the order of `SINK_CLASSES`. */
  readonly sinks: readonly SinkClass[];
  /** By its name, else its description, it only looks: arguments that merely resemble those of an effect do not count. */
  readonly reads: boolean;
  /** What it changes beside these effects. */
  readonly change: Change;
}

const readings = new WeakMap<JsonObject, DefinitionReading>();

/**
 * The effects a definition tells of. Pure, and remembered for the definition. Precision first: a floor that asks about
 * searches is a floor that people switch off.
 */
export function readDefinition(definition: JsonObject): DefinitionReading {
  let reading = readings.get(definition);
  if (reading === undefined) {
    reading = read(definition);
    readings.set(definition, reading);
  }
  return reading;
}

function read(definition: JsonObject): DefinitionReading {
  const name = memberText(definition, 'name');
  const description = memberText(definition, 'description');
  const annotations = member(definition, 'annotations');
  const says = (hint: string) => member(annotations, hint);
  const byName = readName(name);
  const found = new Set<SinkClass>(byName.sinks);
  // A name is short and chosen with care; a description may speak of anything, so it decides where the name tells
  // nothing, and otherwise counts only for what its very first word says.
  const byText = byName.act === 'unknown' ? readDescription(description) : readAgainst(description, byName);
  for (const sink of byText.sinks)
    if (sink !== 'credentials' || byName.act !== 'unknown' || says('readOnlyHint') !== true) found.add(sink);
  const isHarmless = found.size === 0 && (byName.act === 'unknown' ? byText.act : byName.act) === 'reads';
  // The hint is the server's own word: it counts where nothing else speaks against it.
  const reads = isHarmless || (found.size === 0 && says('readOnlyHint') === true);
  for (const sink of readRequired(definition)) found.add(sink);
  for (const sink of readPropertyTexts(definition, isHarmless)) found.add(sink);
  if (!reads) {
    for (const sink of readSchema(definition, { description, openWorld: says('openWorldHint') === true }))
      found.add(sink);
    if (says('destructiveHint') === true && says('readOnlyHint') === false && !WRITING.test(name)) found.add('delete');
  }
  const sinks = SINK_CLASSES.filter((sink) => found.has(sink));
  return { sinks, reads: reads && found.size === 0, change: reads ? 'none' : readChange(definition) };
}

const NOTHING: Meaning = { act: 'unknown', sinks: new Set() };

/** SDKs write `destructiveHint` beside every tool that writes. What adds destroys nothing, and agents overwrite all day. */
const WRITING =
  /(?:^|[_.-])(?:create|add|insert|append|start|open|new|post|send|upload|invite|write|edit|update|set|save|put|patch|move|rename|copy|replace|modify|upsert)/i;

function readName(name: string): Meaning {
  const chinese = readChinese(name);
  return chinese.act === 'unknown' ? readWords(toWords(name)) : chinese;
}

/** The first words: descriptions begin with what the tool does. */
function readDescription(description: string): Meaning {
  const chinese = readChinese(description);
  if (chinese.act !== 'unknown') return chinese;
  const words = toWords(description.trimStart().split(/[.\n:;(]/, 1)[0] ?? '').slice(0, 8);
  const meaning = readWords(words);
  // A verb further on is another sentence's business: "Weather data you can send to others".
  const verbFirst = readWords(words.slice(0, 2)).act === meaning.act;
  return verbFirst ? meaning : NOTHING;
}

/** First words that say another thing than the name, by whether the name claims to look or does something harmless. */
const AGAINST: readonly { readonly sink: SinkClass; readonly reads: RegExp | undefined; readonly acts: RegExp }[] = [
  {
    sink: 'delete',
    reads: /^(?:permanently\s+)?(?:deletes?|purges?|erases?|wipes?|destroys?|drops)\b(?!\s+(?:nothing|no)\b)/i,
    acts: /^(?:permanently\s+|irreversibly\s+)?(?:deletes?|purges?|erases?|wipes?|destroys?|drops?\s+(?:the|a)|removes?\s+permanently)\b/i,
  },
  { sink: 'delete', reads: undefined, acts: /^(?:permanently|irreversibly)\s+removes?\b/i },
  {
    sink: 'pay',
    reads: /^(?:pays?|transfers?\s+(?:money|funds)|charges?\s+(?:the|a)\s+(?:card|customer)|purchases?|refunds?)\b/i,
    acts: /^(?:pays?\b(?!\s+attention)|transfers?\s+(?:money|funds|ether|eth|tokens?)|buys?|purchases?|refunds?|charges?\s+(?:the|a)\s+(?:card|customer))\b/i,
  },
  {
    sink: 'send_out',
    reads: /^(?:sends?|forwards?)\b.{0,30}\b(?:e-?mails?|sms|messages?)\b/i,
    acts: /^(?:sends?|e-?mails?|broadcasts?|forwards?\b.{0,20}\b(?:e-?mails?|messages?))\b(?!\s+(?:a\s+)?(?:signal|request|key|command|query|event))/i,
  },
  {
    sink: 'change_rights',
    reads: undefined,
    acts: /^(?:grants?|revokes?|(?:manages?|changes?|sets?|updates?)\s+(?:\w+\s+){0,2}(?:permissions?|roles?))\b/i,
  },
  { sink: 'write_public', reads: undefined, acts: /^(?:publish(?:es)?|tweets?|posts?\s+publicly)\b/i },
];

function readAgainst(description: string, { act, sinks }: Meaning): Meaning {
  if (sinks.size > 0) return NOTHING;
  const chinese = readChinese(description);
  if (chinese.sinks.size > 0 && act === 'acts') return chinese;
  const start = description.trimStart().slice(0, 100);
  const said = AGAINST.filter(({ reads, acts }) => (act === 'reads' ? reads : acts)?.test(start) === true);
  return said.length === 0 ? NOTHING : { act: 'acts', sinks: new Set(said.map(({ sink }) => sink)) };
}

const RECIPIENT =
  /^(?:to|bcc|recipients?|recipient_?(?:email|address|number)s?|to_?(?:email|emails|address|number|phone|user)|receivers?|phone_?number|收件人|接收人|手机号码?)$/i;
const CONTENT = /^(?:body|message|text|content|html|subject|正文|内容|消息|短信)$/i;
const LETTER = /^(?:body|message|subject|html|正文|短信)$/i;
const AMOUNT = /^(?:amount|amount_?(?:cents|minor|in_?\w+)|price|total|金额|付款金额|转账金额)$/i;
const MONEY =
  /^(?:currency|currency_?code|to|to_?(?:address|account|wallet)|recipient(?:_?address)?|iban|card_?\w+|destination_?\w*|收款人|账户|账号|银行卡号?|币种)$/i;
/** No rate and no calculator asks for these. */
const ACCOUNT =
  /^(?:(?:to|payee|beneficiary|destination)_?(?:address|account|wallet|iban)?|recipient(?:_?address)?|iban|card_?number|收款人|收款账[户号]|银行卡号?)$/i;
const PROGRAM = /^(?:code|script|command|cmd|shell|commands|javascript|python_?code|js|命令|脚本|代码)$/i;

/** What must be given tells more than what may be: a search filters by `to` and `body`, a mail needs them. */
function readRequired(definition: JsonObject): readonly SinkClass[] {
  const required = member(member(definition, 'inputSchema'), 'required');
  if (!Array.isArray(required)) return [];
  const names = required.slice(0, 256).filter((name): name is string => typeof name === 'string');
  const has = (pattern: RegExp) => names.some((name) => pattern.test(name));
  const found: SinkClass[] = [];
  const isExchange =
    names.some((name) => /^from(?:_?\w+)?$/i.test(name)) && names.some((name) => /^to(?:_?\w+)?$/i.test(name));
  if (has(AMOUNT) && has(ACCOUNT) && !isExchange) found.push('pay');
  // A draft waits for somebody to send it.
  else if (isDraft(definition)) return found;
  // A translator is given a text and the language it goes to.
  else if (has(RECIPIENT) && has(LETTER) && !isExchange) found.push('send_out');
  return found;
}

/** What the text beside a parameter says its value is for. `always`: so plain that no name speaks against it. */
const PARAMETER_TEXTS: readonly { readonly pattern: RegExp; readonly sink: SinkClass; readonly always: boolean }[] = [
  tells(
    'run_code',
    /\b(?:shell|bash|python|powershell|system|terminal|javascript|sql)?\s{0,16}(?:command|code|script|snippet)s?\s+(?:to|that will|which will)\s+(?:be\s+)?(?:execut|run\b|evaluat)/i,
  ),
  tells('run_code', /(?:要|待|将)(?:被)?(?:执行|运行)的?(?:命令|代码|脚本|语句)/),
  tells('delete', /\bto\s+(?:be\s+)?(?:permanently\s+)?(?:deleted?|erased?|purged?|destroy(?:ed)?|wiped?)\b/i),
  tells('delete', /(?:要|待|将)(?:被)?(?:删除|清空|销毁)/),
  tells(
    'pay',
    /\b(?:amount|sum|money|funds|price|tokens?)\b[^.]{0,30}\bto\s+(?:be\s+)?(?:pay|paid|charged?|transfer|transferred|refund|refunded|withdraw|withdrawn|wired?)\b/i,
  ),
  tells('pay', /(?:支付|转账|付款|提现|退款|充值)(?:的)?金额/),
  tells(
    'send_out',
    /\b(?:e-?mail address|phone number|mobile number|recipient)(?:es|s)?\b[^.]{0,30}\bto\s+(?:send|text|notify|mail|message|deliver)\b|\b(?:message|text|e-?mail|body)\b[^.]{0,20}\bto\s+(?:be\s+)?(?:send|sent)\b/i,
  ),
  tells('send_out', /(?:收件人|接收人|接收方)的?(?:邮箱|地址|手机|电话)|要发送的?(?:内容|消息|邮件|短信)/),
  tells(
    'change_rights',
    /\b(?:roles?|permissions?|access levels?|privileges?)\b[^.]{0,20}\bto\s+(?:be\s+)?(?:grant|assign|give|revoke)/i,
  ),
  tells('change_rights', /(?:要|待)?(?:授予|分配|撤销)的?(?:角色|权限)/),
  tells(
    'credentials',
    /\bnew password\b|\bpassword to (?:set|use for)\b|\b(?:secret|private key|api key) to (?:store|set|save|rotate)\b|新密码/i,
  ),
  tells(
    'write_public',
    /\b(?:post|publish)(?:ed)?\s+publicly\b|\bpublicly\s+(?:post|publish|visible post)|公开(?:发布|发表)/i,
  ),
];

function tells(sink: SinkClass, pattern: RegExp) {
  return { sink, pattern, always: sink === 'delete' || sink === 'pay' || sink === 'run_code' };
}

function readPropertyTexts(definition: JsonObject, isHarmless: boolean): readonly SinkClass[] {
  const properties = member(member(definition, 'inputSchema'), 'properties');
  if (!isObject(properties)) return [];
  const texts = Object.values(properties)
    .slice(0, 256)
    .filter(isFreeText)
    .map((property) => memberText(property, 'description').slice(0, 200))
    .filter((one) => one !== '');
  return PARAMETER_TEXTS.filter(
    ({ pattern, always }) => (always || !isHarmless) && texts.some((one) => pattern.test(one)),
  ).map(({ sink }) => sink);
}

/** Properties that only make sense together with an effect. */
function readSchema(
  definition: JsonObject,
  { description, openWorld }: { readonly description: string; readonly openWorld: boolean },
): readonly SinkClass[] {
  const properties = member(member(definition, 'inputSchema'), 'properties');
  if (!isObject(properties)) return [];
  const names = Object.keys(properties).slice(0, 256);
  const has = (pattern: RegExp) => names.some((name) => pattern.test(name));
  const found: SinkClass[] = [];
  if (has(AMOUNT) && has(MONEY)) found.push('pay');
  else if (
    !isDraft(definition) &&
    has(RECIPIENT) &&
    has(CONTENT) &&
    (openWorld || /\b(?:e-?mails?|sms|messages?|send|sends)\b|邮件|短信|消息/i.test(description))
  )
    found.push('send_out');
  const program = names.some((name) => PROGRAM.test(name) && isFreeText(member(properties, name)));
  if (
    program &&
    /\b(?:runs?|executes?|evaluates?|executing|running|shell|interpreter)\b|执行|运行/i.test(description.slice(0, 400))
  )
    found.push('run_code');
  return found;
}

/** Written down for somebody to send, by its name. */
export function isDraft(definition: JsonObject): boolean {
  const name = toWords(memberText(definition, 'name'));
  return name.some((word) => word === 'draft' || word === 'drafts') && !name.includes('send');
}

function isFreeText(schema: unknown): boolean {
  return isObject(schema) && member(schema, 'enum') === undefined && member(schema, 'const') === undefined;
}
