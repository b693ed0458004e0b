import { describe, expect, test } from 'vitest';
import { toCall } from '../../test/sample-call.ts';
import { silentLog } from '../core/log.ts';
import type { KeptOwner, KeptResultStore } from '../storage/kept-results.ts';
import { createKeptResults } from './kept-results.ts';

function open(given: { mayKeep?: boolean; fails?: boolean } = {}) {
  const notes: [string, object][] = [];
  const asked: KeptOwner[] = [];
  const store = {
    async take(owner: KeptOwner) {
      asked.push(owner);
      if (given.fails) throw new Error('locked');
      return owner.tool === 'echo' ? { id: 'kr_1', result: { content: [] } } : undefined;
    },
    async keep(owner: KeptOwner) {
      asked.push(owner);
      if (given.fails) throw new Error('locked');
      return 'kr_1';
    },
  } as unknown as KeptResultStore;
  const results = createKeptResults({
    ...{ kept: async () => store, log: silentLog, keepMs: () => 5, mayKeep: () => given.mayKeep ?? true },
    note: async (event, members) => void notes.push([event, members]),
  });
  return { results, notes, asked };
}

const CALL = toCall({ body: { a: 1 } });
const FOUND = { result: { content: [] }, findings: [{ id: 'x' }, { id: 'y' }, { id: 'x' }] } as never;

describe('a result that a person released', () => {
  test('is handed to the same caller for the same request, and noted', async () => {
    const { results, notes, asked } = open();
    expect(await results.take(CALL)).toEqual({ content: [] });
    expect(results.isReleased(CALL)).toBe(true);
    expect(asked).toMatchObject([{ principal: 'local', upstream: 'sample', tool: 'echo' }]);
    expect(notes).toEqual([
      ['result_delivered', { result: 'kr_1', callId: 'call-1', upstream: 'sample', tool: 'echo' }],
    ]);
  });

  test('is another one for other arguments', async () => {
    const { results, asked } = open();
    await results.take(CALL);
    await results.take({ ...CALL, body: { a: 2 } });
    expect(asked[0]?.argumentsDigest).not.toBe(asked[1]?.argumentsDigest);
  });

  test('is not there for others, nor where the store fails', async () => {
    const { results, notes } = open();
    const other = toCall({ target: 'other', tool: undefined, kind: 'read' });
    expect(await results.take(other)).toBeUndefined();
    expect(results.isReleased(other)).toBe(false);
    expect(notes).toEqual([]);
    expect(await open({ fails: true }).results.take(CALL)).toBeUndefined();
  });
});

test('nobody looks where nothing can be in quarantine, until something was', async () => {
  const { results, asked } = open({ mayKeep: false });
  expect(results.take(CALL)).toBeUndefined();
  expect(asked).toEqual([]);
  await results.keep(CALL, FOUND);
  expect(await results.take(CALL)).toEqual({ content: [] });
});

test('what is not the same when it is asked again is not looked for', () => {
  expect(open().results.take(toCall({ kind: 'task', tool: undefined }))).toBeUndefined();
});

test('a result goes into quarantine with the rules that found something', async () => {
  const { results, notes } = open();
  expect(await results.keep(CALL, FOUND)).toBe('kr_1');
  expect(notes).toEqual([
    ['result_quarantine', { result: 'kr_1', callId: 'call-1', upstream: 'sample', tool: 'echo', rules: 'x y' }],
  ]);
  expect(await open({ fails: true }).results.keep(CALL, FOUND)).toBeUndefined();
});
