/**
 * Puts an event that is no call into the record: a key was made, a pin approved, an approval answered. Fulfilled when it
 * is kept; whoever changes something waits for that first. `members` never hold secrets.
 * @throws FaultError `unrecorded`, by the promise.
 */
export type Note = (kind: string, members: Readonly<Record<string, string | number | boolean>>) => Promise<void>;
