import { join } from 'node:path';
import { member } from '../core/json.ts';
import { Agent, type Done } from './agent.ts';
import type { Children } from './children.ts';
import { connectHttp, type McpClient } from './mcp-client.ts';
import { firstServers, takeIn, toConfig, waitForNotice } from './operator.ts';
import { type RunningSallyport, startSallyport } from './sallyport.ts';
import type { PlayName, Scenario } from './scenario.ts';
import type { OpenStage } from './stage.ts';
import { readStops, type Stop } from './stops.ts';

export interface Guarded {
  readonly done: readonly Done[];
  /** What Sallyport says it stopped. */
  readonly stops: readonly Stop[];
}

interface GuardedPlay {
  readonly scenario: Scenario;
  readonly name: PlayName;
  readonly stage: OpenStage;
  readonly folder: string;
}

/** The play through a Sallyport of its own: the built program, the starter policies of a team, a key for the agent. */
export async function playGuarded(guarded: GuardedPlay, children: Children): Promise<Guarded> {
  const { scenario, name, stage, folder } = guarded;
  const play = scenario[name];
  const setting = { scenario, play, stage };
  const config = toConfig(setting, firstServers(setting));
  const sallyport = await startSallyport(config, join(folder, 'guarded', name), children);
  try {
    const { groups = ['writers'], attributes = {} } = scenario.caller ?? {};
    const holder = { name: 'agent', person: 'user@example.com', groups: [...groups], attributes };
    const key = String(member(await sallyport.rest('POST', '/keys', holder), 'key'));
    await takeIn(sallyport, setting);
    const connections: { server: undefined; client: McpClient }[] = [];
    const person = createPerson(sallyport, play.allows ?? []);
    const agent: Agent = new Agent({
      connections,
      servers: play.servers.map((server) => server.name),
      hosts: stage.hosts,
      knows: play.knows ?? {},
      onAsked: (approval, { tool, given }) => person.answer(approval, `${tool} ${JSON.stringify(given)}`),
      onPause: () => waitForNotice(sallyport, stage),
    });
    const front = { url: sallyport.url, headers: { authorization: `Bearer ${key}` } };
    connections.push({ server: undefined, client: await connectHttp(front, agent.answerQuestion) });
    await agent.work(play.task);
    const played = { done: agent.done, ledger: stage.ledger(), answered: person.answered };
    return { done: agent.done, stops: await readStops(sallyport, played) };
  } finally {
    await sallyport.end();
  }
}

/** The person who is asked: says yes to what the play says, each once, and nothing to anything else. */
function createPerson(sallyport: RunningSallyport, allows: readonly string[]) {
  const left = [...allows];
  const answered: string[] = [];
  return {
    answered,
    async answer(approval: string, call: string): Promise<boolean> {
      const at = left.indexOf(call);
      if (at < 0) return false;
      left.splice(at, 1);
      answered.push(approval);
      await sallyport.rest('POST', `/approvals/${approval}/allow`, { scope: 'once' });
      return true;
    },
  };
}
