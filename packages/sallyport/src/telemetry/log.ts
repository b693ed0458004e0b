import { type Level, pino, stdTimeFunctions } from 'pino';
import type { Log, LogFields } from '../core/log.ts';
import type { Destination } from './destination.ts';
import { toSafeFields, toSafeText } from './redact-fields.ts';

export type LogLevel = 'debug' | 'info' | 'warn' | 'error' | 'silent';

/**
 * The program's log: one JSON object per line with ISO time, secrets masked. The destination is shared with the call
 * log, so that lines of both stay whole.
 */
export function createLog(level: LogLevel, destination: Destination): Log {
  const logger = pino(
    {
      level,
      base: null,
      timestamp: stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    destination,
  );
  const writer =
    (at: Level & LogLevel) =>
    (fields: LogFields, message: string): void => {
      if (logger.isLevelEnabled(at)) logger[at](toSafeFields(fields), toSafeText(message));
    };
  return { debug: writer('debug'), info: writer('info'), warn: writer('warn'), error: writer('error') };
}
