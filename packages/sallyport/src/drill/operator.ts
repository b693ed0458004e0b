import type { Json, JsonObject } from '../core/json.ts';
import { itemsOf, type RunningSallyport } from './sallyport.ts';
import type { DrillServer, Play, Scenario } from './scenario.ts';
import { type DrillSettings, toScenarioSections } from './settings.ts';
import type { OpenStage } from './stage.ts';

/** How long the running catalogue may take to see a decision or a change. Milliseconds. */
const NOTICE_MS = 10_000;

export interface Setting {
  readonly scenario: Scenario;
  readonly play: Play;
  readonly stage: OpenStage;
  readonly settings: DrillSettings;
}

/** What the configuration says: the servers as any client writes them, and what the settings of the drill add. */
export function toConfig({ scenario, play, stage, settings }: Setting, servers: readonly DrillServer[]): JsonObject {
  const { entries = {}, config } = scenario;
  const mcpServers: Record<string, Json> = {};
  for (const { name } of servers) {
    const said = settings.kind === 'guide' ? { era: 'legacy', ...entries[name] } : {};
    mcpServers[name] = { ...stage.entries.get(name), ...said } as unknown as JsonObject; // plain JSON
  }
  return {
    mcpServers,
    ...toScenarioSections(settings, { own: ownServers(play), ...(config === undefined ? {} : { config }) }),
  };
}

/**
 * Takes in the user's own servers, then those of strangers. The operator of docs/guide-team.md approves every definition in
 * which Sallyport finds nothing; what it warns of stays quarantined, since a drill has nobody who knows better. With other
 * settings nobody approves anything.
 */
export async function takeIn(sallyport: RunningSallyport, setting: Setting): Promise<void> {
  const { servers } = setting.play;
  const approve = (some: readonly DrillServer[]) => takeInServers(sallyport, some, setting);
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
export async function waitForNotice(sallyport: RunningSallyport, setting: Setting): Promise<void> {
  const { scenario, play, stage } = setting;
  if (!stage.ledger().some(({ what }) => what === 'changed')) return;
  const before = play.servers.flatMap(({ tools }) => tools.map(({ name }) => `tools/${name}`));
  const after = play.servers.flatMap(({ changed = [] }) => changed.map(({ name }) => `tools/${name}`));
  const isNew = (item: unknown) => after.some((name) => name === item && !before.includes(name));
  await sallyport.until(async () => {
    const pins = itemsOf(await sallyport.rest('GET', '/pins?limit=200'));
    return pins.some(({ state, item }) => state === 'held' || isNew(item)) || undefined;
  }, NOTICE_MS);
  if (scenario.isCareless !== true) return;
  const changed = play.servers.map((server) => ({ ...server, tools: server.changed ?? server.tools }));
  await waitUntilOffered(sallyport, await takeInServers(sallyport, changed, setting));
}

function ownServers({ servers }: Play): readonly DrillServer[] {
  return servers.filter(({ own }) => own !== undefined);
}

/** @returns the names under which the approved tools are offered */
async function takeInServers(
  sallyport: RunningSallyport,
  servers: readonly DrillServer[],
  { settings, scenario: { isCareless = false } }: Setting,
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
    if (settings.kind !== 'guide' && !isCareless) continue;
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
