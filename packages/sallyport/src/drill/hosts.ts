import { isObject, type JsonObject } from '../core/json.ts';

/** The internet of the drill: names of web sites, each a port of this machine. Nothing leaves the machine. */
export interface Hosts {
  /** The text of a page. @throws Error for a host that is not of the drill. */
  get(url: string): Promise<string>;
}

const PATIENCE_MS = 5_000;

/** @param table name of the host -> port, JSON text; left out: no hosts. */
export function createHosts(table: string | undefined): Hosts {
  const parsed: unknown = table === undefined ? {} : JSON.parse(table);
  const hosts: JsonObject = isObject(parsed) ? parsed : {};
  return {
    async get(url) {
      const { hostname, pathname, search } = new URL(url);
      const port = Object.hasOwn(hosts, hostname) ? hosts[hostname] : undefined;
      if (typeof port !== 'number') throw new Error(`There is no host ${hostname}.`);
      const signal = AbortSignal.timeout(PATIENCE_MS);
      return (await fetch(`http://127.0.0.1:${port}${pathname}${search}`, { signal })).text();
    },
  };
}
