import type { Run } from '../decode/survey-runs.ts';
import { toPlainSigns } from '../plain-signs.ts';
import { fromBase58Check, hasIbanSum, hasLuhnSum, isResidentId, isSocialSecurityNumber } from './checks.ts';
import type { Reading } from './key-material.ts';

/** Nine digits or more, each at most one blank or dash from the next. */
const DIGITS = /(?<![\d.])\d(?:[ -]?\d){8,22}[Xx]?(?![\d.]\d)/g;

/** A card as printed, among other numbers: `4532 0151 1283 0366 12/28`. In a row of such groups it is a table. */
const CARD =
  /\d{4}(?<![\w#/.-]\d{4}|\d{4}[ .-]\d{4})([ .-])(?:\d{4}\1\d{4}\1\d{4}|\d{6}\1\d{4,5})(?![\w/-]|[ .]\d{4}(?!\d))/g;

/**
 * Numbers that name a person or an account: by checksum, range or date, and where those are weak by the words around them.
 *
 * @param text as `toPlainSigns` gives it
 */
export function findNumbers(text: string, field: string | undefined, found: Reading[]): void {
  DIGITS.lastIndex = 0;
  for (let hit = DIGITS.exec(text); hit !== null; hit = DIGITS.exec(text)) {
    const start = hit.index;
    const kind = toKind(hit[0], { text, start, field });
    if (kind !== undefined) found.push({ kind, start, end: start + hit[0].length });
  }
  for (const { 0: written, index: start } of text.matchAll(CARD)) {
    const groups = written.replaceAll('.', '-');
    if (isCardNumber(groups, groups.replace(/[ -]/g, ''), { text, start, field }))
      found.push({ kind: 'card-number', start, end: start + written.length });
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
  if (RESIDENT_ID.test(written) && isResidentId(digits)) return 'cn-resident-id';
  if (/[Xx]$/.test(digits)) return undefined;
  if (SSN.test(written) && !isGlued && isSocialSecurityNumber(digits)) {
    // Three numbers side by side are as often columns of a table.
    if (written.includes('-') || hasContext(place, SSN_WORDS)) return 'us-ssn';
  }
  if (!isGlued && isCardNumber(written, digits, place)) return 'card-number';
  if (before === '+' || isPhoneForm(written)) return toPhone(written, digits, place);
  if (digits.length === 9 && !isGlued && isSocialSecurityNumber(digits) && hasContext(place, SSN_WORDS))
    return 'us-ssn';
  return undefined;
}

/** Whole, or a place, a day and a number of it, as forms have it. */
const RESIDENT_ID = /^\d{6}([ -]?)(?:\d{8}|\d{4}\1\d{4})\1\d{3}[\dXx]$/;
const SSN = /^\d{3}([ -])\d{2}\1\d{4}$/;
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

/** Three, four and four, with the code of the country in front or without. */
const CN_PHONE = /^(?:(0086|86)([ -]?))?1[3-9]\d([ -]?)\d{4}\3\d{4}$/;

function isPhoneForm(written: string): boolean {
  return CN_PHONE.test(written) || /^\d{3}-\d{3}-\d{4}$/.test(written);
}

function toPhone(written: string, digits: string, place: NumberPlace): string | undefined {
  const [chinese, code, after, between] = CN_PHONE.exec(written) ?? [];
  const behind = place.text.slice(Math.max(0, place.start - 8), place.start);
  if (chinese !== undefined) {
    // Eleven digits alone are as often an id: written as a phone number is, or beside a word that says so.
    if (code === undefined && behind.endsWith('+')) return 'phone-number';
    const isWritten = between !== '' || after === ' ' || after === '-' || code === '0086';
    if (isWritten || /\+$|86\)[ -]?$/.test(behind) || hasContext(place, PHONE_WORDS)) return 'cn-phone';
    return undefined;
  }
  if (behind.endsWith('+')) return digits.length <= 15 && !digits.startsWith('0') ? 'phone-number' : undefined;
  return hasContext(place, PHONE_WORDS) ? 'phone-number' : undefined;
}

/** What payment services publish for tests, and documents of the others as examples. */
const PUBLISHED: ReadonlySet<string> = new Set([
  ...['4111111111111111', '4242424242424242', '4012888888881881', '4000056655665556', '4222222222222'],
  ...['5555555555554444', '5105105105105100', '5200828282828210', '5500000000000004', '2223003122003222'],
  ...['378282246310005', '371449635398431', '6011111111111117', '6011000990139424', '30569309025904'],
  ...['GB82WEST12345698765432', 'DE89370400440532013000', '078051120'],
  ...['3056930009020004', '3530111333300000', '3566002020360505', '6200000000000005', '36227206271667'],
]);

export function isPublished(number: string): boolean {
  return PUBLISHED.has(toPlainSigns(number).replace(/[ .-]/g, '').toUpperCase());
}

/** ISO 13616: lengths by country. Countries with fewer than a handful of banks are left to the sum alone. */
const IBAN_LENGTHS: ReadonlyMap<string, number> = new Map(
  'AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BR29 BY28 CH21 CR22 CY28 CZ24 DE22 DK18 DO28 EE20 EG29 ES24 FI18 FO18 FR27 GB22 GE22 GI23 GL18 GR27 GT28 HR21 HU28 IE22 IL23 IQ23 IS26 IT27 JO30 KW30 KZ20 LB28 LC32 LI21 LT20 LU20 LV21 LY25 MC27 MD24 ME22 MK19 MR27 MT31 MU30 NL18 NO15 PK24 PL28 PS29 PT25 QA29 RO24 RS22 SA24 SC31 SE24 SI19 SK24 SM27 ST25 SV28 TL23 TN24 TR26 UA29 VA22 VG24 XK20'
    .split(' ')
    .map((entry) => [entry.slice(0, 2), Number(entry.slice(2))]),
);
/** Looked for by its digits, which are rarer than letters. */
const ACCOUNT_HEAD = /\d{2}(?<=(?<![A-Za-z0-9])([A-Za-z]{2}[ .-]?)\d{2})(?=[ .-]{0,2}[A-Za-z0-9])/g;
/** As printed. Everything else is read with more care: two letters and a number begin many sentences. */
const PRINTED_ACCOUNT = /^[A-Z]{2}\d{2}(?: ?[A-Z0-9])+$/;

/** @param text as `toPlainSigns` gives it */
export function findAccounts(text: string, found: Reading[]): void {
  ACCOUNT_HEAD.lastIndex = 0;
  for (let hit = ACCOUNT_HEAD.exec(text); hit !== null; hit = ACCOUNT_HEAD.exec(text)) {
    const country = hit[1] ?? '';
    const start = hit.index - country.length;
    const length = IBAN_LENGTHS.get(country.slice(0, 2).toUpperCase());
    const end = length === undefined ? undefined : endOf(text, start, length);
    if (end !== undefined && isAccount(text.slice(start, end), text[end] ?? ''))
      found.push({ kind: 'iban', start, end });
  }
}

/** Where that many letters and digits have passed, with at most two signs in each gap: upper-case words may follow. */
function endOf(text: string, start: number, signs: number): number | undefined {
  let left = signs;
  let gap = 0;
  for (let i = start; i < text.length && gap <= 2; i++) {
    if (/[A-Za-z0-9]/.test(text.charAt(i))) {
      gap = 0;
      if (--left === 0) return i + 1;
    } else if (/[ .-]/.test(text.charAt(i))) gap++;
    else return undefined;
  }
  return undefined;
}

function isAccount(written: string, next: string): boolean {
  const account = written.replace(/[ .-]/g, '').toUpperCase();
  if (PRINTED_ACCOUNT.test(written)) return !/[a-z]/.test(next) && hasIbanSum(account);
  // Accounts are digits for the most part, sentences are not: of those one in 97 has the sum.
  const digits = account.slice(4).replace(/\D/g, '').length;
  return digits >= 7 && digits * 2 >= account.length - 4 && !/[A-Za-z0-9]/.test(next) && hasIbanSum(account);
}

const LOCAL = /[A-Za-z0-9._%+-]{1,64}$/;
const DOMAIN = /@(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.){1,8}[A-Za-z]{2,24}(?![A-Za-z0-9@])/y;
/** Names of files: `logo@2x.png`, and packages: `react@18.2.0` has no letters at its end. */
const FILE_END = /\.(?:png|jpe?g|gif|svg|webp|css|js|ts|json)$/i;

const USER_INFO = /\/\/(?:[^\s/@"'<>]{0,64}:[^\s/@"'<>]{0,16})?$/;

export function findMailAddresses(text: string, found: Reading[]): void {
  for (let at = text.indexOf('@'); at >= 0; at = text.indexOf('@', at + 1)) {
    DOMAIN.lastIndex = at;
    const domain = DOMAIN.exec(text)?.[0];
    const local = domain === undefined ? undefined : LOCAL.exec(text.slice(Math.max(0, at - 64), at))?.[0];
    if (domain === undefined || local === undefined || FILE_END.test(domain)) continue;
    // The user of an address (ssh://git@host, ftp://ann:password@host, git@host:repository) is no mailbox.
    const start = at - local.length;
    if (local === 'git' || USER_INFO.test(text.slice(Math.max(0, start - 80), start))) continue;
    found.push({ kind: 'mail-address', start, end: at + domain.length });
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
