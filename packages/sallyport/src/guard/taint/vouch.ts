import { definitionOf, type Envelope } from '../../core/envelope.ts';
import { isObject, member } from '../../core/json.ts';
import type { SinkClass } from '../../core/sink.ts';
import { toWords } from '../sinks/read-words.ts';
import { type Deed, isWriteOnly, type Places } from './effects.ts';
import { asksFor, asksForAct } from './intent.ts';
import { bears, CLEAN, privacyOf, VOUCHED } from './labels.ts';
import type { AskedCall, AskedLeaf, Range } from './read-call.ts';
import { hostOf } from './read-call.ts';
import { isOpaque } from './read-result.ts';
import { isIdName } from './roles.ts';
import { isInsideRoots as isInside } from './roots.ts';
import type { Recall } from './taint-ports.ts';
import { toNamingWords, toRowsOf, toTypedRows } from './typed-words.ts';
import { pathOf } from './walk-leaves.ts';

/** What is known where it is decided whether somebody vouches for a call. */
export interface Evidence {
  readonly call: Envelope;
  readonly sinks: readonly SinkClass[];
  readonly deed: Deed;
  readonly places: Places;
  readonly recall: Recall;
  /** The user's request, where the client that brings it is believed. */
  readonly user: string | undefined;
}

/** The user typed the value: it stands in their request, or did in an earlier one of the run. */
export function isTyped({ leaf, rows }: AskedLeaf, { user, recall }: Pick<Evidence, 'user' | 'recall'>): boolean {
  const [from, to] = rows;
  if (to === from) return false;
  let known = true;
  for (let i = from; i < to && known; i++) known = recall.has(i);
  if (known) return true;
  if (user === undefined) return false;
  const typed = rowsOf(user);
  return toRowsOf(leaf.text).every((row) => typed.has(row));
}

const kept = new Map<string, ReadonlySet<string>>();
const MAX_KEPT = 16;

/** A client sends the same request with every call of a run. */
function rowsOf(user: string): ReadonlySet<string> {
  let rows = kept.get(user);
  if (rows === undefined) {
    rows = toTypedRows(user);
    if (kept.size >= MAX_KEPT) kept.clear();
    kept.set(user, rows);
  }
  return rows;
}

const keptNames = new Map<string, ReadonlySet<string>>();

function namingWordsOf(user: string): ReadonlySet<string> {
  let names = keptNames.get(user);
  if (names === undefined) {
    names = toNamingWords(user);
    if (keptNames.size >= MAX_KEPT) keptNames.clear();
    keptNames.set(user, names);
  }
  return names;
}

/** The client itself gave it before any result of the run did. */
export function isSeenFirst({ whole }: AskedLeaf, recall: Recall): boolean {
  return whole >= 0 && (recall.marksOf(whole) & CLEAN) !== 0;
}

/** Somebody trusted gave the value in another form: a relative path, an address without its scheme, a number with signs. */
export function isGivenOtherwise({ others, forms }: AskedLeaf, { user, recall }: Pick<Evidence, 'user' | 'recall'>) {
  for (let i = forms[0]; i < forms[1]; i++) if ((recall.marksOf(i) & (CLEAN | VOUCHED)) !== 0) return true;
  if (user === undefined || others.length === 0) return false;
  const typed = rowsOf(user);
  return others.some((form) => toRowsOf(form).every((row) => typed.has(row)));
}

/** The operator gave the server the directory that the path lies in. */
export function isInsideRoots({ leaf, role }: AskedLeaf, { call, places }: Pick<Evidence, 'call' | 'places'>): boolean {
  if (role !== 'path') return false;
  const roots = places.rootsOf(call.upstream);
  return roots !== undefined && isInside(leaf.text.trim(), roots, places.home);
}

/** A source the operator trusts gave it. */
function isGivenByTrusted({ whole }: AskedLeaf, recall: Recall): boolean {
  return whole >= 0 && (recall.marksOf(whole) & VOUCHED) !== 0;
}

/** An id or a sender that this server gave, under a name that says so, may come back to it. */
export function isReturning({ leaf, id, whole, role }: AskedLeaf, { call, recall, sinks }: Evidence): boolean {
  // Who answers a letter writes to the server that holds it, and to somebody who wrote first.
  if (role === 'recipient' && id >= 0 && leaf.text.includes('@')) return recall.has(id);
  if (!isOpaque(leaf.text)) return false;
  if (id >= 0 && recall.has(id)) return true;
  // From a text nobody can tell an id from what a stranger wrote: good enough only where little can happen.
  return sinks.length === 0 && isIdName(leaf.key) && whole >= 0 && recall.sourceOf(whole)?.upstream === call.upstream;
}

/**
 * Does somebody vouch for this call in a run that has read untrusted text? What an injected request wants may be worded in
 * any way and its values may come from anywhere, so it is not looked for: each value that decides something must be the
 * user's, or an id on its way back, or from a trusted source; and where the user's request is known, it must ask for such
 * an effect.
 */
export function isVouchedFor(asked: AskedCall, evidence: Evidence): boolean {
  const { sinks, deed, user, call } = evidence;
  if (deed === 'change') return isFree(evidence);
  if (asked.isPartial) return false;
  if (deed === 'effect' && isWriteOnly(call, sinks))
    return (
      asked.leaves.every((leaf) => leaf.role !== 'path' || leaf.leaf.isName || isSomebodys(leaf, evidence)) &&
      isFree(evidence)
    );
  const deciding = asked.leaves.filter((leaf) => decides(leaf, evidence));
  if (!deciding.every((leaf) => isLeafVouchedFor(leaf, evidence))) return false;
  if (sinks.length > 0) {
    if (user !== undefined) return asksFor(user, sinks);
    // Values the client gave before vouch for whom it writes to and what it ran before, and for no other effect.
    return deciding.length > 0 && sinks.every((sink) => sink === 'send_out' || sink === 'run_code');
  }
  if (user !== undefined) return asksForAct(user, toWords(call.target));
  return deciding.some((leaf) => isSomebodys(leaf, evidence));
}

/**
 * Agents write all day: a change is free unless it is made at a server somewhere else, in other people's sight, and the request of
 * the user is known and does not ask for it.
 */
function isFree({ user, call, places }: Evidence): boolean {
  if (user === undefined || places.rootsOf(call.upstream) !== undefined) return true;
  return asksForAct(user, toWords(call.target));
}

/** Texts that are only content decide nothing, but for a program, whose content is what it does. */
function decides({ leaf, role }: AskedLeaf, { sinks }: Evidence): boolean {
  if (leaf.isName || leaf.text.trim() === '') return false;
  return role !== 'content' || sinks.includes('run_code');
}

function isLeafVouchedFor(asked: AskedLeaf, evidence: Evidence): boolean {
  return isSomebodys(asked, evidence) || isForm(asked, evidence);
}

/** The user, the client before it read anything, a trusted source or the server itself gave the value. */
export function isSomebodys(asked: AskedLeaf, evidence: Evidence): boolean {
  const { recall } = evidence;
  return (
    isTyped(asked, evidence) ||
    isSeenFirst(asked, recall) ||
    isGivenByTrusted(asked, recall) ||
    isGivenOtherwise(asked, evidence) ||
    isInsideRoots(asked, evidence) ||
    isReturning(asked, evidence) ||
    (evidence.sinks.length === 0 && touchesTyped(asked, evidence))
  );
}

/** How something is done, not to whom: numbers, times and choices the schema lists. */
function isForm({ leaf, role }: AskedLeaf, { call, sinks }: Evidence): boolean {
  if (role !== 'other') return false;
  if (leaf.isNumber) return !isIdName(leaf.key);
  if (/^\d{4}-\d\d-\d\d(?:[T ][\d:.+Z-]{0,24})?$|^\d{1,2}:\d\d(?::\d\d)?(?: ?[ap]m)?$/i.test(leaf.text)) return true;
  return !sinks.includes('change_rights') && isChoice(call, pathOf(leaf)[0], leaf.text);
}

function isChoice(call: Envelope, name: string | undefined, text: string): boolean {
  const property = member(member(member(definitionOf(call), 'inputSchema'), 'properties'), name ?? '');
  const choices = isObject(property)
    ? (member(property, 'enum') ?? member(member(property, 'items'), 'enum'))
    : undefined;
  return Array.isArray(choices) && choices.includes(text);
}

/** A name put together from the user's words: "Lunch with Bob" for "put lunch with Bob on Friday". */
function touchesTyped({ leaf, role }: AskedLeaf, { user }: Evidence): boolean {
  if (user === undefined || role !== 'other' || leaf.text.length > 200) return false;
  const typed = namingWordsOf(user);
  const words = leaf.text.split(/[^\p{L}\p{N}@.]+/u).filter((word) => word.length > 2);
  const own = words.filter((word) => typed.has(word.toLowerCase()));
  return own.length > 0 && own.length * 2 >= words.length;
}

/** An address that a result gave as it is, or of a host that somebody named, carries nothing out. */
export function isKnownAddress(asked: AskedLeaf, evidence: Evidence): boolean {
  const { recall, user } = evidence;
  if (asked.link >= 0 && recall.has(asked.link) && privacyOf(recall.marksOf(asked.link)) === 0) return true;
  if (isTyped(asked, evidence) || isSeenFirst(asked, recall) || isGivenByTrusted(asked, recall)) return true;
  if (isGivenOtherwise(asked, evidence)) return true;
  if (asked.host >= 0 && (recall.marksOf(asked.host) & (CLEAN | VOUCHED)) !== 0) return true;
  const host = hostOf(asked.leaf.text);
  return user !== undefined && host?.includes('.') === true && rowsOf(user).has(host);
}

/** How many of these prints bear the label, and where the first of them is from. Values of the user's own do not count. */
export function findBearing(
  recall: Recall,
  label: Parameters<typeof bears>[1],
  [from, to]: Range,
): { readonly count: number; readonly first: number } {
  let count = 0;
  let first = -1;
  for (let i = from; i < to; i++) {
    if (!recall.has(i)) continue;
    const marks = recall.marksOf(i);
    if ((marks & CLEAN) !== 0 || !bears(marks, label)) continue;
    if (label === 'untrusted' && (marks & VOUCHED) !== 0) continue;
    count++;
    if (first < 0) first = i;
  }
  return { count, first };
}
