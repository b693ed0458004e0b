import type { Role, TaintFlow, TaintSettings } from '../../config/taint-section.ts';
import type { Call } from '../../core/call.ts';
import type { JsonObject } from '../../core/json.ts';
import type { SinkClass } from '../../core/sink.ts';
import { ALLOW, type Verdict } from '../../core/verdict.ts';
import type { Guard } from '../guard.ts';
import { explainFlow } from './explain-flow.ts';
import type { Printer } from './fingerprints.ts';
import { readFirstSeen, readUser } from './first-seen.ts';
import { type FoundFlow, findBorne, findRules, judgeCall } from './judge-call.ts';
import { isBelieved, marksOf } from './label-source.ts';
import { joinMarks, type Marks, namesOf, UNTRUSTED } from './labels.ts';
import { borrowList, giveBack, type PrintList } from './print-list.ts';
import { type AskedCall, readCall } from './read-call.ts';
import { type FindPrivate, readResult } from './read-result.ts';
import { createSplitTails, type SplitTails } from './split-tails.ts';
import type { Recall, Remembered, TaintMemory } from './taint-ports.ts';
import type { Evidence } from './vouch.ts';

export interface TaintPorts {
  /** Of the snapshot in force; `undefined`: nothing is marked. */
  readonly settings: () => TaintSettings | undefined;
  readonly memory: TaintMemory;
  readonly printer: Printer;
  /** The effects of a call, those its arguments tell of included. */
  readonly sinksOf: (call: Call) => readonly SinkClass[];
  /** Parts of a text that are more private than their source, e.g. keys. Left out: none are looked for. */
  readonly findPrivate?: FindPrivate | undefined;
  /** Whether what is given may count as the client's own later on. Left out: it may. */
  readonly mayKeep?: ((call: Call) => boolean) | undefined;
  /** Told of flows that a rule only notes. */
  readonly onNoted?: ((call: Call, reason: string) => void) | undefined;
}

/** The outer door: marked data does not go where the rules say it must not. */
export function taint(ports: TaintPorts): Guard {
  const tails = createSplitTails();
  return {
    name: 'taint',
    request(call) {
      const settings = ports.settings();
      if (settings === undefined) return ALLOW;
      const marks = ports.memory.marksOf(call.run);
      const look = (known: Marks) => lookAt(call, known, { settings, ports, tails });
      return typeof marks === 'number' ? look(marks) : marks.then(look);
    },
  };
}

interface About {
  readonly settings: TaintSettings;
  readonly ports: TaintPorts;
  readonly tails: SplitTails;
}

const NO_RULES: readonly TaintFlow[] = Object.freeze([]);
const NO_SINKS: readonly SinkClass[] = Object.freeze([]);

/**
 * Nothing is made of the arguments before it is known that a rule can decide about them, or that they are to be kept as the
 * client's own: most calls are of neither kind.
 */
function lookAt(call: Call, marks: Marks, about: About): Verdict | Promise<Verdict> {
  const { settings, ports } = about;
  const user = believedUser(call, settings);
  const sinks = findBorne(settings, marks).length === 0 ? NO_SINKS : ports.sinksOf(call);
  const rules = findBorne(settings, marks).length === 0 ? NO_RULES : findRules(settings, marks, { call, sinks });
  const isKept = (marks & UNTRUSTED) === 0 && ports.mayKeep?.(call) !== false;
  if (!isKept && rules.length === 0 && user === undefined) return ALLOW;
  const prints = borrowList();
  const asked = readCall(call, {
    printer: ports.printer,
    marks,
    prints,
    tails: about.tails,
    isKept,
    isJudged: (role) => decides(rules, role),
  });
  const isJudged = rules.length > 0 && (asked.leaves.length > 0 || asked.isPartial || decides(rules, undefined));
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
      known === undefined || !isJudged ? ALLOW : judge({ asked, rules }, { call, sinks, recall: known, user }, about);
    const isAtOnce = !(kept instanceof Promise);
    if (isAtOnce) {
      giveBack(own);
      giveBack(prints);
    }
    return isAtOnce ? verdict : kept.then(() => verdict);
  };
  return recall instanceof Promise ? recall.then(decide) : decide(recall);
}

/** Does one of the rules ask about values of this role? `undefined`: about the call, whatever its values are. */
function decides(rules: readonly TaintFlow[], role: Role | undefined): boolean {
  for (const { to } of rules)
    if (to.roles === undefined || (role !== undefined && to.roles.includes(role))) return true;
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
    readsResult: () => ports.settings() !== undefined,
    result(call, result) {
      const settings = ports.settings();
      if (settings === undefined) return ALLOW;
      const { upstream, name } = call.tool;
      const kept = rememberResult(ports, { run: call.run, callId: call.id, upstream, target: name, result });
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
}

export function rememberResult(ports: TaintPorts, data: ReadData): Promise<void> | undefined {
  const settings = ports.settings();
  if (settings === undefined) return undefined;
  const { run, result, callId, upstream, target } = data;
  const source = { callId, upstream, target, marks: marksOf(settings, upstream, target) };
  const findPrivate = settings.content ? ports.findPrivate : undefined;
  const { what, lists } = readResult(result, { source, printer: ports.printer, findPrivate });
  const kept = ports.memory.remember(run, what);
  if (kept instanceof Promise) return kept;
  for (const list of lists) giveBack(list);
  return undefined;
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

function believedUser({ user, client }: Call, settings: TaintSettings): string | undefined {
  return user !== undefined && isBelieved(settings, client.principal) ? user : undefined;
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
  const { call, sinks } = evidence;
  const { stop, noted } = judgeCall(what, evidence, settings);
  for (const flow of noted) ports.onNoted?.(call, explainFlow(flow, call));
  return stop === undefined ? ALLOW : toVerdict(stop, call, sinks);
}

function toVerdict(flow: FoundFlow, call: Call, sinks: readonly SinkClass[]): Verdict {
  const reason = explainFlow(flow, call);
  return flow.rule.action === 'deny'
    ? { kind: 'deny', code: 'denied', reason }
    : { kind: 'ask', reason, classes: sinks };
}
