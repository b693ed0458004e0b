import { expect, test } from 'vitest';
import type { Catalog } from '../catalog/contract.ts';
import { ANYONE, type Principal } from '../core/principal.ts';
import type { UpstreamPort } from '../core/upstream-port.ts';
import { EventLog } from './event-log.ts';
import type { LegacySession } from './legacy-session.ts';
import { type Follower, SessionStore } from './session-store.ts';

const LIMIT = 1_000;

function open() {
  let lastUsed = 0;
  const store = new SessionStore({
    upstreams: { onEvent: () => () => {} } as unknown as UpstreamPort,
    catalog: { onChange: () => () => {} } as unknown as Catalog,
    now: () => 0,
    idleMs: () => 1_000,
    isCurrent: () => true,
  });
  const ended: string[] = [];
  const endedIds: string[] = [];
  /** A session as far as the store looks at it. */
  const add = (caller: string, busy = false) => {
    const principal: Principal = { ...ANYONE, id: caller };
    const session = {
      ...{ id: store.newId(), principal, client: { principal }, busy, lastUsed: lastUsed++, events: new EventLog() },
      onClose: undefined as (() => void) | undefined,
      close() {
        ended.push(caller);
        endedIds.push(session.id);
        session.onClose?.();
      },
    };
    store.add(session as unknown as LegacySession, LIMIT);
    return session;
  };
  const follow = (caller: string) =>
    store.follow({ principal: { ...ANYONE, id: caller } } as unknown as Follower, LIMIT);
  return { store, ended, endedIds, add, follow };
}

test('sessions of one caller end its own, never those of others', () => {
  const { store, ended, add } = open();
  add('other');
  for (let i = 0; i < 2_000; i++) add('greedy');
  expect(ended).not.toContain('other');
  expect(store.size).toBeGreaterThan(800);
  for (let i = 0; i < 100; i++) add('third');
  expect(new Set(ended)).toEqual(new Set(['greedy']));
});

test('sessions in use are not ended, and leave room', () => {
  const { ended, add, follow } = open();
  for (let i = 0; i < 875; i++) add('greedy', true);
  expect(() => add('greedy')).toThrow(/This caller has 875 sessions in use/);
  expect(() => follow('greedy')).toThrow(/This caller has 875 sessions and streams/);
  add('other');
  follow('other');
  expect(ended).toEqual([]);
});

test('where nothing is left, the caller that holds the most gives', () => {
  const { ended, add } = open();
  for (const [caller, many] of [
    ['a', 875],
    ['b', 109],
    ['c', 14],
    ['d', 2],
  ] as const)
    for (let i = 0; i < many; i++) add(caller);
  expect(ended).toEqual([]);
  add('e');
  expect(ended).toEqual(['a']);
});

test('of a caller that makes room, the longest idle session ends, and only that', () => {
  const { store, endedIds, add, follow } = open();
  const sessions = Array.from({ length: 875 }, () => add('greedy'));
  const [first, second, third] = sessions;
  // Used again since it was opened, and in use.
  Object.assign(first ?? {}, { lastUsed: 10_000 });
  Object.assign(second ?? {}, { busy: true });
  add('greedy');
  expect(endedIds).toEqual([third?.id]);
  follow('greedy');
  expect(endedIds).toEqual([third?.id, sessions[3]?.id]);
  expect(store.get(first?.id ?? '', first?.principal ?? ANYONE)).toBe(first);
  expect(() => store.get(third?.id ?? '', third?.principal ?? ANYONE)).toThrow(
    expect.objectContaining({ code: 'session_not_found' }),
  );
});

test('where nothing is left and whoever holds the most is busy, the new one is refused and nobody ends', () => {
  const { ended, add } = open();
  for (const [caller, many] of [
    ['a', 875],
    ['b', 109],
    ['c', 14],
    ['d', 2],
  ] as const)
    for (let i = 0; i < many; i++) add(caller, caller === 'a');
  expect(() => add('e')).toThrow(/^Sallyport has 1000 sessions in use/);
  expect(ended).toEqual([]);
});

test('streams of one caller leave room, and places come back once', () => {
  const { follow } = open();
  const stops = Array.from({ length: 875 }, () => follow('greedy'));
  expect(() => follow('greedy')).toThrow(/overloaded|sessions and streams/);
  follow('other');
  stops[0]?.();
  stops[0]?.();
  follow('greedy');
  expect(() => follow('greedy')).toThrow(/sessions and streams/);
});
