import { createModestPause } from '../core/pace.ts';

interface Work {
  readonly steps: Generator<undefined, void>;
  readonly settle: () => void;
  readonly fail: (error: unknown) => void;
}

/**
 * Steps of one work before the next one has its turn: the longest lists must not keep those of other servers waiting, and of
 * ten usual ones the first is there long before the last.
 */
const STEPS = 2000;

/** Runs works in turns and in short stretches: calls are served meanwhile. */
export class Turns {
  readonly #pause = createModestPause();
  #waiting: Work[] = [];
  #isRunning = false;

  /** Resolves when its last step is done; rejects with what a step threw. */
  run(steps: Generator<undefined, void>): Promise<void> {
    return new Promise((settle, fail) => {
      this.#waiting.push({ steps, settle, fail });
      if (!this.#isRunning) void this.#work();
    });
  }

  /** Never rejects. */
  async #work(): Promise<void> {
    this.#isRunning = true;
    for (let work = this.#waiting.shift(); work !== undefined; work = this.#waiting.shift()) {
      try {
        if (await this.#isDone(work.steps)) work.settle();
        else this.#waiting.push(work);
      } catch (error) {
        work.fail(error);
      }
    }
    this.#isRunning = false;
  }

  async #isDone(steps: Generator<undefined, void>): Promise<boolean> {
    for (let step = 0; step < STEPS; step++) {
      const pause = this.#pause();
      if (pause !== undefined) await pause;
      if (steps.next().done === true) return true;
    }
    return false;
  }
}
