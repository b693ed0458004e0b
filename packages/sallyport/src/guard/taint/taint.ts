import type { TaintFlow, TaintSettings } from '../../config/taint-section.ts';
import { type Envelope, type FrozenSnapshot, NAME } from '../../core/envelope.ts';
import type { JsonObject } from '../../core/json.ts';
import { decodePercent } from '../../core/percent.ts';
import type { ShownDefinition } from '../../core/shown-definitions.ts';
import type { SinkClass } from '../../core/sink.ts';
import { ALLOW, type Verdict } from '../../core/verdict.ts';
import type { Guard } from '../guard.ts';
import { judgeWhole } from '../whole.ts';
import { type Places, readDeed } from './effects.ts';
import { isEmptyResult } from './empty-result.ts';
import { explainFlow } from './explain-flow.ts';
import type { Printer } from './fingerprints.ts';
import { readFirstSeen, readUser } from './first-seen.ts';
import { mayHide } from './hidden-flow.ts';
import { type FoundFlow, findBorne, findRules, judgeCall } from './judge-call.ts';
import { type DefinitionPorts, hasDeciding, judgeDefinitions } from './judge-definitions.ts';
import { isPrivateOnly, mayKeep, settingsFor } from './kind-rules.ts';
import { believedUser, marksOf } from './label-source.ts';
import { joinMarks, type Marks, namesOf, privacyOf, UNTRUSTED } from './labels.ts';
import { borrowList, giveBack, PrintList } from './print-list.ts';
import { type AskedCall, type AskedLeaf, readCall } from './read-call.ts';
import { type FindPrivate, readResult } from './read-result.ts';
import { createSplitTails, type SplitTails } from './split-tails.ts';
import type { Recall, Remembered, TaintMemory } from './taint-ports.ts';
import type { Evidence } from './vouch.ts';
import { walkLeaves } from './walk-leaves.ts';

export interface TaintPorts extends DefinitionPorts {
  /** `undefined`: nothing is labelled. */
  readonly settings: (snapshot: FrozenSnapshot) => TaintSettings | undefined;
  /** The effects of a call, those its arguments tell of included. */
  readonly sinksOf: (call: Envelope) => readonly SinkClass[];
  /** Where servers may write. Left out: it is known of none. */
  readonly places?: Places | undefined;
  /** Whether a server request counts as read: who answers it can be at work in the plan that comes after. Left out: no. */
  readonly readsRequests?: ((snapshot: FrozenSnapshot) => boolean) | undefined;
  /** Parts of a text that are more private than their source, e.g. keys. Left out: none are looked for. */
  readonly findPrivate?: FindPrivate | undefined;
}

/** On the way to a server: labelled data does not go where the rules say it must not. */
export function taint(ports: TaintPorts): Guard {
  const tails = createSplitTails();
  return {
    name: 'taint',
    isReader: true,
    kinds: [
      ...(['call', 'read', 'prompt', 'completion', 'task', 'request', 'subscription'] as const),
      ...(['client_response', 'client_notification'] as const),
    ],
    isOn: (snapshot) => ports.settings(snapshot) !== undefined,
    judge(envelope) {
      const all = ports.settings(envelope.snapshot);
      if (all === undefined) return ALLOW;
      const settings = settingsFor(envelope, all);
      const marks = ports.memory.marksOf(envelope.run);
      const about = { settings, ports, tails };
      const look = (known: Marks) => {
        // The rules about what is no call are about private data, and most runs have read none.
        if (isPrivateOnly(envelope) && privacyOf(known) === 0) return ALLOW;
        return judgeWhole(withoutLink(envelope), (whole) => lookWithDefinitions(whole, known, about));
      };
      return typeof marks === 'number' ? look(marks) : marks.then(look);
    },
  };
}

/** A URI goes to the server that knows it: not read as a link, which leads out, but for what its parts hold. */
function withoutLink(envelope: Envelope): Envelope {
  const name = envelope.fixed[NAME];
  if (typeof name !== 'string') return envelope;
  const { [NAME]: _, ...others } = envelope.fixed;
  const reads = (decodePercent(name) ?? name).replace('://', ' ').split(/[/?&=#]/);
  return { ...envelope, fixed: { ...others, reads } };
}

interface About {
  readonly settings: TaintSettings;
  readonly ports: TaintPorts;
  readonly tails: SplitTails;
}

/** What the caller was shown counts as read, and its values are untrusted from the first call on. */
function lookWithDefinitions(call: Envelope, known: Marks, about: About): Verdict | Promise<Verdict> {
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
function noteRead({ upstream, what }: ShownDefinition, call: Envelope, { memory }: TaintPorts): void | Promise<void> {
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
function lookAt(call: Envelope, marks: Marks, about: About): Verdict | Promise<Verdict> {
  const { settings, ports } = about;
  const user = believedUser(call, settings);
  const places = ports.places ?? NO_PLACES;
  const isConcerned = findBorne(settings, marks).length > 0;
  const sinks = isConcerned ? ports.sinksOf(call) : NO_SINKS;
  const deed = isConcerned ? readDeed(call, sinks, places) : 'none';
  const rules = isConcerned ? findRules(settings, marks, { call, sinks, deed }) : NO_RULES;
  const isKept = (marks & UNTRUSTED) === 0 && mayKeep(call);
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
function decides(
  rules: readonly TaintFlow[],
  leaf: Pick<AskedLeaf, 'leaf' | 'role'> | undefined,
  call: Envelope,
): boolean {
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

/** On the way to the client: what is read there is remembered first. */
export function taintLabels(ports: TaintPorts): Guard {
  return {
    name: 'taint-labels',
    isReader: true,
    kinds: ['result', 'contents', 'error', 'server_request', 'server_notification'],
    isOn: (snapshot) => ports.settings(snapshot) !== undefined,
    judge({ kind, body, asked, snapshot, upstream, target, run, id }) {
      const settings = ports.settings(snapshot);
      if (settings === undefined || (kind === 'server_request' && ports.readsRequests?.(snapshot) !== true))
        return ALLOW;
      const given = kind === 'result' || kind === 'server_notification' ? asked?.body : undefined;
      const kept = rememberResult(ports, settings, { run, callId: id, upstream, target, given, result: body });
      return kept === undefined ? ALLOW : kept.then(() => ALLOW);
    },
    late({ snapshot, upstream, target, run, id }) {
      const settings = ports.settings(snapshot);
      if (settings === undefined) return ALLOW;
      // From here on any value of the run may come from it.
      const source = { callId: id, upstream, target, marks: marksOf(settings, upstream, target) };
      const kept = ports.memory.remember(run, [{ source, marks: source.marks, prints: NO_PRINTS, isPartial: true }]);
      return kept instanceof Promise ? kept.then(() => ALLOW) : ALLOW;
    },
  };
}

/** What a server sent, on its way to the client. */
interface ReadData {
  readonly run: string;
  readonly callId: string;
  readonly upstream: string;
  readonly target: string;
  readonly result: JsonObject;
  /** The arguments it answers: a key that it repeats from them is the client's. Left out: there were none. */
  readonly given?: JsonObject | undefined;
}

function rememberResult(ports: TaintPorts, settings: TaintSettings, data: ReadData): Promise<void> | undefined {
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
