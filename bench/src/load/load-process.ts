import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Order, Outcome } from './protocol.ts';
import type { WindowResult } from './run-window.ts';

/** The load generator, seen from the bench. */
export interface LoadProcess {
  readonly pid: number;
  /** Rejects with what the generator says went wrong, or when it does not answer within `deadlineMs`. */
  run(order: Order, deadlineMs?: number): Promise<WindowResult | undefined>;
  close(): void;
}

export function startLoadProcess(): LoadProcess {
  const child = fork(fileURLToPath(new URL('generator.js', import.meta.url)), {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const waiting = new Map<number, { resolve(value: WindowResult | undefined): void; reject(error: Error): void }>();
  let count = 0;
  child.on('message', (outcome: Outcome) => {
    const asked = waiting.get(outcome.number);
    waiting.delete(outcome.number);
    if ('error' in outcome) asked?.reject(new Error(outcome.error));
    else asked?.resolve(outcome.result);
  });
  const fail = (reason: string): void => {
    for (const asked of waiting.values()) asked.reject(new Error(`the load generator: ${reason}`));
    waiting.clear();
  };
  child.on('exit', (code) => fail(`ended with ${code}`));
  child.on('error', (error) => fail(error.message));
  return {
    pid: child.pid ?? -1,
    run: (order, deadlineMs = 60_000) =>
      new Promise((resolve, reject) => {
        count += 1;
        const number = count;
        const timer = setTimeout(() => {
          waiting.delete(number);
          reject(new Error(`${order.do} took longer than ${deadlineMs} ms`));
        }, deadlineMs);
        const done =
          <T>(finish: (value: T) => void) =>
          (value: T) => {
            clearTimeout(timer);
            finish(value);
          };
        waiting.set(number, { resolve: done(resolve), reject: done(reject) });
        child.send({ number, order }, (error) => error !== null && fail(error.message));
      }),
    close: () => child.kill('SIGKILL'),
  };
}
