import type { Tool } from './messages.ts';

/** One client that makes one call after the other: a connection, and in the legacy era a session. */
export interface Caller {
  /** One measured call; `finish` is called once, with what was wrong or `undefined`. */
  call(tool: Tool, finish: (wrong: string | undefined) => void): void;
  /** One call whose whole answer is read and compared; rejects when it is not the right one. */
  check(tool: Tool): Promise<void>;
  /** Names of the tools the program lists. */
  list(): Promise<string[]>;
  close(): Promise<void>;
}
