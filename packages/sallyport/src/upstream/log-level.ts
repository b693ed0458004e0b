/** RFC 5424 severities as MCP names them, most verbose first. */
const LEVELS = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'];

/** True when a message of `level` is at or above `threshold`. An unknown level is passed on: dropping it could hide the worst. */
export function isWanted(level: unknown, threshold: string): boolean {
  const rank = typeof level === 'string' ? LEVELS.indexOf(level) : -1;
  return rank < 0 || rank >= LEVELS.indexOf(threshold);
}

/** The more verbose of two levels; `undefined` wants nothing. */
export function moreVerbose(a: string | undefined, b: string | undefined): string | undefined {
  if (a === undefined) return b;
  if (b === undefined) return a;
  return LEVELS.indexOf(a) <= LEVELS.indexOf(b) ? a : b;
}
