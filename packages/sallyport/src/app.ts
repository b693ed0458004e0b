import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import type { CallPorts } from './call/ports.ts';
import { type Catalog, createCatalog, type Endpoint } from './catalog/catalog.ts';
import type { Snapshot } from './config/settings.ts';
import { systemClock } from './core/clock.ts';
import type { Log } from './core/log.ts';
import { createAuthenticate } from './gateway/authenticate.ts';
import { openHttpFront } from './gateway/http-front.ts';
import { InFlight } from './gateway/in-flight.ts';
import type { GatewayPorts } from './gateway/ports.ts';
import { createSeal } from './gateway/seal.ts';
import { openStdioFront } from './gateway/stdio-front.ts';
import { createGuards } from './guard/guards.ts';
import { createSchemaChecker } from './guard/schema/schema-checker.ts';
import { openRecordFile } from './storage/record-file.ts';
import { createStateFile, loadOrCreateSecret } from './storage/state-file.ts';
import { createCallLog } from './telemetry/call-log.ts';
import { createDestination } from './telemetry/destination.ts';
import { createLog, type LogLevel } from './telemetry/log.ts';
import { createUpstreams, type Upstreams } from './upstream/upstreams.ts';
import { VERSION } from './version.ts';

export interface AppOptions {
  readonly snapshot: Snapshot;
  readonly logLevel: LogLevel;
  /** One line per call on stderr. */
  readonly logCalls: boolean;
}

/** The whole product in one process, put together. */
export interface App {
  readonly upstreams: Upstreams;
  readonly catalog: Catalog;
  readonly log: Log;
  snapshot(): Snapshot;
  /** New requests run under the new snapshot; those in flight keep theirs. */
  reload(snapshot: Snapshot): void;
  /** `key` is `undefined` where the operator turned authentication off. */
  openHttp(): Promise<{ readonly origin: string; readonly key: string | undefined }>;
  /** Resolves when the client has ended the session. */
  serveStdio(streams: { stdin: Readable; stdout: Writable }, endpoint: Endpoint): Promise<void>;
  /** Lets calls in flight finish, then ends every connection and child. Idempotent. */
  close(): Promise<void>;
}

/** Calls in flight may finish for this long when Sallyport ends. Milliseconds. */
const GRACE_MS = 10_000;

export async function createApp(options: AppOptions): Promise<App> {
  let snapshot = options.snapshot;
  const { stateDir } = snapshot;
  const destination = createDestination();
  const log = createLog(options.logLevel, destination);
  const clock = systemClock;
  const eras = await openRecordFile(join(stateDir, 'eras.json'), log);
  const upstreams = createUpstreams({
    servers: snapshot.servers,
    eras,
    log,
    clock,
    identity: { name: 'sallyport', version: VERSION },
  });
  const checker = createSchemaChecker();
  const catalog = createCatalog({
    upstreams,
    store: createStateFile(join(stateDir, 'catalog.json')),
    clock,
    log,
    version: VERSION,
    checkSchemas: (tool) => checker.check(tool),
  });
  const callLog = options.logCalls ? createCallLog(destination, clock) : { write() {} };
  const calls: CallPorts = { upstreams, guards: createGuards({ checker }), callLog, clock, log };
  const sealKey = await loadOrCreateSecret(join(stateDir, 'seal-key'), () => randomBytes(32).toString('hex'));
  const ports: GatewayPorts = {
    ...calls,
    catalog,
    snapshot: () => snapshot,
    seal: createSeal(Buffer.from(sealKey, 'hex')),
    inFlight: new InFlight(),
  };
  const closers: (() => Promise<void> | void)[] = [];
  let closing: Promise<void> | undefined;

  return {
    upstreams,
    catalog,
    log,
    snapshot: () => snapshot,
    reload(next) {
      snapshot = next;
      upstreams.reconfigure(next.servers);
    },
    async openHttp() {
      const { auth } = snapshot.gateway;
      const key =
        auth === 'none'
          ? undefined
          : await loadOrCreateSecret(join(stateDir, 'key'), () => `sp_${randomBytes(24).toString('base64url')}`);
      const front = await openHttpFront(ports, createAuthenticate(auth, key ?? ''));
      closers.push(() => front.close(GRACE_MS));
      return { origin: front.origin, key };
    },
    async serveStdio(streams, endpoint) {
      const front = openStdioFront(ports, streams, endpoint);
      closers.push(() => front.close());
      await front.ended;
    },
    close() {
      closing ??= (async () => {
        for (const close of closers) await close();
        await catalog.close();
        await upstreams.close();
        await checker.close();
        await eras.saved();
        await destination.close();
      })();
      return closing;
    },
  };
}
