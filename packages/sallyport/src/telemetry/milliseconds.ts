const MICRO = 1_000;
/** What stands behind the whole milliseconds: `''`, `.001` … `.999`, without noughts at the end. */
const FRACTIONS = Array.from({ length: MICRO }, (_, micro) => String(micro / MICRO).slice(1));
/** From here on whole microseconds are no small integers for V8. Milliseconds. */
const MAX_FAST = 1_000_000;

/**
 * A duration as a JSON number, to the microsecond. V8 looks for the shortest decimals of a number that is not whole, and
 * every call is written down twice.
 */
export function writeMilliseconds(ms: number): string {
  if (!(ms >= 0 && ms < MAX_FAST)) return String(Math.round(ms * MICRO) / MICRO);
  const micro = Math.round(ms * MICRO);
  const whole = Math.floor(micro / MICRO);
  return `${whole}${FRACTIONS[micro - whole * MICRO]}`;
}
