import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { JsonObject } from '../core/json.ts';
import { Request } from '../core/message.ts';
import { ANYONE, type Principal } from '../core/principal.ts';
import { Parking } from './parking.ts';
import { createSeal } from './seal.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const ALICE: Principal = { ...ANYONE, id: 'oauth:i#alice', agent: 'claude', groups: ['dev'], scopes: ['use', 'read'] };
const call = (more: JsonObject = {}) =>
  Request.of('1', 'tools/call', { name: 't', arguments: { a: 1, b: 2 }, ...more });

function park() {
  const seal = createSeal(randomBytes(32));
  const parking = new Parking(seal);
  const parked = { parkId: 'p', attached: false, expired: 0, expire: () => void parked.expired++ };
  return { seal, parking, parked, state: parking.park(parked, call(), ALICE) };
}

test('a state resumes the call it was given for, whatever the order of its arguments', () => {
  const { parking, parked, state } = park();
  const retry = Request.of('2', 'tools/call', { arguments: { b: 2, a: 1 }, name: 't', requestState: state });
  expect(parking.find(retry, ALICE)).toBe(parked);
  expect(parking.find(retry, { ...ALICE, groups: ['dev'], scopes: ['read', 'use'] })).toBe(parked);
  // After a step-up.
  expect(parking.find(retry, { ...ALICE, scopes: ['use', 'read', 'write'] })).toBe(parked);
});

test.each<[string, Partial<Principal>]>([
  ['another caller', { id: 'oauth:i#bob' }],
  ['another program of the same person', { agent: 'other' }],
  ['no program', { agent: undefined }],
  ['who lost a group', { groups: [] }],
  ['who lost a scope', { scopes: ['use'] }],
  ['who has other attributes', { attributes: { tenant: 'x' } }],
])('a state is refused from %s', (_, other) => {
  const { parking, state } = park();
  expect(() => parking.find(call({ requestState: state }), { ...ALICE, ...other })).toThrow(
    expect.objectContaining({ code: 'invalid_params' }),
  );
});

test('a state ends after ten minutes, with its call; one of an earlier round is used up', () => {
  const { parking, parked, state } = park();
  const second = parking.park(parked, call(), ALICE);
  const refused = expect.objectContaining({ code: 'invalid_params', message: expect.stringContaining('not repeated') });
  expect(() => parking.find(call({ requestState: state }), ALICE)).toThrow(refused);
  vi.advanceTimersByTime(599_000);
  expect(parking.find(call({ requestState: second }), ALICE)).toBe(parked);
  vi.advanceTimersByTime(1_000);
  expect(parked.expired).toBe(1);
  expect(() => parking.find(call({ requestState: second }), ALICE)).toThrow(refused);
});

test('a state under the key of another Sallyport is none', () => {
  const { state } = park();
  const { parking } = park();
  expect(parking.find(call({ requestState: state }), ALICE)).toBeUndefined();
});

test('calls of one caller that wait leave room for those of others, and places come back', () => {
  // Ten thousand timers are too many for those of a test.
  vi.useRealTimers();
  const parking = new Parking(createSeal(randomBytes(32)));
  const parkable = (parkId: string) => ({ parkId, attached: false, expire: () => {} });
  const greedy: Principal = { ...ANYONE, id: 'greedy' };
  for (let i = 0; i < 8_750; i++) parking.park(parkable(`g${i}`), call(), greedy);
  expect(() => parking.park(parkable('more'), call(), greedy)).toThrow(/Too many calls wait/);
  parking.park(parkable('a'), call(), ALICE);
  parking.release(parkable('a'));
  parking.release(parkable('g0'));
  parking.park(parkable('more'), call(), greedy);
  parking.close();
  expect(parking.size).toBe(0);
});
