import { performance } from 'node:perf_hooks';
import { setTimeout as passed } from 'node:timers/promises';
import type { AuditIndex } from '../../core/audit-index.ts';
import type { Log } from '../../core/log.ts';
import { indexSegments } from './index-segments.ts';

export interface KeptIndex {
  readonly directory: string;
  readonly index: () => Promise<AuditIndex>;
  readonly log: Log;
  /** Between two looks at what was written. Milliseconds. */
  readonly lookMs?: number;
}

const LOOK_MS = 5_000;
/** After a batch while the process has little to do, and while it has much: calls must not pay for a search that may never come. */
const IDLE_MS = 15;
const BUSY_MS = 250;
/** Share of its time that the event loop is at work. */
const BUSY = 0.5;

/** Keeps the index near what is written, behind, so that the first search finds it. Ends with the signal; never rejects. */
export async function keepIndex(
  { directory, index, log, lookMs = LOOK_MS }: KeptIndex,
  signal: AbortSignal,
): Promise<void> {
  let isFailing = false;
  while (await waits(lookMs, signal)) {
    try {
      await indexSegments(await index(), directory, { signal, pause: createGentlePause(signal), addsOnly: true });
      isFailing = false;
    } catch (error) {
      if (signal.aborted) return;
      if (!isFailing)
        log.warn({ error: String(error) }, 'the index of the audit could not be kept; a search will make it');
      isFailing = true;
    }
  }
}

function createGentlePause(signal: AbortSignal): () => Promise<void> {
  let before = performance.eventLoopUtilization();
  return async () => {
    const now = performance.eventLoopUtilization();
    const { utilization } = performance.eventLoopUtilization(now, before);
    await waits(utilization > BUSY ? BUSY_MS : IDLE_MS, signal);
    // Not what this one did itself.
    before = performance.eventLoopUtilization();
    await waits(IDLE_MS, signal);
  };
}

/** `false`: the signal came. */
async function waits(ms: number, signal: AbortSignal): Promise<boolean> {
  await passed(ms, undefined, { signal, ref: false }).catch(() => undefined);
  return !signal.aborted;
}
