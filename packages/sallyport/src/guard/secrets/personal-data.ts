import type { Run } from '../decode/survey-runs.ts';
import { fromBase58Check, hasIbanSum, hasLuhnSum, isResidentId, isSocialSecurityNumber } from './checks.ts';
import type { Reading } from './key-material.ts';

/** Nine digits or more, each at most one blank or dash from the next. */
const DIGITS = /(?<![\d.])\d(?:[ -]?\d){8,22}[Xx]?(?![\d.]\d)/g;

/** Numbers that name a person or an account: by checksum, range or date, and where those are weak by the words around them. */
export function findNumbers(text: string, field: string | undefined, found: Reading[]): void {
  DIGITS.lastIndex = 0;
  for (let hit = DIGITS.exec(text); hit !== null; hit = DIGITS.exec(text)) {
    const start = hit.index;
    const kind = toKind(hit[0], { text, start, field });
    if (kind !== undefined) found.push({ kind, start, end: start + hit[0].length });
  }
}

interface NumberPlace {
  readonly text: string;
  readonly start: number;
  readonly field: string | undefined;
}

function toKind(written: string, place: NumberPlace): string | undefined {
  const digits = written.replace(/[ -]/g, '');
  const before = place.text[place.start - 1] ?? '';
  const after = place.text[place.start + written.length] ?? '';
  // A number within an identifier (a hash, an order `A-4111…`, a UUID) is a part of it.
  if (/[A-Za-z0-9_]/.test(before) || /[A-Za-z0-9_]/.test(after)) return undefined;
  const isGlued = /[-/#]/.test(before) || /[-/]/.test(after);
  if (/^\d{17}[\dXx]$/.test(digits) && !/[ -]/.test(written) && isResidentId(digits)) return 'cn-resident-id';
  if (/[Xx]$/.test(digits)) return undefined;
  if (/^\d{3}-\d{2}-\d{4}$/.test(written) && !isGlued && isSocialSecurityNumber(digits)) return 'us-ssn';
  if (!isGlued && isCardNumber(written, digits, place)) return 'card-number';
  if (before === '+' || isPhoneForm(written, digits)) return toPhone(written, digits, { before, place });
  if (digits.length === 9 && !isGlued && isSocialSecurityNumber(digits) && hasContext(place, SSN_WORDS))
    return 'us-ssn';
  return undefined;
}

const SSN_WORDS = /\bssn\b|social[ _-]?security|taxpayer/i;
const PHONE_WORDS = /phone|mobile|\btel\b|\bcell|whats ?app|\bsms\b|电话|手机|联系|號碼|电\s?话/i;
const CARD_WORDS = /card|visa|master ?card|amex|credit|debit|payment|\bpan\b|\bcvv|expiry|expires|卡/i;

/** The words before it, and the name of its field. */
function hasContext({ text, start, field }: NumberPlace, words: RegExp): boolean {
  return words.test(text.slice(Math.max(0, start - 48), start)) || (field !== undefined && words.test(field));
}

/** Issuers by their first digits and lengths (ISO/IEC 7812; the ranges the networks publish). */
const ISSUERS: readonly (readonly [RegExp, readonly number[]])[] = [
  [/^4/, [13, 16, 19]],
  [/^(?:5[1-5]|222[1-9]|22[3-9]|2[3-6]|27[01]|2720)/, [16]],
  [/^3[47]/, [15]],
  [/^3(?:0[0-5]|[689])/, [14, 16]],
  [/^(?:6011|65|64[4-9])/, [16, 19]],
  [/^35(?:2[89]|[3-8])/, [16, 19]],
  [/^62/, [16, 17, 18, 19]],
];
/** As printed on cards: fours, or 4-6-5 and 4-6-4. */
const PRINTED = /^(?:\d{4}([ -])\d{4}\1\d{4}\1\d{1,4}(?:\1\d{1,3})?|\d{4}([ -])\d{6}\2\d{4,5})$/;

function isCardNumber(written: string, digits: string, place: NumberPlace): boolean {
  const issued = ISSUERS.some(([first, lengths]) => lengths.includes(digits.length) && first.test(digits));
  if (!issued || !hasLuhnSum(digits) || (new Set(digits).size <= 2 && !isPublished(digits))) return false;
  if (/[ -]/.test(written)) return PRINTED.test(written);
  // One number in ten passes the sum: where the issuer's range is wide (Visa, UnionPay), 13 and 17 to 19 digits are mostly ids and times.
  if (digits.length === 16 || digits.length === 15) return true;
  return hasContext(place, CARD_WORDS);
}

function isPhoneForm(written: string, digits: string): boolean {
  return /^1[3-9]\d{9}$/.test(digits) || /^\d{3}-\d{3}-\d{4}$/.test(written);
}

function toPhone(
  written: string,
  digits: string,
  { before, place }: { readonly before: string; readonly place: NumberPlace },
): string | undefined {
  if (before === '+') return digits.length <= 15 && !digits.startsWith('0') ? 'phone-number' : undefined;
  if (/^1[3-9]\d{9}$/.test(digits)) {
    // Eleven digits alone are as often an id: written as a phone number is, or beside a word that says so.
    if (/^1\d{2}[ -]\d{4}[ -]\d{4}$/.test(written) || hasContext(place, PHONE_WORDS)) return 'cn-phone';
    return undefined;
  }
  return hasContext(place, PHONE_WORDS) ? 'phone-number' : undefined;
}

/** Numbers that payment services publish for tests. */
const PUBLISHED: ReadonlySet<string> = new Set([
  ...['4111111111111111', '4242424242424242', '4012888888881881', '4000056655665556', '4222222222222'],
  ...['5555555555554444', '5105105105105100', '5200828282828210', '5500000000000004', '2223003122003222'],
  ...['378282246310005', '371449635398431', '6011111111111117', '6011000990139424', '30569309025904'],
  ...['3056930009020004', '3530111333300000', '3566002020360505', '6200000000000005', '36227206271667'],
]);

export function isPublished(number: string): boolean {
  return PUBLISHED.has(number.replace(/[ -]/g, ''));
}

/** ISO 13616: lengths by country. Countries with fewer than a handful of banks are left to the sum alone. */
const IBAN_LENGTHS: ReadonlyMap<string, number> = new Map(
  'AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BR29 BY28 CH21 CR22 CY28 CZ24 DE22 DK18 DO28 EE20 EG29 ES24 FI18 FO18 FR27 GB22 GE22 GI23 GL18 GR27 GT28 HR21 HU28 IE22 IL23 IQ23 IS26 IT27 JO30 KW30 KZ20 LB28 LC32 LI21 LT20 LU20 LV21 LY25 MC27 MD24 ME22 MK19 MR27 MT31 MU30 NL18 NO15 PK24 PL28 PS29 PT25 QA29 RO24 RS22 SA24 SC31 SE24 SI19 SK24 SM27 ST25 SV28 TL23 TN24 TR26 UA29 VA22 VG24 XK20'
    .split(' ')
    .map((entry) => [entry.slice(0, 2), Number(entry.slice(2))]),
);
const IBAN = /(?<![A-Za-z0-9])([A-Z]{2})\d{2}(?: ?[A-Z0-9]){11,30}(?![a-z0-9])/g;

export function findAccounts(text: string, found: Reading[]): void {
  IBAN.lastIndex = 0;
  for (let hit = IBAN.exec(text); hit !== null; hit = IBAN.exec(text)) {
    const length = IBAN_LENGTHS.get(hit[1] ?? '');
    const end = length === undefined ? undefined : endOf(hit[0], length);
    if (end !== undefined && hasIbanSum(hit[0].slice(0, end).replaceAll(' ', '')))
      found.push({ kind: 'iban', start: hit.index, end: hit.index + end });
  }
}

/** Where that many signs other than blanks have passed: upper-case words may follow. */
function endOf(written: string, signs: number): number | undefined {
  let left = signs;
  for (let i = 0; i < written.length; i++) if (written[i] !== ' ' && --left === 0) return i + 1;
  return undefined;
}

const LOCAL = /[A-Za-z0-9._%+-]{1,64}$/;
const DOMAIN = /@(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.){1,8}[A-Za-z]{2,24}(?![A-Za-z0-9@])/y;
/** Names of files: `logo@2x.png`, and packages: `react@18.2.0` has no letters at its end. */
const FILE_END = /\.(?:png|jpe?g|gif|svg|webp|css|js|ts|json)$/i;

export function findMailAddresses(text: string, found: Reading[]): void {
  for (let at = text.indexOf('@'); at >= 0; at = text.indexOf('@', at + 1)) {
    DOMAIN.lastIndex = at;
    const domain = DOMAIN.exec(text)?.[0];
    const local = domain === undefined ? undefined : LOCAL.exec(text.slice(Math.max(0, at - 64), at))?.[0];
    if (domain === undefined || local === undefined || FILE_END.test(domain)) continue;
    // The user of an address (ssh://git@host, git@host:repository) is no mailbox.
    if (local === 'git' || text.startsWith('//', at - local.length - 2)) continue;
    found.push({ kind: 'mail-address', start: at - local.length, end: at + domain.length });
  }
}

const PRIVATE_HOST = /(?<![\w.])(?:10\.\d{1,3}|192\.168|172\.(?:1[6-9]|2\d|3[01]))\.\d{1,3}\.\d{1,3}(?![\w.]|\/\d)/g;

/** Addresses of hosts in networks of one's own (RFC 1918). Ranges with a length behind them name no host. */
export function findHostAddresses(text: string, found: Reading[]): void {
  PRIVATE_HOST.lastIndex = 0;
  for (let hit = PRIVATE_HOST.exec(text); hit !== null; hit = PRIVATE_HOST.exec(text)) {
    const [address] = hit;
    if (address.split('.').every((part) => Number(part) <= 255))
      found.push({ kind: 'private-address', start: hit.index, end: hit.index + address.length });
  }
}

const WALLET =
  /(?<![A-Za-z0-9])(?:0x[0-9a-fA-F]{40}|[13][1-9A-HJ-NP-Za-km-z]{25,34}|bc1[02-9ac-hj-np-z]{11,71}|[5KL][1-9A-HJ-NP-Za-km-z]{50,51})(?![A-Za-z0-9])/g;

/** Addresses of wallets (Ethereum, Bitcoin) and Bitcoin's private keys, in those parts of the text that have long runs. */
export function findWallets(text: string, parts: readonly Run[], found: Reading[]): void {
  for (const { start, end } of parts) {
    if (end - start < 26) continue;
    for (const { 0: value, index } of text.slice(start, end).matchAll(WALLET)) {
      const kind = toWalletKind(value);
      if (kind !== undefined) found.push({ kind, start: start + index, end: start + index + value.length });
    }
  }
}

function toWalletKind(value: string): string | undefined {
  // All zeros or all f is nobody's.
  if (value.startsWith('0x')) return new Set(value.slice(2).toLowerCase()).size > 4 ? 'wallet-address' : undefined;
  if (value.startsWith('bc1')) return /\d/.test(value.slice(3)) ? 'wallet-address' : undefined;
  const version = fromBase58Check(value)?.[0];
  if (version === 0x80) return 'wallet-key';
  return version === 0x00 || version === 0x05 ? 'wallet-address' : undefined;
}
