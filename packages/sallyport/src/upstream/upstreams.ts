import type { ServerSettings } from '../config/settings.ts';
import type { Client } from '../core/client.ts';
import type { Clock } from '../core/clock.ts';
import { FaultError } from '../core/errors.ts';
import type { Log } from '../core/log.ts';
import type { TaskPort, UpstreamEvent, UpstreamPort } from '../core/upstream-port.ts';
import type { CreateCredential } from './auth/credentials.ts';
import type { EraStore } from './era-store.ts';
import type { Isolate } from './isolation.ts';
import { type AdmitProgram, createSupervisor, type Supervisor } from './supervisor.ts';
import { Upstream } from './upstream.ts';

export interface UpstreamsOptions {
  /** The servers of the current snapshot, by name. */
  readonly servers: () => ReadonlyMap<string, ServerSettings>;
  readonly eras: EraStore;
  readonly log: Log;
  readonly clock: Clock;
  /** What we call ourselves to servers. */
  readonly identity: { readonly name: string; readonly version: string };
  readonly supervisor?: Supervisor;
  /** Asked before a stdio server is started. */
  readonly admitProgram?: AdmitProgram;
  /** How stdio servers are kept from the state directory. */
  readonly isolate?: Isolate;
  /** For upstreams with `auth`; without it they are not connected. */
  readonly createCredential?: CreateCredential;
}

export interface Upstreams extends UpstreamPort, TaskPort {
  /** A changed or removed server's connections finish what is in flight and close; unchanged ones stay. */
  reconfigure(servers: ReadonlyMap<string, ServerSettings>): void;
  /** Ends all connections and children. Idempotent. */
  close(): Promise<void>;
}

/** All upstreams, connected when first needed. */
export function createUpstreams(options: UpstreamsOptions): Upstreams {
  const { log, clock, admitProgram, isolate } = options;
  const supervisor =
    options.supervisor ??
    createSupervisor({
      ...{ log, clock },
      ...(admitProgram === undefined ? {} : { admitProgram }),
      ...(isolate === undefined ? {} : { isolate }),
    });
  const upstreams = new Map<string, Upstream>();
  const retiring = new Map<Upstream, Promise<void>>();
  const listeners = new Set<(event: UpstreamEvent) => void>();
  let servers = options.servers();
  let closed: Promise<void> | undefined;

  const emit = (event: UpstreamEvent) => {
    for (const listener of listeners) listener(event);
  };

  const find = (name: string): Upstream => {
    if (closed !== undefined) throw new FaultError('draining', 'Sallyport is stopping.');
    let upstream = upstreams.get(name);
    if (upstream === undefined) {
      const settings = servers.get(name);
      if (settings === undefined) throw new FaultError('not_found', `There is no server "${name}".`);
      upstream = new Upstream({ ...options, settings, supervisor, emit });
      upstreams.set(name, upstream);
    }
    return upstream;
  };

  const closeAll = async () => {
    const open = [...upstreams.values(), ...retiring.keys()];
    await Promise.all(open.map((upstream) => upstream.close(toCutOff(upstream.settings.name))));
    await Promise.all(retiring.values());
    if (options.supervisor === undefined) await supervisor.close();
  };

  return {
    send(name, request, exchange) {
      try {
        return find(name).send(request, exchange);
      } catch (error) {
        return Promise.reject(error);
      }
    },
    notify: async (name, notification, client) => upstreams.get(name)?.notify(notification, client),
    async identify(name, client) {
      for (;;) {
        const upstream = find(name);
        try {
          return await upstream.identify(client);
        } catch (error) {
          // A reload put another one in its place while it was connecting: that one is asked.
          if (upstreams.get(name) === upstream || closed !== undefined) throw error;
        }
      }
    },
    async subscribe(name, uri, client) {
      const upstream = find(name);
      return upstream.following.subscribe(await upstream.acquire(client), uri, client);
    },
    unsubscribe: async (name, uri, client) => find(name).following.unsubscribe(uri, client),
    async setLogLevel(name, level, client) {
      const upstream = find(name);
      return upstream.following.setLevel(await upstream.acquire(client), level, client);
    },
    async followTask(name: string, taskId: string, client: Client) {
      const upstream = find(name);
      return upstream.following.followTask(await upstream.acquire(client), taskId, client);
    },
    unfollowTask: (name, taskId, client) => upstreams.get(name)?.following.unfollowTask(taskId, client),
    release(clientKey) {
      for (const upstream of upstreams.values()) upstream.release(clientKey);
    },
    onEvent(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    status(name) {
      if (!servers.has(name)) return undefined;
      return (closed === undefined ? find(name) : upstreams.get(name))?.status();
    },
    restart: async (name) => find(name).restart(),
    reconfigure(next) {
      servers = next;
      for (const [name, upstream] of upstreams) {
        const settings = next.get(name);
        if (settings !== undefined && JSON.stringify(settings) === JSON.stringify(upstream.settings)) continue;
        upstreams.delete(name);
        retiring.set(
          upstream,
          upstream.retire().finally(() => retiring.delete(upstream)),
        );
      }
    },
    close() {
      closed ??= closeAll();
      return closed;
    },
  };
}

function toCutOff(name: string): string {
  return `Sallyport ended before "${name}" answered. The call may have run: look before you call again.`;
}
