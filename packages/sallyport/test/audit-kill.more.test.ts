import { setTimeout as passed } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { readAdmitted, startLoad, startWitness, verifyAudit, type Witness } from './audited-load.ts';
import { FixedRandom } from './message-mutator.ts';
import { newTestFolder, SallyportProcess, startGateway, type WrittenConfig } from './running-sallyport.ts';

/** More of them: SALLYPORT_KILL_ROUNDS=1000 npx vitest run --project e2e audit-kill. */
const ROUNDS = Number(process.env['SALLYPORT_KILL_ROUNDS'] ?? 50);
/** Another order of moments: SALLYPORT_SEED. */
const SEED = Number(process.env['SALLYPORT_SEED'] ?? 20_261_122);
/** State directories that are killed at the same time: one per core. */
const LANES = 2;
const CALLERS = 16;
/** Milliseconds under load before the end comes, and into a start. */
const LOAD_MS = 200;
const START_MS = 400;

interface Lane {
  readonly mode: 'strict' | 'batched';
  readonly stateDir: string;
  readonly upstream: Witness;
  readonly random: FixedRandom;
  readonly answered: string[];
  readonly startMs: number[];
}

const toConfig = ({ mode, upstream }: Lane) =>
  // Small segments, so that the end comes between two of them as well.
  ({ audit: { mode, segmentBytes: 65_536 }, mcpServers: { up: { url: upstream.url } } }) as WrittenConfig;

/** One life: started, called and killed under load; one of eight dies while it starts, another while it stops. */
async function liveAndDie(lane: Lane, label: string): Promise<void> {
  const { random, stateDir } = lane;
  const env = { SALLYPORT_STATE: stateDir };
  const end = random.below(8);
  if (end === 0) {
    const starting = new SallyportProcess(toConfig(lane), ['up', '--port', '0', '--json', '--no-call-log'], env);
    await passed(random.below(START_MS));
    await starting.stop('SIGKILL');
    return;
  }
  const startedAt = performance.now();
  const gateway = await startGateway(toConfig(lane), ['--no-call-log'], env);
  lane.startMs.push(performance.now() - startedAt);
  const load = startLoad(gateway, label, CALLERS);
  // Another of eight dies before anybody was answered.
  if (end !== 2) await load.begun;
  await passed(random.below(LOAD_MS));
  if (end === 1) {
    gateway.process.child.kill('SIGTERM');
    await passed(random.below(30));
  }
  await gateway.process.stop('SIGKILL');
  await load.stop();
  lane.answered.push(...load.answered);
}

describe.each(['strict', 'batched'] as const)(`kill -9, mode %s, ${ROUNDS} rounds, seed ${SEED}`, (mode) => {
  it.concurrent.each(Array.from({ length: LANES }, (_, lane) => lane))(
    'lane %i: every executed call was admitted, no answered one is lost, and the chain holds',
    // What is lost once is lost: no second try.
    { timeout: 60_000 + ROUNDS * 10_000, retry: 0 },
    async (number) => {
      const lane: Lane = {
        mode,
        stateDir: newTestFolder(),
        upstream: await startWitness(),
        random: new FixedRandom(SEED + number),
        answered: [],
        startMs: [],
      };
      let seen: Awaited<ReturnType<typeof verifyAudit>>[number]['last'] | undefined;
      for (let round = number; round < ROUNDS; round += LANES) {
        await liveAndDie(lane, `${round}`);
        const reports = await verifyAudit(lane.stateDir, seen && { expected: seen });
        // One chain: whoever is killed leaves it to the next.
        expect(reports.length, `round ${round}`).toBeLessThan(2);
        expect(reports[0]?.bad, `round ${round}`).toBeUndefined();
        seen = reports[0]?.last;
      }
      const executed = lane.upstream.executed();
      const admitted = await readAdmitted(lane.stateDir);
      expect([...executed.keys()].filter((id) => !admitted.has(id))).toEqual([]);
      expect(lane.answered.filter((id) => !admitted.has(id))).toEqual([]);
      expect(lane.answered.filter((id) => !executed.has(id))).toEqual([]);
      // It was load, and callers were answered.
      expect(lane.answered.length).toBeGreaterThan(ROUNDS / 4);
      lane.startMs.sort((a, b) => a - b);
      const [half, worst] = [lane.startMs[lane.startMs.length >> 1] ?? 0, lane.startMs.at(-1) ?? 0];
      console.log(
        `kill -9, ${mode}, lane ${number}, seed ${SEED}: ${executed.size} calls executed, ${lane.answered.length} answered, ` +
          `${seen?.seq} records; started again in ${half.toFixed(0)} ms (median), ${worst.toFixed(0)} ms at the most`,
      );
    },
  );
});
