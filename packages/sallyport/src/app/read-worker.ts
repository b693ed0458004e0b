import { parentPort, workerData } from 'node:worker_threads';
import { DEFAULT_SCAN } from '../config/scan-section.ts';
import type { Snapshot } from '../config/settings.ts';
import type { CallNotes } from '../core/call.ts';
import type { Envelope } from '../core/envelope.ts';
import { FaultError } from '../core/errors.ts';
import type { JsonObject } from '../core/json.ts';
import type { ShownDefinitions } from '../core/shown-definitions.ts';
import type { Verdict } from '../core/verdict.ts';
import { hideSecrets } from '../guard/approve/hide-secrets.ts';
import { argumentSafety } from '../guard/argument-safety.ts';
import type { Guard } from '../guard/guard.ts';
import { scanResult } from '../guard/scan-result.ts';
import { secrets, secretsInResult } from '../guard/secrets/secrets.ts';
import { findVerifiedKeys } from '../guard/secrets/verified-keys.ts';
import { findSinks } from '../guard/sinks/sink-floor.ts';
import { snapshotOf } from '../guard/snapshot-of.ts';
import { createPrinter } from '../guard/taint/fingerprints.ts';
import { believedUser } from '../guard/taint/label-source.ts';
import { taint, taintLabels } from '../guard/taint/taint.ts';
import { isConfigured } from '../guard/threads/configured-text.ts';
import { createAsk, type MainThread } from '../guard/threads/main-thread.ts';
import type {
  RawBody,
  ReadReply,
  ReadRequest,
  ReadSnapshot,
  ReadWorkerData,
  SentEnvelope,
} from '../guard/threads/reading.ts';
import type { WorkerAnswer, WorkerSign } from '../guard/threads/worker-runner.ts';
import { hostOf } from './host-of.ts';
import { rootsOf } from './roots-of.ts';

/**
 * The thread in which large messages are read, by the same guards as small ones. State stays in the main thread, which is
 * asked. It may be ended at any moment: whoever asked watches the clock.
 */
const port = parentPort;
if (port === null) throw new Error('read-worker.js is a worker');
const { printKey, home } = workerData as ReadWorkerData; // True: `read-threads.ts` starts it.

/** What the request under way says of where its message comes from. One request is judged at a time. */
let current: { readonly facts: ReadRequest['facts']; readonly configured: string; readonly envelope: Envelope };
const ask = createAsk((question) => port.postMessage(question));
const guards = new Map(createReaders(ask.main).map((guard) => [guard.name, guard]));

function createReaders(main: MainThread): readonly Guard[] {
  const secretPorts = {
    settings: (frozen: Envelope['snapshot']) => snapshotOf(frozen).secrets,
    vault: { keep: main.keepSecrets, find: main.findSecrets },
  };
  const taintPorts = {
    settings: (frozen: Envelope['snapshot']) => snapshotOf(frozen).taint,
    readsRequests: (frozen: Envelope['snapshot']) => snapshotOf(frozen).plans !== undefined,
    memory: main.memory,
    printer: createPrinter(printKey),
    sinksOf: (call: Envelope) => findSinks(call, snapshotOf(call.snapshot).sinks),
    places: {
      home,
      rootsOf: (upstream: string) => rootsOf(snapshotOf(current.envelope.snapshot), upstream, home),
    },
    findPrivate: (text: string, field: string) =>
      findVerifiedKeys(text, field).map((key) => ({ text: key, privacy: 'secret' as const })),
    isConfigured: (value: string) => isConfigured(current.configured, value),
    onNoted: (_: Envelope, reason: string) => main.noteFlow(reason),
  };
  return [
    argumentSafety({
      settings: (frozen) => snapshotOf(frozen).argumentSafety,
      requestOf: (call) => {
        const { taint: settings } = snapshotOf(call.snapshot);
        return settings === undefined ? undefined : believedUser(call, settings);
      },
    }),
    ...secrets(secretPorts),
    taint(taintPorts),
    scanResult({
      settings: (frozen) => snapshotOf(frozen).scan ?? DEFAULT_SCAN,
      hostOf: (frozen, upstream) => hostOf(snapshotOf(frozen), upstream),
      kindOf: () => current.facts.source,
      names: { lookUp: main.lookUp },
      kept: {
        isReleased: () => current.facts.isReleased,
        keep: (_, { findings }) => main.keepResult(findings),
      },
      judge: (frozen, { tool, item, findings }) =>
        (snapshotOf(frozen).scan ?? DEFAULT_SCAN).judge === undefined
          ? undefined
          : main.judgeResult({ ...(tool !== undefined && { tool }), ...(item !== undefined && { item }) }, findings),
    }),
    secretsInResult(secretPorts),
    taintLabels(taintPorts),
  ];
}

const snapshots = new Map<number, { readonly snapshot: ReadSnapshot; readonly configured: string }>();
const lists = new Map<number, ShownDefinitions>();
/** Requests during which messages come: what was said before one of these is known by this object. */
const requests = new Map<string, Envelope>();
const MAX_REQUESTS = 20;
/** Of the last message: several guards read the same one after the other. */
let parsed: { readonly id: number; readonly body: JsonObject } | undefined;

async function judge(request: ReadRequest): Promise<ReadReply> {
  const { facts, isLate, hide } = request;
  const { snapshot, configured } = toKnown(request);
  const notes: Partial<CallNotes> = {};
  const envelope = toEnvelope(request, {
    snapshot: snapshot as Snapshot, // True: the parts that the guards of this thread ask for.
    notes: notes as CallNotes, // True: they leave members of it, and read none.
  });
  current = { facts, configured, envelope };
  if (hide !== undefined)
    return { kind: 'hidden', hidden: hideSecrets(envelope, { ...hide, key: Buffer.from(hide.key) }) };
  const guard = guards.get(request.guard);
  if (guard === undefined) throw new Error(`no guard "${request.guard}" reads texts`);
  const verdict: Verdict = await (isLate && guard.late !== undefined ? guard.late(envelope) : guard.judge(envelope));
  if (verdict.kind !== 'rewrite') return { kind: 'judged', verdict, value: undefined, notes };
  const value = new TextEncoder().encode(JSON.stringify(verdict.value));
  return { kind: 'judged', verdict: { ...verdict, value: {} }, value, notes };
}

function toKnown({ version, snapshot, configured, forget }: ReadRequest) {
  if (forget) {
    snapshots.clear();
    lists.clear();
  }
  if (snapshot !== undefined) snapshots.set(version, { snapshot, configured: configured ?? '' });
  const known = snapshots.get(version);
  if (known === undefined) throw new Error('the snapshot was not sent');
  return known;
}

type Context = Pick<Envelope, 'snapshot' | 'notes'>;

function toEnvelope({ envelope, asked, raw, askedRaw, facts }: ReadRequest, context: Context): Envelope {
  return {
    ...{ ...envelope, ...context },
    ...(raw === undefined ? {} : { body: parse(raw) }),
    shown: toShown(facts.shown),
    asked: asked && toAsked(asked, askedRaw, context),
  };
}

function parse({ id, bytes }: RawBody): JsonObject {
  if (parsed?.id !== id) {
    parsed = undefined;
    parsed = { id, body: toJson({ id, bytes }) };
  }
  return parsed.body;
}

function toJson({ bytes }: RawBody): JsonObject {
  return JSON.parse(Buffer.from(bytes).toString('utf8')) as JsonObject; // True: the main thread sends objects.
}

function toAsked(sent: SentEnvelope, raw: RawBody | undefined, context: Context): Envelope {
  let asked = requests.get(sent.id);
  if (asked === undefined) {
    const [oldest] = requests.keys();
    if (requests.size >= MAX_REQUESTS && oldest !== undefined) requests.delete(oldest);
    asked = { ...sent, ...context, ...(raw && { body: toJson(raw) }), shown: undefined, asked: undefined };
    requests.set(sent.id, asked);
  }
  return asked;
}

function toShown(sent: ReadRequest['facts']['shown']): Envelope['shown'] {
  if (sent === undefined) return undefined;
  const { id, all } = sent;
  if (all !== undefined) lists.set(id, { all, suspicious: all.find(({ hasFindings }) => hasFindings) });
  const shown = lists.get(id);
  if (shown === undefined) throw new Error('the definitions were not sent');
  return () => shown;
}

async function reply(request: ReadRequest): Promise<void> {
  let said: ReadReply;
  try {
    said = await judge(request);
  } catch (error) {
    const code = error instanceof FaultError ? error.code : undefined;
    said = { kind: 'broken', message: error instanceof Error ? error.message : 'it failed', code };
  }
  const value = said.kind === 'judged' ? said.value : undefined;
  port?.postMessage(said, value === undefined ? [] : [value.buffer as ArrayBuffer]); // True: an encoder made it.
}

port.on('message', (message: ReadRequest | WorkerAnswer) => {
  if (message.kind === 'answer') ask.answered(message);
  else void reply(message);
});
port.postMessage({ kind: 'ready' } satisfies WorkerSign);
