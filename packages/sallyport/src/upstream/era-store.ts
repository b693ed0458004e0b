import { createHash } from 'node:crypto';
import type { Transport } from '../config/settings.ts';
import type { Clock } from '../core/clock.ts';

/** What was found about a server, once per address and credential. */
export interface EraRecord {
  readonly era: 'legacy' | 'modern';
  readonly revision: string;
  /** ISO date. */
  readonly foundAt: string;
  readonly transport: 'stdio' | 'http' | 'sse';
}

/** Where eras are kept between runs; implemented in `storage/`. Neither call waits. */
export interface EraStore {
  get(key: string): EraRecord | undefined;
  set(key: string, record: EraRecord): void;
}

/** An era store that forgets with the process. */
export function createEraMemory(): EraStore {
  const records = new Map<string, EraRecord>();
  return {
    get: (key) => records.get(key),
    set: (key, record) => {
      if (records.size >= 1000) records.clear();
      records.set(key, record);
    },
  };
}

/** Address and credentials (environment, headers) in one digest: another credential may reach another server. */
export function toEraKey(name: string, transport: Transport): string {
  return `${name}:${createHash('sha256').update(JSON.stringify(transport)).digest('hex').slice(0, 32)}`;
}

/** A legacy HTTP server may have learned a modern revision since: asked again after this long. */
const LEGACY_HTTP_TRUSTED_MS = 24 * 3600 * 1000;

/** What is known about one server, and since when. */
export class LearnedEra {
  record: EraRecord | undefined;
  readonly #options: { readonly store: EraStore; readonly key: string; readonly clock: Clock };

  constructor(options: { readonly store: EraStore; readonly key: string; readonly clock: Clock }) {
    this.#options = options;
    this.record = options.store.get(options.key);
  }

  /** What need not be found out again. */
  trusted(): EraRecord | undefined {
    const { record } = this;
    if (record === undefined || record.era === 'modern' || record.transport === 'stdio') return record;
    return this.#options.clock.now() - Date.parse(record.foundAt) > LEGACY_HTTP_TRUSTED_MS ? undefined : record;
  }

  /** It turned out wrong. */
  forget(): void {
    this.record = undefined;
  }

  learn(found: Omit<EraRecord, 'foundAt'>): void {
    const known = this.trusted();
    const { era, revision, transport } = found;
    if (known?.era === era && known.revision === revision && known.transport === transport) return;
    this.record = { era, revision, foundAt: new Date(this.#options.clock.now()).toISOString(), transport };
    this.#options.store.set(this.#options.key, this.record);
  }
}
