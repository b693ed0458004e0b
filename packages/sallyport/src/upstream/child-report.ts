/** How a child came to its end. Times are milliseconds since the Unix epoch. */
export interface ChildExit {
  readonly code: number | undefined;
  readonly signal: string | undefined;
  readonly at: number;
  readonly livedMs: number;
  /** Why Sallyport ended it ("it used …"); `undefined`: it ended by itself. */
  readonly reason: string | undefined;
  /** Its connection was closed on purpose: not a death that counts. */
  readonly planned: boolean;
}

/** What `doctor` and `server list` show of an upstream's children: the latest one, and the last output of all. */
export interface ChildReport {
  readonly upstream: string;
  /** Of the latest child, dead or alive; `undefined`: none could be started. */
  readonly pid: number | undefined;
  readonly startedAt: number | undefined;
  /** Of the latest child that ended; `undefined`: none did. */
  readonly exit: ChildExit | undefined;
  /** Why the latest start failed ("command not found …"), until one succeeds. */
  readonly startFailure: string | undefined;
  /** Quick deaths in a row. */
  readonly quickDeaths: number;
  /** Until then starts wait or are refused. */
  readonly retryAt: number | undefined;
  /** Oldest first; kept after death. */
  readonly stderr: readonly string[];
  /** Lines on stdout that were no messages: how many, and the last few. */
  readonly noise: { readonly count: number; readonly last: readonly string[] };
}

const SHOWN_LINES = 5;
const SHOWN_LENGTH = 300;

/** "exited with code 1 after 0.4 s"; `livedMs` is left out when it is not of interest. */
export function describeExit(exit: ChildExit): string {
  const age =
    exit.livedMs < 60_000 ? `${(exit.livedMs / 1000).toFixed(1)} s` : `${Math.round(exit.livedMs / 60_000)} min`;
  if (exit.planned) return `was stopped by Sallyport after ${age}`;
  if (exit.reason !== undefined) return `was ended by Sallyport after ${age} because it ${exit.reason}`;
  if (exit.signal === undefined) return `exited with code ${exit.code ?? 'unknown'} after ${age}`;
  const hint = exit.signal === 'SIGKILL' ? ' (often the kernel, out of memory)' : '';
  return `was killed by ${exit.signal}${hint} after ${age}`;
}

/** The end of stderr as a sentence of a fault message. */
export function describeStderr(lines: readonly string[]): string {
  const shown = lines.filter((line) => line.trim() !== '').slice(-SHOWN_LINES);
  if (shown.length === 0) return 'It wrote nothing to stderr.';
  return `Its last lines on stderr:\n${shown.map((line) => `  ${line.slice(0, SHOWN_LENGTH)}`).join('\n')}`;
}
