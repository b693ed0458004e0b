import { vi } from 'vitest';

/** A deadline and no assertion on speed: a loaded machine may take long, a broken program takes for ever. */
const PATIENCE_MS = 60_000;

/** Looks again and again until `look` no longer throws; for what announces itself to nobody, as a closed file does. */
export async function waitFor<T>(look: () => T | Promise<T>): Promise<T> {
  return vi.waitFor(look, { timeout: PATIENCE_MS, interval: 20 });
}
