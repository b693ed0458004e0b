import { createInterface } from 'node:readline/promises';
import { FaultError } from '../core/errors.ts';
import { isInteractive, type Terminal } from './terminal.ts';

/** Puts a question to the person at the terminal and waits for one line; `undefined`: the input ended. */
export type AskPerson = (question: string) => Promise<string | undefined>;

/** A person who has not answered by then has gone. */
const PATIENCE_MS = 10 * 60_000;

/** How to ask, or `undefined` where there is no terminal to ask through: a script must not wait for ever. */
export function createAskPerson(terminal: Terminal, signal: AbortSignal): AskPerson | undefined {
  if (!isInteractive(terminal)) return undefined;
  return async (question) => {
    const lines = createInterface({ input: terminal.stdin, output: terminal.stderr, terminal: false });
    const ended = new Promise<undefined>((resolve) => lines.once('close', () => resolve(undefined)));
    try {
      const waiting = AbortSignal.any([signal, AbortSignal.timeout(PATIENCE_MS)]);
      return await Promise.race([lines.question(question, { signal: waiting }), ended]);
    } catch (error) {
      throw new FaultError('cancelled', 'The question was not answered.', { cause: error });
    } finally {
      lines.close();
    }
  };
}
