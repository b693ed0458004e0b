import { type Clock, systemClock } from '../core/clock.ts';
import type { Destination } from './destination.ts';
import { writeMilliseconds } from './milliseconds.ts';
import { quote } from './quote.ts';

/**
 * How a call ended. `tool_error`: the tool said so (`isError`); `error`: the upstream answered with a JSON-RPC error; `denied`:
 * it never ran; `withheld`: it ran, and its result was not handed out; `failed`: we did.
 */
export type CallOutcome = 'ok' | 'tool_error' | 'error' | 'denied' | 'withheld' | 'cancelled' | 'failed';

/** One call, filled in while it lives. Never arguments, never results. */
export interface CallRecord {
  callId: string;
  principal: string;
  /** The client program's name, as it calls itself. */
  client: string;
  upstream: string | undefined;
  /** The name at the upstream. */
  tool: string | undefined;
  outcome: CallOutcome;
  /** Who decided, and the reason, when a guard stopped the call or changed its result, or the call failed. */
  guard: string | undefined;
  reason: string | undefined;
  ms: number;
  requestBytes: number;
  resultBytes: number;
  /** The revision the client speaks, where known. */
  revision?: string | undefined;
}

export interface CallLog {
  /** Never throws and never waits. */
  write(record: CallRecord): void;
}

/**
 * One JSON line per call. The line is concatenated by hand: 1.2 us against 14 us through the log (measured), and
 * every call pays it.
 */
export function createCallLog(destination: Destination, clock: Clock = systemClock): CallLog {
  let timeAt = Number.NaN;
  let time = '';
  return {
    write(record) {
      const now = clock.now();
      if (now !== timeAt) {
        timeAt = now;
        time = new Date(now).toISOString();
      }
      destination.write(
        `{"level":"info","time":"${time}","msg":"call","callId":${quote(record.callId)},"principal":${quote(record.principal)}` +
          `,"client":${quote(record.client)}${optional('upstream', record.upstream)}${optional('tool', record.tool)}` +
          `,"outcome":"${record.outcome}"${optional('guard', record.guard)}${optional('reason', record.reason)}` +
          `,"ms":${writeMilliseconds(record.ms)},"requestBytes":${record.requestBytes},"resultBytes":${record.resultBytes}` +
          `${optional('revision', record.revision)}}\n`,
      );
    },
  };
}

function optional(name: string, text: string | undefined): string {
  return text === undefined ? '' : `,"${name}":${quote(text)}`;
}
