import { execFileSync } from 'node:child_process';
import {
  closeSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as passed } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { readAdmitted, startLoad, startWitness, verifyAudit } from './audited-load.ts';
import { exchange } from './http-exchange.ts';
import { PlainClient, textOf } from './plain-client.ts';
import { newTestFolder, type RunningGateway, startGateway, type WrittenConfig } from './running-sallyport.ts';
import { fillDisk, mountSmallDisk } from './small-disk.ts';
import { waitFor } from './wait-for.ts';

interface Place {
  readonly gateway: RunningGateway;
  /** Of the record. */
  readonly directory: string;
}

interface Trouble {
  readonly name: string;
  readonly problem: RegExp;
  /** Makes it, and returns what mends it. */
  make(place: Place): () => void;
}

const segmentIn = (directory: string) => {
  const names = readdirSync(join(directory, '0')).filter((name) => name.endsWith('.jsonl'));
  return join(directory, '0', names.sort().at(-1) ?? '');
};

/** As somebody does who knows what not to disturb. */
function overwrite(file: string, at: number, text: string): void {
  const open = openSync(file, 'r+');
  writeSync(open, text, at);
  closeSync(open);
}

const limitFiles = ({ gateway }: Place, bytes: string) =>
  execFileSync('prlimit', ['--pid', `${gateway.process.pid}`, `--fsize=${bytes}:`]);

const TROUBLES: readonly Trouble[] = [
  {
    name: 'files may not grow',
    problem: /EFBIG/,
    make(place) {
      limitFiles(place, `${statSync(segmentIn(place.directory)).size + 5_000}`);
      return () => limitFiles(place, 'unlimited');
    },
  },
  {
    name: 'the disk is full',
    problem: /ENOSPC/,
    make: ({ directory }) => fillDisk(directory),
  },
  {
    name: 'the segment is removed',
    problem: /was removed/,
    make({ directory }) {
      const file = segmentIn(directory);
      renameSync(file, `${file}.moved`);
      return () => renameSync(`${file}.moved`, file);
    },
  },
  {
    name: 'the segment is rewritten in place while it is written',
    problem: /was rewritten/,
    make({ directory }) {
      const file = segmentIn(directory);
      const at = readFileSync(file).indexOf('"tool":"echo"');
      overwrite(file, at, '"tool":"ecco"');
      return () => overwrite(file, at, '"tool":"echo"');
    },
  },
  {
    name: 'the folder is replaced',
    problem: /was (removed|replaced)/,
    make({ directory }) {
      const folder = join(directory, '0');
      renameSync(folder, `${folder}.moved`);
      mkdirSync(folder);
      return () => {
        rmSync(folder, { recursive: true });
        renameSync(`${folder}.moved`, folder);
      };
    },
  },
];

describe.each(['strict', 'batched'] as const)('while records cannot be written, mode %s', (mode) => {
  it.each(TROUBLES)('$name: noticed, no call leaves unrecorded, and back when it is mended', async (trouble) => {
    const upstream = await startWitness();
    const directory = join(newTestFolder(), 'audit');
    mountSmallDisk(directory);
    const config = { audit: { mode, directory }, mcpServers: { up: { url: upstream.url } } } as WrittenConfig;
    const gateway = await startGateway(config, ['--no-call-log']);
    const load = startLoad(gateway, mode, 8);
    await waitFor(() => expect(load.answered.length).toBeGreaterThan(50));
    // The first record of a call is on disk.
    await waitFor(() => expect(readFileSync(segmentIn(directory), 'utf8')).toContain('"tool":"echo"'));
    const mend = trouble.make({ gateway, directory });
    await waitFor(() => expect(load.refused.length).toBeGreaterThan(20));
    expect(load.refused[0]).toMatch(/^The call was not made, because it could not be recorded: /);
    expect(load.refused[0]).toMatch(trouble.problem);
    const executed = upstream.executed().size;
    const refused = load.refused.length;
    await waitFor(() => expect(load.refused.length).toBeGreaterThan(refused + 20));
    expect(upstream.executed().size).toBe(executed);
    mend();
    const answered = load.answered.length;
    await waitFor(() => expect(load.answered.length).toBeGreaterThan(answered));
    await load.stop();
    await gateway.process.stop();
    const { stateDir } = gateway.process;
    expect(await verifyAudit(stateDir, { directory })).toMatchObject([{ chain: '0', bad: undefined }]);
    const admitted = await readAdmitted(stateDir, directory);
    expect([...upstream.executed().keys()].filter((id) => !admitted.has(id))).toEqual([]);
    expect(readFileSync(segmentIn(directory), 'utf8')).toMatch(/"kind":"interrupted".*"refused":[1-9]/);
  });
});

/** Nobody empties a disk within a second. */
const OUTAGE_MS = 10_000;
const health = async ({ origin }: RunningGateway) => {
  const { status, body } = await exchange({ url: `${origin}/healthz`, method: 'GET' });
  return { status, body };
};

describe.each(['strict', 'batched'] as const)('while the disk is full for ten seconds, mode %s', (mode) => {
  it.each([
    ['few calls', 1],
    ['many calls', 16],
  ])(
    '%s: refused at once, answered again when there is room, the chain whole, nothing executed without a record',
    async (_, callers) => {
      const upstream = await startWitness();
      const directory = join(newTestFolder(), 'audit');
      mountSmallDisk(directory);
      const config = { audit: { mode, directory }, mcpServers: { up: { url: upstream.url } } } as WrittenConfig;
      const gateway = await startGateway(config, ['--no-call-log']);
      const before = startLoad(gateway, `${mode}-before`, callers);
      await waitFor(() => expect(before.answered.length).toBeGreaterThan(5));
      const makeRoom = fillDisk(directory);
      const fullAt = performance.now();
      await waitFor(() => expect(before.refused.length).toBeGreaterThan(0));
      await before.stop();
      const client = new PlainClient(gateway);
      const times: number[] = [];
      for (let i = 0; performance.now() - fullAt < OUTAGE_MS; i++) {
        const startedAt = performance.now();
        const { error } = await client.callModern('up_echo', { id: `${mode}-full-${i}` });
        times.push(performance.now() - startedAt);
        expect(error?.message).toMatch(/ENOSPC/);
        const isLast = performance.now() - fullAt > OUTAGE_MS - 1_000;
        await passed(callers === 1 && !isLast ? 1_000 : 20);
      }
      expect(await health(gateway)).toEqual({ status: 503, body: 'unrecorded\n' });
      times.sort((a, b) => a - b);
      // Far from the time that a call may wait for its record.
      expect(times[times.length >> 1]).toBeLessThan(1_000);
      makeRoom();
      await waitFor(async () => {
        const answer = await client.callModern('up_echo', { id: `${mode}-after` });
        expect(textOf(answer)).toBe('echo done');
      });
      expect(await health(gateway)).toEqual({ status: 200, body: 'ok\n' });
      await gateway.process.stop();
      const { stateDir } = gateway.process;
      expect(await verifyAudit(stateDir, { directory })).toMatchObject([{ chain: '0', bad: undefined }]);
      const admitted = await readAdmitted(stateDir, directory);
      const executed = [...upstream.executed().keys()];
      expect(executed.filter((id) => !admitted.has(id))).toEqual([]);
      expect(executed.filter((id) => id.includes('-full-'))).toEqual([]);
      const text = readFileSync(segmentIn(directory), 'utf8');
      const refused = [...text.matchAll(/"kind":"interrupted".*"refused":(\d+)/g)].map(([, count]) => Number(count));
      expect(refused.reduce((sum, count) => sum + count, 0)).toBeGreaterThanOrEqual(times.length);
    },
  );
});
