import { FaultError } from '../core/errors.ts';

const AGO: ReadonlyMap<string, number> = new Map([
  ['s', 1_000],
  ['m', 60_000],
  ['h', 3_600_000],
  ['d', 86_400_000],
]);

/** ISO text of a time, or of so long ago. @throws FaultError `usage` */
export function readTime(flag: string, text: string | undefined, now: number): string | undefined {
  if (text === undefined) return undefined;
  const [, count, unit] = /^(\d{1,6})([smhd])$/.exec(text) ?? [];
  const isDate = /^\d{4}-\d\d-\d\d(?:T[\d:.]+(?:Z|[+-]\d\d:\d\d))?$/.test(text);
  const at = unit === undefined ? (isDate ? Date.parse(text) : Number.NaN) : now - Number(count) * (AGO.get(unit) ?? 0);
  if (Number.isNaN(at))
    throw new FaultError(
      'usage',
      `${flag} is a date, a time like 2026-01-31T12:00:00Z, or 30m, 12h, 7d for so long ago.`,
    );
  return new Date(at).toISOString();
}
