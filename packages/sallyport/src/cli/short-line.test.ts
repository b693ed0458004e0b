import { describe, expect, it } from 'vitest';
import { createShortLines } from './short-line.ts';
import { createStyle } from './style.ts';

const SCREEN = { isTTY: true } as Parameters<typeof createStyle>[0];
const plain = createStyle(SCREEN, { NO_COLOR: '1' });
const time = new Date(2026, 10, 23, 9, 5, 7).toISOString();

function show(entry: object, { isDetailed = false, columns = 200, style = plain } = {}): string {
  return createShortLines({ style, isDetailed, columns: () => columns })(`${JSON.stringify({ time, ...entry })}\n`);
}

describe('a line of the log on a terminal', () => {
  const CASES: readonly (readonly [entry: object, line: string])[] = [
    [
      { level: 'warn', upstream: 'a', code: 'unreachable', reason: 'no', msg: 'Connecting failed' },
      '! a Connecting failed: no',
    ],
    [
      { level: 'error', error: { type: 'Error', message: 'full', stack: 's' }, msg: 'not written' },
      '✗ not written: full',
    ],
    [{ level: 'info', upstream: 'a', items: ['tools/b', 'tools/c'], count: 2, msg: 'seen' }, '· a 2 tools: seen'],
    [{ level: 'info', upstream: 'a', items: ['program'], count: 1, msg: 'seen' }, '· a program: seen'],
    [{ level: 'warn', upstream: 'a', pid: 7, exit: { code: 3 }, msg: 'Child died' }, '! a Child died: exit 3'],
    [{ level: 'info', msg: 'call', upstream: 'a', tool: 't', outcome: 'ok', ms: 3.25 }, '✓ a › t ok in 3.3 ms'],
    [
      {
        level: 'info',
        msg: 'call',
        upstream: 'a',
        tool: 't',
        outcome: 'denied',
        guard: 'policy',
        reason: 'No.',
        ms: 12.4,
      },
      '! a › t denied in 12 ms: (policy) No.',
    ],
    [
      { level: 'info', msg: 'call', upstream: 'a', tool: 't', outcome: 'failed', reason: 'gone', ms: 1 },
      '✗ a › t failed in 1.0 ms: gone',
    ],
  ];
  it.each(CASES)('%j', (entry, line) => {
    expect(show(entry)).toBe(`09:05:07 ${line}\n`);
  });

  it('leaves everyday events out unless details are asked for', () => {
    const entry = { level: 'info', upstream: 'a', pid: 7, msg: 'Child started' };
    expect(show(entry)).toBe('');
    expect(show(entry, { isDetailed: true })).toBe('09:05:07 · a Child started\n');
  });

  it('breaks long lines between words, under their text', () => {
    const lines = show({ level: 'warn', upstream: 'a', msg: 'one two three', reason: 'four\n  five' }, { columns: 24 });
    expect(lines).toBe('09:05:07 ! a one two\n           three: four\n             five\n');
  });

  it('colours the time, the symbol and the server, and nothing that a server said', () => {
    const style = createStyle(SCREEN, { TERM: 'xterm' });
    const line = show({ level: 'warn', upstream: 'a\u001b[31m', msg: 'x', reason: 'red \u001b[31m' }, { style });
    expect(line).toBe(
      '\u001b[2m09:05:07\u001b[22m \u001b[33m!\u001b[39m \u001b[1ma\\u{1b}[31m\u001b[22m x: red \\u{1b}[31m\n',
    );
  });

  it('passes on what is no JSON, harmless', () => {
    expect(createShortLines({ style: plain, isDetailed: false, columns: () => 80 })('oops \u001b[2J\n')).toBe(
      'oops \\u{1b}[2J\n',
    );
  });
});

describe('colours', () => {
  const CASES: readonly (readonly [name: string, isTTY: boolean, env: Record<string, string>, isColoured: boolean])[] =
    [
      ['a terminal', true, {}, true],
      ['an empty NO_COLOR', true, { NO_COLOR: '' }, true],
      ['NO_COLOR', true, { NO_COLOR: '1' }, false],
      ['a dumb terminal', true, { TERM: 'dumb' }, false],
      ['no terminal', false, {}, false],
    ];
  it.each(CASES)('%s', (_, isTTY, env, isColoured) => {
    const screen = { isTTY } as Parameters<typeof createStyle>[0];
    expect(createStyle(screen, env).red('x') !== 'x').toBe(isColoured);
  });
});
