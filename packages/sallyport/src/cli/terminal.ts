import { homedir } from 'node:os';
import type { Readable, Writable } from 'node:stream';

/** Everything a command line touches outside, as one argument, so that commands can be run in a test. */
export interface Terminal {
  readonly stdin: Readable & { readonly isTTY?: boolean };
  readonly stdout: Screen;
  readonly stderr: Screen;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly home: string;
  readonly platform: 'darwin' | 'win32' | 'linux';
  /** Calls back on Ctrl-C and SIGTERM; returns how to stop that. */
  onInterrupt(listener: () => void): () => void;
}

export type Screen = Writable & { readonly isTTY?: boolean; readonly columns?: number };

export function systemTerminal(): Terminal {
  // `sallyport … | head` closes our stdout: that is no error.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));
  const { platform } = process;
  return {
    stdin: process.stdin,
    stdout: process.stdout,
    stderr: process.stderr,
    env: process.env,
    cwd: process.cwd(),
    home: homedir(),
    platform: platform === 'darwin' || platform === 'win32' ? platform : 'linux',
    onInterrupt(listener) {
      process.on('SIGINT', listener);
      process.on('SIGTERM', listener);
      return () => {
        process.off('SIGINT', listener);
        process.off('SIGTERM', listener);
      };
    },
  };
}

/** A person can be asked: both what is asked and what is answered go through a terminal. */
export function isInteractive(terminal: Terminal): boolean {
  return terminal.stdin.isTTY === true && terminal.stderr.isTTY === true;
}

/** Resolves when the text is handed over; what is lost when the reader went away is nobody's loss. */
export function write(screen: Screen, text: string | Buffer): Promise<void> {
  return new Promise((resolve) => {
    screen.write(text, () => resolve());
  });
}
