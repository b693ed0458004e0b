import { randomBytes } from 'node:crypto';
import { homedir } from 'node:os';
import type { Snapshot } from '../config/settings.ts';
import { systemClock } from '../core/clock.ts';
import type { Envelope } from '../core/envelope.ts';
import type { Log } from '../core/log.ts';
import { findVerifiedKeys } from '../guard/secrets/verified-keys.ts';
import { findSinks } from '../guard/sinks/sink-floor.ts';
import { snapshotOf } from '../guard/snapshot-of.ts';
import { createPrinter } from '../guard/taint/fingerprints.ts';
import { type TaintPorts, toLabels } from '../guard/taint/taint.ts';
import { configuredText, isConfigured } from '../guard/threads/configured-text.ts';
import { createSharedTaintMemory } from '../state/shared-taint-memory.ts';
import { createTaintMemory, type TaintMemoryOptions } from '../state/taint-memory.ts';
import type { Shared } from './open-shared.ts';
import { rootsOf } from './roots-of.ts';

/** Where taint is off, nothing is kept, and the limits do not matter. */
const NO_LIMITS = { printsPerRun: 0, prints: 0, runs: 0, idleMs: 60_000 };
const NO_LABELS: readonly string[] = Object.freeze([]);

/** What runs have read, in this process under a key that nobody else has, or shared by all that have the key. */
export function openTaint(snapshot: () => Snapshot, log: Log, shared: Shared | undefined) {
  const settings: TaintPorts['settings'] = (frozen) => snapshotOf(frozen).taint;
  const sinksOf = (call: Envelope) => findSinks(call, snapshotOf(call.snapshot).sinks);
  const options = { now: () => performance.now(), limits: () => snapshot().taint ?? NO_LIMITS };
  const { memory, met, close } = openMemory(options, log, shared);
  const printKey = shared?.keys.prints ?? randomBytes(32);
  const ports: TaintPorts = {
    settings,
    readsRequests: (frozen) => snapshotOf(frozen).plans !== undefined,
    memory,
    printer: createPrinter(printKey),
    sinksOf,
    places: { home: homedir(), rootsOf: (upstream) => rootsOf(snapshot(), upstream, homedir()) },
    findPrivate: (text, field) =>
      findVerifiedKeys(text, field).map((key) => ({ text: key, privacy: 'secret' as const })),
    isConfigured: (value) => isConfigured(configuredText(snapshot()), value),
    onNoted: (call, reason) =>
      log.info({ callId: call.id, upstream: call.upstream, target: call.target, reason }, 'a flow was noted'),
  };
  return {
    ports,
    printKey,
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

function openMemory(options: TaintMemoryOptions, log: Log, shared: Shared | undefined) {
  if (shared === undefined) {
    const memory = createTaintMemory(options);
    return { memory, met: memory, close: async () => undefined };
  }
  const { state, keys } = shared;
  const memory = createSharedTaintMemory({ ...options, runs: state.runs, keys, clock: systemClock, log });
  return { memory, met: memory.met, close: () => memory.close() };
}
