import { type Column, type Era, type Fields, modernRevision, type Revision, type Row, upstreams } from './cells.ts';
import { RawClient } from './raw-client.ts';
import { openHttp } from './raw-http.ts';
import { openSse } from './raw-sse.ts';
import { openStdio } from './raw-stdio.ts';
import { conformanceServer, createScratch, type Running, sallyport, start } from './set-up.ts';

/** Which of the two ways in: the shared endpoint with qualified names, or the endpoint of one upstream. */
export type Endpoint = 'all' | 'server';

/** All processes that the cells of one test file share. */
export interface World {
  connect(row: Row, endpoint: Endpoint, column: Column): Promise<RawClient>;
  /** A client without Sallyport in between, at an upstream of this era. */
  connectDirectly(era: Era, revision: Revision): Promise<RawClient>;
  close(): Promise<void>;
}

export async function createWorld(): Promise<World> {
  const running: Running[] = [];
  const stop = async () => {
    for (const one of running.reverse()) await one.stop();
  };
  const mcpServers: Record<string, Fields> = {};
  for (const { name, transport, era } of upstreams) {
    const args = [conformanceServer, '--transport', transport, '--era', era];
    if (transport === 'stdio') {
      mcpServers[name] = { command: process.execPath, args };
      continue;
    }
    const server = await start(args);
    running.push(server);
    mcpServers[name] = { type: transport, url: server.facts['url'] };
  }
  const scratch = createScratch({ mcpServers });
  const log = ['--no-call-log', '--log-level', 'warn'];
  const up = await start([sallyport, 'up', '--config', scratch.config, '--port', '0', '--json', ...log], scratch.env);
  running.push(up);
  const { origin } = new URL(String(up.facts['url']));
  const key = String(up.facts['key']);

  return {
    connect({ front, revision }, endpoint, { name }) {
      const base = endpoint === 'all' ? origin : `${origin}/servers/${name}`;
      switch (front) {
        case 'http':
          return RawClient.connect(revision, openHttp({ url: `${base}/mcp`, key, revision }));
        case 'sse':
          return RawClient.connect(revision, openSse({ url: `${base}/sse`, key }));
        case 'stdio': {
          const one = endpoint === 'all' ? [] : ['--server', name];
          const args = [sallyport, 'stdio', '--config', scratch.config, ...one, ...log];
          return RawClient.connect(revision, openStdio({ args, env: scratch.env }));
        }
      }
    },
    connectDirectly(era, revision) {
      const url = String(mcpServers[`http-${era}`]?.['url']);
      return RawClient.connect(revision, openHttp({ url, key: undefined, revision }));
    },
    async close() {
      await stop();
      scratch.remove();
    },
  };
}

/** The revision in which an upstream of this era is asked directly. */
export function directRevision(era: Era): Revision {
  return era === 'modern' ? modernRevision : '2025-11-25';
}
