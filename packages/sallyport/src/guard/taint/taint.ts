import type { Snapshot } from '../../config/settings.ts';
import type { TaintFlow, TaintSettings } from '../../config/taint-section.ts';
import type { Call } from '../../core/call.ts';
import type { JsonObject } from '../../core/json.ts';
import type { ShownDefinition } from '../../core/shown-definitions.ts';
import type { SinkClass } from '../../core/sink.ts';
import { ALLOW, type Verdict } from '../../core/verdict.ts';
import type { Guard } from '../guard.ts';
import { type Of, snapshotOf } from '../snapshot-of.ts';
import { type Places, readDeed } from './effects.ts';
import { isEmptyResult } from './empty-result.ts';
import { explainFlow } from './explain-flow.ts';
import type { Printer } from './fingerprints.ts';
import { readFirstSeen, readUser } from './first-seen.ts';
import { mayHide } from './hidden-flow.ts';
import { type FoundFlow, findBorne, findRules, judgeCall } from './judge-call.ts';
import { type DefinitionPorts, hasDeciding, judgeDefinitions } from './judge-definitions.ts';
import { believedUser, marksOf } from './label-source.ts';
import { joinMarks, type Marks, namesOf, UNTRUSTED } from './labels.ts';
import { borrowList, giveBack, PrintList } from './print-list.ts';
import { type AskedCall, type AskedLeaf, readCall } from './read-call.ts';
import { type FindPrivate, readResult } from './read-result.ts';
import { createSplitTails, type SplitTails } from './split-tails.ts';
import type { Recall, Remembered, TaintMemory } from './taint-ports.ts';
import type { Evidence } from './vouch.ts';
import { walkLeaves } from './walk-leaves.ts';

export interface TaintPorts extends DefinitionPorts {
  /** `undefined`: nothing is labelled. */
  readonly settings: Of<TaintSettings | undefined>;
  /** The effects of a call, those its arguments tell of included. */
  readonly sinksOf: (call: Call) => readonly SinkClass[];
  /** Where servers may write. Left out: it is known of none. */
  readonly places?: Places | undefined;
  /** Parts of a text that are more private than their source, e.g. keys. Left out: none are looked for. */
  readonly findPrivate?: FindPrivate | undefined;
  /** Whether what is given may count as the client's own later on. Left out: it may. */
  readonly mayKeep?: ((call: Call) => boolean) | undefined;
}

/** The outer door: labelled data does not go where the rules say it must not. */
export function taint(ports: TaintPorts): Guard {
  const tails = createSplitTails();
  return {
    name: 'taint',
    request(call) {
      const settings = ports.settings(snapshotOf(call));
      if (settings === undefined) return ALLOW;
      const marks = ports.memory.marksOf(call.run);
      const about = { settings, ports, tails };
      const look = (known: Marks) => lookWithDefinitions(call, known, about);
      return typeof marks === 'number' ? look(marks) : marks.then(look);
    },
  };
}

interface About {
  readonly settings: TaintSettings;
  readonly ports: TaintPorts;
  readonly tails: SplitTails;
}

/** What the caller was shown counts as read, and its values are untrusted from the first call on. */
function lookWithDefinitions(call: Call, known: Marks, about: About): Verdict | Promise<Verdict> {
  const { settings, ports } = about;
  const read = (known & UNTRUSTED) === 0 && hasRunRules(settings) ? call.shown?.().suspicious : undefined;
  const marks = read === undefined ? known : joinMarks(known, UNTRUSTED);
  const noted = read === undefined ? undefined : noteRead(read, call, ports);
  const judge = (verdict: Verdict): Verdict | Promise<Verdict> => {
    if (verdict !== ALLOW || call.shown === undefined || !hasDeciding(call)) return verdict;
    const sinks = ports.sinksOf(call);
    const places = ports.places ?? NO_PLACES;
    const acting = { call, sinks, places, deed: readDeed(call, sinks, places), user: believedUser(call, settings) };
    return judgeDefinitions(acting, about);
  };
  const look = () => {
    const verdict = lookAt(call, marks, about);
    return verdict instanceof Promise ? verdict.then(judge) : judge(verdict);
  };
  return noted instanceof Promise ? noted.then(look) : look();
}

const NO_PRINTS = new PrintList(1);

/** Rules that hold once something untrusted was read, whatever a call is given. */
function hasRunRules({ flows }: TaintSettings): boolean {
  return flows.some(({ by, from }) => by === 'run' && from === 'untrusted');
}

/** The run has read it: a model sees every definition that is listed. */
function noteRead({ upstream, what }: ShownDefinition, call: Call, { memory }: TaintPorts): void | Promise<void> {
  const source = { callId: call.id, upstream, target: what, marks: UNTRUSTED };
  return memory.remember(call.run, [{ source, marks: UNTRUSTED, prints: NO_PRINTS }]);
}

const NO_RULES: readonly TaintFlow[] = Object.freeze([]);
const NO_SINKS: readonly SinkClass[] = Object.freeze([]);
const NO_PLACES: Places = { rootsOf: () => undefined, home: '' };

/**
 * Nothing is made of the arguments before it is known that a rule can decide about them, or that they are to be kept as the
 * client's own: most calls are of neither kind.
 */
function lookAt(call: Call, marks: Marks, about: About): Verdict | Promise<Verdict> {
  const { settings, ports } = about;
  const user = believedUser(call, settings);
  const places = ports.places ?? NO_PLACES;
  const isConcerned = findBorne(settings, marks).length > 0;
  const sinks = isConcerned ? ports.sinksOf(call) : NO_SINKS;
  const deed = isConcerned ? readDeed(call, sinks, places) : 'none';
  const rules = isConcerned ? findRules(settings, marks, { call, sinks, deed }) : NO_RULES;
  const isKept = (marks & UNTRUSTED) === 0 && ports.mayKeep?.(call) !== false;
  if (!isKept && rules.length === 0 && user === undefined) return ALLOW;
  const prints = borrowList();
  const asked = readCall(call, {
    printer: ports.printer,
    marks,
    prints,
    tails: about.tails,
    isKept,
    isJudged: (leaf) => decides(rules, leaf, call),
  });
  const isJudged = rules.length > 0 && (asked.leaves.length > 0 || asked.isPartial || decides(rules, undefined, call));
  if (!isKept && !isJudged && user === undefined) {
    giveBack(prints);
    return ALLOW;
  }
  const at = user === undefined ? -1 : addUserMark(user, ports.printer, prints);
  const recall = ports.memory.recall(call.run, prints);
  const decide = (known: Recall | undefined): Verdict | Promise<Verdict> => {
    // A result came in while a shared store was asked: the call is looked at again, at most once for every mark there is.
    if (known !== undefined && (known.marks & ~marks) !== 0) return lookAt(call, joinMarks(marks, known.marks), about);
    const own = borrowList();
    const unknown = { asked: isKept ? asked : undefined, own, known, user: known?.has(at) === true ? undefined : user };
    const fresh = findFresh(unknown, ports.printer);
    const kept = fresh.length === 0 ? undefined : ports.memory.remember(call.run, fresh);
    const verdict =
      known === undefined || !isJudged
        ? ALLOW
        : judge({ asked, rules }, { call, sinks, deed, places, recall: known, user }, about);
    const isAtOnce = !(kept instanceof Promise);
    if (isAtOnce) {
      giveBack(own);
      giveBack(prints);
    }
    return isAtOnce ? verdict : kept.then(() => verdict);
  };
  return recall instanceof Promise ? recall.then(decide) : decide(recall);
}

/** Does one of the rules ask about this value? `undefined`: about the call, whatever its values are. */
function decides(rules: readonly TaintFlow[], leaf: Pick<AskedLeaf, 'leaf' | 'role'> | undefined, call: Call): boolean {
  for (const { to } of rules) {
    if (to.hidden === true) {
      if (leaf !== undefined && mayHide(leaf, call)) return true;
    } else if (to.roles === undefined || (leaf !== undefined && to.roles.includes(leaf.role))) return true;
  }
  return false;
}

interface Unknown {
  /** `undefined`: nothing of it may count as the client's own. */
  readonly asked: AskedCall | undefined;
  readonly own: PrintList;
  readonly known: Recall | undefined;
  /** Whose request the run does not know yet. */
  readonly user: string | undefined;
}

/** What the run is to remember before the call is made. */
function findFresh({ asked, own, known, user }: Unknown, printer: Printer): readonly Remembered[] {
  const first = asked && readFirstSeen(asked, own, known);
  if (user === undefined) return first === undefined ? [] : [first];
  const request = readUser(user, printer);
  return first === undefined ? [request] : [request, first];
}

/** The inner door: what a result bears is remembered before the client reads it. */
export function taintLabels(ports: TaintPorts): Guard {
  return {
    name: 'taint-labels',
    readsResult: (call) => ports.settings(snapshotOf(call)) !== undefined,
    result(call, result) {
      const snapshot = snapshotOf(call);
      if (ports.settings(snapshot) === undefined) return ALLOW;
      const { upstream, name } = call.tool;
      const about = { run: call.run, callId: call.id, upstream, target: name, given: call.arguments, snapshot };
      const kept = rememberResult(ports, { ...about, result });
      return kept === undefined ? ALLOW : kept.then(() => ALLOW);
    },
  };
}

/** A result on its way to the client, of a tool or of anything else a server answers with. */
export interface ReadData {
  readonly run: string;
  readonly callId: string;
  readonly upstream: string;
  readonly target: string;
  readonly result: JsonObject;
  /** The arguments it answers: a key that it repeats from them is the client's. Left out: there were none. */
  readonly given?: JsonObject | undefined;
  /** Of the call it answers. */
  readonly snapshot?: Snapshot | undefined;
}

export function rememberResult(ports: TaintPorts, data: ReadData): Promise<void> | undefined {
  const settings = ports.settings(data.snapshot);
  if (settings === undefined) return undefined;
  const { run, result, callId, upstream, target, given } = data;
  const source = { callId, upstream, target, marks: marksOf(settings, upstream, target) };
  // A confirmation, an error or an echo is nobody's content but the caller's, and labels nothing.
  if (given !== undefined && source.marks === UNTRUSTED && isEmptyResult(result, given)) return undefined;
  const findPrivate = settings.content ? withoutGiven(ports.findPrivate, given) : undefined;
  const { what, lists } = readResult(result, { source, printer: ports.printer, findPrivate, given });
  const kept = ports.memory.remember(run, what);
  if (kept instanceof Promise) return kept;
  for (const list of lists) giveBack(list);
  return undefined;
}

function withoutGiven(find: FindPrivate | undefined, given: JsonObject | undefined): FindPrivate | undefined {
  if (find === undefined || given === undefined) return find;
  const has = (part: string) => walkLeaves(given).leaves.some(({ text }) => text.includes(part));
  return (text, field) => find(text, field).filter((part) => !has(part.text));
}

/** Whether a run has read anything untrusted; yes where nobody can tell. For whoever must decide before data was read. */
export async function hasReadUntrusted(memory: Pick<TaintMemory, 'marksOf'>, run: string): Promise<boolean> {
  try {
    return ((await memory.marksOf(run)) & UNTRUSTED) !== 0;
  } catch {
    return true;
  }
}

/** The labels of a run, for policies: what it has read, and from where. */
export function toLabels(marks: Marks, origins: readonly string[]): readonly string[] {
  return [...namesOf(marks), ...origins.map((origin) => `origin:${origin}`)];
}

/** Tells whether the run knows this request of its user already. */
function addUserMark(user: string, printer: Printer, into: PrintList): number {
  printer.add('typed', `\n${user}`, into);
  return into.size - 1;
}

function judge(
  what: { readonly asked: AskedCall; readonly rules: readonly TaintFlow[] },
  evidence: Evidence,
  { settings, ports }: About,
): Verdict {
  const { call } = evidence;
  const { stop, noted } = judgeCall(what, evidence, settings);
  for (const flow of noted) ports.onNoted?.(call, explainFlow(flow, evidence));
  return stop === undefined ? ALLOW : toVerdict(stop, evidence);
}

function toVerdict(flow: FoundFlow, evidence: Evidence): Verdict {
  const { sinks } = evidence;
  const reason = explainFlow(flow, evidence);
  return flow.rule.action === 'deny'
    ? { kind: 'deny', code: 'denied', reason }
    : { kind: 'ask', reason, classes: sinks, ...(flow.rule.from === 'untrusted' ? { untrusted: true } : {}) };
}
