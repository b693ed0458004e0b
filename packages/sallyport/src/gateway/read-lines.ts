import type { Readable } from 'node:stream';

/** A line of white space is at most this long to pass as an empty one. */
const BLANK = 64;

/** Hands over each line without its end; a line longer than `limit` is handed over cut just past it, so that it is refused and not kept. */
export function readLines(input: Readable, limit: number, take: (line: Buffer) => void, end: () => void): () => void {
  let parts: Buffer[] = [];
  let length = 0;
  const keep = (part: Buffer) => {
    if (part.length === 0 || length > limit) return;
    parts.push(part);
    length += part.length;
  };
  const flush = () => {
    const line = parts.length === 1 && parts[0] !== undefined ? parts[0] : Buffer.concat(parts, length);
    parts = [];
    length = 0;
    // Blank lines between messages are no messages; what is longer has to be looked at by whoever can say what is wrong with it.
    if (line.length > BLANK || !/^\s*$/.test(line.toString('latin1'))) take(line);
  };
  const onData = (chunk: Buffer) => {
    let from = 0;
    for (let at = chunk.indexOf(0x0a); at >= 0; at = chunk.indexOf(0x0a, from)) {
      keep(chunk.subarray(from, at));
      flush();
      from = at + 1;
    }
    keep(chunk.subarray(from));
  };
  const onEnd = () => {
    flush();
    end();
  };
  input.on('data', onData);
  input.once('end', onEnd);
  input.once('error', onEnd);
  return () => {
    input.off('data', onData);
    input.off('end', onEnd);
    input.off('error', onEnd);
    input.pause();
  };
}
