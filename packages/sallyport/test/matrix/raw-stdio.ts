import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { type Hear, type Transport, within } from './raw-client.ts';

export interface Program {
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
  /** Somebody else's program: it is stopped, not asked to end well. */
  readonly foreign?: boolean;
}

/** A child of ours that speaks one message a line. */
export function openStdio({ args, env, foreign = false }: Program): (hear: Hear) => Transport {
  return (hear) => {
    const child = spawn(process.execPath, args, { env, stdio: ['pipe', 'pipe', foreign ? 'ignore' : 'inherit'] });
    const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
    const lines = createInterface({ input: child.stdout });
    lines.on('line', (line) => hear(line, undefined));
    return {
      send: ({ text }) =>
        new Promise((resolve, reject) => {
          child.stdin.write(`${text}\n`, (error) => (error == null ? resolve() : reject(error)));
        }),
      async close() {
        child.stdin.end();
        if (foreign) child.kill('SIGKILL');
        try {
          const code = await within(ended, () => 'did not end with its stdin');
          if (code !== 0 && !foreign) throw new Error(`exit code ${code}`);
        } finally {
          child.kill('SIGKILL');
        }
      },
    };
  };
}
