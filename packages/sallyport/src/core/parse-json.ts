import { isAscii, isUtf8 } from 'node:buffer';
import { FaultError } from './errors.ts';
import { countKeys } from './json-scan.ts';
import { type Frame, readFrame } from './read-frame.ts';
import { LARGE } from './source.ts';

/** What is refused before anything recurses into it. */
export interface MessageLimits {
  readonly maxDepth: number;
  /** Clients' messages: every policy and every upstream must see the same value, so a key may stand only once. */
  readonly uniqueKeys: boolean;
}

export interface Parsed {
  readonly value: unknown;
  /** What it was parsed from, where that is a binary string to be kept. */
  readonly text: string | undefined;
  readonly frame: Frame;
}

/** The value of some bytes, and where its members stand. */
export function parseJson(bytes: Buffer, limits: MessageLimits): Parsed {
  const text = bytes.length < LARGE && isAscii(bytes) ? bytes.toString('latin1') : undefined;
  // Buffer.toString would turn bad bytes into U+FFFD and pass them on.
  if (text === undefined && !isUtf8(bytes)) throw new FaultError('parse', 'The message is not valid UTF-8.');
  if (bytes[0] === 0xef)
    throw new FaultError('parse', 'The message starts with a byte order mark; JSON-RPC messages have none.');
  // Before JSON.parse: a million brackets parse, and kill whatever recurses into the result.
  const frame = readFrame(bytes, limits.maxDepth);
  if (frame.depth > limits.maxDepth)
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
  if (limits.uniqueKeys && countKeys(value) !== frame.pairs)
    throw new FaultError('invalid_request', 'The message has the same key twice in one object.');
  return { value, text, frame };
}
