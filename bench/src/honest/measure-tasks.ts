import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { compareAnswers, type Outcome } from './compare.ts';
import { type Gateway, listOf, startGateway } from './gateway.ts';
import { readGuideSettings } from './guide-settings.ts';
import { type Installed, installServers, type ServerEntry } from './install-servers.ts';
import { listAll, type McpClient, openHttpClient, type RpcAnswer } from './mcp-client.ts';
import { PUBLISHED_SERVERS } from './servers.ts';
import { openSite } from './site.ts';
import { type Tapped, tapServer } from './tapped.ts';
import { makeTasks } from './tasks/all-tasks.ts';
import { makeWorkspace } from './workspace.ts';
import type { Seen, Step, Task, World } from './world.ts';

/** Settings of a run: those of a new user, or those of docs/guide-team.md. */
export type TaskRun = 'laptop' | 'team';

export interface CallRow {
  readonly table: 'calls';
  readonly run: TaskRun;
  readonly task: string;
  readonly step: number;
  readonly call: string;
  readonly outcome: Outcome;
  /** The server itself said that it failed. */
  readonly isError: boolean;
}

/** A step that was not made because an earlier one brought nothing it could use. */
export interface LeftRow {
  readonly table: 'left-out';
  readonly run: TaskRun;
  readonly task: string;
  readonly step: number;
  readonly reason: string;
}

/** What the run was configured with, the servers aside. */
export interface SettingsRow {
  readonly table: 'settings';
  readonly run: TaskRun;
  readonly settings: object;
}

export type TaskRow = CallRow | LeftRow | SettingsRow;

const OWN_SERVERS = ['mail', 'tickets', 'calendar', 'tables', 'notes', 'web'] as const;

interface TaskOptions {
  readonly cache: string;
  readonly folder: string;
  progress(line: string): void;
}

/** Acts out every task in both runs, each in a new workspace with new servers. */
export async function measureTasks({ cache, folder, progress }: TaskOptions): Promise<readonly TaskRow[]> {
  const rows: TaskRow[] = [];
  const site = await openSite();
  try {
    for (const run of ['laptop', 'team'] as const) {
      const home = join(folder, run);
      const world: World = { files: join(home, 'work'), site: site.origin };
      const places = { files: world.files, state: join(home, 'servers') };
      mkdirSync(places.state, { recursive: true });
      makeWorkspace(world.files);
      const installed = await installServers(
        PUBLISHED_SERVERS.filter(({ forTasks }) => forTasks === true),
        { cache, places, progress },
      );
      const taps = tapServers({ ...entriesOf(installed, progress), ...ownEntries(world, places.state) }, home);
      rows.push(...(await actAll(run, makeTasks(world), { taps, home, progress })));
    }
  } finally {
    await site.close();
  }
  return rows;
}

function entriesOf(installed: readonly Installed[], progress: (line: string) => void): Record<string, ServerEntry> {
  const entries: Record<string, ServerEntry> = {};
  for (const { server, entry, reason } of installed) {
    if (entry === undefined) progress(`skipped ${server.name}: ${reason}`);
    else entries[server.name] = entry;
  }
  return entries;
}

function ownEntries(world: World, state: string): Record<string, ServerEntry> {
  const env = { SITE: world.site, FILES: world.files, SENT_MAIL: join(state, 'sent.jsonl') };
  const scriptOf = (name: string) => fileURLToPath(new URL(`./servers/${name}.js`, import.meta.url));
  return Object.fromEntries(
    OWN_SERVERS.map((name) => [name, { command: process.execPath, args: [scriptOf(name)], env }]),
  );
}

function tapServers(entries: Readonly<Record<string, ServerEntry>>, home: string): ReadonlyMap<string, Tapped> {
  return new Map(Object.entries(entries).map(([name, entry]) => [name, tapServer(name, entry, home)]));
}

interface Stage {
  readonly taps: ReadonlyMap<string, Tapped>;
  readonly home: string;
  progress(line: string): void;
}

async function actAll(run: TaskRun, tasks: readonly Task[], stage: Stage): Promise<readonly TaskRow[]> {
  const mcpServers = Object.fromEntries([...stage.taps].map(([name, { entry }]) => [name, entry]));
  const folder = join(stage.home, 'gateway');
  const opened = run === 'team' ? await openTeam(folder, mcpServers) : await openLaptop(folder, mcpServers);
  try {
    const rows: TaskRow[] = [{ table: 'settings', run, settings: opened.settings }];
    await untilListed(opened.gateway, opened.key, mcpServers);
    for (const task of tasks) {
      const client = await openHttpClient(opened.gateway.url, opened.key);
      rows.push(...(await act(run, task, { gateway: opened.gateway, client, taps: stage.taps })));
      await client.close();
    }
    return rows;
  } finally {
    await opened.gateway.stop();
  }
}

interface Opened {
  readonly gateway: Gateway;
  readonly key: string;
  readonly settings: object;
}

async function openLaptop(folder: string, mcpServers: object): Promise<Opened> {
  const gateway = await startGateway(folder, { mcpServers });
  return { gateway, key: gateway.key, settings: {} };
}

/**
 * The settings of the guide and a key as the guide makes it. Its limit of calls per minute is left out: the bench calls
 * faster than an agent does.
 */
async function openTeam(folder: string, mcpServers: object): Promise<Opened> {
  const { sections, files } = readGuideSettings();
  mkdirSync(folder, { recursive: true });
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  const { limits: _limits, ...settings } = sections;
  const gateway = await startGateway(folder, { ...settings, mcpServers });
  await approveAll(gateway, Object.keys(mcpServers));
  const person = { name: 'ada', person: 'ada@example.com', groups: ['platform', 'writers'] };
  const { key } = await gateway.api<{ key: string }>('POST', '/keys', person);
  return { gateway, key, settings };
}

interface Waiting {
  readonly server: string;
  readonly item: string;
  readonly digest: string;
}

/** First the programs, then what they offer, until no server has an open definition and each has approved ones. */
async function approveAll(gateway: Gateway, servers: readonly string[]): Promise<void> {
  const offered = new Set<string>();
  for (let waited = 0; waited < 60_000; waited += 500) {
    const items = await listOf<Waiting>(gateway, '/pins/differences');
    if (items.length === 0 && servers.every((server) => offered.has(server))) return;
    for (const { server, item } of items) if (item.startsWith('tools/')) offered.add(server);
    if (items.length > 0) {
      const decided = items.map(({ server, item, digest }) => ({ server, item, digest }));
      await gateway.api('POST', '/pins/approve', { items: decided, withFindings: true });
    }
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
}

async function untilListed(gateway: Gateway, key: string, mcpServers: object): Promise<void> {
  let words = '';
  for (let waited = 0; waited < 60_000; waited += 500) {
    // However large the list is.
    const client = await openHttpClient(`${gateway.url}/plain`, key);
    // A new key is not known at once.
    const tools = await listAll(client, 'tools/list', 'tools').catch((error: Error) => {
      words = error.message;
      return [];
    });
    await client.close();
    const absent = Object.keys(mcpServers).filter(
      (server) => !tools.some(({ name }) => String(name).startsWith(`${server}_`)),
    );
    if (absent.length === 0) return;
    if (tools.length > 0) words = `no tools of ${absent.join(', ')}`;
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
  throw new Error(`the endpoint does not list all servers: ${words}`);
}

/** As the person who was asked would do it: the task goes on. */
async function approve(gateway: Gateway, { result }: RpcAnswer): Promise<boolean> {
  const meta = result?.['_meta'] as { readonly 'dev.sallyport/verdict'?: { readonly approval?: string } } | undefined;
  const id = meta?.['dev.sallyport/verdict']?.approval;
  if (id === undefined) return false;
  return gateway.api('POST', `/approvals/${id}/allow`, {}).then(
    () => true,
    () => false,
  );
}

interface Actor {
  readonly gateway: Gateway;
  readonly client: McpClient;
  readonly taps: ReadonlyMap<string, Tapped>;
}

async function act(run: TaskRun, task: Task, { gateway, client, taps }: Actor): Promise<readonly TaskRow[]> {
  const rows: TaskRow[] = [];
  const texts: string[] = [];
  const meta = run === 'team' ? { _meta: { 'dev.sallyport/user': task.user } } : {};
  for (const [step, { server, tool, args }] of task.steps.entries()) {
    let given: Step['args'];
    try {
      given = typeof args === 'function' ? args(seenOf(texts)) : args;
    } catch (error) {
      rows.push({ table: 'left-out', run, task: task.name, step, reason: error instanceof Error ? error.message : '' });
      texts.push('');
      continue;
    }
    const tap = taps.get(server);
    tap?.take();
    const params = { name: `${server}_${tool}`, arguments: given, ...meta };
    let received = await client.request('tools/call', params);
    const outcome = compareAnswers(received, tap?.take());
    if (outcome.kind === 'asked' && (await approve(gateway, received)))
      received = await client.request('tools/call', params);
    const isError = received.error !== undefined || received.result?.['isError'] === true;
    const call = `${server}.${tool} ${JSON.stringify(given).slice(0, 400)}`;
    rows.push({ table: 'calls', run, task: task.name, step, call, outcome, isError });
    texts.push(textOf(received));
  }
  return rows;
}

function textOf({ result }: RpcAnswer): string {
  const content = (result?.['content'] as readonly { readonly text?: string }[] | undefined) ?? [];
  return content.map(({ text }) => text ?? '').join('\n');
}

function seenOf(texts: readonly string[]): Seen {
  const text = (step: number) => texts[step] ?? '';
  return {
    text,
    find(step, pattern) {
      const found = pattern.exec(text(step))?.[1];
      if (found === undefined) throw new Error(`${pattern} is not in what step ${step} brought`);
      return found;
    },
  };
}
