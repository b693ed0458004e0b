import { isAscii, isUtf8 } from 'node:buffer';
import { FaultError } from './errors.ts';
import { countKeys, measureShape, type Shape } from './json-scan.ts';
import { LARGE } from './source.ts';

/** What is refused before anything recurses into it. */
export interface MessageLimits {
  readonly maxDepth: number;
  /** Clients' messages: every policy and every upstream must see the same value, so a key may stand only once. */
  readonly uniqueKeys: boolean;
}

const FLAT: Shape = { depth: 0, pairs: 0 };

/** The value, and what it was parsed from where that is a binary string to be kept. */
export function parseJson(
  bytes: Buffer,
  limits: MessageLimits,
): { readonly value: unknown; readonly text: string | undefined } {
  const text = bytes.length < LARGE && isAscii(bytes) ? bytes.toString('latin1') : undefined;
  // Buffer.toString would turn bad bytes into U+FFFD and pass them on.
  if (text === undefined && !isUtf8(bytes)) throw new FaultError('parse', 'The message is not valid UTF-8.');
  if (bytes[0] === 0xef)
    throw new FaultError('parse', 'The message starts with a byte order mark; JSON-RPC messages have none.');
  // Before JSON.parse: a million brackets parse, and kill whatever recurses into the result. A level takes two bytes.
  const isShallow = bytes.length <= limits.maxDepth * 2;
  const shape = limits.uniqueKeys || !isShallow ? measureShape(bytes, limits.maxDepth) : FLAT;
  if (shape.depth > limits.maxDepth)
    throw new FaultError('invalid_request', `The message is nested deeper than ${limits.maxDepth} levels.`);
  let value: unknown;
  try {
    value = JSON.parse(text ?? bytes.toString('utf8'));
  } catch (error) {
    throw new FaultError(
      'parse',
      `The message is not JSON: ${error instanceof Error ? error.message.slice(0, 120) : 'unreadable'}`,
    );
  }
  if (limits.uniqueKeys && countKeys(value) !== shape.pairs)
    throw new FaultError('invalid_request', 'The message has the same key twice in one object.');
  return { value, text };
}
