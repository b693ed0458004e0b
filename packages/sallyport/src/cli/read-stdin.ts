import { FaultError } from '../core/errors.ts';
import { isObject, type JsonObject } from '../core/json.ts';
import type { Terminal } from './terminal.ts';

const MAX_BYTES = 64 * 1024 * 1024;
/** Whoever feeds us may work for a while, but not for ever. */
const PATIENCE_MS = 10 * 60_000;

/**
 * All of stdin.
 * @throws FaultError `too_large`, `timeout`, `cancelled`.
 */
export async function readStdin({ stdin }: Terminal, signal: AbortSignal): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  return new Promise((resolve, reject) => {
    const timer = setTimeout(
      () => end(() => reject(new FaultError('timeout', 'Nothing more came from stdin.'))),
      PATIENCE_MS,
    );
    const onAbort = (): void => end(() => reject(new FaultError('cancelled', 'Interrupted.')));
    const onData = (chunk: Buffer | string): void => {
      const part = Buffer.from(chunk);
      bytes += part.length;
      chunks.push(part);
      if (bytes > MAX_BYTES)
        end(() => reject(new FaultError('too_large', `stdin holds more than ${MAX_BYTES} bytes.`)));
    };
    const onEnd = (): void => end(() => resolve(Buffer.concat(chunks).toString('utf8')));
    function end(settle: () => void): void {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
      stdin.off('data', onData).off('end', onEnd).off('error', onEnd).pause();
      settle();
    }
    signal.addEventListener('abort', onAbort, { once: true });
    stdin.on('data', onData).once('end', onEnd).once('error', onEnd);
  });
}

/**
 * A text that must be one JSON object; `source` names it in the complaint.
 * @throws FaultError `usage`.
 */
export function parseObject(text: string, source: string): JsonObject {
  try {
    const value: unknown = JSON.parse(text);
    if (isObject(value)) return value;
  } catch {
    // The parser's message would quote the text.
  }
  throw new FaultError('usage', `${source} is not a JSON object.`);
}
