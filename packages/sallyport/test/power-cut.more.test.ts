import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as passed } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { idIn, setUp } from './approvals-set-up.ts';
import { readAdmitted, startLoad, startWitness, verifyAudit } from './audited-load.ts';
import { FixedRandom } from './message-mutator.ts';
import { PlainClient, textOf } from './plain-client.ts';
import { type RunningGateway, startGateway, type WrittenConfig } from './running-sallyport.ts';
import { createSyncedDisk, type SyncedDisk } from './synced-disk.ts';
import { waitFor } from './wait-for.ts';

const MAIN = fileURLToPath(new URL('../bin/sallyport.js', import.meta.url));
const ROUNDS = Number(process.env['SALLYPORT_CUT_ROUNDS'] ?? 10);
const SEED = Number(process.env['SALLYPORT_SEED'] ?? 20_261_122);
const CALLERS = 16;
const WITHIN_MS = 100;
/** What one turn of a busy machine may add to a stated time. Milliseconds. */
const SLACK_MS = 1_000;

const HELD = { timeout: 180_000 };

const startOn = (disk: SyncedDisk, config: unknown) =>
  startGateway(config as WrittenConfig, ['--no-call-log'], disk.env);

/** `sallyport …` on this disk; what it printed, as JSON. */
async function sallyport<T>(disk: SyncedDisk, ...words: string[]): Promise<T> {
  const env = { ...process.env, ...disk.env };
  const { stdout } = await promisify(execFile)(process.execPath, [MAIN, ...words, '--json'], { env });
  return JSON.parse(stdout) as T;
}

/** The power goes: nothing that was not synced is left, and nobody had the time to say goodbye. */
async function cut(gateway: RunningGateway, disk: SyncedDisk): Promise<SyncedDisk> {
  await gateway.process.stop('SIGKILL');
  return disk.cutPower();
}

describe(`a power cut under load, ${ROUNDS} rounds, seed ${SEED}`, () => {
  it.each(['strict', 'batched'] as const)(
    'mode %s: the chain holds, and no more calls are missing than the mode says',
    { timeout: 60_000 + ROUNDS * 15_000 },
    async (mode) => {
      const random = new FixedRandom(SEED);
      const upstream = await startWitness();
      const config = {
        audit: { mode, withinMs: WITHIN_MS, segmentBytes: 65_536 },
        mcpServers: { up: { url: upstream.url } },
      };
      const answered: string[] = [];
      let disk = createSyncedDisk();
      let lost = 0;
      for (let round = 0; round < ROUNDS; round++) {
        const gateway = await startOn(disk, config);
        const load = startLoad(gateway, `${round}`, CALLERS);
        await load.begun;
        await passed(random.below(300));
        disk = await cut(gateway, disk);
        await load.stop();
        answered.push(...load.answered);
        expect(await verifyAudit(disk.stateDir), `round ${round}`).toMatchObject([
          { chain: '0', bad: undefined, killed: round },
        ]);
        const admitted = await readAdmitted(disk.stateDir);
        const missing = [...upstream.executed()].filter(([id]) => id.startsWith(`${round}-`) && !admitted.has(id));
        lost += missing.length;
        const times = missing.map(([, at]) => at);
        // Calls wait once the oldest record that is not on disk is older than the stated time.
        if (mode === 'batched' && missing.length > 0)
          expect(Math.max(...times) - Math.min(...times)).toBeLessThan(WITHIN_MS + SLACK_MS);
        else expect(missing).toEqual([]);
      }
      const admitted = await readAdmitted(disk.stateDir);
      if (mode === 'strict') expect(answered.filter((id) => !admitted.has(id))).toEqual([]);
      // The shim does take what was not synced.
      else expect(lost).toBeGreaterThan(0);
      expect(answered.length).toBeGreaterThan(ROUNDS);
      console.log(`power cut, ${mode}, seed ${SEED}: ${answered.length} calls answered, ${lost} records missing`);
    },
  );
});

describe('what a person decided, when the power goes', () => {
  it('a yes that was given is kept, works once, and does not come back after it was used', HELD, async () => {
    const { config, count } = setUp({ unattended: true });
    let disk = createSyncedDisk();
    let gateway = await startOn(disk, config);
    const ask = async () => (await new PlainClient(gateway).initialize()).call('a_count');
    for (let round = 1; round <= 2; round++) {
      const id = idIn(await ask());
      await sallyport(disk, 'approval', 'allow', id, '--unattended');
      disk = await cut(gateway, disk);
      gateway = await startOn(disk, config);
      expect(textOf(await ask())).toBe('counted');
      expect(count()).toBe(round);
      disk = await cut(gateway, disk);
      gateway = await startOn(disk, config);
      const { approvals } = await sallyport<{ approvals: unknown[] }>(disk, 'approval', 'list');
      expect(approvals).toEqual([]);
    }
    idIn(await ask());
    expect(count()).toBe(2);
  });

  it('a key that was made works, and one that was revoked does not come back', HELD, async () => {
    const config = { mcpServers: {} };
    let disk = createSyncedDisk();
    const made = await sallyport<{ id: string; key: string }>(disk, 'key', 'create', 'ci');
    const knock = async () => {
      disk = disk.cutPower();
      const gateway = await startOn(disk, config);
      const headers = { ...gateway.headers, authorization: `Bearer ${made.key}` };
      const { status } = await new PlainClient({ ...gateway, headers }).askModern('server/discover');
      disk = await cut(gateway, disk);
      return status;
    };
    expect(await knock()).toBe(200);
    await sallyport(disk, 'key', 'revoke', made.id);
    expect(await knock()).toBe(401);
  });
});

describe('a disk that is slow to sync', () => {
  it('many calls share a sync in strict mode, and who needs no record does not wait for one', async () => {
    const upstream = await startWitness();
    const disk = createSyncedDisk({ slowMs: 100 });
    const gateway = await startOn(disk, { audit: { mode: 'strict' }, mcpServers: { up: { url: upstream.url } } });
    const segmentSyncs = () => disk.syncs().filter((path) => path.endsWith('.jsonl')).length;
    const load = startLoad(gateway, 'slow', 64);
    await load.begun;
    const before = { syncs: segmentSyncs(), calls: load.answered.length };
    const pinged = await new PlainClient(gateway).askModern('server/discover');
    expect(pinged.status).toBe(200);
    // A sync takes 100 ms: had the question waited for those before it, others would have been answered meanwhile.
    expect(segmentSyncs() - before.syncs).toBeLessThanOrEqual(1);
    await waitFor(() => expect(load.answered.length).toBeGreaterThan(before.calls + 300));
    const calls = load.answered.length - before.calls;
    expect(segmentSyncs() - before.syncs).toBeLessThan(calls / 8);
    expect(load.refused).toEqual([]);
    await load.stop();
  });
});

describe('a disk that is slow to sync, mode batched', () => {
  it('has no call wait for a sync that is in time, and every call in the file before it leaves', async () => {
    const upstream = await startWitness();
    const disk = createSyncedDisk({ slowMs: 300 });
    const config = { audit: { withinMs: 2_000 }, mcpServers: { up: { url: upstream.url } } };
    const gateway = await startOn(disk, config);
    const segmentSyncs = () => disk.syncs().filter((path) => path.endsWith('.jsonl')).length;
    const load = startLoad(gateway, 'slow', 8);
    await load.begun;
    const before = { syncs: segmentSyncs(), calls: load.answered.length };
    await waitFor(() => expect(load.answered.length).toBeGreaterThan(before.calls + 200));
    expect(segmentSyncs() - before.syncs).toBeLessThan((load.answered.length - before.calls) / 16);
    // The file as it is, not as it is synced.
    await gateway.process.stop('SIGKILL');
    await load.stop();
    expect(load.refused).toEqual([]);
    const admitted = await readAdmitted(disk.stateDir);
    expect([...upstream.executed().keys()].filter((id) => !admitted.has(id))).toEqual([]);
  });
});

describe('a disk that takes writes and fails to sync them, mode batched', () => {
  it('stops calls, goes on when it syncs again, and then a power cut loses none of them', HELD, async () => {
    const upstream = await startWitness();
    let disk = createSyncedDisk();
    const gateway = await startOn(disk, { mcpServers: { up: { url: upstream.url } } });
    const load = startLoad(gateway, 'broken', 8);
    await load.begun;
    const mend = disk.breakSyncs();
    await waitFor(() => expect(load.refused.length).toBeGreaterThan(20));
    expect(load.refused.at(-1)).toMatch(/could not be recorded: .*EIO/);
    mend();
    const answered = load.answered.length;
    await waitFor(() => expect(load.answered.length).toBeGreaterThan(answered + 8));
    await load.stop();
    // A seal comes after its records are synced.
    const lastSeal = () => readFileSync(join(disk.stateDir, 'audit/0/head.json'), 'utf8');
    const sealed = lastSeal();
    await waitFor(() => expect(lastSeal()).not.toBe(sealed));
    disk = await cut(gateway, disk);
    expect(await verifyAudit(disk.stateDir)).toMatchObject([{ chain: '0', bad: undefined }]);
    const admitted = await readAdmitted(disk.stateDir);
    expect([...upstream.executed().keys()].filter((id) => !admitted.has(id))).toEqual([]);
  });
});
