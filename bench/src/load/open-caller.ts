import type { Caller } from './caller.ts';
import type { Target } from './connection.ts';
import { openHttpCaller } from './http-caller.ts';
import type { Era } from './messages.ts';
import { openSseCaller } from './sse-caller.ts';

/** Connects to `target`, with a session in the legacy era. */
export function openCaller(target: Target, era: Era): Promise<Caller> {
  return target.front === 'sse' ? openSseCaller(target) : openHttpCaller(target, era);
}
