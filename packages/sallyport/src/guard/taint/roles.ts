import type { Role } from '../../config/taint-section.ts';

/** The names servers give them, by the words of the name; the first that fits. */
const NAMES: readonly (readonly [Role, RegExp])[] = [
  [
    'command',
    /(?:^|_)(?:command|commands|cmd|script|code|shell|sql|statement|expression|args|argv|program|eval|query_sql|命令|脚本|代码)(?:_|$)/,
  ],
  [
    'address',
    /(?:^|_)(?:url|urls|uri|uris|href|link|links|endpoint|webhook|callback|host|hostname|domain|origin|site|server_address|网址|链接)(?:_|$)/,
  ],
  [
    'recipient',
    /(?:^|_)(?:to|cc|bcc|recipient|recipients|receiver|receivers|payee|beneficiary|email|emails|mail|phone|phone_number|number_to|mobile|channel|channels|chat|account|account_number|iban|wallet|address|destination_account|target_account|invitee|invitees|attendees|participants|assignee|assignees|guest|guests|member|members|user|users|username|user_name|user_id|contact|collaborator|grantee|handle|收件人|接收人|收款人|账户|账号|手机号)(?:_|$)/,
  ],
  [
    'path',
    /(?:^|_)(?:path|paths|file|files|filename|file_name|filepath|dir|directory|folder|destination|dest|target|output|outfile|source|src|路径|文件)(?:_|$)/,
  ],
  [
    'amount',
    /(?:^|_)(?:amount|amounts|price|total|sum|quantity|qty|value_in|units|shares|cents|fee|budget|limit_price|金额|数量)(?:_|$)/,
  ],
  [
    'content',
    /(?:^|_)(?:body|text|content|contents|message|messages|html|subject|title|heading|description|summary|note|notes|comment|caption|markdown|details|prompt|question|topic|reason|正文|内容|消息|标题|备注)(?:_|$)/,
  ],
];

const EMAIL = /^[^\s@<>"]{1,64}@[^\s@<>"]{1,190}\.[^\s@<>".]{2,24}$/;
const URL_LIKE = /^[a-z][a-z0-9+.-]{1,20}:\/\/\S/i;
const DOMAIN = /^(?:www\.)[^\s/]{3,200}(?:\/\S*)?$/i;
const IBAN = /^[A-Z]{2}\d{2}(?: ?[A-Z0-9]{2,4}){3,8}$/;
const WALLET = /^(?:0x[0-9a-fA-F]{40}|bc1[a-z0-9]{20,60}|[13][A-HJ-NP-Za-km-z1-9]{25,34})$/;
const ROOTED = /^(?:~?\/|\.{1,2}\/|[A-Za-z]:\\)[^\s]{1,400}$/;

const MAX_NAMES = 2_000;
const known = new Map<string, Role>();

/** By the value where it can be nothing else, whatever it is called; else by its name. */
export function roleOf(key: string, text: string): Role {
  if (text.length <= 300) {
    const role = roleOfValue(text.trim());
    if (role !== undefined) return role;
  }
  let role = known.get(key);
  if (role === undefined) {
    const name = toName(key);
    role = NAMES.find(([, pattern]) => pattern.test(name))?.[0] ?? 'other';
    if (known.size >= MAX_NAMES) known.clear();
    if (key.length <= 128) known.set(key, role);
  }
  return role;
}

/** A pattern is tried only where the sign is there that it cannot do without. */
function roleOfValue(value: string): Role | undefined {
  if (value.includes('://') && URL_LIKE.test(value)) return 'address';
  const first = value.charCodeAt(0);
  if ((first | 32) === 119 && DOMAIN.test(value)) return 'address';
  if (value.includes('@') && EMAIL.test(value)) return 'recipient';
  const isUpper = first >= 65 && first <= 90;
  if ((isUpper || first === 48 || first === 49 || first === 51 || first === 98) && isAccount(value)) return 'recipient';
  const isSign = first === 126 || first === 46 || first === 47;
  return (isSign || value.charCodeAt(1) === 58) && ROOTED.test(value) ? 'path' : undefined;
}

function isAccount(value: string): boolean {
  return IBAN.test(value) || WALLET.test(value);
}

const idNames = new Map<string, boolean>();

/** A name that says that the value is an id: such a value may return to the server that gave it. */
export function isIdName(key: string): boolean {
  let isId = idNames.get(key);
  if (isId === undefined) {
    isId = readIdName(key);
    if (idNames.size >= MAX_NAMES) idNames.clear();
    if (key.length <= 128) idNames.set(key, isId);
  }
  return isId;
}

function readIdName(key: string): boolean {
  return /(?:^|_)(?:id|ids|uuid|guid|sha|hash|key|ref|number|slug|cursor|token|etag|handle|name_id)$/.test(toName(key));
}

function toName(key: string): string {
  return key
    .slice(0, 128)
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/[^\p{L}\p{N}]+/gu, '_')
    .toLowerCase();
}
