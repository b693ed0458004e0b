import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import type { CallPorts } from './call/ports.ts';
import { type Catalog, createCatalog, type Endpoint } from './catalog/catalog.ts';
import type { Snapshot } from './config/settings.ts';
import type { Client } from './core/client.ts';
import { systemClock } from './core/clock.ts';
import type { Log } from './core/log.ts';
import { KEY_HOLDER } from './core/principal.ts';
import { createAuthenticate } from './gateway/authenticate.ts';
import { openHttpFront } from './gateway/http-front.ts';
import { InFlight } from './gateway/in-flight.ts';
import type { GatewayPorts } from './gateway/ports.ts';
import { createSeal } from './gateway/seal.ts';
import { openStdioFront } from './gateway/stdio-front.ts';
import { createGuards } from './guard/guards.ts';
import { createSchemaChecker } from './guard/schema/schema-checker.ts';
import { openRecordFile, type RecordFile } from './storage/record-file.ts';
import { createStateFile, loadOrCreateSecret } from './storage/state-file.ts';
import { createCallLog } from './telemetry/call-log.ts';
import { createDestination } from './telemetry/destination.ts';
import { createLog, type LogLevel } from './telemetry/log.ts';
import type { EraStore } from './upstream/era-store.ts';
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
  /** Learns what all servers offer before the first client asks. Returns at once; what fails is logged. */
  warm(): void;
  /** `key` is `undefined` where the operator turned authentication off. */
  openHttp(): Promise<{ readonly origin: string; readonly key: string | undefined }>;
  /** Resolves when the client has ended the session. */
  serveStdio(streams: { stdin: Readable; stdout: Writable }, endpoint: Endpoint): Promise<void>;
  /** Lets calls in flight finish, then ends every connection and child. Idempotent. */
  close(): Promise<void>;
}

/** What the listener was opened with. */
const STARTUP_ONLY = ['host', 'port', 'auth'] as const;

/** A client that declares nothing: what it sees, every client that declares nothing sees. */
const NOBODY: Client = {
  key: 'sallyport',
  principal: KEY_HOLDER,
  info: { name: 'sallyport', version: VERSION },
  capabilities: {},
  profile: '',
};

/** Problems of items that are remembered as said. */
const MAX_TOLD = 10_000;

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
    servers: () => snapshot.servers,
    eras: toEraStore(eras),
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
  const told = new Set<string>();
  /** Malformed and set-aside items, each said once: the others of their server go on working. */
  const reportProblems = () => {
    for (const { upstream, item, problem } of catalog.reports()) {
      const text = `${item}: ${problem}`;
      if (told.has(`${upstream} ${text}`) || told.size >= MAX_TOLD) continue;
      told.add(`${upstream} ${text}`);
      log.warn({ upstream, item }, `left out of the lists: ${problem}`);
    }
  };
  const stopReporting = catalog.onChange(reportProblems);
  const callLog = options.logCalls ? createCallLog(destination, clock) : { write() {} };
  const calls: CallPorts = {
    upstreams,
    guards: createGuards({ checker, limits: () => snapshot.gateway.limits }),
    callLog,
    clock,
    log,
  };
  const sealKey = await loadOrCreateSecret(join(stateDir, 'seal-key'), () => randomBytes(32).toString('hex'));
  const ports: GatewayPorts = {
    ...calls,
    tasks: upstreams,
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
      const fixed = STARTUP_ONLY.filter(
        (key) => JSON.stringify(next.gateway[key]) !== JSON.stringify(snapshot.gateway[key]),
      );
      if (fixed.length > 0)
        log.warn({ keys: fixed }, 'these gateway settings are read at the start only: restart Sallyport to use them');
      snapshot = next;
      upstreams.reconfigure(next.servers);
      catalog.adopt(next);
    },
    warm() {
      const known = catalog.view(snapshot, { kind: 'all' }, NOBODY);
      Promise.resolve(known).then(
        (view) => {
          for (const { upstream, reason } of view.unavailable) log.warn({ upstream }, `not available: ${reason}`);
          reportProblems();
        },
        (error: unknown) => log.error({ error }, 'the catalogue could not be warmed'),
      );
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
        stopReporting();
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

/** What is kept in the file was written by us, yet only what has the right shape is believed. */
function toEraStore(records: RecordFile): EraStore {
  return {
    get(key) {
      const { era, revision, foundAt, transport } = records.get(key) ?? {};
      if (era !== 'legacy' && era !== 'modern') return undefined;
      if (transport !== 'stdio' && transport !== 'http' && transport !== 'sse') return undefined;
      return typeof revision === 'string' && typeof foundAt === 'string'
        ? { era, revision, foundAt, transport }
        : undefined;
    },
    set: (key, record) => records.set(key, { ...record }),
  };
}
