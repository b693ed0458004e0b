/** The system's code of an error, wherever in it; `UNKNOWN` without one. */
export function codeOf(error: unknown): string {
  for (let current = error, depth = 0; current instanceof Error && depth < 4; depth++) {
    const code: unknown = 'code' in current ? current.code : undefined;
    if (typeof code === 'string') return code;
    current = current instanceof AggregateError ? current.errors[0] : current.cause;
  }
  return 'UNKNOWN';
}
