import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isObject, type JsonObject } from '../core/json.ts';
import type { Child, Children } from './children.ts';
import { createHosts, type Hosts } from './hosts.ts';
import type { DrillServer, Entry, PlayName, Scenario, Side } from './scenario.ts';

const RUN_SERVERS = fileURLToPath(new URL('run-servers.js', import.meta.url));
const MAX_ENTRIES = 10_000;

/** How a server of a play is reached, as the configuration of any client writes it. */
export type ServerEntry =
  | { readonly command: string; readonly args: readonly string[]; readonly env: Readonly<Record<string, string>> }
  | { readonly url: string; readonly headers: Readonly<Record<string, string>> };

/** The running servers of a scenario that are reached over HTTP, for both plays on both sides. */
export interface Stages {
  /** One play on one side, with a record of its own. */
  open(side: Side, play: PlayName): OpenStage;
  close(): Promise<void>;
}

export interface OpenStage {
  readonly entries: ReadonlyMap<string, ServerEntry>;
  readonly hosts: Hosts;
  /** What the servers and sites wrote down so far. */
  ledger(): readonly Entry[];
}

export async function openStages(scenario: Scenario, folder: string, children: Children): Promise<Stages> {
  for (const side of ['plain', 'guarded'])
    for (const play of ['attack', 'honest']) mkdirSync(join(folder, side, play), { recursive: true });
  let child: Child | undefined;
  let ports: JsonObject = {};
  if ([scenario.attack, scenario.honest].some(({ servers, sites = [] }) => sites.length > 0 || servers.some(isHttp))) {
    child = children.start([RUN_SERVERS, 'http', scenario.name, folder]);
    ports = JSON.parse(await child.firstLine()) as JsonObject; // our own program
  }
  return {
    open(side, play) {
      const own = join(folder, side, play);
      const { servers, sites = [] } = scenario[play];
      const table = Object.fromEntries(sites.map(({ host }) => [host, ports[`${side}/${play}/site/${host}`]]));
      const toEntry = (server: DrillServer): ServerEntry => {
        if (!isHttp(server))
          return {
            command: process.execPath,
            args: [RUN_SERVERS, 'stdio', scenario.name, play, server.name, own],
            env: { DRILL_HOSTS: JSON.stringify(table) },
          };
        const headers = server.token === undefined ? {} : { Authorization: `Bearer ${server.token}` };
        const port = ports[`${side}/${play}/server/${server.name}`];
        return { url: `http://127.0.0.1:${String(port)}/mcp`, headers };
      };
      return {
        entries: new Map(servers.map((server) => [server.name, toEntry(server)])),
        hosts: createHosts(JSON.stringify(table)),
        ledger: () => readLedger(join(own, 'ledger.jsonl')),
      };
    },
    close: async () => child?.end(),
  };
}

function isHttp({ stdio }: DrillServer): boolean {
  return stdio !== true;
}

function readLedger(file: string): readonly Entry[] {
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, 'utf8').split('\n').slice(0, MAX_ENTRIES);
  return lines.flatMap((line) => {
    if (line === '') return [];
    const entry: unknown = JSON.parse(line);
    return isObject(entry) ? [entry as unknown as Entry] : []; // written by run-servers.ts
  });
}
