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

/** At a stretch of work that nobody waits for: a call passes the event loop some four times, and meets it each time. Milliseconds. */
const MODEST_MS = 1;
/** A turn of the event loop that took no longer had nothing to do. Milliseconds. */
const IDLE_TURN_MS = 0.1;

/** A pause for work behind: while others have something to do they get as much time as the work itself. */
export function createModestPause(): Pause {
  let until = performance.now() + MODEST_MS;
  const giveWay = async (): Promise<void> => {
    for (let others = 0; others < MODEST_MS; ) {
      const began = performance.now();
      await new Promise((resolve) => setImmediate(resolve));
      const took = performance.now() - began;
      if (took < IDLE_TURN_MS) break;
      others += took;
    }
    until = performance.now() + MODEST_MS;
  };
  return () => (performance.now() < until ? undefined : giveWay());
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
