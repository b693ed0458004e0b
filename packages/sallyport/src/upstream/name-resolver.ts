import { lookup as lookUp } from 'node:dns';
import type { NameAnswer, NamePort } from '../core/name-port.ts';
import type { Resolve } from './auth/guarded-fetch.ts';

export interface NameResolverOptions {
  /** Default: the machine's own, which all programs on it connect by, `/etc/hosts` included. */
  readonly resolve?: Resolve | undefined;
  /** Milliseconds that only go forward. */
  readonly now?: (() => number) | undefined;
  /** For all names of one request together, below the two seconds of a guard. Milliseconds. */
  readonly deadlineMs?: number | undefined;
}

const DEADLINE_MS = 1_500;
/** Long enough for the links of one conversation, short enough for a name that moves. */
const FRESH_MS = 10_000;
const MAX_KNOWN = 1_000;
/** Each one holds one of four threads of libuv for as long as it takes; files need one, too. */
const MAX_UNDER_WAY = 3;
const MAX_WAITING = 256;

interface Known {
  readonly answer: NameAnswer;
  readonly until: number;
}

/** Looks names up within a deadline, a bounded memory and at most three at a time. */
export function createNameResolver(options: NameResolverOptions = {}): NamePort {
  const { resolve = lookUp, now = () => performance.now(), deadlineMs = DEADLINE_MS } = options;
  /** The oldest first. */
  const known = new Map<string, Known>();
  const asking = new Map<string, Promise<NameAnswer>>();
  const waiting: (() => void)[] = [];
  let underWay = 0;

  const keep = (name: string, answer: NameAnswer): NameAnswer => {
    known.delete(name);
    const [oldest] = known.keys();
    if (known.size >= MAX_KNOWN && oldest !== undefined) known.delete(oldest);
    known.set(name, { answer, until: now() + FRESH_MS });
    return answer;
  };
  const begin = (name: string, done: (answer: NameAnswer) => void): void => {
    underWay++;
    const end = (answer: NameAnswer): void => {
      underWay--;
      asking.delete(name);
      done(keep(name, answer));
      waiting.shift()?.();
    };
    try {
      resolve(name, { all: true }, (error, found) => {
        end(error !== null || found.length === 0 ? 'unknown' : found.map(({ address }) => address));
      });
    } catch {
      // Not even a name.
      end('unknown');
    }
  };
  const ask = (name: string): Promise<NameAnswer> => {
    const before = asking.get(name);
    if (before !== undefined) return before;
    if (waiting.length >= MAX_WAITING) return Promise.resolve('late');
    let done: (answer: NameAnswer) => void = () => {};
    const answer = new Promise<NameAnswer>((resolved) => {
      done = resolved;
    });
    asking.set(name, answer);
    if (underWay < MAX_UNDER_WAY) begin(name, done);
    else waiting.push(() => begin(name, done));
    return answer;
  };

  return {
    async lookUp(names) {
      const answers = new Map<string, NameAnswer>();
      const missing: string[] = [];
      for (const name of new Set(names)) {
        const before = known.get(name);
        if (before !== undefined && before.until > now()) answers.set(name, before.answer);
        else missing.push(name);
      }
      if (missing.length === 0) return answers;
      const all = Promise.all(missing.map(async (name) => answers.set(name, await ask(name))));
      await inTime(all, deadlineMs);
      // What comes later is for whoever asks next, and this map is not to change any more.
      const settled = new Map(answers);
      for (const name of missing) if (!settled.has(name)) settled.set(name, 'late');
      return settled;
    },
  };
}

function inTime(work: Promise<unknown>, ms: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    void work.then(() => {
      clearTimeout(timer);
      resolve();
    });
  });
}
