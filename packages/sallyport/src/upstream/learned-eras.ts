import type { ServerSettings } from '../config/settings.ts';
import type { Era } from '../core/client.ts';
import type { Clock } from '../core/clock.ts';
import type { UpstreamStatus } from '../core/upstream-port.ts';
import type { EraFinding, EraRecord, EraStore } from './era-store.ts';

/** What decides who may share a connection. */
export interface Knowledge {
  readonly era: Era;
  readonly transport: EraFinding['transport'];
  /** The server was seen asking outside of the request it asks for: its wire relates less than it could. */
  readonly strays: boolean;
}

/** Stands for a connection that is still to be found out. While nothing at all is known, everybody waits for the first one. */
export type Unknown = 'unknown' | `unknown ${Era}`;

/** What a connection that was made says about the eras of its server. */
export interface Learned {
  readonly era: Era;
  readonly revision: string;
  readonly transport: EraFinding['transport'];
  /** The era that was asked for on the way, and is not there. */
  readonly missing: Era | undefined;
}

/** An HTTP server may have learned an era since: asked again after this long. */
const MISSING_TRUSTED_MS = 24 * 3600 * 1000;

export interface LearnedErasOptions {
  readonly store: EraStore;
  readonly key: string;
  readonly clock: Clock;
  /** As the operator wrote it. */
  readonly forced: ServerSettings['era'];
}

/** Which eras one server has, and since when that is known. */
export class LearnedEras {
  record: EraRecord;
  readonly #options: LearnedErasOptions;
  /** Worked out ahead: every call asks. */
  #serving: Readonly<Record<Era, Knowledge | Unknown>>;
  #strays = false;

  constructor(options: LearnedErasOptions) {
    this.#options = options;
    this.record = options.store.get(options.key) ?? {};
    this.#serving = this.#workOut();
  }

  /** What serves the clients of an era: their own one where the server has it, else the other. */
  serving(wanted: Era): Knowledge | Unknown {
    return this.#serving[wanted];
  }

  get strays(): boolean {
    return this.#strays;
  }

  /** What need not be found out again before a connection is made. */
  trusted(): EraRecord {
    const { legacy, modern } = this.record;
    return {
      ...(legacy !== undefined && this.#isTrusted(legacy) ? { legacy } : {}),
      ...(modern !== undefined && this.#isTrusted(modern) ? { modern } : {}),
    };
  }

  #isTrusted({ revision, transport, foundAt }: EraFinding): boolean {
    if (revision !== undefined || transport === 'stdio') return true;
    return this.#options.clock.now() - Date.parse(foundAt) <= MISSING_TRUSTED_MS;
  }

  learn({ era, revision, transport, missing }: Learned): void {
    const known = this.trusted();
    const foundAt = new Date(this.#options.clock.now()).toISOString();
    const isNew = known[era]?.revision !== revision || known[era]?.transport !== transport;
    const isGone = missing !== undefined && (known[missing] === undefined || known[missing].revision !== undefined);
    if (!isNew && !isGone) return;
    this.record = {
      ...this.record,
      ...(isNew ? { [era]: { revision, foundAt, transport } } : {}),
      ...(isGone ? { [missing]: { revision: undefined, foundAt, transport } } : {}),
    };
    this.#serving = this.#workOut();
    this.#options.store.set(this.#options.key, this.record);
  }

  /** It turned out wrong. */
  forget(): void {
    this.record = {};
    this.#serving = this.#workOut();
  }

  /** The server asks outside of requests. */
  stray(): void {
    this.#strays = true;
    this.#serving = this.#workOut();
  }

  /** A server of both eras that runs in two processes: what one of them says is nothing to the clients of the other. */
  aloneIn(era: Era | undefined): Era | undefined {
    const { legacy, modern } = this.record;
    const isSplit = legacy?.revision !== undefined && modern?.revision !== undefined && modern.transport === 'stdio';
    return isSplit && this.#options.forced === 'auto' ? era : undefined;
  }

  /** For people. */
  status(): Pick<UpstreamStatus, 'era' | 'eraFoundAt' | 'revision'> {
    const { legacy, modern } = this.record;
    const found = [modern, legacy].filter((one) => one?.revision !== undefined);
    const era =
      found.length === 2 ? 'both' : found[0] === undefined ? undefined : found[0] === modern ? 'modern' : 'legacy';
    const eraFoundAt = found
      .map((one) => one?.foundAt)
      .sort()
      .at(-1);
    return { era, eraFoundAt, revision: found[0]?.revision };
  }

  #workOut(): Readonly<Record<Era, Knowledge | Unknown>> {
    const { forced } = this.#options;
    const { legacy, modern } = this.record;
    const known = {
      legacy: legacy && this.#toKnowledge('legacy', legacy),
      modern: modern && this.#toKnowledge('modern', modern),
    };
    if (forced !== 'auto') {
      const only = known[forced] ?? 'unknown';
      return { legacy: only, modern: only };
    }
    const nothing = known.legacy === undefined && known.modern === undefined;
    const choose = (wanted: Era, other: Era): Knowledge | Unknown => {
      const isMissing = this.record[wanted] !== undefined;
      return known[wanted] ?? (isMissing ? known[other] : undefined) ?? (nothing ? 'unknown' : `unknown ${wanted}`);
    };
    return { legacy: choose('legacy', 'modern'), modern: choose('modern', 'legacy') };
  }

  #toKnowledge(era: Era, { revision, transport }: EraFinding): Knowledge | undefined {
    return revision === undefined ? undefined : { era, transport, strays: this.#strays };
  }
}
