import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { childSettings, HearingSink } from '../../test/stdio-child.ts';
import type { ServerSettings } from '../config/settings.ts';
import { systemClock } from '../core/clock.ts';
import { silentLog } from '../core/log.ts';
import { createIsolation, type Isolate, probeIsolation } from './isolation.ts';
import { isMessage, type StdioLimits } from './stdio-wire.ts';
import { createSupervisor, type Supervisor } from './supervisor.ts';
import type { Wire } from './wire.ts';

const HIDDEN = mkdtempSync(join(tmpdir(), 'sallyport-state-'));
afterAll(() => rmSync(HIDDEN, { recursive: true }));
const isolation = await probeIsolation(HIDDEN);
const MANNERS: readonly [name: string, isolate: Isolate | undefined][] = [
  ['as it is', undefined],
  ...(isolation.kind === 'works' ? [['isolated', createIsolation(HIDDEN)] as [string, Isolate]] : []),
];

describe.each(MANNERS)('of a child started %s', (_, isolate) => {
  let supervisor: Supervisor;

  afterEach(() => supervisor.close());

  async function open(settings: ServerSettings, limits?: StdioLimits): Promise<{ wire: Wire; sink: HearingSink }> {
    const patience = { stdinMs: 500, termMs: 500, killMs: 1000 };
    const own = limits === undefined ? {} : { limits };
    supervisor = createSupervisor({
      log: silentLog,
      clock: systemClock,
      patience,
      ...own,
      ...(isolate === undefined ? {} : { isolate }),
    });
    const sink = new HearingSink();
    return { wire: await supervisor.openWire(settings, sink), sink };
  }

  const MIB = 1024 * 1024;

  describe('what a child writes', () => {
    const table: [name: string, steps: unknown[], messages: string[], noise: string[]][] = [
      ['a message', [{ out: '{"a":1}\n' }], ['{"a":1}'], []],
      [
        'a message in pieces',
        [{ out: '{"a"' }, { pause: 30 }, { out: ':1' }, { pause: 30 }, { out: '}\n' }],
        ['{"a":1}'],
        [],
      ],
      ['a character in pieces', [{ hex: '7b2261223a22c3' }, { pause: 30 }, { hex: 'a4227d0a' }], ['{"a":"ä"}'], []],
      ['CRLF', [{ out: '{"a":1}\r\n{"b":2}\r\n' }], ['{"a":1}', '{"b":2}'], []],
      ['empty lines', [{ out: '\n\n  \n{"a":1}\n\n' }], ['{"a":1}'], []],
      ['a batch', [{ out: '[{"a":1}]\n' }], ['[{"a":1}]'], []],
      ['noise before', [{ out: 'Loading…\n{"a":1}\n' }], ['{"a":1}'], ['Loading…']],
      ['noise between', [{ out: '{"a":1}\n[INFO] up\n{"b":2}\n' }], ['{"a":1}', '{"b":2}'], ['[INFO] up']],
      ['a half message, then exit', [{ out: '{"a":1}\n{"b"' }], ['{"a":1}'], ['{"b"']],
    ];
    it.each(table)('%s', async (_, steps, messages, noise) => {
      const { sink } = await open(childSettings('say', [[...steps, { exit: 0 }]]));
      await sink.lostFault();
      expect(sink.texts).toEqual(messages);
      expect(supervisor.report('subject')?.noise).toEqual({ count: noise.length, last: noise });
    });

    it('keeps bytes that are no UTF-8', async () => {
      const { sink } = await open(childSettings('say', [[{ hex: '7b22ff223a31fe7d0a' }, { exit: 0 }]]));
      await sink.until(() => sink.messages.length > 0);
      expect(sink.messages[0]?.toString('hex')).toBe('7b22ff223a31fe7d');
    });

    it.each([100 * 1024, 4 * MIB])('carries a message of %i bytes', async (size) => {
      const { wire, sink } = await open(childSettings('echo'));
      const text = JSON.stringify({ pad: 'x'.repeat(size) });
      wire.send({ text, id: 1 });
      await sink.until(() => sink.messages.length > 0);
      expect(sink.texts[0] === text).toBe(true);
    });

    it('counts noise and keeps the last lines, without control characters and credentials', async () => {
      const lines = Array.from({ length: 100 }, (_, i) => `line ${i} \u001b[31msk-123456789\u001b[0m\n`).join('');
      const settings = childSettings('say', [[{ out: lines }, { exit: 0 }]], { env: { API_KEY: 'sk-123456789' } });
      const { sink } = await open(settings);
      await sink.lostFault();
      const noise = supervisor.report('subject')?.noise;
      expect(noise?.count).toBe(100);
      expect(noise?.last).toHaveLength(20);
      expect(noise?.last.at(-1)).toBe('line 99 [API_KEY]');
    });

    it.each(['{"jsonrpc":"2.0","method":"x"}', 'noise', ''])(
      'lets others have their turn while %j pours in',
      async (line) => {
        const { wire, sink } = await open(childSettings('flood', [line]));
        if (line.startsWith('{')) await sink.until(() => sink.messages.length > 100_000);
        const quiet = new HearingSink();
        const other = await supervisor.openWire({ ...childSettings('echo'), name: 'other' }, quiet);
        for (let i = 0; i < 20; i++) {
          other.send({ text: `{"id":${i}}`, id: i });
          await quiet.until(() => quiet.messages.length > i);
        }
        await wire.close();
        await other.close();
      },
    );

    it('ends a child that writes a line without end', async () => {
      const { sink } = await open(childSettings('say', [[{ repeat: ['x', 1_000_001] }, { stay: true }]]), {
        lineBytes: MIB / 2,
        queuedBytes: MIB,
      });
      const fault = await sink.lostFault();
      expect(fault.code).toBe('unreachable');
      expect(fault.message).toMatch(
        /^The server "subject" was ended by Sallyport after [\d.]+ s because it wrote a line of more than 0.5 MiB to stdout\. It wrote nothing to stderr\.$/,
      );
      expect(supervisor.pids('subject')).toEqual([]);
    });
  });

  describe('what is sent', () => {
    it('arrives in order, one line each, joined or not', async () => {
      const { wire, sink } = await open(childSettings('echo'));
      const texts = Array.from({ length: 1000 }, (_, i) => `{"id":${i},"pad":"${'x'.repeat(i)}"}`);
      for (const text of texts.slice(0, 500)) wire.send({ text, id: 1 });
      await sink.until(() => sink.messages.length > 0);
      for (const text of texts.slice(500)) wire.send({ text, id: 1 });
      await sink.until(() => sink.messages.length === texts.length);
      expect(sink.texts).toEqual(texts);
    });

    it('is written in as few pieces as there are turns', async () => {
      const { wire, sink } = await open(childSettings('pieces'));
      for (let i = 0; i < 100; i++) wire.send({ text: `{"id":${i}}`, id: i });
      await sink.until(() => sink.messages.length > 0);
      expect(sink.texts[0]).toBe('{"lines":100}');
    });

    it('keeps a message with line breaks in it one message', async () => {
      const { wire, sink } = await open(childSettings('echo'));
      wire.send({ text: '{\r\n  "a": "b\\n",\n  "c": 1\n}', id: 1 });
      await sink.until(() => sink.messages.length > 0);
      expect(sink.texts).toEqual(['{   "a": "b\\n",   "c": 1 }']);
    });

    it('keeps binary strings as bytes', async () => {
      const { wire, sink } = await open(childSettings('echo'));
      wire.send({ text: Buffer.from('{"a":"ä€😀"}').toString('latin1'), id: 1 });
      await sink.until(() => sink.messages.length > 0);
      expect(sink.texts).toEqual(['{"a":"ä€😀"}']);
    });

    it('is refused when a child does not read and too much waits', async () => {
      const { wire, sink } = await open(childSettings('say', [[{ stay: true }]]));
      const text = `{"pad":"${'x'.repeat(4 * MIB)}"}`;
      for (let id = 1; id <= 20; id++) wire.send({ text, id });
      await sink.until(() => sink.failures.length > 0);
      expect(sink.failures.map(({ id }) => id)).toEqual([16, 17, 18, 19, 20]);
      expect(sink.failures[0]?.fault).toMatchObject({
        code: 'overloaded',
        message: 'The server "subject" does not read what it is sent; try again later.',
      });
      expect(sink.faults).toEqual([]);
    });

    it('fails for its request when the child has ended', async () => {
      const { wire, sink } = await open(childSettings('say', [[{ exit: 0 }]]));
      await sink.lostFault();
      wire.send({ text: '{"id":7}', id: 7 });
      expect(sink.failures).toEqual([]);
      await sink.until(() => sink.failures.length > 0);
      expect(sink.failures).toMatchObject([{ id: 7, fault: { code: 'unreachable' } }]);
    });
  });

  describe('the end of a child', () => {
    it('is told with exit code and the last lines of stderr', async () => {
      const err = `${Array.from({ length: 300 }, (_, i) => `note ${i}`).join('\n')}\nError: no key\u001b[0m`;
      const { sink } = await open(childSettings('say', [[{ err }, { exit: 3 }]]));
      const fault = await sink.lostFault();
      expect(fault.code).toBe('unreachable');
      expect(fault.message).toMatch(
        /^The server "subject" exited with code 3 after [\d.]+ s\. Its last lines on stderr:\n/,
      );
      expect(fault.message.split('\n').slice(1)).toEqual([
        '  note 296',
        '  note 297',
        '  note 298',
        '  note 299',
        '  Error: no key',
      ]);
      const report = supervisor.report('subject');
      expect(report).toMatchObject({ exit: { code: 3, signal: undefined, reason: undefined, planned: false } });
      expect(report?.stderr).toHaveLength(200);
    });

    it('is told with its signal', async () => {
      const { sink } = await open(childSettings('say', [[{ kill: 'SIGSEGV' }, { stay: true }]]));
      expect((await sink.lostFault()).message).toMatch(/was killed by SIGSEGV after/);
    });

    it('says that a line was not finished', async () => {
      const { sink } = await open(childSettings('say', [[{ out: '{"jsonrpc":' }, { exit: 1 }]]));
      expect((await sink.lostFault()).message).toMatch(/exited with code 1 after [\d.]+ s in the middle of a line\./);
    });

    it('comes when it closes its stdin and stays', async () => {
      const { wire, sink } = await open(
        childSettings('say', [[{ shut: 'stdin' }, { out: '{"up":1}\n' }, { stay: true }]]),
      );
      await sink.until(() => sink.messages.length > 0);
      wire.send({ text: '{"id":1}', id: 1 });
      expect((await sink.lostFault()).message).toContain('because it closed its stdin');
    });

    it('comes when it closes its stdout and stays', async () => {
      const { sink } = await open(childSettings('say', [[{ shut: 'stdout' }, { stay: true }]]));
      expect((await sink.lostFault()).message).toContain('because it closed its stdout');
    });

    it('is not told to who closed the wire', async () => {
      const { wire, sink } = await open(childSettings('echo'));
      wire.send({ text: '{"last":1}', id: 1 });
      await Promise.all([wire.close(), wire.close()]);
      expect(supervisor.pids('subject')).toEqual([]);
      expect(supervisor.report('subject')?.exit).toMatchObject({ code: 0, planned: true });
      expect([...sink.texts, ...sink.faults]).toEqual([]);
    });
  });

  it.each([
    ['{"a":1}', true],
    [' \t{ "a":1 } ', true],
    ['[{"a":1},{"b":2}]', true],
    ['[ {"a":1} ]', true],
    ['[INFO] started {x}', false],
    ['[2026-01-01] {"a":1}', false],
    ['{ level: "info" }', false],
    ['{"a":1} trailing', false],
    ['{"a":1', false],
    ['{', false],
    ['{"', false],
    ['[', false],
    ['"text"', false],
    ['123', false],
    ['', false],
  ])('%j is a message: %s', (line, expected) => {
    expect(isMessage(Buffer.from(line))).toBe(expected);
  });
});
