import type { TaintSettings } from '../../config/taint-section.ts';
import type { Call } from '../../core/call.ts';
import { matchesGlob } from '../../core/glob.ts';
import type { JsonObject } from '../../core/json.ts';
import type { Principal } from '../../core/principal.ts';
import type { SinkClass } from '../../core/sink.ts';
import { ALLOW, type Verdict } from '../../core/verdict.ts';
import type { Guard } from '../guard.ts';
import { explainFlow } from './explain-flow.ts';
import type { Printer } from './fingerprints.ts';
import { readFirstSeen, readUser } from './first-seen.ts';
import { type FoundFlow, judgeCall } from './judge-call.ts';
import { marksOf } from './label-source.ts';
import { type Marks, namesOf, UNTRUSTED } from './labels.ts';
import type { PrintList } from './print-list.ts';
import { type AskedCall, readCall } from './read-call.ts';
import { type FindPrivate, readResult } from './read-result.ts';
import type { Recall, TaintMemory } from './taint-ports.ts';

export interface TaintPorts {
  /** Of the snapshot in force; `undefined`: nothing is marked. */
  readonly settings: () => TaintSettings | undefined;
  readonly memory: TaintMemory;
  readonly printer: Printer;
  /** The effects of a call, those its arguments tell of included. */
  readonly sinksOf: (call: Call) => readonly SinkClass[];
  /** Parts of a text that are more private than their source, e.g. keys. Left out: none are looked for. */
  readonly findPrivate?: FindPrivate | undefined;
  /** Told of flows that a rule only notes. */
  readonly onNoted?: ((call: Call, reason: string) => void) | undefined;
}

/** The outer door: marked data does not go where the rules say it must not. */
export function taint(ports: TaintPorts): Guard {
  return {
    name: 'taint',
    request(call) {
      const settings = ports.settings();
      if (settings === undefined) return ALLOW;
      const marks = ports.memory.marksOf(call.run);
      const look = (known: Marks) => lookAt(call, known, { settings, ports });
      return typeof marks === 'number' ? look(marks) : marks.then(look);
    },
  };
}

function lookAt(
  call: Call,
  marks: Marks,
  { settings, ports }: { readonly settings: TaintSettings; readonly ports: TaintPorts },
): Verdict | Promise<Verdict> {
  const user = believedUser(call, settings);
  const asked = readCall(call, ports.printer, marks);
  const at = user === undefined ? -1 : addUserMark(user, ports.printer, asked.prints);
  const recall = ports.memory.recall(call.run, asked.prints);
  const decide = (known: Recall | undefined): Verdict | Promise<Verdict> => {
    const fresh = [
      known?.has(at) === true || user === undefined ? undefined : readUser(user, ports.printer),
      readFirstSeen(asked, known),
    ].filter((one) => one !== undefined);
    const kept = fresh.length === 0 ? undefined : ports.memory.remember(call.run, fresh);
    const verdict = known === undefined ? ALLOW : judge({ call, asked, known, user }, settings, ports);
    return kept instanceof Promise ? kept.then(() => verdict) : verdict;
  };
  return recall instanceof Promise ? recall.then(decide) : decide(recall);
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

export function rememberResult(ports: TaintPorts, { run, result, ...from }: ReadData): Promise<void> | undefined {
  const settings = ports.settings();
  if (settings === undefined) return undefined;
  const source = { ...from, marks: marksOf(settings, from.upstream, from.target) };
  const findPrivate = settings.content ? ports.findPrivate : undefined;
  const kept = ports.memory.remember(run, readResult(result, { source, printer: ports.printer, findPrivate }));
  return kept instanceof Promise ? kept : undefined;
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

function believedUser({ user, client }: Call, { trustedHosts }: TaintSettings): string | undefined {
  return user !== undefined && trustedHosts.some((glob) => isHost(glob, client.principal)) ? user : undefined;
}

function isHost(glob: string, { id, agent }: Principal): boolean {
  return matchesGlob(glob, id) || (agent !== undefined && matchesGlob(glob, agent));
}

/** Tells whether the run knows this request of its user already. */
function addUserMark(user: string, printer: Printer, into: PrintList): number {
  printer.add('typed', `\n${user}`, into);
  return into.size - 1;
}

interface Known {
  readonly call: Call;
  readonly asked: AskedCall;
  readonly known: Recall | undefined;
  readonly user: string | undefined;
}

function judge(
  { call, asked, known, user }: Known & { readonly known: Recall },
  settings: TaintSettings,
  ports: TaintPorts,
): Verdict {
  if (known.marks === 0 && !known.isFull) return ALLOW;
  const sinks = ports.sinksOf(call);
  const { stop, noted } = judgeCall(asked, { call, sinks, recall: known, user }, settings);
  for (const flow of noted) ports.onNoted?.(call, explainFlow(flow, call));
  return stop === undefined ? ALLOW : toVerdict(stop, call, sinks);
}

function toVerdict(flow: FoundFlow, call: Call, sinks: readonly SinkClass[]): Verdict {
  const reason = explainFlow(flow, call);
  return flow.rule.action === 'deny'
    ? { kind: 'deny', code: 'denied', reason }
    : { kind: 'ask', reason, classes: sinks };
}
