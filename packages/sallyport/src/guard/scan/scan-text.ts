import { type Finding, type FindingTier, NOTHING_FOUND, type Scan } from '../../core/finding.ts';
import type { Span } from '../../core/json-scan.ts';
import { toUnits } from '../decode/text-units.ts';
import type { Mark } from '../decode/unseen.ts';
import { toCanonical, type View } from './canonical.ts';
import { findFakeTurns } from './results/fake-turns.ts';
import { asksForSaid, type Carrier, findCarriers } from './results/find-carriers.ts';
import { findDoubtful } from './results/find-doubtful.ts';
import { findFilled } from './results/find-filled.ts';
import { Fences, isDemanded, isListed, isPattern, isQuoted } from './results/is-told.ts';
import { kindsOf } from './results/lexicon.ts';
import { type Match, matchRules } from './results/match-rules.ts';
import { openText } from './results/open-text.ts';
import { readWords } from './results/read-words.ts';
import { BLANK, CODED_LINK, FILLED, HIDDEN, RUNS, type ShapeRule } from './results/shape-rules.ts';
import { showPart } from './results/show-part.ts';
import { findSpoken, isReported } from './results/spoken-to.ts';
import type { TextRule } from './results/text-rules.ts';
import { UNREAD, UNREAD_WEIGHT } from './results/unread.ts';
import { findOrders } from './results/weigh-signs.ts';
import type { Words } from './results/words.ts';

/** From here on a text is in the review tier. */
export const TEXT_REVIEW_FROM = 0.5;
/** One reason this sure, or several together, block. */
export const BLOCK_FROM = 0.9;
const SEVERAL_FROM = 0.94;
const MAX_FINDINGS = 16;

const FIX = 'Read the text before anything is done that it asks for.';

/** What to do about a text in which something of this tier is found: the same whether the model was warned of it or it was withheld. */
export function fixOf(tier: FindingTier): string {
  return tier === 'block'
    ? `${FIX} Let it pass only when you know why it says so.`
    : `${FIX} If this is how the server speaks, name it in "scan.trusted".`;
}

/**
 * Reads a text that a server sent: a result, an error, a resource, a prompt, a question.
 * @returns findings of the block tier and, from {@link TEXT_REVIEW_FROM} on, of the review tier; the score of the whole
 */
export function scanText(text: string): Scan {
  return readText(text).scan;
}

/** What a text says and holds. */
export interface TextReading {
  readonly scan: Scan;
  /** Unseen characters that are themselves a finding. */
  readonly marks: readonly Mark[];
  /** What makes a client fetch or run something, and is itself a finding. */
  readonly carriers: readonly Carrier[];
}

/**
 * As {@link scanText}, with the parts that can be made harmless.
 * @param ownSpans the parts that repeat the caller's own words, asked for only where something is found: they are no finding
 */
export function readText(given: string, ownSpans?: (text: string) => readonly Span[]): TextReading {
  const found: Found[] = [];
  const marks: Mark[] = [];
  const { text, lines } = openText(given);
  const units = toUnits(text);
  const words = readWords(text, units);
  readPlain({ given, text, words }, found);
  const budget = { left: MAX_SAID };
  readBackwards(text, words, { found, marks, budget });
  let left = MAX_DOUBTFUL;
  for (const { start, end } of findDoubtful(lines, lines === text ? units : toUnits(lines))) {
    left -= end - start;
    if (left < 0) {
      found.push({ rule: UNREAD, weight: UNREAD_WEIGHT, start, end, evidence: '', hidden: undefined });
      break;
    }
    readDoubtful(lines.slice(start, end), { offset: start, found, marks, budget });
  }
  const carriers = addCarriers({ given, text, words }, found);
  const foreign = found.length === 0 ? found : withoutOwn(found, ownSpans?.(given) ?? []);
  const hidden = marks.filter((mark) => foreign.some(({ rule, start }) => rule === HIDDEN && start === mark.start));
  return { scan: toScan(foreign), marks: hidden, carriers };
}

/** What lies within the caller's own words was not said by the server. */
function withoutOwn(found: readonly Found[], own: readonly Span[]): readonly Found[] {
  if (own.length === 0) return found;
  return found.filter((one) => !own.some(({ start, end }) => start <= one.start && one.end <= end));
}

function toScan(found: readonly Found[]): Scan {
  if (found.length === 0) return NOTHING_FOUND;
  const score = combine(found);
  if (score < TEXT_REVIEW_FROM) return { findings: [], score };
  return { findings: toFindings(found, score), score };
}

/** A rule that holds somewhere. */
interface Found {
  readonly rule: Pick<TextRule, 'id' | 'owasp' | 'why'>;
  readonly weight: number;
  /** In the original. */
  readonly start: number;
  readonly end: number;
  readonly evidence: string;
  /** How it was hidden; `undefined`: it stands there as it is read. */
  readonly hidden: string | undefined;
}

/** Told of, not asked for: still worth a little, since quotation marks cost an attacker nothing. */
const TOLD = 0.25;
const FENCED = 0.5;
/** In a report of an attack, but for what is an attack in any. */
const REPORTED = 0.6;

/** A text as it came, and as its words are read: what stands in both at one place is one thing. */
interface Opened {
  readonly given: string;
  readonly text: string;
  readonly words: Words;
}

function readPlain({ given, text, words }: Opened, found: Found[]): void {
  for (const { rule, start, end, isDisguised, weight } of weighed(text, { words })) {
    const hidden = isDisguised ? 'letters' : undefined;
    found.push({ rule, weight, start, end, evidence: showPart(given, start, end), hidden });
  }
}

const BACKWARDS = kindsOf('backwards');
/** Of a text that is turned round so much on both sides of the first such word. Characters. */
const MAX_BACK = 8_192;

function readBackwards(text: string, { kinds, starts, count }: Words, collected: Omit<Collected, 'offset'>): void {
  let first = 0;
  while (first < count && BACKWARDS[kinds[first] ?? 0] !== 1) first++;
  if (first === count) return;
  const offset = Math.max(0, (starts[first] ?? 0) - MAX_BACK);
  readDoubtful(text.slice(offset, offset + 2 * MAX_BACK), { ...collected, offset });
}

/** Characters, about 0.2 s. */
const MAX_DOUBTFUL = 262_144;

/** What all parts of one text may say once they are decoded. Characters, about 0.3 s. */
const MAX_SAID = 2 * 1024 * 1024;

interface Collected {
  /** Of the part in the whole. */
  readonly offset: number;
  readonly found: Found[];
  readonly marks: Mark[];
  readonly budget: { left: number };
}

/** Smaller parts are not read in halves. Characters. */
const MIN_HALF = 512;

function readDoubtful(part: string, collected: Collected): void {
  const { offset, found, marks: all, budget } = collected;
  const unread = { start: offset, end: offset + part.length, evidence: '', hidden: undefined };
  if (budget.left <= 0) {
    found.push({ rule: UNREAD, weight: UNREAD_WEIGHT, ...unread });
    return;
  }
  const { views, marks, isCut } = toCanonical(part);
  for (const { text } of views) budget.left -= text.length;
  if (isCut) {
    // Many blocks are read a few at a time.
    const half = part.length < 2 * MIN_HALF ? 0 : lastBlank(part, part.length >> 1);
    if (half > 0) {
      readDoubtful(part.slice(0, half), collected);
      readDoubtful(part.slice(half), { ...collected, offset: offset + half });
      return;
    }
    found.push({ rule: UNREAD, weight: UNREAD_WEIGHT, ...unread });
  }
  for (const mark of marks) all.push({ ...mark, start: offset + mark.start, end: offset + mark.end });
  for (const { kind, decoded, conceals, start, end } of marks) {
    const said = kind === 'tag' || kind === 'variation' ? decoded : conceals;
    if (said !== undefined && /[a-z]{2,20} [a-z]{2,20}/i.test(said))
      found.push({
        ...{ rule: HIDDEN, weight: HIDDEN.weight, start: offset + start, end: offset + end },
        ...{ evidence: showPart(said, 0, said.length), hidden: conceals === undefined ? kind : 'colour' },
      });
  }
  for (const view of views) {
    // Spacing and digits for letters are read in every text, not only here.
    if (view.kind === 'loose' || (view.kind === 'plain' && view.text.length === part.length && isSame(view, part)))
      continue;
    if (view.kind === 'decoded' && view.how !== 'escapes') addDecoded(view, { offset, found });
    // Who writes a demand in escapes quotes nobody: JSON in JSON stands in quotation marks.
    const isOpen = (start: number, end: number) => view.how !== 'escapes' || !isDisguised(view, start, end);
    for (const { rule, weight, ...match } of weighed(openText(view.text).text, { isOpen })) {
      const [start, end] = view.range(match.start, match.end);
      found.push({
        ...{ rule, weight, start: offset + start, end: offset + end },
        evidence: showPart(view.text, match.start, match.end),
        hidden: hiddenBy(view, match),
      });
    }
  }
}

function lastBlank(text: string, from: number): number {
  return Math.max(text.lastIndexOf(' ', from), text.lastIndexOf('\n', from));
}

function addDecoded(view: View, { offset, found }: Pick<Collected, 'offset' | 'found'>): void {
  // What stands there as it is read is seen: only something beside it was encoded.
  const image = findCarriers(view.text).find(
    ({ kind, carries, start, end }) => kind === 'image' && carries !== undefined && isDisguised(view, start, end),
  );
  if (image === undefined) return;
  const [start, end] = view.range(image.start, image.end);
  found.push({
    ...{ rule: CODED_LINK, weight: CODED_LINK.weight, start: offset + start, end: offset + end },
    ...{ evidence: showPart(view.text, image.start, image.end), hidden: view.how },
  });
}

/**
 * Programs and pages are full of places to be filled in: what counts is one in a text that is neither, and whatever a reader
 * is told to fill in. The first of each is enough for the findings.
 * @returns those that are a finding
 */
function addCarriers({ given, text, words }: Opened, found: Found[]): readonly Carrier[] {
  const fences = new Fences(given);
  const { told, carriers } = findFilled({ text, words, fences }, findCarriers(given));
  const add = (rule: ShapeRule, { start, end }: Span) =>
    found.push({ rule, weight: rule.weight, start, end, evidence: showPart(given, start, end), hidden: undefined });
  if (told !== undefined) add(FILLED, told);
  if (carriers.length === 0) return carriers;
  let page: boolean | undefined;
  const isInPage = () => {
    page ??= isPage(given);
    return page;
  };
  const isMeant = ({ kind, url, isFollowed }: Carrier) =>
    kind === 'image' || (kind === 'html' && !isFollowed && !isInPage()) || asksForSaid(url);
  const isBlank = (one: Carrier) => one.carries === 'blank' && isMeant(one) && !isTemplate(given, fences, one.start);
  const blanks = carriers.filter(isBlank);
  const [blank] = blanks;
  if (blank !== undefined) add(BLANK, blank);
  const running = carriers.filter(({ kind, runs }) => runs && kind === 'html');
  const runs = running[0] !== undefined && !isInPage() ? running : [];
  if (runs[0] !== undefined) add(RUNS, runs[0]);
  const isTold = (one: Carrier) =>
    told !== undefined && one.carries === 'blank' && one.start < told.end && told.start < one.end;
  return carriers.filter((one) => blanks.includes(one) || runs.includes(one) || isTold(one));
}

/** Within a block or a line of code. */
function isTemplate(text: string, fences: Fences, at: number): boolean {
  const line = text.slice(Math.max(text.lastIndexOf('\n', at) + 1, at - 300), at);
  return fences.has(at) || isQuoted(text, at, at + 1) || CODE_LINE.test(line);
}

const CODE_LINE = /`|\$\{|(?:^|\s)\/\/|^\s{0,40}(?:const|let|var|return|import|from|def)\b/;

function isPage(text: string): boolean {
  return PAGE.test(text.slice(0, MAX_PAGE));
}

/** A page or a program shows at its beginning that it is one. Characters. */
const MAX_PAGE = 65_536;
const PAGE =
  /<(?:!doctype|html|head|body|div|ul|h[1-6]|template)\b|\b(?:import|function|const|return|class)\b.{0,200}[{;]/i;

function isSame(view: View, part: string): boolean {
  return view.text === part.toLowerCase();
}

/** Decoded from a block, or most of its letters written as others. Escapes alone are how some formats are written. */
function hiddenBy(view: View, { start, end }: { readonly start: number; readonly end: number }): string | undefined {
  if (view.kind === 'decoded' && view.how !== 'escapes') return view.how;
  if (!isDisguised(view, start, end)) return undefined;
  return view.how === '' ? 'letters of other scripts' : view.how;
}

/** A quarter of its letters are not written as they are read. */
function isDisguised(view: View, start: number, end: number): boolean {
  return view.disguised(start, end) * 4 >= end - start;
}

interface Weighed extends Pick<Found, 'rule' | 'weight' | 'start' | 'end'> {
  /** Its words are not written as they are read. */
  readonly isDisguised: boolean;
}

/**
 * A tool named in backticks is documented more often than demanded, a function is called in programs, and servers say please
 * where a step is missing.
 */
const NAMED = 0.85;

function isNamed(text: string, { rule, start, end }: Pick<Match, 'rule' | 'start' | 'end'>): boolean {
  const said = text.slice(start, end + 1);
  if (CALLED.test(said)) return true;
  if (rule.id !== 'demand-call') return false;
  // With an address it is no missing step.
  return text[end] === '`' || (/^please\b/i.test(said) && !/https?.?$|@/i.test(said));
}

/** A function of a program with what it is given. */
const CALLED = /\w\.\w{1,64}\(|\w\((?:$|[)\]"'`])/;

interface Weighing {
  readonly words?: Words;
  /** It is written as it is read, so that quotation marks around it count. */
  readonly isOpen?: (start: number, end: number) => boolean;
}

/** What the rules find, less where something is only told of. */
function weighed(text: string, { words = readWords(text), isOpen = () => true }: Weighing): readonly Weighed[] {
  const matches = matchRules(words);
  const spoken = [...findSpoken(text, words), ...findFakeTurns(text, words), ...findOrders(text, words)];
  if (matches.length === 0 && spoken.length === 0 && words.cutAt === undefined) return [];
  const fences = new Fences(text);
  const weigh = (weight: number, start: number, isTold: boolean) => {
    if (isTold) return weight * TOLD;
    return fences.has(start) ? weight * FENCED : weight;
  };
  const found: Weighed[] = [];
  for (const { rule, start, end, isDisguised } of matches) {
    const isReport = isReported(text, start);
    const isSaid = isOpen(start, end) && isQuoted(text, start, end, isReport);
    const isTold = isSaid || isPattern(text.slice(start, end)) || (rule.isDemand === true && !isDemanded(text, start));
    const sure = isListed(text.slice(start, end))
      ? rule.weight * FENCED
      : isNamed(text, { rule, start, end })
        ? rule.weight * NAMED
        : rule.weight;
    const share = rule.weight < BLOCK_FROM && isReport ? REPORTED : 1;
    found.push({ rule, weight: weigh(sure * share, start, isTold), start, end, isDisguised });
  }
  for (const { rule, weight, start, end } of spoken) {
    const sure = rule === UNREAD ? weight : weigh(weight, start, isQuoted(text, start, end));
    found.push({ rule, weight: sure, start, end, isDisguised: false });
  }
  if (words.cutAt !== undefined)
    found.push({
      ...{ rule: UNREAD, weight: UNREAD_WEIGHT },
      ...{ start: words.cutAt, end: text.length, isDisguised: false },
    });
  return found;
}

/** Independent reasons add up; the same reason twice is one. */
function combine(found: readonly Found[]): number {
  const best = new Map<string, number>();
  for (const { rule, weight } of found) best.set(rule.why, Math.max(best.get(rule.why) ?? 0, weight));
  let rest = 1;
  for (const weight of best.values()) rest *= 1 - weight;
  return Math.round((1 - rest) * 1_000) / 1_000;
}

function toFindings(found: readonly Found[], score: number): Finding[] {
  const strong = found.filter(({ weight }) => weight >= 0.2);
  const isSeveral = score >= SEVERAL_FROM && new Set(strong.map(({ rule }) => rule.why)).size > 1;
  const findings: Finding[] = [];
  const taken = new Set<string>();
  const order = [...found].sort(
    (a, b) => Number(b.hidden !== undefined) - Number(a.hidden !== undefined) || b.weight - a.weight,
  );
  for (const { rule, weight, start, end, evidence, hidden } of order) {
    if (findings.length >= MAX_FINDINGS) break;
    if (taken.has(rule.id)) continue;
    taken.add(rule.id);
    const isBlock = weight >= BLOCK_FROM || isSeveral || (hidden !== undefined && weight >= TEXT_REVIEW_FROM);
    const tier = isBlock ? 'block' : 'review';
    findings.push({
      ...{ id: rule.id, tier, owasp: rule.owasp, where: '', start, end, evidence },
      why: hidden === undefined ? rule.why : `${rule.why} It is not written as it is read (${hidden}).`,
      fix: fixOf(tier),
    });
  }
  return findings;
}
