import type { CallNote } from './run-tool.ts';

let waiting: string[] = [];

/** One JSON line for each call on stderr; those of one turn of the event loop are written together. */
export function writeNote({ cause, ...note }: CallNote): void {
  const why =
    cause === undefined ? {} : { cause: cause instanceof Error ? (cause.stack ?? cause.message) : String(cause) };
  if (waiting.length === 0) setImmediate(flush);
  waiting.push(`${JSON.stringify({ at: new Date().toISOString(), ...note, ...why })}\n`);
}

function flush(): void {
  const lines = waiting.join('');
  waiting = [];
  if (lines !== '') process.stderr.write(lines);
}

process.on('exit', flush);
