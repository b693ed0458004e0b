import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Target } from '../load/connection.ts';

/** Asks `/healthz` from another process, one request after the other. */
export interface HealthWatch {
  /** The longest that one took since it was last asked. Milliseconds. */
  take(): Promise<number>;
  stop(): Promise<void>;
}

const PROGRAM = `
const { Agent, request } = require('node:http');
const agent = new Agent({ keepAlive: true });
const port = Number(process.argv[1]);
let worst = 0, tell = false;
const ask = () => new Promise((resolve) => {
  request({ host: '127.0.0.1', port, agent, path: '/healthz' }, (response) => response.resume().on('end', resolve)).on('error', resolve).end();
});
(async () => {
  for (;;) {
    const startedAt = performance.now();
    await ask();
    worst = Math.max(worst, performance.now() - startedAt);
    if (tell) { console.log(worst); worst = 0; tell = false; }
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
})();
process.stdin.on('data', () => { tell = true; }).on('end', () => process.exit(0));
`;

export function startWatch({ port }: Target): HealthWatch {
  const child: ChildProcess = spawn(process.execPath, ['-e', PROGRAM, String(port)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const { stdin, stdout } = child;
  if (stdin === null || stdout === null) throw new Error('the watch has no pipes');
  const lines = createInterface({ input: stdout })[Symbol.asyncIterator]();
  return {
    async take() {
      stdin.write('\n');
      return Number((await lines.next()).value);
    },
    async stop() {
      const exited = new Promise((resolve) => child.once('exit', resolve));
      stdin.end();
      await exited;
    },
  };
}
