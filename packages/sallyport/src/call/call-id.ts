import { randomBytes } from 'node:crypto';

/** Unique over restarts by its first half, in this process by its second; a UUID per call would cost more than the guards. */
const PROCESS_ID = randomBytes(8).toString('base64url');
let calls = 0;

export function nextCallId(): string {
  return `${PROCESS_ID}-${(++calls).toString(36)}`;
}
