import { member } from '../core/json.ts';
import { Agent, type Done } from './agent.ts';
import type { Children } from './children.ts';
import { connectHttp, type McpClient } from './mcp-client.ts';
import { firstServers, type Setting, takeIn, toConfig, waitForNotice } from './operator.ts';
import { type RunningSallyport, startSallyport } from './sallyport.ts';
import type { PlayName, Scenario } from './scenario.ts';
import type { DrillSettings } from './settings.ts';
import type { OpenStage } from './stage.ts';
import { readStops, type Stop } from './stops.ts';

export interface Guarded {
  readonly done: readonly Done[];
  /** What Sallyport says it stopped. */
  readonly stops: readonly Stop[];
}

export interface GuardedPlays {
  readonly scenario: Scenario;
  /** One after the other through one Sallyport. More than one: their servers say the same of themselves. */
  readonly plays: readonly { readonly name: PlayName; readonly stage: OpenStage }[];
  readonly folder: string;
  readonly settings: DrillSettings;
}

const KEY_MS = 3_000;

/** Plays through a Sallyport of their own: the built program with these settings, a key for each agent. */
export async function playGuarded(
  { scenario, plays, folder, settings }: GuardedPlays,
  children: Children,
): Promise<Guarded[]> {
  const all = plays.map(({ name, stage }) => ({
    scenario,
    play: scenario[name],
    stage,
    settings,
    agent: `agent-${name}`,
  }));
  const [first] = all;
  if (first === undefined) return [];
  const sallyport = await startSallyport(toConfig(first, firstServers(first)), folder, children);
  const guarded: Guarded[] = [];
  try {
    const { groups = ['writers'], attributes = {} } = scenario.caller ?? {};
    const keys: string[] = [];
    for (const { agent } of all) {
      const holder = { name: agent, person: 'user@example.com', groups: [...groups], attributes };
      keys.push(String(member(await sallyport.rest('POST', '/keys', holder), 'key')));
    }
    for (const [at, setting] of all.entries()) {
      if (setting === first) await takeIn(sallyport, setting);
      else await sallyport.configure(toConfig(setting, setting.play.servers));
      guarded.push(await act(sallyport, setting, keys[at] ?? ''));
    }
    return guarded;
  } finally {
    await sallyport.end();
  }
}

async function act(sallyport: RunningSallyport, setting: Setting & { agent: string }, key: string): Promise<Guarded> {
  const { play, stage } = setting;
  const connections: { server: undefined; client: McpClient }[] = [];
  const person = createPerson(sallyport, play.allows ?? []);
  const agent: Agent = new Agent({
    connections,
    servers: play.servers.map((server) => server.name),
    hosts: stage.hosts,
    knows: play.knows ?? {},
    onRun: (call) => person.sees(toLine(call)),
    onAsked: (approval, call) => person.answer(approval, toLine(call)),
    onPause: () => waitForNotice(sallyport, setting),
  });
  const front = { url: sallyport.url, headers: { authorization: `Bearer ${key}` } };
  const connect = () => connectHttp(front, agent.answerQuestion);
  // A new key counts within half a second.
  const client = (await sallyport.until(() => connect().catch(() => undefined), KEY_MS)) ?? (await connect());
  connections.push({ server: undefined, client });
  await agent.work(play.task);
  const played = { done: agent.done, ledger: stage.ledger(), answered: person.answered, agent: setting.agent };
  return { done: agent.done, stops: await readStops(sallyport, played) };
}

function toLine({ tool, given }: { readonly tool: string; readonly given: unknown }): string {
  return `${tool} ${JSON.stringify(given)}`;
}

/** The person who is asked: allows what the play says, each once, and nothing else. What ran without a question is done. */
function createPerson(sallyport: RunningSallyport, allows: readonly string[]) {
  const left = [...allows];
  const answered: string[] = [];
  let waiting: string | undefined;
  return {
    answered,
    sees(call: string): void {
      const at = left.indexOf(call);
      if (at >= 0 && waiting !== call) left.splice(at, 1);
      waiting = undefined;
    },
    async answer(approval: string, call: string): Promise<boolean> {
      const at = left.indexOf(call);
      if (at < 0) return false;
      left.splice(at, 1);
      waiting = call;
      answered.push(approval);
      await sallyport.rest('POST', `/approvals/${approval}/allow`, { scope: 'once' });
      return true;
    },
  };
}
