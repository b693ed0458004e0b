import type { NameAnswers } from '../../core/name-port.ts';
import type { KeptSecret, SecretVault } from '../secrets/vault.ts';
import type { Prints, Remembered, TaintMemory } from '../taint/taint-ports.ts';
import type { ReadPorts, ReadQuestion, SentRecall } from './reading.ts';
import { toRecall } from './sent-recall.ts';
import type { WorkerAnswer, WorkerSign } from './worker-runner.ts';

/** What a thread asks of the main thread, in pieces that hold nothing up there. */
export interface MainThread extends Pick<ReadPorts, 'keepResult' | 'judgeResult' | 'noteFlow'> {
  readonly memory: TaintMemory;
  lookUp(names: readonly string[]): Promise<NameAnswers>;
  keepSecrets: SecretVault['keep'];
  findSecrets: SecretVault['find'];
}

/** Fingerprints that are looked up or remembered at once, some milliseconds' worth. */
const PRINTS = 16_384;
/** Values that are masked at once. */
const SECRETS = 512;

export interface Ask {
  readonly main: MainThread;
  /** The main thread has answered. */
  answered(answer: WorkerAnswer): void;
}

/** @param post sends a question */
export function createAsk(post: (question: WorkerSign) => void): Ask {
  const waiting = new Map<number, (answer: WorkerAnswer) => void>();
  let lastId = 0;
  const ask = <Port extends keyof ReadPorts>(port: Port, ...args: Parameters<ReadPorts[Port]>): Promise<unknown> =>
    new Promise((resolve, reject) => {
      const id = ++lastId;
      waiting.set(id, ({ value, failed }) => (failed === undefined ? resolve(value) : reject(new Error(failed))));
      post({ kind: 'question', id, about: { port, args } satisfies ReadQuestion });
    });
  return {
    main: toMain(ask),
    answered(answer) {
      waiting.get(answer.id)?.(answer);
      waiting.delete(answer.id);
    },
  };
}

type AskPort = <Port extends keyof ReadPorts>(port: Port, ...args: Parameters<ReadPorts[Port]>) => Promise<unknown>;

/** The casts are true: `read-threads.ts` answers with the ports of the same names. */
function toMain(ask: AskPort): MainThread {
  return {
    memory: {
      marksOf: (run) => ask('marksOf', run) as Promise<number>,
      originsOf: async () => [],
      recall: async (run, prints) => {
        const parts: SentRecall[] = [];
        for (let from = 0; from === 0 || from < prints.size; from += PRINTS) {
          const part = (await ask('recall', run, cut(prints, from))) as SentRecall | undefined;
          if (part === undefined) return undefined;
          parts.push(part);
        }
        return toRecall(parts, PRINTS);
      },
      remember: async (run, what) => {
        for (const part of inParts(what)) await ask('remember', run, part);
      },
    },
    lookUp: (names) => ask('lookUp', names) as Promise<NameAnswers>,
    keepSecrets: async (owner, secrets) => {
      const ids: string[] = [];
      for (let from = 0; from < secrets.length; from += SECRETS)
        ids.push(...((await ask('keepSecrets', owner, secrets.slice(from, from + SECRETS))) as readonly string[]));
      return ids;
    },
    findSecrets: async (owner, ids) => {
      const found: (KeptSecret | undefined)[] = [];
      for (let from = 0; from < ids.length; from += SECRETS)
        found.push(
          ...((await ask('findSecrets', owner, ids.slice(from, from + SECRETS))) as (KeptSecret | undefined)[]),
        );
      return found;
    },
    keepResult: (findings) => ask('keepResult', findings) as Promise<string | undefined>,
    judgeResult: (about, findings) => ask('judgeResult', about, findings) as Promise<'suspicious' | 'unsure'>,
    noteFlow: (reason) => void ask('noteFlow', reason),
  };
}

function cut({ high, low, size }: Prints, from: number): Prints {
  const end = Math.min(size, from + PRINTS);
  return { high: high.slice(from, end), low: low.slice(from, end), size: end - from };
}

/** As many at once as are some milliseconds' worth, in their order. */
function* inParts(what: readonly Remembered[]): Generator<readonly Remembered[]> {
  let part: Remembered[] = [];
  let size = 0;
  for (const one of what) {
    for (let from = 0; from === 0 || from < one.prints.size; from += PRINTS) {
      const prints = cut(one.prints, from);
      part.push({ ...one, prints });
      size += prints.size + 1;
      if (size < PRINTS) continue;
      yield part;
      [part, size] = [[], 0];
    }
  }
  if (part.length > 0) yield part;
}
