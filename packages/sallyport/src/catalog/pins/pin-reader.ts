import { isObject, type JsonObject } from '../../core/json.ts';
import type { Log } from '../../core/log.ts';
import type { Found, Inspection, Peer, Report } from './inspection.ts';
import type { Definition, PinKind, PinRules, Sighting } from './pin.ts';
import { type Entry, isRead } from './pin-entry.ts';

export interface PinReaderPorts {
  rules(): PinRules;
  readonly inspection?: Inspection | undefined;
  readonly log: Log;
}

type ItemName = Pick<Sighting, 'server' | 'kind' | 'name'>;

/** What cannot be read is held: a text that breaks its reader must not pass for harmless. */
const UNREADABLE: Report = Object.freeze({
  findings: Object.freeze([]) as Report['findings'],
  hold: 'it could not be read for findings',
  risky: true,
  score: 1,
});

/** Has definitions read, each once for the same rules. */
export class PinReader {
  readonly #ports: PinReaderPorts;

  constructor(ports: PinReaderPorts) {
    this.#ports = ports;
  }

  /** Whether this definition was not read yet, or by other rules. */
  isDue({ server, kind }: Pick<ItemName, 'server' | 'kind'>, { found }: Entry, digest: string): boolean {
    const { inspection } = this.#ports;
    return this.isOn(server, kind) && found.get(digest)?.version !== inspection?.version;
  }

  /** Whether definitions of this server and kind are read at all. */
  isOn(server: string, kind: PinKind): boolean {
    const { inspection, rules } = this.#ports;
    return inspection !== undefined && isRead(kind) && rules().inspection?.(server) !== 'off';
  }

  /** @param peers what it is read beside */
  read(
    item: ItemName,
    { definition, entry }: { readonly definition: Pick<Definition, 'digest' | 'text'>; readonly entry: Entry },
    peers: readonly Peer[],
  ): Found | undefined {
    const { server, kind, name } = item;
    const { inspection, log } = this.#ports;
    if (inspection === undefined || !isRead(kind)) return undefined;
    const { digest, text } = definition;
    // What was approved itself is read whole when the rules are others.
    const isChange = entry.approvedText !== undefined && entry.approved !== digest;
    const isApproved = entry.approved === digest;
    const before = isChange ? toObject(kind, entry.approvedText ?? '{}') : undefined;
    const { version } = inspection;
    try {
      const report = inspection.inspect(
        { server, kind, name, definition: toObject(kind, text), before, isApproved },
        peers,
      );
      return { ...report, digest, version };
    } catch (error) {
      log.error({ upstream: server, error }, 'a definition could not be read');
      return { ...UNREADABLE, digest, version };
    }
  }
}

/** A definition is an object; instructions are one text. */
export function toObject(kind: PinKind, text: string): JsonObject {
  const value: unknown = JSON.parse(text);
  if (kind === 'instructions') return { instructions: typeof value === 'string' ? value : '' };
  return isObject(value) ? value : {};
}
