import { join } from 'node:path';
import type { Target } from '../load/connection.ts';
import { type Child, startNode } from '../process/child.ts';
import { HTTP_UPSTREAM } from '../programs/programs.ts';
import { launchSallyport, writeConfig } from '../programs/sallyport.ts';
import { RelayClient } from './relay-client.ts';

const MANY_SERVERS = join(HTTP_UPSTREAM, '../many-servers.js');

export type Servers = Readonly<Record<string, object>>;

/** The servers of `upstream/many-servers.ts` in a process of their own. */
export interface Upstream {
  /** An entry of `mcpServers`. */
  entry(name: string, tools: number): object;
  readonly silent: object;
  stop(): Promise<void>;
}

/** @param port left out: one that is free */
export async function startUpstream(port = 0): Promise<Upstream> {
  const child = startNode({ args: [MANY_SERVERS], env: { BENCH_PORT: String(port) } });
  const { port: own } = JSON.parse(await child.stdoutLine) as { port: number };
  return {
    entry: (name, tools) => ({ url: `http://127.0.0.1:${own}/${name}/${tools}/mcp` }),
    silent: { url: `http://127.0.0.1:${own}/silent/mcp` },
    stop: () => child.stop(),
  };
}

/** Sallyport with the settings of a new user and an empty state folder. */
export interface RelayGateway {
  readonly target: Target;
  /** Writes another configuration and has it read. */
  reload(servers: Servers): void;
  stop(): Promise<void>;
}

export async function startRelay(directory: string, servers: Servers): Promise<RelayGateway> {
  const options = { via: 'http', upstreamUrl: '', directory, nodeFlags: [] } as const;
  const { child, target } = await launchSallyport(servers, options, { sections: {} });
  if (child === undefined) throw new Error('Sallyport is a process of its own');
  return {
    target: await target,
    reload(next) {
      writeConfig(directory, { mcpServers: next, gateway: { port: 0 } });
      process.kill(child.pid, 'SIGHUP');
    },
    stop: () => child.stop(20_000),
  };
}

/** Callers of one tool, one call after the other. */
export interface Callers {
  /** Of the slowest call since it was last asked. Milliseconds. */
  takeSlowest(): number;
  readonly answered: number;
  readonly failed: readonly string[];
  stop(): Promise<void>;
}

export function startCallers(target: Target, tools: readonly string[]): Callers {
  let [slowest, answered, isOver] = [0, 0, false];
  const failed: string[] = [];
  const drive = async (name: string, at: number): Promise<void> => {
    const client = new RelayClient(target, at % 2 === 0 ? 'modern' : 'legacy');
    await client.open();
    while (!isOver) {
      const startedAt = performance.now();
      const text = `text ${answered}`;
      const outcome = await client
        .ask('tools/call', { name, arguments: { text } })
        .catch((error: unknown) => ({ error: String(error) }));
      slowest = Math.max(slowest, performance.now() - startedAt);
      answered += 1;
      if ('error' in outcome || !JSON.stringify(outcome.result).includes(text)) failed.push(JSON.stringify(outcome));
    }
  };
  const ended = Promise.all(tools.map(drive));
  return {
    takeSlowest() {
      const taken = slowest;
      slowest = 0;
      return taken;
    },
    get answered() {
      return answered;
    },
    failed,
    async stop() {
      isOver = true;
      await ended;
    },
  };
}

/** A process that keeps one core busy. */
export function startBusyCore(): Child {
  return startNode({
    args: [
      '-e',
      'process.stdin.resume().on("end", () => process.exit(0)); const spin = () => { const end = Date.now() + 50; while (Date.now() < end); setImmediate(spin); }; spin();',
    ],
  });
}

export function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
