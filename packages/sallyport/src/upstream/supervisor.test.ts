import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { childSettings, HearingSink, isRunning, stdioSettings } from '../../test/stdio-child.ts';
import { waitFor } from '../../test/wait-for.ts';
import type { ServerSettings } from '../config/settings.ts';
import { systemClock } from '../core/clock.ts';
import { FaultError } from '../core/errors.ts';
import { silentLog } from '../core/log.ts';
import { createIsolation, type Isolate, probeIsolation } from './isolation.ts';
import { RESTART_RULES } from './restart-gate.ts';
import { createSupervisor, type Supervisor, type SupervisorOptions } from './supervisor.ts';

const PATIENCE = { stdinMs: 100, termMs: 100, killMs: 1000 };
const HIDDEN = mkdtempSync(join(tmpdir(), 'sallyport-state-'));
afterAll(() => rmSync(HIDDEN, { recursive: true }));
const isolation = await probeIsolation(HIDDEN);
const MANNERS: readonly [name: string, isolate: Isolate | undefined][] = [
  ['as it is', undefined],
  ...(isolation.kind === 'works' ? [['isolated', createIsolation(HIDDEN)] as [string, Isolate]] : []),
];

describe.each(MANNERS)('a child started %s', (_, isolate) => {
  let supervisor: Supervisor;

  function create(options: Partial<SupervisorOptions> = {}): Supervisor {
    const how = isolate === undefined ? {} : { isolate };
    supervisor = createSupervisor({ log: silentLog, clock: systemClock, patience: PATIENCE, ...how, ...options });
    return supervisor;
  }

  afterEach(() => supervisor.close());

  async function toFault(promise: Promise<unknown>): Promise<FaultError> {
    const error = await promise.then(
      () => undefined,
      (reason: unknown) => reason,
    );
    expect(error).toBeInstanceOf(FaultError);
    return error as FaultError;
  }

  async function allGone(pids: readonly number[]): Promise<void> {
    await waitFor(() => expect(pids.filter(isRunning)).toEqual([]));
  }

  describe('a start that fails', () => {
    let folder: string;
    beforeEach(() => {
      folder = mkdtempSync(join(tmpdir(), 'sallyport-'));
    });
    afterEach(() => rmSync(folder, { recursive: true }));

    function file(name: string, text: string, mode: number): string {
      const path = join(folder, name);
      writeFileSync(path, text);
      chmodSync(path, mode);
      return path;
    }

    const table: [name: string, settings: () => ServerSettings, code: string, message: RegExp][] = [
      [
        'no such command',
        () => stdioSettings('no-such-command', []),
        'ENOENT',
        /the command "no-such-command" was not found\. Install it, or give its full path in "command"/,
      ],
      [
        'a program people forget',
        () => stdioSettings('uvx', [], { env: { PATH: '/nowhere' } }),
        'ENOENT',
        /was not found\. Install uv, which brings uvx/,
      ],
      [
        'a whole command line',
        () => stdioSettings('node server.js', []),
        'ENOENT',
        /put the program alone into "command" and the rest into "args"/,
      ],
      ['no such path', () => stdioSettings(join(folder, 'missing'), []), 'ENOENT', /Correct the path in "command"/],
      [
        'no such interpreter',
        () => stdioSettings(file('a', '#!/no/such/shell\n', 0o755), []),
        'ENOENT',
        /interpreter named in its first line is missing/,
      ],
      [
        'no such directory',
        () => stdioSettings(process.execPath, [], { cwd: join(folder, 'missing') }),
        'ENOENT',
        /its working directory ".*missing" does not exist\. Create it or correct "cwd"\./,
      ],
      [
        'not executable',
        () => stdioSettings(file('b', 'x', 0o644), []),
        'EACCES',
        /may not be executed\. Make it executable \(chmod \+x\)/,
      ],
      ['a directory', () => stdioSettings(folder, []), 'EACCES', /may not be executed/],
      [
        'arguments too large',
        () => stdioSettings(process.execPath, ['x'.repeat(3_000_000)]),
        'E2BIG',
        /Shorten "args" or "env"/,
      ],
    ];
    it.each(table)('says why and what to do: %s', async (_, settings, code, message) => {
      const sink = new HearingSink();
      const fault = await toFault(create().openWire(settings(), sink));
      expect(fault).toMatchObject({ code: 'unreachable', data: { code } });
      expect(fault.message).toMatch(/^The server "subject" could not be started: /);
      expect(fault.message).toMatch(message);
      expect(supervisor.report('subject')?.startFailure).toBe(fault.message);
      expect(sink.faults).toEqual([]);
    });

    it('forgets the failure with the next start that succeeds', async () => {
      await toFault(create().openWire(stdioSettings('no-such-command', []), new HearingSink()));
      await supervisor.openWire(childSettings('echo'), new HearingSink());
      expect(supervisor.report('subject')).toMatchObject({ startFailure: undefined, quickDeaths: 0 });
    });
  });

  it('keeps its own secrets from children', async () => {
    create({ environment: { PATH: process.env.PATH, SALLYPORT_KEY: 'secret' } });
    const sink = new HearingSink();
    const print = 'console.log(JSON.stringify({ env: process.env }))';
    await supervisor.openWire(stdioSettings(process.execPath, ['-e', print], { env: { OWN: '1' } }), sink);
    await sink.until(() => sink.messages.length > 0);
    expect(JSON.parse(sink.texts[0] ?? '')).toEqual({ env: { PATH: process.env.PATH, OWN: '1' } });
  });

  describe('a group', () => {
    it('is ended whole, whatever it ignores', async () => {
      const sink = new HearingSink();
      const wire = await create().openWire(childSettings('stubborn'), sink);
      await sink.until(() => sink.messages.length > 0);
      const { pids } = JSON.parse(sink.texts[0] ?? '') as { pids: number[] };
      expect(pids.map(isRunning)).toEqual([true, true, true]);
      expect(supervisor.pids('subject')).toEqual([pids[0]]);
      await wire.close();
      await allGone(pids);
      expect(supervisor.report('subject')?.exit).toMatchObject({ signal: 'SIGKILL', planned: true });
    });

    it('is ended whole when its leader leaves', async () => {
      const sink = new HearingSink();
      await create().openWire(childSettings('stubborn', ['leave']), sink);
      await sink.lostFault();
      const { pids } = JSON.parse(sink.texts[0] ?? '') as { pids: number[] };
      expect(pids).toHaveLength(3);
      await allGone(pids);
    });

    it('is not waited for when a process that left it holds the pipes', async () => {
      const leave = `const own = require('child_process').spawn('sleep', ['30'], { detached: true, stdio: 'inherit' });
      console.log(JSON.stringify({ pid: own.pid })); process.exit(0)`;
      const sink = new HearingSink();
      await create().openWire(stdioSettings(process.execPath, ['-e', leave]), sink);
      expect((await sink.lostFault()).message).toContain('exited with code 0');
      process.kill((JSON.parse(sink.texts[0] ?? '') as { pid: number }).pid, 'SIGKILL');
    });

    it('is ended above its memory limit, counting all members', async () => {
      const sink = new HearingSink();
      create({ memoryPollMs: 50 });
      await supervisor.openWire(childSettings('hungry', ['200'], { memoryMb: 200 }), sink);
      const fault = await sink.lostFault();
      expect(fault.code).toBe('unreachable');
      expect(fault.message).toMatch(/because it used \d{3} MiB of memory, more than the 200 MiB its settings allow/);
      expect(supervisor.report('subject')?.exit?.reason).toMatch(/^used \d+ MiB/);
    });

    it('lives below its memory limit', async () => {
      const sink = new HearingSink();
      create({ memoryPollMs: 10 });
      const wire = await supervisor.openWire(childSettings('echo', [], { memoryMb: 1000 }), sink);
      for (let i = 0; i < 50; i++) {
        wire.send({ text: '{"id":1}', id: 1 });
        await sink.until(() => sink.messages.length > i);
      }
      expect(sink.faults).toEqual([]);
    });
  });

  describe('a child that keeps dying', () => {
    const crash = childSettings('say', [[{ err: 'Error: no licence\n' }, { exit: 9 }]]);
    const rules = { ...RESTART_RULES, firstDelayMs: 1 };

    async function dieOnce(): Promise<void> {
      const sink = new HearingSink();
      await supervisor.openWire(crash, sink);
      await sink.lostFault();
    }

    it('is started again only after a wait', async () => {
      create({ rules: { ...rules, firstDelayMs: 300 } });
      await dieOnce();
      const { retryAt, quickDeaths } = supervisor.report('subject') ?? {};
      expect(quickDeaths).toBe(1);
      await dieOnce();
      expect(supervisor.report('subject')?.startedAt).toBeGreaterThanOrEqual(retryAt ?? Number.POSITIVE_INFINITY);
    });

    it('is refused after five deaths, with the reason and the time', async () => {
      create({ rules });
      for (let i = 0; i < 5; i++) await dieOnce();
      const fault = await toFault(supervisor.openWire(crash, new HearingSink()));
      expect(fault.code).toBe('unreachable');
      expect(fault.message).toMatch(
        /^The server "subject" keeps ending right after its start: 5 times in a row\. The last one exited with code 9 after [\d.]+ s\. The next try is allowed in (5|4) s\. Its last lines on stderr:\n {2}Error: no licence$/,
      );
      expect(supervisor.pids('subject')).toEqual([]);
    });

    it('is tried again later, when forgiven, and under other settings', async () => {
      let now = 1_000_000;
      create({ rules, clock: { now: () => now } });
      const dieFive = async (): Promise<void> => {
        for (let i = 0; i < 5; i++) {
          await dieOnce();
          now += 1000;
        }
        await toFault(supervisor.openWire(crash, new HearingSink()));
      };
      await dieFive();
      now += 30_000;
      await dieOnce();
      await toFault(supervisor.openWire(crash, new HearingSink()));
      supervisor.forgive('subject');
      await dieFive();
      const wire = await supervisor.openWire(childSettings('echo'), new HearingSink());
      await wire.close();
    });

    it('does not count ends on purpose', async () => {
      create({ rules });
      for (let i = 0; i < 6; i++) await (await supervisor.openWire(childSettings('echo'), new HearingSink())).close();
      expect(supervisor.report('subject')).toMatchObject({ quickDeaths: 0, retryAt: undefined });
    });

    it('stops waiting when the start is cancelled or Sallyport stops', async () => {
      create({ rules: { ...rules, firstDelayMs: 30_000 } });
      await dieOnce();
      const abort = new AbortController();
      const cancelled = toFault(supervisor.openWire(crash, new HearingSink(), abort.signal));
      const drained = toFault(supervisor.openWire(crash, new HearingSink()));
      abort.abort();
      expect((await cancelled).code).toBe('cancelled');
      await supervisor.close();
      expect((await drained).code).toBe('draining');
      expect((await toFault(supervisor.openWire(crash, new HearingSink()))).code).toBe('draining');
    });
  });

  describe('close', () => {
    it('ends all children at once, tells their wires, and may be called again', async () => {
      create();
      const sinks = [new HearingSink(), new HearingSink(), new HearingSink()];
      await Promise.all(sinks.map((sink) => supervisor.openWire(childSettings('stubborn'), sink)));
      await Promise.all(sinks.map((sink) => sink.until(() => sink.messages.length > 0)));
      expect(supervisor.pids('subject')).toHaveLength(3);
      await Promise.all([supervisor.close(), supervisor.close()]);
      await allGone(sinks.flatMap((sink) => (JSON.parse(sink.texts[0] ?? '') as { pids: number[] }).pids));
      expect(supervisor.pids('subject')).toEqual([]);
      expect(sinks.map((sink) => sink.faults.map((fault) => fault.code))).toEqual([
        ['unreachable'],
        ['unreachable'],
        ['unreachable'],
      ]);
    });
  });

  it('counts lines that only looked like messages', async () => {
    const wire = await create().openWire(childSettings('echo'), new HearingSink());
    supervisor.noteNoise('subject', Buffer.from('{"level":"info"}'));
    supervisor.noteNoise('unknown', Buffer.from('x'));
    expect(supervisor.report('subject')?.noise).toEqual({ count: 1, last: ['{"level":"info"}'] });
    expect(supervisor.report('unknown')).toBeUndefined();
    await wire.close();
  });
});
