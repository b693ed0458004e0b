import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as passed } from 'node:timers/promises';
import { atMost, type FaultMeasure, type FaultPlace } from '../faults/figure.ts';
import type { Target } from '../load/connection.ts';
import { median, percentiles } from '../load/latency.ts';
import { RelayClient } from '../relay/relay-client.ts';
import { type GrowingGateway, startGrowing } from './growing-gateway.ts';

const SERVERS = 10;
const CALLERS = 60;
const TEAMS = 10;
const ROUNDS = 5;
const WINDOW_MS = 2_000;
/** Each caller makes a call this often. */
const PACE_MS = 250;
const SEEN_MS = 30_000;

/** As teams have them: by group and server, by tool, by what a tool does. */
const POLICIES = [
  'permit(principal in Group::"dev", action, resource);',
  ...Array.from({ length: TEAMS }, (_, team) => [
    `forbid(principal in Group::"team-${team}", action, resource == Tool::"s${team}/hidden_${team}");`,
    `forbid(principal in Group::"team-${team}", action, resource in Server::"s${team}") when { resource.sinks.contains(Sink::"pay") };`,
    `forbid(principal in Group::"team-${team}", action == Action::"call", resource) when { context.arguments has limit && context.arguments.limit > ${1_000 + team} };`,
    `forbid(principal in Group::"guests-${team}", action, resource) when { resource.name like "admin_*" };`,
  ]).flat(),
].join('\n');

/** What 60 callers whom policies tell apart cost with 10,000 tools, and what the change of one tool costs beside them. */
export async function measureCallers({ folder, progress, quick }: FaultPlace): Promise<FaultMeasure> {
  const each = quick ? 100 : 1_000;
  mkdirSync(folder, { recursive: true });
  const file = join(folder, 'team.cedar');
  writeFileSync(file, POLICIES);
  const sections = { policy: { files: [file] } };
  const gateway = await startGrowing(join(folder, 'gateway'), { servers: SERVERS, each, sections });
  try {
    const clients: RelayClient[] = [];
    for (let i = 0; i < CALLERS + 1; i += 1) {
      const key = await gateway.createKey(`caller-${i}`, ['dev', `team-${i % TEAMS}`]);
      clients.push(await new RelayClient(withKey(gateway.target, key), 'modern').open());
    }
    const [first, ...others] = clients;
    if (first === undefined) throw new Error('no caller');
    await untilListed(first, SERVERS * each);
    await gateway.rest();
    const before = await gateway.memory();
    for (const client of others) await client.list();
    await gateway.rest();
    const after = await gateway.memory();
    const callerMb = (after.used - before.used) / others.length / 1_000_000;
    progress(`${callerMb.toFixed(2)} MB a caller`);
    const changes = await measureChanges(gateway, first, others);
    progress(JSON.stringify(changes));
    return {
      figures: [
        atMost('growth.caller_mb', callerMb, { goal: 0.2, unit: 'MB' }),
        atMost('growth.change_ms', changes.cpuMs, { goal: 50, unit: 'ms of CPU' }),
        atMost('growth.change_seen_ms', changes.seenMs, { goal: 200, unit: 'ms' }),
        atMost('growth.change_p99', changes.p99Ratio, { goal: 2, unit: 'x' }),
      ],
      rows: [{ table: 'callers', callers: others.length, before, after, ...changes }],
    };
  } finally {
    await gateway.stop();
  }
}

function withKey(target: Target, key: string): Target {
  return { ...target, headers: { authorization: `Bearer ${key}` } };
}

async function untilListed(client: RelayClient, tools: number): Promise<void> {
  for (let listed = 0; listed < tools; listed = (await client.list()).length) await passed(500);
}

/** A quiet window and one with a change in turns, while all callers call. */
async function measureChanges(gateway: GrowingGateway, follower: RelayClient, callers: readonly RelayClient[]) {
  let [times, failed, isOver]: [number[], string[], boolean] = [[], [], false];
  const drive = async (client: RelayClient, at: number): Promise<void> => {
    await passed((at * PACE_MS) / callers.length);
    while (!isOver) {
      const startedAt = performance.now();
      const outcome = await client.ask('tools/call', { name: 's1_echo', arguments: { text: 'hello' } });
      times.push(performance.now() - startedAt);
      if ('error' in outcome) failed.push(outcome.error);
      await passed(PACE_MS);
    }
  };
  const stop = new AbortController();
  let told = (): void => {};
  await follower.follow(stop.signal, () => told());
  const driven = Promise.all(callers.map(drive));
  const window = async (work: () => Promise<void>) => {
    times = [];
    const before = gateway.cpuMs();
    await Promise.all([work(), passed(WINDOW_MS)]);
    return { cpuMs: gateway.cpuMs() - before, p99: percentiles(Float64Array.from(times)).p99 };
  };
  const rounds: { readonly cpuMs: number; readonly seenMs: number; readonly p99Ratio: number }[] = [];
  try {
    await passed(WINDOW_MS);
    for (let round = 0; round < ROUNDS; round += 1) {
      const quiet = await window(async () => {});
      let seenMs = Number.NaN;
      const changed = await window(async () => {
        const startedAt = performance.now();
        const announced = new Promise<void>((resolve) => {
          told = resolve;
        });
        const name = `s0_${await gateway.change('s0')}`;
        await announced;
        while (!(await firstPage(follower)).includes(name)) {
          if (performance.now() - startedAt > SEEN_MS) throw new Error(`${name} is not listed`);
          await passed(5);
        }
        seenMs = performance.now() - startedAt;
      });
      rounds.push({ cpuMs: changed.cpuMs - quiet.cpuMs, seenMs, p99Ratio: changed.p99 / quiet.p99 });
    }
  } finally {
    isOver = true;
    await driven;
    stop.abort();
  }
  if (failed.length > 0) throw new Error(`${failed.length} calls failed: ${failed[0]}`);
  const middle = (key: 'cpuMs' | 'seenMs' | 'p99Ratio') => median(rounds.map((one) => one[key]));
  return { cpuMs: middle('cpuMs'), seenMs: middle('seenMs'), p99Ratio: middle('p99Ratio'), rounds };
}

async function firstPage(client: RelayClient): Promise<readonly string[]> {
  const outcome = await client.ask('tools/list');
  if ('error' in outcome) throw new Error(outcome.error);
  return (outcome.result['tools'] as readonly { readonly name: string }[]).map(({ name }) => name);
}
