import { randomBytes } from 'node:crypto';
import type { Snapshot } from '../config/settings.ts';
import type { Call } from '../core/call.ts';
import type { Log } from '../core/log.ts';
import type { Answer } from '../core/message.ts';
import { findSecrets } from '../guard/secrets/find-secrets.ts';
import { findSinks } from '../guard/sinks/sink-floor.ts';
import { createPrinter } from '../guard/taint/fingerprints.ts';
import { type ReadData, rememberResult, type TaintPorts, toLabels } from '../guard/taint/taint.ts';
import { createTaintMemory } from '../state/taint-memory.ts';

/** Where taint is off, nothing is kept, and the limits do not matter. */
const NO_LIMITS = { printsPerRun: 0, prints: 0, runs: 0, idleMs: 60_000 };
const NO_LABELS: readonly string[] = Object.freeze([]);

/** What runs have read, remembered in this process under a key that nobody else has. */
export function openTaint(snapshot: () => Snapshot, log: Log) {
  const settings = () => snapshot().taint;
  const sinksOf = (call: Call) => findSinks(call, snapshot().sinks);
  const memory = createTaintMemory({ now: () => performance.now(), limits: () => settings() ?? NO_LIMITS });
  const ports: TaintPorts = {
    settings,
    memory,
    printer: createPrinter(randomBytes(32)),
    sinksOf,
    findPrivate: (text, field) =>
      findSecrets(text, { field })
        .filter(({ group, isSample }) => group === 'credentials' && !isSample)
        .map(({ start, end }) => ({ text: text.slice(start, end), privacy: 'secret' as const })),
    onNoted: (call, reason) =>
      log.info({ callId: call.id, upstream: call.tool.upstream, target: call.tool.name, reason }, 'a flow was noted'),
  };
  return {
    ports,
    memory,
    /** The answer is parsed only where somebody remembers it. */
    remember(about: Omit<ReadData, 'result'>, answer: Answer): Promise<void> | undefined {
      const result = settings() === undefined ? undefined : answer.result;
      return result === undefined ? undefined : rememberResult(ports, { ...about, result });
    },
    /** For policies, which read them only where they speak of them. */
    marks: {
      sinksOf,
      labelsOf: (run: string): readonly string[] =>
        settings() === undefined ? NO_LABELS : toLabels(memory.marksOf(run), memory.originsOf(run)),
    },
  };
}
