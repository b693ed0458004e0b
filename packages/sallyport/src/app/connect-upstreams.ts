import type { ServerSettings } from '../config/settings.ts';
import { systemClock } from '../core/clock.ts';
import { silentLog } from '../core/log.ts';
import type { UpstreamPort } from '../core/upstream-port.ts';
import type { CreateCredential } from '../upstream/auth/credentials.ts';
import { createEraMemory } from '../upstream/era-store.ts';
import { createIsolation } from '../upstream/isolation.ts';
import { createUpstreams } from '../upstream/upstreams.ts';
import { VERSION } from '../version.ts';

export interface Connected {
  readonly port: UpstreamPort;
  /** Ends every connection and child. Idempotent. */
  close(): Promise<void>;
}

/** Connections for the length of one command: what is learned about eras is not kept, a running gateway has its own. */
export function connectUpstreams(
  servers: readonly ServerSettings[],
  { createCredential, stateDir }: { readonly createCredential: CreateCredential; readonly stateDir: string },
): Connected {
  const byName = new Map(servers.map((settings) => [settings.name, settings]));
  const port = createUpstreams({
    servers: () => byName,
    eras: createEraMemory(),
    log: silentLog,
    clock: systemClock,
    identity: { name: 'sallyport', version: VERSION },
    createCredential,
    isolate: createIsolation(stateDir),
  });
  return { port, close: () => port.close() };
}
