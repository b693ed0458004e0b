import { expect } from 'vitest';
import type { Cell } from '../cell.ts';
import type { Fields } from '../cells.ts';
import type { Heard } from '../raw-client.ts';
import type { Scenario } from './scenario.ts';

const isProgress = ({ message }: Heard) => message.method === 'notifications/progress';

export const progress: Scenario = {
  title: 'Progress',
  proves:
    'each step, in order, before the result, under the client’s own token (text or number) and on the stream of its request; none for a client that asked for none',
  async run(cell) {
    for (const progressToken of ['token é', 0, 41]) {
      const answer = await cell.tool('test_slow', { steps: 3, delay_ms: 1 }, { meta: { progressToken } });
      const heard = answer.before.filter(isProgress);
      expect(heard.map(({ message }) => message.params)).toEqual(
        [1, 2, 3].map((step) => ({ progressToken, progress: step, total: 3, message: `step ${step}` })),
      );
      if (cell.row.front === 'http') expect(heard.every(({ via }) => via !== undefined)).toBe(true);
    }
    const silent = await cell.tool('test_slow', { steps: 2, delay_ms: 1 });
    expect(silent.before.filter(isProgress)).toEqual([]);
  },
};

export const cancellation: Scenario = {
  title: 'Cancellation',
  proves: 'a cancelled call stops at the upstream and is not answered; the next call works',
  async run(cell) {
    const before = Number(await cell.textOf('cancel_count'));
    const from = cell.client.heard.length;
    const call = cell.client.request(
      'tools/call',
      { name: cell.name('test_slow'), arguments: { steps: 2_000, delay_ms: 10 } },
      { meta: { progressToken: 'to be cancelled' } },
    );
    await cell.client.waitFor('progress', isProgress, from);
    await call.cancel();
    // Each look is a round trip through the whole chain: the count itself is the event waited for.
    await expect.poll(() => cell.textOf('cancel_count')).toBe(String(before + 1));
    const late = await Promise.race([call.answer.catch(() => undefined), Promise.resolve(undefined)]);
    // Where one channel carries everything nothing is said any more; an HTTP exchange has to end, with an error.
    if (cell.row.front === 'http') expect(late?.result).toBeUndefined();
    else expect(late).toBeUndefined();
  },
};

export const logging: Scenario = {
  title: 'Logging',
  proves: 'messages from the level the client chose on, with logger and data as sent, on the stream of their request',
  async run(cell) {
    const data = { said: 'é', list: [1, null] };
    const meta = cell.modern ? { meta: { 'io.modelcontextprotocol/logLevel': 'warning' } } : {};
    if (!cell.modern) {
      const first = await cell.tool('test_log', { level: 'info', data });
      // A modern server is told a level with each call, and this client has none yet. On a shared connection another
      // client may have chosen one.
      if (cell.era === 'legacy' && cell.row.front === 'stdio')
        expect(logsOf(first.before)).toEqual([{ level: 'info', logger: 'matrix', data }]);
      const set = await cell.client.call('logging/setLevel', { level: 'warning' });
      expect(set.error).toBeUndefined();
    }
    const loud = await cell.tool('test_log', { level: 'error', data }, meta);
    const heard = logsOf(loud.before);
    expect(heard).toEqual([{ level: 'error', logger: 'matrix', data }]);
    const quiet = await cell.tool('test_log', { level: 'info', data }, meta);
    expect(logsOf(quiet.before)).toEqual([]);
    if (cell.modern) {
      const unasked = await cell.tool('test_log', { level: 'emergency', data });
      expect(logsOf(unasked.before)).toEqual([]);
    } else {
      const wrong = await cell.client.call('logging/setLevel', { level: 'loud' });
      expect(wrong.error).toMatchObject({ code: -32602, message: expect.stringContaining('loud') });
    }
    await streamedInOrder(cell, meta);
  },
};

async function streamedInOrder(cell: Cell, options: { readonly meta?: Fields }): Promise<void> {
  if (!cell.modern) await cell.client.call('logging/setLevel', { level: 'debug' });
  const meta = cell.modern ? { meta: { 'io.modelcontextprotocol/logLevel': 'debug' } } : options;
  const answer = await cell.tool('test_tool_with_logging', {}, meta);
  expect(logsOf(answer.before).map(({ data }) => data)).toEqual([
    'Tool execution started',
    'Tool processing data',
    'Tool execution completed',
  ]);
}

function logsOf(heard: readonly Heard[]): Fields[] {
  return heard
    .filter(({ message }) => message.method === 'notifications/message')
    .map(({ message }) => message.params ?? {});
}
