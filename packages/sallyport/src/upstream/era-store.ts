import { createHash } from 'node:crypto';
import type { Transport } from '../config/settings.ts';
import type { Era } from '../core/client.ts';

/** What was found about one era of a server. */
export interface EraFinding {
  /** The one spoken with it; `undefined`: it has not this era. */
  readonly revision: string | undefined;
  /** ISO date. */
  readonly foundAt: string;
  readonly transport: 'stdio' | 'http' | 'sse';
}

/** What was found about a server, once per address and credential. An era that is not there was never asked for. */
export type EraRecord = { readonly [era in Era]?: EraFinding };

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
