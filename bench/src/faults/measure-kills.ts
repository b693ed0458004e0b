import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as passed } from 'node:timers/promises';
import {
  AUDIT_MODES,
  type AuditMode,
  findDamage,
  findUnrecorded,
  startAudited,
  startWitness,
} from './audited-gateway.ts';
import { atMost, type FaultMeasure, type FaultPlace } from './figure.ts';
import { startTextCallers } from './text-callers.ts';

const KILLS = 20;
const CALLERS = 16;
/** Under load before the end comes: between these, in even steps. Milliseconds. */
const [SOONEST_MS, LATEST_MS] = [30, 250];
const FIRST_ANSWER_MS = 20_000;

interface KillRow {
  readonly table: 'kill';
  readonly mode: AuditMode;
  readonly executed: number;
  readonly unrecorded: number;
  readonly damage: string | undefined;
}

/** Calls that a server executed and no record knows, after `kill -9` under load. */
export async function measureKills({ folder, progress }: FaultPlace): Promise<FaultMeasure> {
  const rows: KillRow[] = [];
  for (const mode of AUDIT_MODES) {
    const row = await killAgainAndAgain(join(folder, mode), mode);
    progress(JSON.stringify(row));
    rows.push(row);
  }
  const isSound = rows.every(({ damage }) => damage === undefined);
  const worst = Math.max(...rows.map(({ unrecorded }) => unrecorded));
  return {
    figures: [atMost('faults.kill_unrecorded', isSound ? worst : Number.NaN, { goal: 0, unit: 'calls' })],
    rows,
  };
}

async function killAgainAndAgain(folder: string, mode: AuditMode): Promise<KillRow> {
  mkdirSync(folder);
  const witness = await startWitness(folder);
  let gateway: Awaited<ReturnType<typeof startAudited>> | undefined;
  for (let kill = 0; kill < KILLS; kill += 1) {
    gateway = await startAudited(folder, { mode, url: witness.url });
    const callers = startTextCallers(gateway.target, `${mode}-${kill}`, CALLERS);
    await callers.next('answer', FIRST_ANSWER_MS);
    await passed(SOONEST_MS + ((LATEST_MS - SOONEST_MS) * kill) / (KILLS - 1));
    process.kill(gateway.child.pid, 'SIGKILL');
    await gateway.child.stop();
    await callers.stop();
  }
  if (gateway === undefined) throw new Error('nothing was killed');
  const executed = witness.executed();
  await witness.stop();
  const unrecorded = findUnrecorded(gateway, executed).length;
  return { table: 'kill', mode, executed: executed.length, unrecorded, damage: findDamage(gateway) };
}
