import { vi } from 'vitest';

/** Looks again and again until `look` no longer throws; for what announces itself to nobody, as a closed file does. */
export async function waitFor<T>(look: () => T | Promise<T>, milliseconds = 15_000): Promise<T> {
  return vi.waitFor(look, { timeout: milliseconds, interval: 20 });
}
