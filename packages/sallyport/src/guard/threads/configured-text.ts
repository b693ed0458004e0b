import type { Snapshot } from '../../config/settings.ts';

const written = new WeakMap<Snapshot, string>();

/** What the operator's file says of servers and of taint, as JSON text. */
export function configuredText(snapshot: Snapshot): string {
  let text = written.get(snapshot);
  if (text === undefined) {
    text = JSON.stringify([[...snapshot.servers.values()], snapshot.taint]);
    written.set(snapshot, text);
  }
  return text;
}

/** Is a value in it, e.g. as an argument or the address of a server? */
export function isConfigured(text: string, value: string): boolean {
  return text.includes(JSON.stringify(value).slice(1, -1));
}
