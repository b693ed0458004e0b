/** Asked between two steps of a longer work: waits when others should have their turn. */
export type Pause = () => Promise<void> | void;

export const UNHURRIED: Pause = () => undefined;

/** At most about this long at a stretch: a call that comes meanwhile waits for that, and not for the whole work. Milliseconds. */
const STRETCH_MS = 8;

/** A pause that lets the event loop turn whenever a stretch is over. */
export function createPause(): Pause {
  let until = performance.now() + STRETCH_MS;
  return () => {
    if (performance.now() < until) return undefined;
    return new Promise((resolve) =>
      setImmediate(() => {
        until = performance.now() + STRETCH_MS;
        resolve();
      }),
    );
  };
}

/** Runs the steps of a work, pausing between them. */
export async function runPaced<T>(steps: Generator<undefined, T>, pause: Pause): Promise<T> {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    await pause();
  }
}

/** Runs the steps of a work in one go. */
export function runAtOnce<T>(steps: Generator<undefined, T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}
