import type { Readable, Writable } from 'node:stream';
import type { Catalog } from '../catalog/contract.ts';
import type { Snapshot } from '../config/settings.ts';
import type { Endpoint } from '../core/endpoint.ts';
import type { Log } from '../core/log.ts';
import { openHttpFront } from '../gateway/http-front.ts';
import { openStdioFront } from '../gateway/stdio-front.ts';
import type { PolicyDoor } from '../guard/policy/policy-door.ts';
import { takeFileLock } from '../storage/file-lock.ts';
import type { OpenAudit } from '../telemetry/audit/audit.ts';
import type { Upstreams } from '../upstream/upstreams.ts';
import { loadControlToken } from './control-token.ts';
import { keepControlSocket } from './keep-control-socket.ts';
import { localUser } from './local-user.ts';
import { NOBODY } from './nobody.ts';
import { openCallers } from './open-callers.ts';
import { type AppOptions, type Current, openParts } from './open-parts.ts';

/** The whole product in one process, put together. */
export interface App {
  readonly upstreams: Upstreams;
  readonly catalog: Catalog;
  readonly log: Log;
  readonly policies: PolicyDoor;
  snapshot(): Snapshot;
  /** New requests run under the new snapshot; those in flight keep theirs. */
  reload(snapshot: Snapshot): void;
  /** Learns what all servers offer before the first client asks; what fails is logged. */
  warm(): Promise<void>;
  /** `key` is `undefined` where the operator turned authentication off. */
  openHttp(): Promise<{ readonly origin: string; readonly key: string | undefined }>;
  /** The API for command lines of the same user, here or in another process with this state directory. */
  openControlSocket(): Promise<void>;
  /** Resolves when the client has ended the session. */
  serveStdio(streams: { stdin: Readable; stdout: Writable }, endpoint: Endpoint): Promise<void>;
  /** Serves until balancers know, lets calls in flight finish, then ends every connection and child. Idempotent. */
  close(): Promise<void>;
}

/** Calls in flight may finish for this long when Sallyport ends. Milliseconds. */
const GRACE_MS = 10_000;

export async function createApp(options: AppOptions): Promise<App> {
  const current: Current = { snapshot: options.snapshot };
  const parts = await openParts(options, current);
  const { database, log, clock, upstreams, pins, policies, catalog, audit, telemetry, ports, control } = parts;
  const closers: (() => Promise<void> | void)[] = [];
  let closing: Promise<void> | undefined;
  const warm = (): Promise<void> => {
    const known = catalog.view(current.snapshot, { kind: 'all' }, NOBODY);
    return Promise.resolve(known).then(
      () => parts.reportProblems(),
      (error: unknown) => log.error({ error }, 'the catalogue could not be warmed'),
    );
  };

  /** Before the fronts give their clients up: what ends a call here is no cancellation of the client's. */
  const cutOff = (): void => {
    void parts.scripts.close();
    void parts.desk.close();
    void upstreams.close();
  };

  return {
    upstreams,
    catalog,
    log,
    policies,
    snapshot: () => current.snapshot,
    reload(next) {
      // First, because it throws for policies nobody checked: then the old snapshot stays whole.
      policies.version(next);
      const before = current.snapshot;
      for (const name of ['telemetry', 'audit', 'state'] as const)
        if (JSON.stringify(next[name]) !== JSON.stringify(current.snapshot[name]))
          log.warn({}, `the settings of ${name} are read at the start only: restart Sallyport to use them`);
      audit.note('configured', { snapshot: next.version });
      notePolicies(audit, policies, { before, next });
      const hasNew = [...next.servers.keys()].some((name) => !current.snapshot.servers.has(name));
      current.snapshot = next;
      upstreams.reconfigure(next.servers);
      catalog.adopt(next);
      void pins.refresh();
      // As at the start: people read and decide about what a server offers before anybody calls it.
      if (hasNew) void warm();
    },
    warm,
    async openHttp() {
      const opened = await openCallers(current.snapshot, { database: database.get, log, clock });
      const { callers, key, isKey, close } = opened;
      current.isCurrent = (principal) => callers.isCurrent(principal);
      current.isKey = isKey;
      const front = await openHttpFront(ports, callers);
      telemetry.sessions = front.sessions;
      closers.push(() => front.close({ graceMs: GRACE_MS, cutOff }), close);
      const listener = await telemetry.listen();
      if (listener !== undefined)
        log.info({ url: `http://127.0.0.1:${listener.port}/metrics` }, 'metrics are served here, without a key');
      return { origin: front.origin, key };
    },
    async openControlSocket() {
      const { stateDir } = current.snapshot;
      const token = await loadControlToken(stateDir);
      const options = { stateDir, control, principal: localUser(), token, lock: takeFileLock };
      const socket = await keepControlSocket(options, log);
      // First: another process on this directory is to answer at once.
      closers.unshift(() => socket.close());
    },
    async serveStdio(streams, endpoint) {
      const front = openStdioFront(ports, streams, endpoint);
      closers.push(() => {
        cutOff();
        front.close();
      });
      await front.ended;
    },
    close() {
      closing ??= (async () => {
        for (const close of closers) await close();
        await closeParts(parts);
      })();
      return closing;
    },
  };
}

async function closeParts(parts: Awaited<ReturnType<typeof openParts>>): Promise<void> {
  // Before the upstreams, whose state is among what is sent last.
  await parts.telemetry.close();
  parts.stopReporting();
  parts.stopPrograms();
  parts.stopHeld();
  parts.results.stop();
  await parts.scripts.close();
  await parts.catalog.close();
  await parts.upstreams.close();
  await parts.pins.close();
  await parts.credentials.close();
  await parts.checker.close();
  await parts.threads.close();
  await parts.desk.close();
  await parts.memories.close();
  await parts.quotas.close();
  await parts.ports.tokenMeter?.close();
  await parts.audit.close();
  // After the audit: its last head goes into it.
  await parts.database.close();
  await parts.eras.saved();
  await parts.destination.close();
}

/** Other policies decide from here on: the records of calls name them by this version. */
function notePolicies(
  audit: { note: OpenAudit['note'] },
  { version, mode }: PolicyDoor,
  { before, next }: { readonly before: Snapshot; readonly next: Snapshot },
): void {
  const [was, is] = [version(before), version(next)];
  if (is !== was) audit.note('policy_changed', { version: is ?? 'none', before: was ?? 'none', mode: mode(next) });
}
