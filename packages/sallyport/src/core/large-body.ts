import type { Envelope } from './envelope.ts';
import type { JsonObject } from './json.ts';

/**
 * From here on guards that read texts do so in a worker thread. The most expensive text known costs all of them together
 * 1.6 us a character, so that a smaller message holds the event loop for 50 ms at most. Bytes.
 */
export const LARGE = 32_768;

/** What a server sends is compared with the request it belongs to. */
export function isLarge({ bytes, asked }: Envelope): boolean {
  return bytes >= LARGE || (asked !== undefined && asked.bytes >= LARGE);
}

/** By the envelope itself: a copy may have another body. */
const raws = new WeakMap<Envelope, Buffer>();

/** The body of a large message as JSON text; `undefined`: nobody has it apart. */
export function rawOf(envelope: Envelope): Buffer | undefined {
  return raws.get(envelope);
}

/** @param raw JSON text of the body */
export function noteRaw(envelope: Envelope, raw: Buffer | undefined): void {
  if (raw !== undefined) raws.set(envelope, raw);
}

/** The envelope with another body, which is parsed when somebody looks into it. @param raw JSON text of the body */
export function withRawBody(envelope: Envelope, raw: Buffer): Envelope {
  // Not a spread: it would look into the body that is replaced.
  const own = Object.defineProperties({}, Object.getOwnPropertyDescriptors(envelope));
  let body: JsonObject | undefined;
  const get = () => {
    body ??= JSON.parse(raw.toString('utf8')) as JsonObject;
    return body;
  };
  const made = Object.defineProperty(own, 'body', { get, enumerable: true, configurable: true }) as Envelope; // True: all members of the given one.
  raws.set(made, raw);
  return made;
}

/** A rough size of what was parsed already, counted no further than {@link LARGE}. */
export function sizeOf(body: JsonObject): number {
  let size = 0;
  const open: unknown[] = [body];
  while (open.length > 0 && size < LARGE) {
    const at = open.pop();
    if (typeof at === 'string') size += at.length + 2;
    else if (Array.isArray(at)) {
      size += at.length;
      // No more than can be counted.
      for (let i = 0; i < at.length && i < LARGE; i++) open.push(at[i]);
    } else if (typeof at === 'object' && at !== null) {
      for (const key in at) {
        size += key.length + 4;
        open.push((at as Readonly<Record<string, unknown>>)[key]);
        if (size >= LARGE) break;
      }
    } else size += 4;
  }
  return size;
}
