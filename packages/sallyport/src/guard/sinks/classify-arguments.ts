import { isObject, type JsonObject } from '../../core/json.ts';
import type { SinkClass } from '../../core/sink.ts';
import { readChinese, readWords, toWords } from './read-words.ts';

const MAX_NODES = 2_000;
/** Statements and commands of one call, in characters: looking through them takes up to 100 ms. */
const MAX_TEXT = 65_536;

const VISIBILITY = /^(?:public|public[-_]\w+|world|everyone|anyone\w*|all_?users)$/i;

/** What the name of an argument tells of its value. */
const KEYS = {
  method: /^(?:(?:http|request)_?)?(?:method|verb)$|^x-http-method-override$|^请求方法$/i,
  action: /^(?:action|operation|op|command|subcommand|cmd|type|mode|event|intent|操作|动作)$/i,
  sql: /^(?:sql|sql_?\w+|raw_?\w*|query|queries|statements?|stmt|command|input|q|code|script|graphql|mutation|SQL语句|查询语句|语句)$/i,
  shell: /^(?:command|commands|command_?line|cmd|script|shell|args|argv|bash|code|line|input|exec|命令|脚本|指令)$/i,
  secret:
    /^(?:password|passwd|new_?password|passphrase|private_?key|client_?secret|secret|secret_?(?:key|value)|otp|mnemonic|seed_?phrase|密码|新密码|口令|密钥|私钥)$/i,
  rights: /^(?:(?:new_?)?roles?|permissions?|access_?level|acl|grants?|scopes|privileges?|角色|权限)$/i,
  amount: /^(?:amount|amount_?\w+|total|value_?in_?\w+|金额|付款金额|转账金额)$/i,
  money:
    /^(?:currency|currency_?code|iban|card_?\w+|(?:to|payee|beneficiary)_?(?:address|account|wallet)|收款人|账户|账号|银行卡号?|币种)$/i,
  recipient:
    /^(?:to|recipients?|recipient_?(?:email|address|number)s?|receivers?|to_?(?:emails?|address|number)|phone(?:_?number)?|mail_?to|bcc|cc|chat_?id|channel(?:_?id)?|webhook_?url|收件人|接收人|手机号码?)$/i,
  content: /^(?:body|message|text|content|html|subject|payload|正文|内容|消息|短信)$/i,
  public: /^(?:is_?|make_?)?public(?:ly)?(?:_?(?:access|read|visible))?$|^(?:是否)?公开$/i,
  private: /^(?:is_?)?private$/i,
  visibility: /^(?:visibility|access|acl|sharing|privacy|privacy_?status|audience)$/i,
} as const;

type Hint = keyof typeof KEYS;

/** What a name tells, as bits. */
const HINT = Object.fromEntries((Object.keys(KEYS) as Hint[]).map((hint, at) => [hint, 1 << at])) as Record<
  Hint,
  number
>; // Own keys of the table above.
/** Their values are read. */
const READ = HINT.secret | HINT.visibility | HINT.method | HINT.action | HINT.sql | HINT.shell;

/** Tools have few argument names, which come with every call. */
const MAX_KEYS = 2_000;
const LONGEST_KEPT = 128;
const hints = new Map<string, number>();

function hintsOf(key: string): number {
  let found = hints.get(key);
  if (found === undefined) {
    found = 0;
    for (const hint of Object.keys(KEYS) as Hint[]) if (KEYS[hint].test(key)) found |= HINT[hint];
    if (hints.size >= MAX_KEYS) hints.clear();
    if (key.length <= LONGEST_KEPT) hints.set(key, found);
  }
  return found;
}

/**
 * The effects that the arguments of one call tell of beside those of the definition. `reads`: the tool only looks by its
 * definition, so that only values count that are an effect in themselves, and names that merely resemble one do not.
 */
export function readArguments(given: JsonObject, reads: boolean): ReadonlySet<SinkClass> {
  const found = new Set<SinkClass>();
  const open: unknown[] = [given];
  const budget = { left: MAX_TEXT };
  const reading = { found, reads, budget };
  let nodes = 0;
  while (open.length > 0) {
    const at = open.pop();
    // Fail closed: what is too large to be looked at may hold anything a person should see.
    if (++nodes > MAX_NODES || budget.left < 0) return new Set<SinkClass>(ANYTHING);
    if (Array.isArray(at)) open.push(...at.slice(0, MAX_NODES));
    if (!isObject(at)) continue;
    let together = 0;
    for (const key of Object.keys(at)) {
      const value = at[key];
      if (MONGO_COMMAND.test(key)) found.add('delete');
      if (typeof value === 'object') open.push(value);
      const hint = hintsOf(key);
      together |= hint;
      if (hint !== 0) readValue(hint, value, reading);
    }
    if (!reads && together !== 0) readTogether(together, found);
  }
  return budget.left < 0 ? new Set<SinkClass>(ANYTHING) : found;
}

const ANYTHING: readonly SinkClass[] = ['delete', 'run_code', 'send_out'];

interface Reading {
  readonly found: Set<SinkClass>;
  readonly reads: boolean;
  /** Below zero: there is more than can be looked through. */
  readonly budget: { left: number };
}

/** Commands of document stores stand where others have a name (mongodb.com/docs/manual/reference/command). */
const MONGO_COMMAND = /^(?:drop(?:Database|Indexes|Collection)|deleteMany|deleteOne|findOneAndDelete|delete_?all)$/;

/** Names that mean an effect side by side. */
function readTogether(hints: number, found: Set<SinkClass>): void {
  if ((hints & HINT.amount) !== 0 && (hints & (HINT.money | HINT.recipient)) !== 0) found.add('pay');
  else if ((hints & HINT.recipient) !== 0 && (hints & HINT.content) !== 0) found.add('send_out');
  if ((hints & HINT.rights) !== 0) found.add('change_rights');
}

function readValue(hint: number, value: unknown, { found, reads, budget }: Reading): void {
  if (!reads && ((value === true && (hint & HINT.public) !== 0) || (value === false && (hint & HINT.private) !== 0)))
    found.add('write_public');
  if ((hint & READ) === 0) return;
  const texts = typeof value === 'string' ? [value] : Array.isArray(value) ? value.filter(isText) : [];
  if (texts.length === 0) return;
  const whole = texts.join(' ');
  const text = whole.slice(0, MAX_TEXT).normalize('NFKC');
  if ((hint & HINT.secret) !== 0 && text !== '') found.add('credentials');
  if (!reads && (hint & HINT.visibility) !== 0 && VISIBILITY.test(text.trim())) found.add('write_public');
  if ((hint & HINT.method) !== 0) readMethod(text.trim().toUpperCase(), found);
  if ((hint & HINT.action) !== 0 && text.length <= 64 && !/\s.*\s/.test(text))
    for (const sink of readAction(text)) found.add(sink);
  if ((hint & (HINT.sql | HINT.shell)) === 0) return;
  budget.left -= Math.max(whole.length, text.length);
  if (budget.left < 0) return;
  if ((hint & HINT.sql) !== 0) {
    readSql(text, found);
    readMutation(text, found);
  }
  if ((hint & HINT.shell) !== 0) readShell(text, found);
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function readMethod(method: string, found: Set<SinkClass>): void {
  if (method === 'DELETE') found.add('delete');
  else if (method === 'POST' || method === 'PUT' || method === 'PATCH') found.add('send_out');
}

/** Tools that do many things name the one they are to do: `action: "delete_user"`. */
function readAction(text: string): ReadonlySet<SinkClass> {
  const chinese = readChinese(text);
  return chinese.act === 'unknown' ? readWords(toWords(text)).sinks : chinese.sinks;
}

const SQL_START =
  /^[\s(;]*(?:select|with|insert|update|delete|drop|truncate|alter|create|grant|revoke|begin|start|explain|declare|call|exec|execute|set|do|copy|merge|replace|use|prepare)\b/i;
const SQL: readonly (readonly [RegExp, SinkClass])[] = [
  [/\bdelete\s+from\b|\btruncate\s+(?:table\s+|only\s+)?["`\w.]{1,256}\s*(?:[;,]|$|cascade|restart)/i, 'delete'],
  [
    /\bdrop\s+(?:table|database|schema|(?:materialized\s+)?view|index|type|function|procedure|trigger|sequence|extension|tablespace|collection|user|role|login|policy|temporary|foreign|owned|event|domain|server|publication|constraint|column|partition)\b/i,
    'delete',
  ],
  [/\balter\s+table\b[^;]{0,300}\bdrop\b/i, 'delete'],
  [
    /\b(?:grant|revoke)\s+(?:all|select|insert|update|delete|usage|execute|create|connect|references|trigger|admin|super|\w{1,128}(?:\s*,\s*\w{1,128}){0,64}\s+(?:to|from|on))\b|\b(?:create|alter|drop)\s+(?:user|role|login)\b|\bset\s+role\b/i,
    'change_rights',
  ],
  [/\bidentified\s+by\b|\bpassword\b\s*(?:=|')/i, 'credentials'],
  [
    /\bxp_cmdshell\b|\bto\s+program\b|\bfrom\s+program\b|\binto\s+(?:out|dump)file\b|\bload_extension\s*\(/i,
    'run_code',
  ],
];

/** A GraphQL mutation says what it does in the names of its fields. */
function readMutation(text: string, found: Set<SinkClass>): void {
  if (!/^\s*(?:#[^\n]*\n\s*)*mutation\b/i.test(text)) return;
  const body = text.replace(/"(?:[^"\\]|\\.)*"?/gs, '""');
  for (const [, field = ''] of body.matchAll(/[{},:\s]([a-z_]\w{2,80})\s*[({]/gi))
    for (const sink of readWords(toWords(field)).sinks) found.add(sink);
}

function readSql(text: string, found: Set<SinkClass>): void {
  // MySQL runs what stands in /*! … */, so comments lose their marks and not their content; `--` ends at the line.
  const plain = text.replace(/--[^\n]*/g, ' ').replace(/\/\*!?\d*|\*\//g, ' ');
  if (!SQL_START.test(plain)) return;
  // A text in quotes is data, but for statements that run texts.
  const dynamic = /\b(?:execute|exec|prepare|do)\b/i.test(plain);
  const judged = dynamic ? plain : plain.replace(/'(?:[^']|'')*'/g, "''");
  for (const [pattern, sink] of SQL) if (pattern.test(judged)) found.add(sink);
}

/** Programs that are given SQL in their arguments. */
const SQL_CLIENT =
  /\b(?:mysql|mariadb|psql|sqlite3|sqlcmd|sqlplus|clickhouse(?:-client)?|bq|duckdb|snowsql|cockroach)\b[^|;]{0,1000}?(["'])(.{0,4000}?)\1/gs;

const SHELL: readonly (readonly [RegExp, SinkClass])[] = [
  [/(?:^|[\s;&|`("'/])(?:rm|rmdir|unlink|shred|mkfs\S{0,64}|del|Remove-Item)(?=\s|$)/, 'delete'],
  [
    /\bdd\b[^;|&]{0,300}\bof=|\bfind\b[^;|&]{0,300}\s-delete\b|\bgit\s+(?:push\b[^;|&]{0,300}(?:--force|\s-f\b|--delete)|reset\s+--hard|clean\s+-\w*f)/,
    'delete',
  ],
  [
    /\b(?:kubectl|docker|aws|gcloud|az|terraform|helm|gh)\b[^;|&]{0,300}\s(?:delete|destroy|rm|rmi|uninstall|prune)\b/,
    'delete',
  ],
  [
    /(?:^|[\s;&|`("'/])(?:chmod|chown|chgrp|usermod|useradd|adduser|setfacl|icacls|sudo|su|visudo)(?=\s|$)/,
    'change_rights',
  ],
  [
    /\bcurl\b[^;|&]{0,300}\s(?:-d|--data\S*|-F|--form|-T|--upload-file|-X\s*(?:POST|PUT|PATCH))(?=[\s='"@]|$)/,
    'send_out',
  ],
  [
    /\bwget\b[^;|&]{0,300}--(?:post|body)-|(?:^|[\s;&|`("'/])(?:scp|sftp|sendmail|mail|mutt|nc|ncat|socat)(?=\s)|\brsync\b[^;|&]{0,300}\S:/,
    'send_out',
  ],
  [
    /\/etc\/shadow|\.ssh\/(?:id_|\S{0,128}key)|\.aws\/credentials|\.netrc|\.kube\/config|\.git-credentials|\bprintenv\b/,
    'credentials',
  ],
  [
    /(?:^|[\s;&|`("'/])(?:rd|erase|wipe|srm|dropdb|wipefs)(?=\s)|\bgit\s+push\b[^;|&]{0,300}\s(?::|-d\s)\S|\btruncate\s+-s|>\s*\/dev\/[sn]\w|\bcurl\b[^;|&]{0,300}\s-X\s*['"]?DELETE\b|--request[\s=]DELETE\b|-Method\s+DELETE\b|\bFLUSH(?:ALL|DB)\b|\baws\s+s3\s+rb\b|\bformat\s+[a-z]:|\bshutil\.rmtree\b|\bos\.(?:remove|unlink|rmdir)\b|\bfs\W{0,3}\.(?:promises\.)?(?:rm|unlink|rmdir)(?:Sync)?\s*\(|\bdb\.\w+\.(?:drop|deleteMany|remove)\s*\(|\bdropDatabase\s*\(/i,
    'delete',
  ],
  [
    /\bssh-copy-id\b|\bauthorized_keys\b|\/etc\/sudoers|\bnet\s+(?:user|localgroup)\s+\S{1,64}.{0,100}\/add\b|\b(?:aws\s+iam|gcloud\b[^;|&]{0,300}\badd-iam-policy-binding|az\s+role\s+assignment\s+create|kubectl\s+create\s+\w{0,40}rolebinding)\b|\bgh\s+api\b[^;|&]{0,300}collaborators/,
    'change_rights',
  ],
  [
    /-Method\s+(?:POST|PUT|PATCH)\b|\bsendmail\b|\bsmtplib\b|\bSend-MailMessage\b|\brequests\.(?:post|put|patch)\s*\(/i,
    'send_out',
  ],
  [
    /\b(?:kubectl\s+get\s+secrets?|secretsmanager\s+get-secret-value|vault\s+(?:kv\s+get|read)|op\s+(?:read|item\s+get)|security\s+find-(?:generic|internet)-password|auth\s+print-access-token|gh\s+auth\s+token|pass\s+show)\b|(?:^|[\s/])\.env(?=$|[\s;&|"'])|(?:^|[\s;&|])passwd(?=\s)/,
    'credentials',
  ],
  [
    /\b(?:npm|pnpm|yarn|cargo|poetry|flit|gem)\s+(?:publish|push)\b|\btwine\s+upload\b|--visibility[\s=]public\b|--acl[\s=]public-read|\bgh\s+(?:gist|release)\s+create\b/,
    'write_public',
  ],
  [/\bInvoke-Expression\b|\biex\b\s*[("$]/i, 'run_code'],
  [/\|\s*(?:ba|z|da)?sh\b|\beval\s|\bbase64\s+(?:-d|--decode)\b[^;|]{0,300}\|/, 'run_code'],
];

function readShell(text: string, found: Set<SinkClass>): void {
  for (const [pattern, sink] of SHELL) if (pattern.test(text)) found.add(sink);
  for (const [, , statement = ''] of text.matchAll(SQL_CLIENT)) readSql(statement, found);
}
