import type { Clock } from '../../core/clock.ts';
import { isObject, type JsonObject } from '../../core/json.ts';
import type { Log } from '../../core/log.ts';
import { type Found, type Inspection, type Peer, toUnread, UNREADABLE } from './inspection.ts';
import type { Definition, PinKind, PinRules, Sighting } from './pin.ts';
import { type Entry, isRead } from './pin-entry.ts';

export interface PinReaderPorts {
  rules(): PinRules;
  readonly inspection?: Inspection | undefined;
  readonly log: Log;
  /** Left out: time stands still. */
  readonly clock?: Clock | undefined;
  /** Whether first sight approved this item before the latest servers came. */
  isSettled(item: ItemName): boolean;
}

type ItemName = Pick<Sighting, 'server' | 'kind' | 'name'>;

const TOO_LONG = toUnread('it is too long to be read for findings');
const TOO_MUCH = toUnread('it was not read for findings, because its server sends too much text at once');

/** Characters of one definition; the longest of some thousands of real ones has 16,483. */
const MAX_TEXT = 128 * 1024;
/**
 * Characters of one server in `WINDOW_MS`; the largest of 900 real ones has 121,741 in all. Reading takes a microsecond each and
 * nobody is served meanwhile: a server that changes megabytes every second must not stop the others.
 */
const MAX_READ = 4_000_000;
const WINDOW_MS = 10 * 60_000;

/** Has definitions read, each once for the same rules. */
export class PinReader {
  readonly #ports: PinReaderPorts;
  /** Server -> what it may still have read, and until when that counts. */
  readonly #budgets = new Map<string, { until: number; left: number }>();

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
    const isSettled = isApproved && this.#ports.isSettled(item);
    const { version } = inspection;
    if (text.length > MAX_TEXT) return { ...TOO_LONG, digest, version };
    // What may be used already is not taken away for that. Without a version: read as soon as it is met again.
    if (!this.#spend(server, text.length)) return isApproved ? undefined : { ...TOO_MUCH, digest, version: '' };
    try {
      const report = inspection.inspect(
        { server, kind, name, definition: toObject(kind, text), before, isApproved, isSettled },
        peers,
      );
      return { ...report, digest, version };
    } catch (error) {
      log.error({ upstream: server, error }, 'a definition could not be read');
      return { ...UNREADABLE, digest, version };
    }
  }

  #spend(server: string, characters: number): boolean {
    const now = this.#ports.clock?.now() ?? 0;
    const known = this.#budgets.get(server);
    const budget = known !== undefined && now < known.until ? known : { until: now + WINDOW_MS, left: MAX_READ };
    this.#budgets.set(server, budget);
    if (budget.left < characters) return false;
    budget.left -= characters;
    return true;
  }
}

/** A definition is an object; instructions are one text. */
export function toObject(kind: PinKind, text: string): JsonObject {
  const value: unknown = JSON.parse(text);
  if (kind === 'instructions') return { instructions: typeof value === 'string' ? value : '' };
  return isObject(value) ? value : {};
}
