import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as passed } from 'node:timers/promises';
import { atMost, type FaultMeasure, type FaultPlace } from '../faults/figure.ts';
import { median } from '../load/latency.ts';
import { RelayClient } from '../relay/relay-client.ts';
import { type GrowingGateway, startGrowing } from './growing-gateway.ts';

const TOOLS = 1_000;
const POLICIES = 1_000;
const TEAMS = 50;
const ROUNDS = 7;
const WINDOW_MS = 1_000;
const AT_ONCE = 4;
const NEW_CALLERS = 5;

/** Of ten, one reads an argument; half of them name a team, a quarter a tool, the others speak of everybody. */
function writePolicies(): string {
  const policies = ['permit(principal in Group::"dev", action, resource);'];
  for (let i = 1; i < POLICIES; i += 1) {
    const [team, reads] = [`Group::"team-${Math.floor(i / 10) % TEAMS}"`, i % 10 === 0];
    const kind = Math.floor(i / (reads ? 10 : 1)) % 4;
    const who = kind < 2 ? `principal in ${team}` : 'principal';
    const what = kind === 0 ? 'resource in Server::"s0"' : kind === 2 ? `resource == Tool::"s0/tool_${i}"` : 'resource';
    const when = reads
      ? `context.arguments has limit && context.arguments.limit > ${1_000 + i}`
      : ['resource.sinks.contains(Sink::"pay")', '!resource.idempotent && resource.name like "admin_*"'][i % 2];
    policies.push(`forbid(${who}, action${reads ? ' == Action::"call"' : ''}, ${what}) when { ${when} };`);
  }
  return policies.join('\n');
}

/** What 1,000 policies add to a call, and what they cost a caller who lists 1,000 tools for the first time. */
export async function measurePolicies({ folder, progress }: FaultPlace): Promise<FaultMeasure> {
  mkdirSync(folder, { recursive: true });
  const file = join(folder, 'many.cedar');
  writeFileSync(file, writePolicies());
  const shape = { servers: 1, each: TOOLS };
  const none = await startGrowing(join(folder, 'none'), shape);
  const many = await startGrowing(join(folder, 'many'), { ...shape, sections: { policy: { files: [file] } } });
  try {
    const callers = await Promise.all([none, many].map((gateway) => openCaller(gateway, 0)));
    for (const { client } of callers) await untilListed(client);
    await Promise.all([none.rest(), many.rest()]);
    const added: number[] = [];
    const rows: object[] = [];
    for (let round = -1; round < ROUNDS; round += 1) {
      const cpuUs: number[] = [];
      for (const caller of callers) cpuUs.push(await measureCalls(caller));
      const [without = Number.NaN, among = Number.NaN] = cpuUs;
      // What is compiled first is nobody's usual call.
      if (round < 0) continue;
      added.push(among - without);
      rows.push({ table: 'policies', without, among });
    }
    const lists: number[] = [];
    for (let i = 1; i <= NEW_CALLERS; i += 1) {
      const { client } = await openCaller(many, i);
      const startedAt = performance.now();
      const { length } = await client.list();
      lists.push(performance.now() - startedAt);
      if (length !== TOOLS) throw new Error(`${length} tools were listed, not ${TOOLS}`);
    }
    progress(`${median(added).toFixed(0)} us a call, first lists ${lists.map((ms) => ms.toFixed(0)).join(', ')} ms`);
    return {
      figures: [
        atMost('growth.policies_call_us', median(added), { goal: 100, unit: 'us' }),
        atMost('growth.policies_list_ms', median(lists), { goal: 150, unit: 'ms' }),
      ],
      rows: [...rows, { table: 'policy lists', lists }],
    };
  } finally {
    await Promise.all([none.stop(), many.stop()]);
  }
}

interface Caller {
  readonly gateway: GrowingGateway;
  readonly client: RelayClient;
}

async function openCaller(gateway: GrowingGateway, team: number): Promise<Caller> {
  const key = await gateway.createKey(`caller-${team}`, ['dev', `team-${team}`]);
  const target = { ...gateway.target, headers: { authorization: `Bearer ${key}` } };
  return { gateway, client: await new RelayClient(target, 'modern').open() };
}

async function untilListed(client: RelayClient): Promise<void> {
  for (let listed = 0; listed < TOOLS; listed = (await client.list()).length) await passed(500);
}

/** Microseconds of processor time a call. */
async function measureCalls({ gateway, client }: Caller): Promise<number> {
  const before = gateway.cpuMs();
  const until = performance.now() + WINDOW_MS;
  let calls = 0;
  const drive = async (): Promise<void> => {
    while (performance.now() < until) {
      const outcome = await client.ask('tools/call', { name: 's0_echo', arguments: { text: 'hello', limit: 10 } });
      if ('error' in outcome) throw new Error(outcome.error);
      calls += 1;
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, drive));
  return ((gateway.cpuMs() - before) * 1_000) / calls;
}
