import type { Caller } from './caller.ts';
import { type Latency, percentiles } from './latency.ts';
import type { Tool } from './messages.ts';

export interface WindowResult extends Latency {
  /** Right answers to calls begun in the window. */
  readonly calls: number;
  /** From the first call to the last right answer. */
  readonly seconds: number;
  readonly errors: number;
  readonly firstError: string | undefined;
  /** Share of one core the load generator itself used. */
  readonly loadBusy: number;
}

/** Calls still open this long after the window count as errors, and the window ends. */
const DRAIN_MS = 8_000;
/** Bounds the recording; a window holds some ten thousand calls. */
const MOST_CALLS = 400_000;

/** Every caller calls `tool` again and again for `ms` milliseconds; closed loop, no pause. */
export function runWindow(callers: readonly Caller[], tool: Tool, ms: number): Promise<WindowResult> {
  return new Promise((resolve) => {
    const times = new Float64Array(MOST_CALLS);
    const cpuBefore = process.cpuUsage();
    const start = performance.now();
    const end = start + ms;
    let count = 0;
    let last = start;
    let errors = 0;
    let firstError: string | undefined;
    let open = callers.length;
    let finished = false;

    const finish = (): void => {
      if (finished) return;
      finished = true;
      clearTimeout(deadline);
      const cpu = process.cpuUsage(cpuBefore);
      const elapsed = performance.now() - start;
      resolve({
        ...percentiles(times.subarray(0, count)),
        calls: count,
        seconds: (last - start) / 1000,
        errors: errors + open,
        firstError: firstError ?? (open > 0 ? `${open} calls unanswered ${DRAIN_MS} ms after the window` : undefined),
        loadBusy: (cpu.user + cpu.system) / 1000 / elapsed,
      });
    };
    const deadline = setTimeout(finish, ms + DRAIN_MS);

    const drive = (caller: Caller): void => {
      const began = performance.now();
      caller.call(tool, (wrong) => {
        if (finished) return;
        const now = performance.now();
        if (wrong === undefined) {
          times[count] = now - began;
          count += 1;
          last = now;
        } else {
          errors += 1;
          firstError ??= wrong;
        }
        // A caller that failed stays out: a broken connection would otherwise spin.
        if (now < end && wrong === undefined && count < MOST_CALLS) {
          drive(caller);
          return;
        }
        open -= 1;
        if (open === 0) finish();
      });
    };
    for (const caller of callers) drive(caller);
  });
}
