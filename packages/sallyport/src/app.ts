import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { createLateDesk, type LateDesk, type LateDeskPorts } from './call/late-desk.ts';
import { openCredentials } from './call/open-credentials.ts';
import type { CallPorts } from './call/ports.ts';
import { type Catalog, type CatalogPorts, createCatalog, type Endpoint } from './catalog/catalog.ts';
import { createProblemReport } from './catalog/problem-report.ts';
import { type ApprovalSettings, NO_APPROVAL_RULES } from './config/approvals-section.ts';
import { DEFAULT_AUDIT } from './config/audit-section.ts';
import type { LimitsSettings } from './config/limits-section.ts';
import type { PinSettings } from './config/pins-section.ts';
import type { Snapshot } from './config/settings.ts';
import { createControl } from './control/control.ts';
import { NO_AUDIT } from './core/audit.ts';
import type { Client } from './core/client.ts';
import { type Clock, systemClock } from './core/clock.ts';
import type { Log } from './core/log.ts';
import { KEY_HOLDER } from './core/principal.ts';
import { createCallers } from './gateway/auth/callers.ts';
import { openHttpFront } from './gateway/http-front.ts';
import { InFlight } from './gateway/in-flight.ts';
import type { GatewayPorts } from './gateway/ports.ts';
import { createSeal } from './gateway/seal.ts';
import { openStdioFront } from './gateway/stdio-front.ts';
import { toAccessPorts } from './guard/access-ports.ts';
import { createGuards } from './guard/guards.ts';
import { openPolicyDoor, type PolicyDoor } from './guard/policy/policy-door.ts';
import { rateLimit } from './guard/rate-limit.ts';
import { createSchemaChecker } from './guard/schema/schema-checker.ts';
import { readDefinition } from './guard/sinks/classify-definition.ts';
import { findSinks } from './guard/sinks/sink-floor.ts';
import { createMemoryRates } from './state/memory-rates.ts';
import { openDatabase } from './storage/database.ts';
import { openKeyDirectory } from './storage/keys.ts';
import { openPins } from './storage/open-pins.ts';
import { createLateQuotas, openQuotas } from './storage/quotas.ts';
import { openRecordFile, type RecordFile } from './storage/record-file.ts';
import { createStateFile, loadOrCreateSecret } from './storage/state-file.ts';
import { createApprovalWebhook } from './telemetry/approval-webhook.ts';
import { openAudit } from './telemetry/audit/audit.ts';
import { createCallLog } from './telemetry/call-log.ts';
import { createDestination } from './telemetry/destination.ts';
import { createLog, type LogLevel } from './telemetry/log.ts';
import { createTelemetry } from './telemetry/telemetry.ts';
import { createTimedSend } from './telemetry/timed-send.ts';
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
  readonly policies: PolicyDoor;
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

const NO_LIMITS: LimitsSettings = Object.freeze({ rules: [], quotas: [] });

/** Calls in flight may finish for this long when Sallyport ends. Milliseconds. */
const GRACE_MS = 10_000;

/** The snapshot in force. */
interface Current {
  snapshot: Snapshot;
}

export async function createApp(options: AppOptions): Promise<App> {
  const current: Current = { snapshot: options.snapshot };
  const {
    destination,
    log,
    clock,
    eras,
    credentials,
    upstreams,
    checker,
    pins,
    policies,
    catalog,
    reportProblems,
    stopReporting,
    quotas,
    audit,
    desk,
    telemetry,
    ports,
  } = await build(options, current);
  const closers: (() => Promise<void> | void)[] = [];
  let closing: Promise<void> | undefined;

  return {
    upstreams,
    catalog,
    log,
    policies,
    snapshot: () => current.snapshot,
    reload(next) {
      // First, because it throws for policies nobody checked: then the old snapshot stays whole.
      policies.use(next.policy);
      const fixed = STARTUP_ONLY.filter(
        (key) => JSON.stringify(next.gateway[key]) !== JSON.stringify(current.snapshot.gateway[key]),
      );
      if (JSON.stringify(next.telemetry) !== JSON.stringify(current.snapshot.telemetry))
        log.warn({}, 'the settings of telemetry are read at the start only: restart Sallyport to use them');
      if (JSON.stringify(next.audit) !== JSON.stringify(current.snapshot.audit))
        log.warn({}, 'the settings of the audit are read at the start only: restart Sallyport to use them');
      audit.note('configured', { snapshot: next.version });
      if (fixed.length > 0)
        log.warn({ keys: fixed }, 'these gateway settings are read at the start only: restart Sallyport to use them');
      current.snapshot = next;
      upstreams.reconfigure(next.servers);
      catalog.adopt(next);
      void pins.refresh();
    },
    warm() {
      const known = catalog.view(current.snapshot, { kind: 'all' }, NOBODY);
      Promise.resolve(known).then(
        (view) => {
          for (const { upstream, reason } of view.unavailable) log.warn({ upstream }, `not available: ${reason}`);
          reportProblems();
        },
        (error: unknown) => log.error({ error }, 'the catalogue could not be warmed'),
      );
    },
    async openHttp() {
      const { callers, key, close } = await openCallers(current.snapshot, log, clock);
      const front = await openHttpFront(ports, callers);
      telemetry.sessions = front.sessions;
      closers.push(() => front.close(GRACE_MS), close);
      const listener = await telemetry.listen();
      if (listener !== undefined)
        log.info({ url: `http://127.0.0.1:${listener.port}/metrics` }, 'metrics are served here, without a key');
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
        // Before the upstreams, whose state is among what is sent last.
        await telemetry.close();
        stopReporting();
        await catalog.close();
        await upstreams.close();
        await pins.close();
        await credentials.close();
        await checker.close();
        await desk.close();
        await quotas.close();
        await audit.close();
        await eras.saved();
        await destination.close();
      })();
      return closing;
    },
  };
}

/** Every part, and how they are joined. Parts ask for the snapshot whenever they need it: it changes. */
async function build(options: AppOptions, current: Current) {
  const { stateDir } = current.snapshot;
  const destination = createDestination();
  const log = createLog(options.logLevel, destination);
  const clock = systemClock;
  const eras = await openRecordFile(join(stateDir, 'eras.json'), log);
  const credentials = openCredentials({
    stateDir,
    keyRef: () => current.snapshot.tokenKeyRef,
    env: process.env,
    clock,
    log,
  });
  const upstreams = createUpstreams({
    servers: () => current.snapshot.servers,
    eras: toEraStore(eras),
    log,
    clock,
    identity: { name: 'sallyport', version: VERSION },
    createCredential: credentials.create,
  });
  const checker = createSchemaChecker();
  const pins = await openPins({
    file: join(stateDir, 'sallyport.db'),
    settings: () => pinsOf(current.snapshot),
    clock,
    log,
  });
  const policies = await openPolicyDoor(
    { clock, log, sinksOf: (call) => findSinks(call, current.snapshot.sinks) },
    current.snapshot,
  );
  const catalogPorts: CatalogPorts = {
    upstreams,
    store: createStateFile(join(stateDir, 'catalog.json')),
    clock,
    log,
    version: VERSION,
    checkSchemas: (tool) => checker.check(tool),
    findSinks: (definition) => readDefinition(definition).sinks,
    access: policies.access,
  };
  const catalog = createCatalog(catalogPorts, pins.book);
  const reportProblems = createProblemReport(catalog, log);
  const stopReporting = catalog.onChange(reportProblems);
  const callLog = options.logCalls ? createCallLog(destination, clock) : { write() {} };
  const { limits, quotas } = createLimits(() => current.snapshot, { clock, log });
  const audit = await openAuditOf(current.snapshot, log, clock);
  const guards = createGuards({
    checker,
    limits: () => current.snapshot.gateway.limits,
    rateLimit: limits,
    ...toAccessPorts(() => current.snapshot),
    whyHeld: (tool) => pins.book.whyHeld(tool),
    policy: policies.guard,
    asks: () => approvalsOf(current.snapshot).asks,
  });
  // One call counts once, however often it is looked at.
  const desk = createDeskOf(() => current.snapshot, {
    clock,
    log,
    guards: () => guards.filter((guard) => guard !== limits),
  });
  const inFlight = new InFlight();
  const telemetry = createTelemetryOf(() => current.snapshot, { log, upstreams, inFlight });
  const { metrics, tracer, metricsText } = telemetry;
  const calls: CallPorts = {
    upstreams: metrics === undefined ? upstreams : { ...upstreams, send: createTimedSend(upstreams, metrics) },
    metrics,
    tracer,
    guards,
    desk,
    limits,
    callLog,
    audit,
    clock,
    log,
  };
  const sealKey = await loadOrCreateSecret(join(stateDir, 'seal-key'), () => randomBytes(32).toString('hex'));
  const ports: GatewayPorts = {
    ...calls,
    tasks: upstreams,
    catalog,
    snapshot: () => current.snapshot,
    seal: createSeal(Buffer.from(sealKey, 'hex')),
    inFlight,
    metricsText,
    control: createControl(
      { upstreams, catalog, version: VERSION, viewer: NOBODY, snapshot: () => current.snapshot },
      log,
    ),
  };
  return {
    destination,
    log,
    clock,
    eras,
    credentials,
    upstreams,
    checker,
    pins,
    policies,
    catalog,
    reportProblems,
    stopReporting,
    quotas,
    audit,
    desk,
    telemetry,
    ports,
  };
}

/** `sessions` is known once there is a front. */
function createTelemetryOf(
  snapshot: () => Snapshot,
  { log, upstreams, inFlight }: { log: Log; upstreams: Upstreams; inFlight: InFlight },
) {
  const fronts = { sessions: () => 0 };
  const telemetry = createTelemetry({
    settings: snapshot().telemetry,
    version: VERSION,
    log,
    sources: {
      inFlight: () => inFlight.count,
      sessions: () => fronts.sessions(),
      upstreams: () => [...snapshot().servers.keys()].flatMap((name) => upstreams.status(name) ?? []),
    },
  });
  return Object.assign(fronts, telemetry);
}

/** The guard that counts, and the counts that outlive a restart. */
function createLimits(snapshot: () => Snapshot, { clock, log }: { clock: Clock; log: Log }) {
  const quotas = createLateQuotas(async () => {
    const database = await openDatabase(join(snapshot().stateDir, 'sallyport.db'));
    const opened = await openQuotas({ database, clock, log });
    return { ...opened, close: () => opened.close().finally(() => database.destroy()) };
  });
  const rates = createMemoryRates({ now: () => performance.now() });
  return { quotas, limits: rateLimit({ limits: () => snapshot().limits ?? NO_LIMITS, rates, quotas }) };
}

function pinsOf({ pins, stateDir }: Snapshot): PinSettings {
  return pins ?? { mode: 'laptop', lockFile: join(stateDir, 'sallyport.lock.json') };
}

function approvalsOf({ approvals }: Snapshot): ApprovalSettings {
  return approvals ?? NO_APPROVAL_RULES;
}

function createDeskOf(snapshot: () => Snapshot, ports: Pick<LateDeskPorts, 'clock' | 'log' | 'guards'>): LateDesk {
  const webhook = createApprovalWebhook({
    ...ports,
    target: () => approvalsOf(snapshot()).webhook,
    readSecret: (name) => process.env[name],
  });
  return createLateDesk({
    ...ports,
    openDatabase: () => openDatabase(join(snapshot().stateDir, 'sallyport.db')),
    settings: () => approvalsOf(snapshot()),
    announce: webhook,
  });
}

/** On unless the operator turned it off. What cannot be opened ends the start: no record, no call. */
async function openAuditOf({ stateDir, audit = DEFAULT_AUDIT }: Snapshot, log: Log, clock: Clock) {
  const { mode, directory = join(stateDir, 'audit'), ...rest } = audit;
  if (mode === 'off') return { ...NO_AUDIT, note() {}, close: async () => {} };
  const secret = (name: string, make: () => string) => loadOrCreateSecret(join(stateDir, name), make);
  return openAudit({ ...rest, mode, directory, secret, version: VERSION, clock, log });
}

/** Who may come in. Without keys neither the laptop's key is made nor the others are looked for. */
async function openCallers({ stateDir, gateway: { auth } }: Snapshot, log: Log, clock: Clock) {
  if (auth === 'none' || (auth !== 'key' && !auth.keys)) {
    const callers = createCallers(auth, { laptopKey: undefined, keys: undefined, clock, log });
    return { callers, key: undefined, close: () => undefined };
  }
  const key = await loadOrCreateSecret(join(stateDir, 'key'), () => `sp_${randomBytes(24).toString('base64url')}`);
  const database = await openDatabase(join(stateDir, 'sallyport.db'));
  const keys = await openKeyDirectory(database, log);
  const close = async () => {
    await keys.close();
    await database.destroy();
  };
  return { callers: createCallers(auth, { laptopKey: key, keys, clock, log }), key, close };
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
