import { join } from 'node:path';
import { type Json, type JsonObject, member } from '../core/json.ts';
import { Agent, type Done } from './agent.ts';
import type { Children } from './children.ts';
import { connectHttp } from './mcp-client.ts';
import { itemsOf, type RunningSallyport, startSallyport } from './sallyport.ts';
import type { Play, PlayName, Scenario } from './scenario.ts';
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

/** How long a change of a server may take to be seen before the agent goes on. Milliseconds. */
const NOTICE_MS = 5_000;

/** The play through a Sallyport of its own: the built program, the starter policies of a team, a key for the agent. */
export async function playGuarded(guarded: GuardedPlay, children: Children): Promise<Guarded> {
  const { scenario, name, stage, folder } = guarded;
  const play = scenario[name];
  const sallyport = await startSallyport(toConfig(scenario, stage), join(folder, 'guarded', name), children);
  try {
    const { groups = ['writers'], attributes = {} } = scenario.caller ?? {};
    const key = await sallyport.rest('POST', '/keys', {
      name: 'agent',
      person: 'user@example.com',
      groups: [...groups],
      attributes,
    });
    const headers = { authorization: `Bearer ${String(member(key, 'key'))}` };
    await approveAll(sallyport, play);
    const allowed = [...(play.allows ?? [])];
    const connections: { server: undefined; client: Awaited<ReturnType<typeof connectHttp>> }[] = [];
    const agent: Agent = new Agent({
      connections,
      servers: play.servers.map((server) => server.name),
      hosts: stage.hosts,
      knows: play.knows ?? {},
      onAsked: (approval, { tool, given }) => allowOnce(sallyport, approval, `${tool} ${JSON.stringify(given)}`),
      onPause: () => waitForNotice(sallyport, stage),
    });
    const allowOnce = async (from: RunningSallyport, approval: string, call: string): Promise<boolean> => {
      const at = allowed.indexOf(call);
      if (at < 0) return false;
      allowed.splice(at, 1);
      await from.rest('POST', `/approvals/${approval}/allow`, { scope: 'once' });
      return true;
    };
    connections.push({
      server: undefined,
      client: await connectHttp({ url: sallyport.url, headers }, agent.answerQuestion),
    });
    await agent.work(play.task);
    return { done: agent.done, stops: await readStops(sallyport, agent.done, stage.ledger()) };
  } finally {
    await sallyport.end();
  }
}

function toConfig({ entries = {}, config = {} }: Scenario, stage: OpenStage): JsonObject {
  const mcpServers: Record<string, Json> = {};
  for (const [server, entry] of stage.entries)
    mcpServers[server] = { ...entry, era: 'legacy', ...entries[server] } as unknown as JsonObject; // plain JSON
  return {
    mcpServers,
    // The code of these servers is ours; what they say is what the drill is about.
    pins: { mode: 'team', programs: false },
    policy: { set: 'team' },
    approvals: { elicit: false, selfApproval: false },
    ...(config as JsonObject), // data of a scenario
  };
}

/**
 * What the operator of the drill does: in the order in which the team came by its servers, every definition is approved in
 * which Sallyport finds nothing. What it warns of stays held: a drill has nobody who knows better.
 */
async function approveAll(sallyport: RunningSallyport, { servers }: Play): Promise<void> {
  const approved: string[] = [];
  for (const { name, tools } of servers) {
    const wanted = tools.map((tool) => `tools/${tool.name}`);
    const isKnown = await sallyport.until(async () => {
      const items = itemsOf(await sallyport.rest('GET', `/pins?limit=200`)).filter((one) => one['server'] === name);
      return wanted.every((item) => items.some((one) => one['item'] === item && one['found'] !== null)) || undefined;
    });
    if (isKnown === undefined) throw new Error(`Sallyport never saw the tools of "${name}", or never read them.`);
    const waiting = itemsOf(await sallyport.rest('GET', `/pins/differences?server=${encodeURIComponent(name)}`));
    const items = waiting
      .filter((one) => !hasFindings(one))
      .map(({ server, item, digest }) => ({ server: server ?? '', item: item ?? '', digest: digest ?? '' }));
    if (items.length > 0) await sallyport.rest('POST', '/pins/approve', { items });
    for (const { item } of items)
      if (wanted.includes(String(item))) approved.push(`${name}_${String(item).slice('tools/'.length)}`);
  }
  // What was approved is offered as soon as the running catalogue has looked.
  await sallyport.until(async () => {
    const offered = itemsOf(await sallyport.rest('GET', '/tools?limit=200')).map((tool) => tool['name']);
    return approved.every((name) => offered.includes(name)) || undefined;
  }, NOTICE_MS);
}

function hasFindings(difference: JsonObject): boolean {
  const { findings, related } = difference;
  return [findings, related].some((found) => Array.isArray(found) && found.length > 0);
}

/** A server said that its tools changed: the agent goes on when Sallyport has looked at them. */
async function waitForNotice(sallyport: RunningSallyport, stage: OpenStage): Promise<void> {
  const changed = stage.ledger().filter(({ what }) => what === 'changed');
  if (changed.length === 0) return;
  await sallyport.until(async () => {
    const held = itemsOf(await sallyport.rest('GET', '/pins?state=held&limit=200'));
    return held.length > 0 ? true : undefined;
  }, NOTICE_MS);
}
