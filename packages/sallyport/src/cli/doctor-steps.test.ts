import { expect, test } from 'vitest';
import { FaultError } from '../core/errors.ts';
import { createOrderedPrinter, exitOf, toLines, toSummary } from './doctor-report.ts';
import { type Finding, runSteps, type Step, type StepReport } from './doctor-steps.ts';

const step = (name: string, run: Step['run'], more: Partial<Step> = {}): Step => ({
  name,
  exit: 4,
  deadlineMs: 1000,
  run,
  ...more,
});
const ok = (): Finding => ({ outcome: 'ok', detail: 'fine' });
const bad = (): Finding => ({ outcome: 'failed', detail: 'broken', fix: 'mend it' });

async function run(steps: readonly Step[], more: { signal?: AbortSignal; independent?: boolean } = {}) {
  const heard: StepReport[] = [];
  const signal = more.signal ?? new AbortController().signal;
  const reports = await runSteps(steps, {
    signal,
    independent: more.independent ?? false,
    report: (each) => heard.push(each),
  });
  expect(heard).toEqual(reports);
  return reports;
}

test('after the first failure nothing is reached', async () => {
  const reports = await run([step('a', ok), step('b', bad), step('c', ok)]);
  expect(reports.map(({ outcome }) => outcome)).toEqual(['ok', 'failed', 'not_reached']);
  expect(exitOf([{ name: 'x', kind: 'http', steps: reports }])).toBe(4);
});

test('independent steps are all run', async () => {
  const reports = await run([step('b', bad), step('c', ok)], { independent: true });
  expect(reports.map(({ outcome }) => outcome)).toEqual(['failed', 'ok']);
});

test('a step that never ends is given up, and told so', async () => {
  let aborted = false;
  const endless = step(
    'never',
    (signal) => {
      signal.addEventListener('abort', () => {
        aborted = true;
      });
      return new Promise(() => {});
    },
    { deadlineMs: 20, late: (seconds) => ({ detail: `late after ${seconds}`, fix: 'wait' }) },
  );
  expect(await run([endless])).toMatchObject([{ outcome: 'failed', detail: 'late after 20 ms', fix: 'wait' }]);
  expect(aborted).toBe(true);
});

test('what is thrown is a failure with the exit code of its fault', async () => {
  const thrown = step('a', () => {
    throw new FaultError('upstream_unauthenticated', 'no entry');
  });
  expect(await run([thrown])).toMatchObject([{ outcome: 'failed', detail: 'no entry', exit: 3 }]);
  const inside = step('a', () => Promise.reject(new Error('odd')));
  expect(await run([inside])).toMatchObject([{ outcome: 'failed', detail: expect.stringContaining('odd'), exit: 1 }]);
});

test('Ctrl-C ends it', async () => {
  const interrupt = new AbortController();
  const waiting = step('a', () => {
    interrupt.abort();
    return new Promise(() => {});
  });
  await expect(run([waiting], { signal: interrupt.signal })).rejects.toMatchObject({ code: 'cancelled' });
});

test('lines for people', () => {
  const report: StepReport = { step: 'tls', outcome: 'failed', ms: 12, detail: 'one\ntwo', fix: 'three', exit: 4 };
  expect(toLines(report)).toBe(`  ✗ TLS             one (12 ms)\n${' '.repeat(20)}two\n${' '.repeat(20)}Fix: three\n`);
  expect(toSummary([{ name: 'hub', kind: 'http', steps: [report] }])).toBe('Something is wrong with hub.\n');
  expect(toSummary([{ name: 'hub', kind: 'http', steps: [{ ...report, outcome: 'warning' }] }])).toBe(
    'All good. 1 warning.\n',
  );
});

test('what several say at once is printed one after another', () => {
  let printed = '';
  const printer = createOrderedPrinter(3, (text) => {
    printed += text;
  });
  printer.say(1, 'b1 ');
  printer.say(0, 'a1 ');
  printer.finish(1);
  printer.say(2, 'c1 ');
  printer.say(0, 'a2 ');
  expect(printed).toBe('a1 a2 ');
  printer.finish(0);
  expect(printed).toBe('a1 a2 b1 c1 ');
  printer.say(2, 'c2');
  expect(printed).toBe('a1 a2 b1 c1 c2');
});
