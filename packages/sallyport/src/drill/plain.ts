import { Agent, type Done } from './agent.ts';
import type { Children } from './children.ts';
import { connectHttp, connectStdio, type McpClient } from './mcp-client.ts';
import type { Play } from './scenario.ts';
import type { OpenStage } from './stage.ts';

/** The play against plain MCP: the agent holds the connections itself, and nothing stands between. */
export async function playPlain(play: Play, stage: OpenStage, children: Children): Promise<readonly Done[]> {
  const connections: { server: string; client: McpClient }[] = [];
  const started: { end(): Promise<void> }[] = [];
  const agent: Agent = new Agent({
    connections,
    servers: play.servers.map(({ name }) => name),
    hosts: stage.hosts,
    knows: play.knows ?? {},
    onRun: () => undefined,
    onAsked: () => Promise.resolve(false),
    onPause: () => Promise.resolve(),
  });
  try {
    for (const [server, entry] of stage.entries) {
      if ('url' in entry) {
        connections.push({ server, client: await connectHttp(entry, agent.answerQuestion) });
        continue;
      }
      const child = children.start(entry.args, { env: { ...process.env, ...entry.env } });
      started.push(child);
      connections.push({ server, client: await connectStdio(child, agent.answerQuestion) });
    }
    await agent.work(play.task);
    return agent.done;
  } finally {
    await Promise.all(started.map((child) => child.end()));
  }
}
