import type { Clock } from '../core/clock.ts';
import type { Log } from '../core/log.ts';
import type { UseRow } from '../storage/tables.ts';
import { type TokenUseStore, toDay } from '../storage/token-use.ts';
import type { CallRecord } from '../telemetry/call-log.ts';

export interface TokenMeterOptions {
  readonly store: () => Promise<TokenUseStore>;
  readonly clock: Clock;
  readonly log: Log;
}

/** Counts what enters and leaves the contexts of models, tool by tool. */
export interface TokenMeter {
  /** Never throws and never waits. @param method of the request: what is no call of a tool is counted under it */
  used(record: CallRecord, method: string): void;
  /** Writes what was counted. */
  close(): Promise<void>;
}

/** What was counted is written this late at most. Milliseconds. */
const WRITE_MS = 5_000;
/** Tools counted one by one between two writes; the calls of others are counted as `other`. */
const MOST_TOOLS = 10_000;
const OTHER = 'other';

/** Counts in memory and adds to the database now and then: a call pays two look-ups. A kill loses the last seconds. */
export function createTokenMeter({ store, clock, log }: TokenMeterOptions): TokenMeter {
  let counted = new Map<string, Map<string, Moved>>();
  let size = 0;
  let timer: NodeJS.Timeout | undefined;

  async function write(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    const rows = toRows(counted, toDay(clock.now()));
    counted = new Map();
    size = 0;
    if (rows.length === 0) return;
    try {
      await (await store()).add(rows);
    } catch (error) {
      log.warn({ error, calls: rows.reduce((sum, { calls }) => sum + calls, 0) }, 'token use could not be stored');
    }
  }

  return {
    used({ upstream, tool, outcome, requestBytes, resultBytes }, method) {
      if (upstream === undefined) return;
      // A caller may invent names, which no server answers well.
      const isKnown = tool !== undefined && (outcome === 'ok' || outcome === 'tool_error');
      const target = method !== 'tools/call' ? method : isKnown ? tool : OTHER;
      let targets = counted.get(upstream);
      if (targets === undefined) {
        targets = new Map();
        counted.set(upstream, targets);
      }
      const moved = targets.get(target) ?? add(targets, target);
      moved.calls++;
      moved.request += requestBytes;
      moved.result += resultBytes;
      timer ??= setTimeout(() => void write(), WRITE_MS).unref();
    },
    close: write,
  };

  function add(targets: Map<string, Moved>, target: string): Moved {
    const name = size < MOST_TOOLS ? target : OTHER;
    const moved = targets.get(name) ?? { calls: 0, request: 0, result: 0 };
    targets.set(name, moved);
    size++;
    return moved;
  }
}

interface Moved {
  calls: number;
  request: number;
  result: number;
}

function toRows(counted: ReadonlyMap<string, ReadonlyMap<string, Moved>>, day: string): UseRow[] {
  return [...counted].flatMap(([upstream, targets]) =>
    [...targets].map(([target, { calls, request, result }]) => ({
      ...{ day, upstream, target, calls },
      ...{ request_bytes: request, result_bytes: result },
    })),
  );
}
