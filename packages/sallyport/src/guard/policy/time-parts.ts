import type { CedarValueJson } from './cedar.ts';

/** As `context.time.weekday` has them. */
export const WEEKDAYS: readonly string[] = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];

export type TimeParts = Record<'hour' | 'minute' | 'weekday' | 'epochSeconds' | 'instant', CedarValueJson>;

/**
 * The time of a call. Hour, minute and weekday are those of the machine's time zone (the variable TZ): office hours are
 * meant locally. `instant` is the same moment wherever the machine stands.
 */
export function toTimeParts(now: number): TimeParts {
  const date = new Date(now);
  return {
    hour: date.getHours(),
    minute: date.getMinutes(),
    weekday: WEEKDAYS[date.getDay()] ?? '',
    epochSeconds: Math.floor(now / 1000),
    instant: { __extn: { fn: 'datetime', arg: date.toISOString() } },
  };
}
