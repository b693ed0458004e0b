import type { Json, JsonObject } from '../core/json.ts';
import { itemsOf, type RunningSallyport } from './sallyport.ts';
import type { DrillServer, Play, Scenario } from './scenario.ts';
import type { OpenStage } from './stage.ts';

/** How long the running catalogue may take to see a decision or a change. Milliseconds. */
const NOTICE_MS = 10_000;

export interface Setting {
  readonly scenario: Scenario;
  readonly play: Play;
  readonly stage: OpenStage;
}

/** What the configuration says: the starter policies of a team, and what it says of its own servers. */
export function toConfig({ scenario, play, stage }: Setting, servers: readonly DrillServer[]): JsonObject {
  const { entries = {}, config = {} } = scenario;
  const mcpServers: Record<string, Json> = {};
  for (const { name } of servers)
    mcpServers[name] = { ...stage.entries.get(name), era: 'legacy', ...entries[name] } as unknown as JsonObject; // plain JSON
  return {
    mcpServers,
    // The code of these servers is ours; what they say is what the drill is about.
    pins: { mode: 'team', programs: false },
    policy: { set: 'team' },
    approvals: { elicit: false, selfApproval: false },
    taint: {
      sources: ownServers(play).map(({ name, own }) => ({ match: name, trust: 'trusted', privacy: own ?? 'internal' })),
      // The team believes its own host about what the user typed.
      trustedHosts: ['agent-*'],
    },
    ...(config as JsonObject), // data of a scenario
  };
}

/**
 * What the operator of the drill does: takes in the team's own servers, then those of strangers, and approves every
 * definition in which Sallyport finds nothing. What it warns of stays held: a drill has nobody who knows better.
 */
export async function takeIn(sallyport: RunningSallyport, setting: Setting): Promise<void> {
  const { servers } = setting.play;
  const approve = (some: readonly DrillServer[]) => approveOffered(sallyport, some, setting.scenario.isCareless);
  const own = ownServers(setting.play);
  const strangers = servers.filter((server) => !own.includes(server));
  const approved = await approve(own);
  if (own.length > 0 && strangers.length > 0) await sallyport.configure(toConfig(setting, servers));
  approved.push(...(await approve(strangers)));
  await waitUntilOffered(sallyport, approved);
}

async function waitUntilOffered(sallyport: RunningSallyport, names: readonly string[]): Promise<void> {
  await sallyport.until(async () => {
    const offered = itemsOf(await sallyport.rest('GET', '/tools?limit=200')).map((tool) => tool['name']);
    return names.every((name) => offered.includes(name)) || undefined;
  }, NOTICE_MS);
}

/** The servers there are before a stranger comes. */
export function firstServers({ play }: Setting): readonly DrillServer[] {
  const own = ownServers(play);
  return own.length === 0 ? play.servers : own;
}

/** A server said that its tools changed: the agent goes on when Sallyport has looked at them. */
export async function waitForNotice(sallyport: RunningSallyport, { scenario, play, stage }: Setting): Promise<void> {
  if (!stage.ledger().some(({ what }) => what === 'changed')) return;
  await sallyport.until(async () => {
    const held = itemsOf(await sallyport.rest('GET', '/pins?state=held&limit=200'));
    return held.length > 0 || undefined;
  }, NOTICE_MS);
  if (scenario.isCareless !== true) return;
  const changed = play.servers.map((server) => ({ ...server, tools: server.changed ?? server.tools }));
  await waitUntilOffered(sallyport, await approveOffered(sallyport, changed, true));
}

function ownServers({ servers }: Play): readonly DrillServer[] {
  return servers.filter(({ own }) => own !== undefined);
}

/** @returns the names under which the approved tools are offered */
async function approveOffered(
  sallyport: RunningSallyport,
  servers: readonly DrillServer[],
  isCareless = false,
): Promise<string[]> {
  const approved: string[] = [];
  for (const { name, tools } of servers) {
    const wanted = tools.map((tool) => `tools/${tool.name}`);
    const isRead = await sallyport.until(async () => {
      // Whoever asks what there is has new servers looked at.
      await sallyport.rest('GET', '/tools?limit=1');
      const items = itemsOf(await sallyport.rest('GET', '/pins?limit=200')).filter((one) => one['server'] === name);
      return wanted.every((item) => items.some((one) => one['item'] === item && one['found'] !== null)) || undefined;
    });
    if (isRead === undefined) throw new Error(`Sallyport never read the tools of "${name}".`);
    const waiting = itemsOf(await sallyport.rest('GET', `/pins/differences?server=${encodeURIComponent(name)}`));
    const items = waiting
      .filter((one) => isCareless || !isWarnedOf(one))
      .map(({ server, item, digest }) => ({ server: server ?? '', item: item ?? '', digest: digest ?? '' }));
    if (items.length > 0) await sallyport.rest('POST', '/pins/approve', { items, withFindings: isCareless });
    for (const { item } of items)
      if (wanted.includes(String(item))) approved.push(`${name}_${String(item).slice('tools/'.length)}`);
  }
  return approved;
}

function isWarnedOf({ findings, related }: JsonObject): boolean {
  return [findings, related].some((found) => Array.isArray(found) && found.length > 0);
}
