import type { SecretGroup } from '../../config/secret-kinds.ts';
import { type Run, type Survey, surveyRuns } from '../decode/survey-runs.ts';
import { toPlainSigns } from '../plain-signs.ts';
import {
  ACCOUNT,
  ALL_SIGNS,
  HOST,
  INNER_HOST,
  KEPT_TO,
  LONG_NUMBER,
  ODD_DIGIT,
  ODD_GAP,
  PHRASE,
  signsOf,
} from '../text-signs.ts';
import { isFiller } from './checks.ts';
import { findHidden } from './hidden-secrets.ts';
import { findHostAddresses, findInnerHosts } from './host-addresses.ts';
import { findDiscordTokens, INSIDE_MARKS, MARK_READERS, type Reading } from './key-material.ts';
import { mayHoldSecret } from './may-hold-secret.ts';
import { findNamedSecrets } from './named-secrets.ts';
import { findAccounts, findMailAddresses, findNumbers, findWallets, isPublished } from './personal-data.ts';
import { isCheckedKey, PROVIDER_MARKS, readBrokenKey, readProviderKey } from './provider-keys.ts';
import { MAX_MATCHES, type SecretMatch, type TextPlace, tooManyMatches } from './secret-match.ts';
import { findSeedPhrases, isTestPhrase, SHORTEST_PHRASE } from './seed-phrase.ts';

/** Kinds that are no credentials. */
const GROUPS: ReadonlyMap<string, SecretGroup> = new Map([
  ['card-number', 'financial'],
  ['iban', 'financial'],
  ['wallet-address', 'wallets'],
  ['us-ssn', 'identity'],
  ['cn-resident-id', 'identity'],
  ['cn-phone', 'contact'],
  ['phone-number', 'contact'],
  ['mail-address', 'contact'],
  ['private-address', 'network'],
]);

/** Marks that stand before a long run of letters and digits; the others are looked for by themselves. */
const ALL_MARKS = [...PROVIDER_MARKS, ...MARK_READERS.keys()]
  .filter((mark) => mark !== '://' && mark !== '-----BEGIN ')
  .sort((a, b) => b.length - a.length);
/** Every mark in one pass, which takes a third of the time of one search each. */
const MARK = new RegExp(ALL_MARKS.map((mark) => mark.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&')).join('|'), 'g');

/**
 * Every secret and personal datum in a text, in order and without overlaps: as it stands there, then in what is encoded or
 * disguised in it. Linear in the length of the text; detectors check sums, ranges and structure, not patterns alone.
 */
export function findSecrets(text: string, place: TextPlace = {}): readonly SecretMatch[] {
  if (!mayHoldSecret(text, place.field)) return NOTHING;
  if (text.length < KEPT_FROM) return searchSecrets(text, place);
  if (found === undefined || found.text !== text || found.field !== place.field) {
    found = { text, field: place.field, matches: searchSecrets(text, place) };
    setImmediate(forget);
  }
  return found.matches;
}

/** Masking looks at a result, and right afterwards taint at the same one: a large text is searched once. */
let found:
  | { readonly text: string; readonly field: string | undefined; readonly matches: readonly SecretMatch[] }
  | undefined;
const KEPT_FROM = 1_024;

function forget(): void {
  found = undefined;
}

/** The same without asking first whether there can be one. */
export function searchSecrets(text: string, place: TextPlace): readonly SecretMatch[] {
  const survey = surveyRuns(text);
  const signs = text.length <= KEPT_TO ? signsOf(text) : ALL_SIGNS;
  const plain = findPlain(text, survey, { field: place.field, signs });
  const hidden = findHidden(text, survey, findPlain);
  if (plain.length === 0 && hidden.length === 0) return NOTHING;
  return withoutOverlaps([...plain, ...hidden]);
}

const NOTHING: readonly SecretMatch[] = Object.freeze([]);

interface PlainPlace extends TextPlace {
  readonly signs?: number;
}

/** What stands there as it is. */
function findPlain(
  text: string,
  { windows }: Survey,
  { field, signs = ALL_SIGNS }: PlainPlace = {},
): readonly SecretMatch[] {
  const readings: Reading[] = [];
  for (const window of windows) readMarks(text, window, readings);
  readEach(text, '://', readings);
  readEach(text, '-----BEGIN ', readings);
  findNamedSecrets(text, field, readings);
  const isOdd = (signs & ODD_DIGIT) !== 0 || ((signs & ODD_GAP) !== 0 && (signs & (LONG_NUMBER | ACCOUNT)) !== 0);
  const plain = isOdd ? toPlainSigns(text) : text;
  if (text.length >= 9) findNumbers(plain, field, readings);
  if (text.length >= 6) findMailAddresses(text, readings);
  const seen = plain === text ? signs : ALL_SIGNS;
  if ((seen & HOST) !== 0) findHostAddresses(plain, readings);
  if ((seen & INNER_HOST) !== 0) findInnerHosts(plain, field, readings);
  if (windows.length > 0) {
    findWallets(text, windows, readings);
    findDiscordTokens(text, windows, readings);
  }
  if (text.length >= 15) findAccounts(plain, readings);
  if (text.length >= SHORTEST_PHRASE && (signs & PHRASE) !== 0) findSeedPhrases(text, field, readings);
  if (readings.length >= MAX_MATCHES) throw tooManyMatches();
  return readings.length === 0 ? NOTHING : readings.map((reading) => toMatch(text, reading));
}

/** Marks at the beginning of the long runs in one part of the text. */
function readMarks(text: string, { start, end }: Run, readings: Reading[]): void {
  // A part, and not the text from there on: that would be read to its end for every part.
  const part = text.slice(start, end);
  MARK.lastIndex = 0;
  for (let hit = MARK.exec(part); hit !== null && readings.length < MAX_MATCHES; hit = MARK.exec(part)) {
    const found = readMark(text, hit[0], start + hit.index);
    if (found !== undefined) readings.push(found);
    MARK.lastIndex = Math.max((found?.end ?? 0) - start, hit.index + 1);
  }
}

function readEach(text: string, mark: string, readings: Reading[]): void {
  for (let at = text.indexOf(mark); at >= 0 && readings.length < MAX_MATCHES; ) {
    const found = readMark(text, mark, at);
    if (found !== undefined) readings.push(found);
    at = text.indexOf(mark, Math.max(found?.end ?? 0, at + mark.length));
  }
}

function readMark(text: string, mark: string, start: number): Reading | undefined {
  // A mark in the middle of a word is a part of it: `desk-…`, `myAKIA…`.
  const isInWord = /[A-Za-z0-9]/.test(mark.charAt(0)) && /[A-Za-z0-9]/.test(text[start - 1] ?? '');
  if (isInWord && !INSIDE_MARKS.has(mark) && !isCheckedKey(text, start) && !isColoured(text, start)) return undefined;
  const read = MARK_READERS.get(mark);
  if (read !== undefined) return read(text, start);
  const key = readProviderKey(text, mark, start) ?? readBrokenKey(text, mark, start);
  return key === undefined ? undefined : { kind: key.kind, start, end: key.end };
}

/** The rest of a colour of a terminal whose first character got lost: `[32mghp_…`. */
function isColoured(text: string, start: number): boolean {
  return /\[\d{1,3}(?:;\d{1,3}){0,4}m$/.test(text.slice(Math.max(0, start - 24), start));
}

function toMatch(text: string, { kind, start, end }: Reading): SecretMatch {
  const group = toGroup(kind);
  return { kind, group, start, end, how: 'plain', isSample: isSample(text.slice(start, end), kind) };
}

export function toGroup(kind: string): SecretGroup {
  return GROUPS.get(kind) ?? 'credentials';
}

const SAYS_SAMPLE = /example|dummy|fake|placeholder|redacted|your[_-]|test[_-]?key/i;
/** Printed in the documents of those who give such keys out. */
const DOCUMENTED: ReadonlySet<string> = new Set([
  'sk_test_4eC39HqLyjWDarjtT1zdp7dc',
  'sk_test_BQokikJOvBiI2HlWgH4olfQ2',
]);

function isSample(value: string, kind: string): boolean {
  if (kind === 'seed-phrase') return isTestPhrase(value);
  if (DOCUMENTED.has(value) || isPublished(value)) return true;
  if (toGroup(kind) === 'credentials') return SAYS_SAMPLE.test(value) || isFiller(value);
  // RFC 2606: names that belong to nobody.
  return /@(?:[\w-]+\.)*(?:example\.(?:com|org|net)|test|invalid|localhost)$/i.test(value);
}

/** Without overlaps, in order. What a credential is a part of, or holds, is not found beside it. */
export function withoutOverlaps(matches: readonly SecretMatch[]): readonly SecretMatch[] {
  const rank = ({ group }: SecretMatch) =>
    group === 'credentials' || group === 'custom' ? 0 : group === 'financial' ? 1 : 2;
  const sorted = [...matches].sort((a, b) => rank(a) - rank(b) || a.start - b.start || b.end - a.end);
  const byRank: SecretMatch[][] = [[], [], []];
  for (const match of sorted) {
    const same = byRank[rank(match)] as SecretMatch[]; // True: three ranks, three lists.
    const last = same.at(-1);
    if (last === undefined || match.start >= last.end) same.push(match);
    else if (match.end > last.end) same[same.length - 1] = { ...last, end: match.end };
  }
  return byRank.reduce((kept, weaker) => merge(kept, weaker));
}

/** Both lists are in order and without overlaps; of the second only what meets nothing of the first is taken. */
function merge(kept: readonly SecretMatch[], weaker: readonly SecretMatch[]): SecretMatch[] {
  const merged: SecretMatch[] = [];
  let i = 0;
  for (const match of weaker) {
    for (; i < kept.length && (kept[i] as SecretMatch).end <= match.start; i++) merged.push(kept[i] as SecretMatch);
    const next = kept[i];
    if (next === undefined || next.start >= match.end) merged.push(match);
  }
  return [...merged, ...kept.slice(i)];
}
