import type { ServerSettings } from '../config/settings.ts';
import { systemClock } from '../core/clock.ts';
import { toFault } from '../core/errors.ts';
import { silentLog } from '../core/log.ts';
import type { UpstreamIdentity } from '../core/upstream-port.ts';
import type { ChildReport } from '../upstream/child-report.ts';
import type { EraRecord } from '../upstream/era-store.ts';
import { createIsolation } from '../upstream/isolation.ts';
import { createSupervisor, type Supervisor } from '../upstream/supervisor.ts';
import { createUpstreams } from '../upstream/upstreams.ts';
import type { WireSink } from '../upstream/wire.ts';
import { VERSION } from '../version.ts';
import { createCliClient } from './cli-exchange.ts';
import type { Input } from './command.ts';
import { findStateDir } from './config-file.ts';
import { openCredentialsOf } from './open-credentials-of.ts';
import { openSession, type Session } from './open-session.ts';
import { rootsOf } from './resolve-target.ts';

/** A server connected to in the same way as by every other command, with the events on the way made visible. */
export interface WatchedSession {
  readonly session: Session;
  /** Connects at the first call. */
  identify(): Promise<UpstreamIdentity>;
  /** stdio: resolves when the first process runs, rejects when it cannot be started. */
  readonly spawned: Promise<void>;
  /** stdio: resolves with the first message, in milliseconds since the start. */
  readonly firstMessage: Promise<number>;
  /** How often a process was started. */
  starts(): number;
  /** What was found out about era and transport. */
  learned(): EraRecord | undefined;
  report(): ChildReport | undefined;
  /** Idempotent. */
  close(): Promise<void>;
}

export function openWatchedSession(settings: ServerSettings, input: Input): WatchedSession {
  let learned: EraRecord | undefined;
  let starts = 0;
  const spawned = later<void>();
  const firstMessage = later<number>();
  // Looked at when its step comes, which may be never.
  spawned.promise.catch(() => {});
  const isolate = createIsolation(findStateDir(input.terminal));
  const own = createSupervisor({ log: silentLog, clock: systemClock, isolate });
  const supervisor: Supervisor = {
    ...delegate(own),
    async openWire(which, sink, signal) {
      try {
        const startedAt = performance.now();
        const wire = await own.openWire(
          which,
          hear(sink, () => firstMessage.resolve(Math.round(performance.now() - startedAt))),
          signal,
        );
        starts++;
        spawned.resolve();
        return wire;
      } catch (error) {
        spawned.reject(toFault(error));
        throw error;
      }
    },
  };
  const credentials = openCredentialsOf(input);
  const upstreams = createUpstreams({
    servers: () => new Map([[settings.name, settings]]),
    eras: { get: () => undefined, set: (_, record) => (learned = record) },
    log: silentLog,
    clock: systemClock,
    identity: { name: 'sallyport', version: VERSION },
    supervisor,
    createCredential: credentials.create,
  });
  const client = createCliClient({ ask: undefined, roots: rootsOf(input) });
  const session = openSession({ settings, client, port: upstreams, input, ask: undefined });
  let identity: Promise<UpstreamIdentity> | undefined;
  let closed: Promise<void> | undefined;
  return {
    session,
    identify() {
      if (identity === undefined) {
        identity = session.identify();
        identity.catch(() => {});
      }
      return identity;
    },
    spawned: spawned.promise,
    firstMessage: firstMessage.promise,
    starts: () => starts,
    learned: () => learned,
    report: () => own.report(settings.name),
    close() {
      closed ??= upstreams
        .close()
        .then(() => own.close())
        .then(() => credentials.close());
      return closed;
    },
  };
}

function later<T>() {
  let resolve: (value: T) => void = () => {};
  let reject: (error: unknown) => void = () => {};
  const promise = new Promise<T>((yes, no) => {
    resolve = yes;
    reject = no;
  });
  return { promise, resolve, reject };
}

/** The methods of a class instance are not its own properties: a spread would lose them. */
function delegate(own: Supervisor): Omit<Supervisor, 'openWire'> {
  return {
    report: (upstream) => own.report(upstream),
    pids: (upstream) => own.pids(upstream),
    forgive: (upstream) => own.forgive(upstream),
    noteNoise: (upstream, line) => own.noteNoise(upstream, line),
    close: () => own.close(),
  };
}

function hear(sink: WireSink, onMessage: () => void): WireSink {
  return {
    message(bytes, related) {
      onMessage();
      sink.message(bytes, related);
    },
    failed: (id, fault) => sink.failed(id, fault),
    suspended: (id) => sink.suspended?.(id),
    lost: (fault) => sink.lost(fault),
  };
}
