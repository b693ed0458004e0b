import type { Label, TaintFlow, TaintSettings } from '../../config/taint-section.ts';
import { matchesGlob } from '../../core/glob.ts';
import { findHidden } from './hidden-flow.ts';
import { isInside } from './label-source.ts';
import { bears, type Marks } from './labels.ts';
import { isUnknown } from './opaque.ts';
import type { AskedCall, AskedLeaf } from './read-call.ts';
import type { Recall, Source } from './taint-ports.ts';
import {
  type Evidence,
  findBearing,
  isGivenOtherwise,
  isInsideRoots,
  isKnownAddress,
  isReturning,
  isSeenFirst,
  isSomebodys,
  isTyped,
  isVouchedFor,
} from './vouch.ts';

/** A flow that a rule speaks of, and what it rests on. */
export interface FoundFlow {
  readonly rule: TaintFlow;
  /** `undefined`: the call as a whole. */
  readonly leaf: AskedLeaf | undefined;
  /** `undefined`: not one result, or it cannot be told. */
  readonly source: Source | undefined;
  /** The memory is full: the value may have been in a result that is not remembered. */
  readonly isGuess: boolean;
}

/** The rule that decides about the call: the first that denies, else the first that asks; and those that only note. */
export interface Judgement {
  readonly stop: FoundFlow | undefined;
  readonly noted: readonly FoundFlow[];
}

const NOTHING: Judgement = Object.freeze({ stop: undefined, noted: Object.freeze([]) as readonly FoundFlow[] });

const borne = new WeakMap<TaintSettings, Map<Marks, readonly TaintFlow[]>>();

/** The rules that can decide about a call of this tool with these effects, in a run that bears these marks. */
export function findRules(settings: TaintSettings, marks: Marks, about: Pick<Evidence, 'call' | 'sinks' | 'deed'>) {
  return findBorne(settings, marks).filter((rule) => concerns(rule, about));
}

/** Before anybody asks for the effects: the rules that the marks of a run bring in. Marks are few. */
export function findBorne(settings: TaintSettings, marks: Marks): readonly TaintFlow[] {
  let known = borne.get(settings);
  if (known === undefined) {
    known = new Map();
    borne.set(settings, known);
  }
  let rules = known.get(marks);
  if (rules === undefined) {
    rules = settings.flows.filter(({ from }) => bears(marks, from));
    known.set(marks, rules);
  }
  return rules;
}

/** @param rules those of `findRules` */
export function judgeCall(
  { asked, rules }: { readonly asked: AskedCall; readonly rules: readonly TaintFlow[] },
  evidence: Evidence,
  settings: TaintSettings,
): Judgement {
  const noted: FoundFlow[] = [];
  let ask: FoundFlow | undefined;
  for (const rule of rules) {
    if (rule.action === 'ask' && ask !== undefined) continue;
    const find = rule.to.opaque === true ? findOpaque : rule.by === 'value' ? findValue : findRun;
    const found = find(rule, asked, { ...evidence, settings });
    if (found === undefined) continue;
    if (rule.action === 'deny') return { stop: found, noted };
    if (rule.action === 'ask') ask = found;
    else noted.push(found);
  }
  return ask === undefined && noted.length === 0 ? NOTHING : { stop: ask, noted };
}

/** Does the rule speak of such calls? */
export function concerns({ to }: TaintFlow, { call, sinks, deed }: Pick<Evidence, 'call' | 'sinks' | 'deed'>): boolean {
  if (to.sinks !== undefined && !shareOne(to.sinks, sinks)) return false;
  if (to.servers !== undefined && !matchesOne(to.servers, call.upstream)) return false;
  return (to.acts !== true || deed === 'effect') && (to.changes !== true || deed === 'change');
}

// By place, for every rule and call: over a frozen list, which configuration is made of, `some` asks V8's runtime for each
// element, and `of` makes objects.

function shareOne(list: readonly string[], others: readonly string[]): boolean {
  for (let i = 0; i < list.length; i++) if (others.includes(list[i] ?? '')) return true;
  return false;
}

function matchesOne(globs: readonly string[], name: string): boolean {
  for (let i = 0; i < globs.length; i++) if (matchesGlob(globs[i] ?? '', name)) return true;
  return false;
}

function findRun(rule: TaintFlow, asked: AskedCall, evidence: Evidence): FoundFlow | undefined {
  const { roles } = rule.to;
  const flow = (leaf: AskedLeaf | undefined): FoundFlow => ({ rule, leaf, source: undefined, isGuess: false });
  if (roles === undefined) return isVouchedFor(asked, evidence) ? undefined : flow(undefined);
  if (asked.isPartial) return flow(undefined);
  const leaf = asked.leaves.find(
    (one) =>
      !one.leaf.isName &&
      roles.includes(one.role) &&
      !(one.role === 'address' ? isKnownAddress(one, evidence) : isSomebodys(one, evidence)),
  );
  return leaf === undefined ? undefined : flow(leaf);
}

/** What nobody can read may be private data, encrypted, unless it was given as it is. */
function findOpaque(
  rule: TaintFlow,
  asked: AskedCall,
  evidence: Evidence & { readonly settings: TaintSettings },
): FoundFlow | undefined {
  const { call, recall } = evidence;
  const leaf = asked.leaves.find(
    (one) =>
      isUnknown(one.opaque, recall) &&
      !isTyped(one, evidence) &&
      !isShown(one.leaf.text, call) &&
      (rule.to.outside !== true || leaves(undefined, one, evidence)),
  );
  return leaf && { rule, leaf, source: undefined, isGuess: false };
}

/** The lists that the client got name it, e.g. the URI of a resource. */
function isShown(text: string, { shown }: Evidence['call']): boolean {
  const written = JSON.stringify(text.trim());
  return shown?.().all.some(({ definition }) => JSON.stringify(definition).includes(written)) === true;
}

function findValue(
  rule: TaintFlow,
  asked: AskedCall,
  evidence: Evidence & { readonly settings: TaintSettings },
): FoundFlow | undefined {
  const { recall } = evidence;
  const { roles, outside } = rule.to;
  if (rule.to.hidden === true) {
    const hidden = findHidden(rule, asked, evidence);
    return hidden && { rule, ...hidden, isGuess: false };
  }
  if (asked.isPartial) return { rule, leaf: undefined, source: undefined, isGuess: true };
  for (const leaf of asked.leaves) {
    if (roles !== undefined && !roles.includes(leaf.role)) continue;
    if (isTyped(leaf, evidence) || isSeenFirst(leaf, recall)) continue;
    if (rule.from === 'untrusted' && (isInsideRoots(leaf, evidence) || isGivenOtherwise(leaf, evidence))) continue;
    const held = findHeld(leaf, rule.from, recall);
    if (held !== undefined) {
      if (rule.from === 'untrusted' && isReturning(leaf, evidence)) continue;
      if (outside === true && !leaves(held.source, leaf, evidence)) continue;
      return { rule, leaf, source: held.source, isGuess: false };
    }
    // Fail closed: what a full memory does not know may have been in what it did not keep.
    if (recall.isFull && leaf.size >= 6 && !isReturning(leaf, evidence)) {
      if (outside === true && !leaves(undefined, leaf, evidence)) continue;
      return { rule, leaf, source: undefined, isGuess: true };
    }
  }
  return undefined;
}

/** Two pieces in a row are no coincidence; one is enough in a text that has room for few. */
const PIECES_OF_LONG = 2;
const LONG = 60;

/** Does the argument hold data with this label, and from where? */
export function findHeld(
  { leaf, whole, words, grams, pieces, size }: AskedLeaf,
  label: Label,
  recall: Recall,
): { readonly source: Source | undefined } | undefined {
  if (whole >= 0) {
    const { count } = findBearing(recall, label, [whole, whole + 1]);
    if (count > 0) return { source: recall.sourceOf(whole) };
  }
  const word = findBearing(recall, label, words);
  if (word.count > 0) return { source: recall.sourceOf(word.first) };
  const gram = findBearing(recall, label, grams);
  if (gram.count >= (size > LONG ? PIECES_OF_LONG : 1)) return { source: recall.sourceOf(gram.first) };
  if (leaf.isName && leaf.place !== undefined) return undefined;
  for (const range of pieces) {
    const found = findBearing(recall, label, range);
    if (label !== 'untrusted' && found.count === range[1] - range[0]) return { source: recall.sourceOf(found.first) };
  }
  return undefined;
}

/** Another server than its own, unless the operator counts it as inside; and wherever an effect or an address leads out. */
function leaves(
  source: Source | undefined,
  { role }: AskedLeaf,
  { call, sinks, recall, settings }: Evidence & { readonly settings: TaintSettings },
): boolean {
  if (sinks.includes('send_out') || sinks.includes('write_public') || role === 'address') return true;
  const { upstream } = call;
  if (isInside(settings, upstream)) return false;
  return source === undefined ? recall.origins.some((origin) => origin !== upstream) : source.upstream !== upstream;
}
