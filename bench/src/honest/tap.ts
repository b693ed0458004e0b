import { openSync, writeSync } from 'node:fs';

/**
 * Imported into a server of the bench by a Node flag: everything the server writes to stdout also goes into the file
 * HONEST_TAP, and before it is sent. So what a client received through Sallyport is compared with what the server said
 * in the same call, and a call with effects runs once.
 */
const file = process.env['HONEST_TAP'];
if (file !== undefined) {
  const tap = openSync(file, 'a');
  const write = process.stdout.write.bind(process.stdout) as (...args: unknown[]) => boolean;
  process.stdout.write = ((chunk: string | Uint8Array, ...rest: unknown[]) => {
    writeSync(tap, typeof chunk === 'string' ? Buffer.from(chunk) : chunk);
    return write(chunk, ...rest);
  }) as typeof process.stdout.write;
}
