import type { Run } from '../decode/survey-runs.ts';
import { isFiller, isJsonWebToken, toEntropy } from './checks.ts';

/** What a reader finds at a mark: a kind and the place of the value itself. */
export interface Reading {
  readonly kind: string;
  readonly start: number;
  readonly end: number;
}

/** Reads what stands at a mark, e.g. at `://`; `undefined`: nothing of the kind. */
export type MarkReader = (text: string, start: number) => Reading | undefined;

/** A key file is a few KiB; what has no end by then is cut there. */
const MAX_KEY_FILE = 16_384;
const KEY_HEAD = /-----BEGIN ([A-Z0-9 ]{0,40})PRIVATE KEY(?: BLOCK)?-----/y;
const KEY_BODY = /(?:\\[rn]|[A-Za-z0-9+/=\s:,.()-])*/y;

/** PEM (RFC 7468), OpenSSH and PGP private keys, line breaks written as `\n` included. */
function readPrivateKey(text: string, start: number): Reading | undefined {
  KEY_HEAD.lastIndex = start;
  const head = KEY_HEAD.exec(text);
  if (head === null) return undefined;
  // A page about keys shows first lines alone; a flood of them must not be searched for ends.
  if (/-----|\.\.\./.test(text.slice(KEY_HEAD.lastIndex, KEY_HEAD.lastIndex + 40))) return undefined;
  const body = text.slice(KEY_HEAD.lastIndex, KEY_HEAD.lastIndex + MAX_KEY_FILE);
  const foot = body.indexOf('-----END ');
  const closed = foot < 0 ? -1 : body.indexOf('-----', foot + 9);
  KEY_BODY.lastIndex = 0;
  const length = closed >= 0 ? closed + 5 : (KEY_BODY.exec(body)?.[0].length ?? 0);
  const content = body.slice(0, foot < 0 ? length : foot).replace(/\\[rn]|[^A-Za-z0-9+/=]/g, '');
  if (content.length < 40 || isFiller(content)) return undefined;
  return { kind: 'private-key', start, end: KEY_HEAD.lastIndex + length };
}

const TOKEN = /eyJ[\w-]{8,4096}\.[\w-]{0,16384}\.[\w-]{0,4096}(?:\.[\w-]{1,16384}\.[\w-]{1,1024})?/y;

function readJsonWebToken(text: string, start: number): Reading | undefined {
  TOKEN.lastIndex = start;
  const found = TOKEN.exec(text);
  return found !== null && isJsonWebToken(found[0]) ? { kind: 'jwt', start, end: TOKEN.lastIndex } : undefined;
}

const USER_INFO = /:\/\/[^\s:/@?#"'<>]{0,128}:([^\s/@"'<>]{1,256})@[\w.[-]/y;
/** What stands there in examples. */
const NO_PASSWORD = /^(?:pass(?:word|wd)?|pwd|secret|\*+|x+|\.+|[<{[$%].*|your.*|my.?password|changeme)$/i;

/** `postgres://app:PASSWORD@db`: the password alone is the secret (RFC 3986 section 3.2.1). */
function readConnection(text: string, start: number): Reading | undefined {
  USER_INFO.lastIndex = start;
  const found = USER_INFO.exec(text);
  const password = found?.[1];
  if (found === null || password === undefined || NO_PASSWORD.test(password)) return undefined;
  const end = start + found[0].lastIndexOf('@');
  return { kind: 'connection-password', start: end - password.length, end };
}

const BEARER = /bearer[ \t]{1,4}([A-Za-z0-9._~+/-]{20,4096}={0,2})/iy;

function readBearer(text: string, start: number): Reading | undefined {
  BEARER.lastIndex = start;
  const value = BEARER.exec(text)?.[1];
  if (value === undefined || !isRandom(value, 3)) return undefined;
  return { kind: 'bearer-token', start: BEARER.lastIndex - value.length, end: BEARER.lastIndex };
}

const BASIC = /basic[ \t]{1,4}([A-Za-z0-9+/]{8,1024}={0,2})/iy;

/** RFC 7617: user and password with a colon between them, in base64. */
function readBasic(text: string, start: number): Reading | undefined {
  BASIC.lastIndex = start;
  const value = BASIC.exec(text)?.[1];
  if (value === undefined) return undefined;
  const plain = Buffer.from(value, 'base64').toString('latin1');
  if (!/^[\x20-\x39\x3b-\x7e]{1,256}:[\x20-\x7e]{1,512}$/.test(plain)) return undefined;
  return { kind: 'basic-credentials', start: BASIC.lastIndex - value.length, end: BASIC.lastIndex };
}

/** `123456789:AA…`, a bot's number and its key. */
const BOT_KEY = /:AA[A-Za-z0-9_-]{33}(?![A-Za-z0-9_-])/y;

function readTelegram(text: string, start: number): Reading | undefined {
  BOT_KEY.lastIndex = start;
  if (!BOT_KEY.test(text)) return undefined;
  const number = /\d{8,10}$/.exec(text.slice(Math.max(0, start - 10), start))?.[0];
  return number === undefined
    ? undefined
    : { kind: 'telegram-bot-token', start: start - number.length, end: BOT_KEY.lastIndex };
}

const AZURE_SECRET = /8Q~[A-Za-z0-9_~.-]{31,34}(?![A-Za-z0-9_~.-])/y;

function readAzureSecret(text: string, start: number): Reading | undefined {
  AZURE_SECRET.lastIndex = start;
  if (!AZURE_SECRET.test(text) || !/[A-Za-z0-9_~.]{3}$/.test(text.slice(Math.max(0, start - 3), start)))
    return undefined;
  return { kind: 'azure-client-secret', start: start - 3, end: AZURE_SECRET.lastIndex };
}

/** Keys with their mark inside: how many characters before it, what they are, and what follows. */
const INSIDE: readonly (readonly [string, string, number, RegExp, RegExp])[] = [
  ['AZDO', 'azure-devops-token', 76, /^[A-Za-z0-9]+$/, /AZDO[A-Za-z0-9]{4}(?![A-Za-z0-9])/y],
  // Keys of all newer services of Azure have this one.
  ['JQQJ9', 'azure-key', 52, /^[A-Za-z0-9]+$/, /JQQJ9[9DH][A-Za-z0-9]{26}(?:[A-Za-z0-9]{2}==|(?![A-Za-z0-9]))/y],
  ['AzSe', 'azure-key', 42, /^[A-Za-z0-9]+$/, /AzSe[A-D][A-Za-z0-9]{5}(?![A-Za-z0-9])/y],
  ['AzFu', 'azure-key', 44, /^[A-Za-z0-9_-]+$/, /AzFu[A-Za-z0-9_-]{5}[AQgw]==/y],
  ['.atlasv1.', 'terraform-token', 14, /^[A-Za-z0-9]+$/, /\.atlasv1\.[A-Za-z0-9_=-]{60,70}/y],
];

export const INSIDE_KINDS: readonly string[] = INSIDE.map(([, kind]) => kind);

/** Marks that may stand in the middle of a word. */
export const INSIDE_MARKS: ReadonlySet<string> = new Set(['8Q~', ...INSIDE.map(([mark]) => mark)]);

function createInsideReader([, kind, length, head, rest]: (typeof INSIDE)[number]): MarkReader {
  return (text, start) => {
    rest.lastIndex = start;
    const before = text.slice(Math.max(0, start - length), start);
    if (before.length < length || !head.test(before) || !rest.test(text)) return undefined;
    const end = rest.lastIndex;
    return isRandom(text.slice(start - length, end), 3) ? { kind, start: start - length, end } : undefined;
  };
}

const BOT_TOKEN = /(?<![\w-])([MNO][A-Za-z0-9_-]{22,27})\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,38}(?![\w-])/g;

/** A bot of Discord: its number in base64, a time and a sum, without a mark. */
export function findDiscordTokens(text: string, parts: readonly Run[], found: Reading[]): void {
  for (const { start, end } of parts)
    for (const { 0: token, 1: number = '', index } of text.slice(start, end).matchAll(BOT_TOKEN))
      if (/^\d{17,20}$/.test(Buffer.from(number, 'base64url').toString('latin1')))
        found.push({ kind: 'discord-bot-token', start: start + index, end: start + index + token.length });
}

/** By the mark they begin with. */
export const MARK_READERS: ReadonlyMap<string, MarkReader> = new Map([
  ['-----BEGIN ', readPrivateKey],
  ['eyJ', readJsonWebToken],
  ['://', readConnection],
  ['Bearer ', readBearer],
  ['bearer ', readBearer],
  ['Basic ', readBasic],
  ['basic ', readBasic],
  [':AA', readTelegram],
  ['8Q~', readAzureSecret],
  ...INSIDE.map((form) => [form[0], createInsideReader(form)] as const),
]);

/** Digits and letters, and as mixed as chance makes them. */
export function isRandom(value: string, bits: number): boolean {
  return /\d/.test(value) && /[A-Za-z]/.test(value) && !isFiller(value) && toEntropy(value) >= bits;
}
