import { availableParallelism } from 'node:os';
import type { Envelope, FrozenSnapshot } from '../../core/envelope.ts';
import { FaultError, IT_RAN } from '../../core/errors.ts';
import type { JsonObject } from '../../core/json.ts';
import { rawOf } from '../../core/large-body.ts';
import type { ShownDefinitions } from '../../core/shown-definitions.ts';
import type { Verdict } from '../../core/verdict.ts';
import type { HiddenSecrets, HideOptions } from '../approve/hide-secrets.ts';
import { type LargeMessages, LargeRewrite } from '../guard.ts';
import type { ScanPorts } from '../scan-result.ts';
import type { SecretPorts } from '../secrets/secrets.ts';
import { snapshotOf } from '../snapshot-of.ts';
import type { TaintPorts } from '../taint/taint.ts';
import { configuredText } from './configured-text.ts';
import type {
  RawBody,
  ReadPorts,
  ReadQuestion,
  ReadReply,
  ReadRequest,
  ReadSnapshot,
  ReadWorkerData,
  SentEnvelope,
} from './reading.ts';
import { toSentRecall } from './sent-recall.ts';
import {
  createWorkerRunner,
  type TimeThread,
  toWorkerFile,
  type WorkerOutcome,
  type WorkerRunner,
} from './worker-runner.ts';

/** Judges large messages in worker threads, each by the guard that would judge it here. */
export interface ReadThreads extends LargeMessages {
  /** As {@link hideSecrets}. @throws FaultError `too_large` for what takes too long to be read */
  hide(envelope: Envelope, options: HideOptions): Promise<HiddenSecrets>;
  /** Idempotent. */
  close(): Promise<void>;
}

export interface ReadThreadsOptions {
  readonly scan: ScanPorts;
  readonly secrets: SecretPorts;
  readonly taint: TaintPorts;
  readonly start: ReadWorkerData;
  /** Processor time of one guard for one message. Default: 10 s, in which 50 MB of prose are read. Milliseconds. */
  readonly readMs?: number | undefined;
  readonly timeThread?: TimeThread | undefined;
}

const WORKER = toWorkerFile(import.meta.url, 'app/read-worker.js');
const READ_MS = 10_000;
/** Saying that there was no time takes what parsing and writing the message takes. */
const LATE_MS = 5_000;
/** With these a guard has its verdict within half a minute on a machine whose processors others use. */
const PATIENCE = 3;
/** A text of 64 MiB, its parse, and what is made of it. */
const MEMORY_MB = 768;
/** To start takes longer than to read: whoever works on long texts waits for it once. */
const IDLE_MS = 600_000;
/** Snapshots and lists of definitions that a thread keeps; what is older is sent again. */
const MOST_KNOWN = 64;

/** One core is left to the event loop; more than three threads hold more memory than they are worth. */
const THREADS = Math.max(1, Math.min(3, availableParallelism() - 1));

type Runner = WorkerRunner<ReadRequest, ReadReply>;

export function createReadThreads(options: ReadThreadsOptions): ReadThreads {
  const { readMs = READ_MS, timeThread, start } = options;
  const runners = Array.from(
    { length: THREADS },
    (): Runner =>
      createWorkerRunner({
        ...{ file: WORKER, workerData: start, memoryMb: MEMORY_MB, idleMs: IDLE_MS, patience: PATIENCE, timeThread },
      }),
  );
  const run = (envelope: Envelope, what: Reading): Promise<WorkerOutcome<ReadReply>> => {
    const ports = toPorts(options, envelope);
    const { kind, client, upstream } = envelope;
    const isOfServer = envelope.asked !== undefined || kind === 'server_info';
    return leastLoaded(runners).run({
      lane: isOfServer ? `server ${upstream}` : `caller ${client.principal.id}`,
      prepare: (known) => ({
        request: toRequest(envelope, what, { known, options }),
        deadlineMs: what.isLate === true ? LATE_MS : readMs,
      }),
      answer: (about) => answer(ports, about as ReadQuestion), // True: our own worker asks.
    });
  };
  return {
    async judge(guard, envelope) {
      let outcome = await run(envelope, { guard: guard.name });
      if (outcome.kind === 'judged') return toVerdict(outcome, envelope);
      if (outcome.kind === 'broken')
        throw outcome.code === undefined ? new Error(outcome.message) : new FaultError(outcome.code, outcome.message);
      if (guard.late !== undefined && outcome.kind !== 'unavailable')
        outcome = await run(envelope, { guard: guard.name, isLate: true });
      return outcome.kind === 'judged' ? toVerdict(outcome, envelope) : toUnread(envelope);
    },
    expect: () => runners[0]?.start(),
    async hide(envelope, { key, custom }) {
      const outcome = await run(envelope, { hide: { key, custom } });
      if (outcome.kind === 'hidden') return outcome.hidden;
      throw new FaultError('too_large', 'The arguments are too expensive to be read. Send less, or in parts.');
    },
    close: async () => {
      await Promise.all(runners.map((runner) => runner.close()));
    },
  };
}

function leastLoaded(runners: readonly Runner[]): Runner {
  return runners.reduce((least, one) => (one.load < least.load ? one : least));
}

/** Fail closed: what nobody had time to read does not pass. */
function toUnread({ asked }: Envelope): Verdict {
  const reason =
    asked === undefined
      ? 'The message is too expensive to be read, so it was not sent. Send less, or in parts.'
      : `The result is too expensive to be read, so it is withheld. Ask for less, or in parts. ${IT_RAN}`;
  return { kind: 'deny', code: 'too_large', reason };
}

function toVerdict({ verdict, value, notes }: ReadReply & { readonly kind: 'judged' }, envelope: Envelope): Verdict {
  if (envelope.notes !== undefined) Object.assign(envelope.notes, notes);
  if (verdict.kind !== 'rewrite' || value === undefined) return verdict;
  return new LargeRewrite(Buffer.from(value.buffer, value.byteOffset, value.byteLength), verdict.reason);
}

/** What is done with a message. */
interface Reading {
  readonly guard?: string;
  readonly isLate?: boolean;
  readonly hide?: HideOptions;
}

interface Preparing {
  readonly known: Map<string, number>;
  readonly options: ReadThreadsOptions;
}

function toRequest(envelope: Envelope, what: Reading, { known, options }: Preparing): ReadRequest {
  const { snapshot, asked, upstream } = envelope;
  const raw = rawOf(envelope);
  const askedRaw = asked && rawOf(asked);
  const forget = known.size >= MOST_KNOWN;
  if (forget) known.clear();
  const isNew = isFirst(known, `snapshot ${snapshot.version}`);
  const { scan } = options;
  const shown = what.guard === 'taint' ? envelope.shown?.() : undefined;
  return {
    ...{ kind: 'read', guard: what.guard ?? '', isLate: what.isLate === true, hide: what.hide },
    ...{ version: snapshot.version, forget },
    raw: raw && share(raw),
    askedRaw: askedRaw && share(askedRaw),
    envelope: toSent(envelope, raw !== undefined),
    asked: asked && toSent(asked, askedRaw !== undefined),
    snapshot: isNew ? toReadSnapshot(snapshot) : undefined,
    configured: isNew ? configuredText(snapshotOf(snapshot)) : undefined,
    facts: {
      source: scan.kindOf?.(snapshot, upstream) ?? { isLocal: false, carriesOthers: true },
      isReleased: scan.kept?.isReleased(asked ?? envelope) === true,
      shown: shown && toSentShown(shown, known),
    },
  };
}

function isFirst(known: Map<string, number>, key: string): boolean {
  if (known.has(key)) return false;
  known.set(key, 0);
  return true;
}

const numbers = new WeakMap<object, number>();
let lastNumber = 0;

function numberOf(object: object): number {
  let number = numbers.get(object);
  if (number === undefined) {
    number = ++lastNumber;
    numbers.set(object, number);
  }
  return number;
}

function toSentShown(shown: ShownDefinitions, known: Map<string, number>): ReadRequest['facts']['shown'] {
  const id = numberOf(shown);
  return { id, all: isFirst(known, `shown ${id}`) ? shown.all : undefined };
}

const shared = new WeakMap<Buffer, RawBody>();

/** Copied once for all guards: the bytes of a message are in memory that is used again. */
function share(raw: Buffer): RawBody {
  let found = shared.get(raw);
  if (found === undefined) {
    const bytes = new SharedArrayBuffer(raw.length);
    raw.copy(Buffer.from(bytes));
    found = { id: numberOf(raw), bytes };
    shared.set(raw, found);
  }
  return found;
}

/** Member by member: a spread would parse the body of a large message. */
function toSent(envelope: Envelope, isRaw: boolean): SentEnvelope {
  const { kind, id, client, endpoint, run, user, isOwnRun, plan, upstream, target, publicTarget } = envelope;
  const { item, tool, fixed, bytes } = envelope;
  const body: JsonObject = isRaw ? {} : envelope.body;
  return {
    ...{ kind, id, client, endpoint, run, user, isOwnRun, plan, upstream, target, publicTarget },
    ...{ item, tool, fixed, bytes, body },
  };
}

function toReadSnapshot(frozen: FrozenSnapshot): ReadSnapshot {
  const { version, servers, argumentSafety, scan, secrets, taint, plans, sinks } = snapshotOf(frozen);
  return {
    ...{ version, argumentSafety },
    // How servers are signed in to is nobody's business there.
    servers: new Map([...servers].map(([name, { auth: _, ...rest }]) => [name, rest])),
    ...(scan && { scan }),
    ...(secrets && { secrets }),
    ...(taint && { taint }),
    ...(plans && { plans }),
    ...(sinks && { sinks }),
  };
}

function toPorts({ scan, secrets, taint }: ReadThreadsOptions, envelope: Envelope): ReadPorts {
  const { snapshot, upstream, asked } = envelope;
  const { memory } = taint;
  const { vault } = secrets;
  return {
    marksOf: (run) => memory.marksOf(run),
    recall: (run, prints) => {
      const recall = memory.recall(run, prints);
      return recall instanceof Promise
        ? recall.then((found) => found && toSentRecall(found, prints))
        : recall && toSentRecall(recall, prints);
    },
    remember: (run, what) => memory.remember(run, what),
    keepSecrets: (owner, kept) => vault.keep(owner, kept),
    findSecrets: (owner, ids) => vault.find(owner, ids),
    lookUp: async (names) => (await scan.names?.lookUp(names)) ?? new Map(),
    keepResult: async (findings) =>
      asked === undefined ? undefined : await scan.kept?.keep(asked, { result: envelope.body, findings }),
    judgeResult: (about, findings) => scan.judge?.(snapshot, { upstream, ...about, result: envelope.body, findings }),
    noteFlow: (reason) => taint.onNoted?.(envelope, reason),
  };
}

async function answer(ports: ReadPorts, { port, args }: ReadQuestion): Promise<unknown> {
  const ask = ports[port] as (...given: readonly unknown[]) => unknown; // True: the thread passes what the port takes.
  return await ask(...args);
}
