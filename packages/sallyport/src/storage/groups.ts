import { FaultError } from '../core/errors.ts';

/** Work of many callers, done together. */
export interface Groups<Work, Done> {
  /** @throws FaultError `overloaded` when too many wait; else what doing the group throws */
  add(work: Work): Promise<Done>;
}

interface Waiting<Work, Done> {
  readonly work: Work;
  readonly resolve: (done: Done) => void;
  readonly reject: (error: unknown) => void;
}

/** Of one commit. */
const MOST = 64;
const MAX_WAITING = 1_000;

/**
 * One commit for everybody who comes while the last one is under way: a commit waits for the disk, and a file that is
 * written by one at a time would have all others wait for each of them.
 * @param doAll answers for each, in order; when it throws, nothing of the group was done
 */
export function createGroups<Work, Done>(
  doAll: (group: readonly Work[]) => Promise<readonly Done[]>,
): Groups<Work, Done> {
  const waiting: Waiting<Work, Done>[] = [];
  let isBusy = false;

  async function drain(): Promise<void> {
    // Whoever is at the same point in this turn of the loop comes along.
    await new Promise((resolve) => setImmediate(resolve));
    for (let group = waiting.splice(0, MOST); group.length > 0; group = waiting.splice(0, MOST)) {
      try {
        const done = await doAll(group.map(({ work }) => work));
        // As many as were asked for: the contract of `doAll`.
        group.forEach(({ resolve }, at) => void resolve(done[at] as Done));
      } catch (error) {
        for (const { reject } of group) reject(error);
      }
    }
    isBusy = false;
  }

  return {
    add(work) {
      if (waiting.length >= MAX_WAITING)
        return Promise.reject(new FaultError('overloaded', `${MAX_WAITING} writes wait for the database already.`));
      return new Promise((resolve, reject) => {
        waiting.push({ work, resolve, reject });
        if (isBusy) return;
        isBusy = true;
        void drain();
      });
    },
  };
}
