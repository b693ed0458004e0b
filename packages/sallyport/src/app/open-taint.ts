import { randomBytes } from 'node:crypto';
import { homedir } from 'node:os';
import type { ServerSettings, Snapshot } from '../config/settings.ts';
import { systemClock } from '../core/clock.ts';
import type { Envelope } from '../core/envelope.ts';
import type { Log } from '../core/log.ts';
import { findVerifiedKeys } from '../guard/secrets/verified-keys.ts';
import { findSinks } from '../guard/sinks/sink-floor.ts';
import { snapshotOf } from '../guard/snapshot-of.ts';
import { createPrinter } from '../guard/taint/fingerprints.ts';
import { readRoots } from '../guard/taint/roots.ts';
import { type TaintPorts, toLabels } from '../guard/taint/taint.ts';
import { createSharedTaintMemory } from '../state/shared-taint-memory.ts';
import { createTaintMemory, type TaintMemoryOptions } from '../state/taint-memory.ts';
import type { Shared } from './open-shared.ts';

/** Where taint is off, nothing is kept, and the limits do not matter. */
const NO_LIMITS = { printsPerRun: 0, prints: 0, runs: 0, idleMs: 60_000 };
const NO_LABELS: readonly string[] = Object.freeze([]);

/** What runs have read, in this process under a key that nobody else has, or shared by all that have the key. */
export function openTaint(snapshot: () => Snapshot, log: Log, shared: Shared | undefined) {
  const settings: TaintPorts['settings'] = (frozen) => snapshotOf(frozen).taint;
  const sinksOf = (call: Envelope) => findSinks(call, snapshotOf(call.snapshot).sinks);
  const options = { now: () => performance.now(), limits: () => snapshot().taint ?? NO_LIMITS };
  const { memory, met, close } = openMemory(options, log, shared);
  const ports: TaintPorts = {
    settings,
    readsRequests: (frozen) => snapshotOf(frozen).plans !== undefined,
    memory,
    printer: createPrinter(shared?.keys.prints ?? randomBytes(32)),
    sinksOf,
    places: { home: homedir(), rootsOf: (upstream) => rootsOf(snapshot(), upstream) },
    findPrivate: (text, field) =>
      findVerifiedKeys(text, field).map((key) => ({ text: key, privacy: 'secret' as const })),
    isConfigured: (value) => isInConfiguration(snapshot(), value),
    onNoted: (call, reason) =>
      log.info({ callId: call.id, upstream: call.upstream, target: call.target, reason }, 'a flow was noted'),
  };
  return {
    ports,
    memory,
    /** For policies, which read them only where they speak of them. */
    marks: {
      sinksOf,
      labelsOf: (run: string): readonly string[] =>
        snapshot().taint === undefined ? NO_LABELS : toLabels(met.marksOf(run), met.originsOf(run)),
    },
    close,
  };
}

const written = new WeakMap<Snapshot, string>();

/** Does the operator's file name the value, e.g. as an argument or the address of a server? */
function isInConfiguration(snapshot: Snapshot, value: string): boolean {
  let text = written.get(snapshot);
  if (text === undefined) {
    text = JSON.stringify([[...snapshot.servers.values()], snapshot.taint]);
    written.set(snapshot, text);
  }
  return text.includes(JSON.stringify(value).slice(1, -1));
}

function openMemory(options: TaintMemoryOptions, log: Log, shared: Shared | undefined) {
  if (shared === undefined) {
    const memory = createTaintMemory(options);
    return { memory, met: memory, close: async () => undefined };
  }
  const { state, keys } = shared;
  const memory = createSharedTaintMemory({ ...options, runs: state.runs, keys, clock: systemClock, log });
  return { memory, met: memory.met, close: () => memory.close() };
}

const roots = new WeakMap<ServerSettings, readonly string[]>();

/** What a server that runs here was given on its command line, and the directories the operator allows paths in. */
function rootsOf({ servers, argumentSafety }: Snapshot, upstream: string): readonly string[] | undefined {
  const declared = argumentSafety?.roots ?? [];
  const server = servers.get(upstream);
  if (server === undefined || server.transport.type !== 'stdio') return declared.length === 0 ? undefined : declared;
  let known = roots.get(server);
  if (known === undefined) {
    known = [...readRoots(server.transport, { home: homedir(), cwd: process.cwd() }), ...declared];
    roots.set(server, known);
  }
  return known;
}
