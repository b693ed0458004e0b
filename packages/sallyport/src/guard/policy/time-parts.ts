const WEEKDAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];

/** The time of a call in the time zone of the machine (the variable TZ): office hours are meant locally. */
export function toTimeParts(now: number): {
  readonly hour: number;
  readonly minute: number;
  readonly weekday: string;
  readonly epochSeconds: number;
} {
  const date = new Date(now);
  return {
    hour: date.getHours(),
    minute: date.getMinutes(),
    weekday: WEEKDAYS[date.getDay()] ?? '',
    epochSeconds: Math.floor(now / 1000),
  };
}
