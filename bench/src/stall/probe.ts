import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { Target } from '../load/connection.ts';
import type { Probed } from './probe-process.ts';

const PROCESS = fileURLToPath(new URL('probe-process.js', import.meta.url));

/** Asks `/healthz` and calls a tool without a pause, from another process. */
export interface Probe {
  /** What it took since it was last asked. */
  take(): Promise<Probed>;
  stop(): Promise<void>;
}

export function startProbe(target: Target): Probe {
  const child: ChildProcess = spawn(process.execPath, [PROCESS, JSON.stringify(target)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const { stdin, stdout } = child;
  if (stdin === null || stdout === null) throw new Error('the probe has no pipes');
  const lines = createInterface({ input: stdout })[Symbol.asyncIterator]();
  return {
    async take() {
      stdin.write('\n');
      const { value, done } = await lines.next();
      if (done === true) throw new Error('the probe ended');
      return JSON.parse(value) as Probed;
    },
    async stop() {
      const exited = new Promise((resolve) => child.once('exit', resolve));
      stdin.end();
      await exited;
    },
  };
}
