import { FaultError } from '../core/errors.ts';

const UNITS: ReadonlyMap<string, number> = new Map([
  ['ms', 1],
  ['s', 1000],
  ['m', 60_000],
  ['h', 3_600_000],
]);

/**
 * `500ms`, `30s`, `5m`, `1h`; a plain number is seconds. Milliseconds, from 1 ms to 24 h.
 * @throws FaultError `usage`.
 */
export function parseDuration(text: string): number {
  const [, number, unit] = /^(\d+(?:\.\d+)?)(ms|s|m|h)?$/.exec(text) ?? [];
  const ms = Math.round(Number(number) * (UNITS.get(unit ?? 's') ?? Number.NaN));
  if (!(ms >= 1 && ms <= 86_400_000)) {
    throw new FaultError('usage', `${JSON.stringify(text.slice(0, 40))} is no time; write 500ms, 30s, 5m or 1h.`);
  }
  return ms;
}
