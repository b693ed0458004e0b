import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import type { JsonObject } from '../core/json.ts';
import { member } from '../core/json.ts';
import { Answer, Request } from '../core/message.ts';
import { ANYONE, type Principal } from '../core/principal.ts';
import { createSeal } from './seal.ts';
import { openUpstreamState, sealUpstreamState } from './upstream-state.ts';

const ALICE: Principal = { ...ANYONE, id: 'oauth:i#alice', agent: 'claude' };
const STATE = 'what "the upstream" knows \u00e9';
const call = (more: JsonObject = {}) => Request.of('1', 'tools/call', { name: 't', arguments: { a: 1 }, ...more });

function open() {
  const world = { now: 1_000 };
  const ports = { seal: createSeal(randomBytes(32)), clock: { now: () => world.now } };
  const answer = Answer.result('1', { resultType: 'input_required', inputRequests: {}, requestState: STATE });
  const sealed = sealUpstreamState(answer, call(), ALICE, ports) as Answer;
  const requestState = String(JSON.parse(sealed.write('1').toString()).result.requestState);
  return { world, ports, requestState };
}

test('the upstream gets back what it wrote, and the client cannot read it', () => {
  const { ports, requestState } = open();
  expect(Buffer.from(requestState, 'base64url').toString('latin1')).not.toContain('upstream');
  const retry = call({ requestState, inputResponses: { q: {} } });
  const opened = openUpstreamState(retry, ALICE, ports);
  expect(member(opened.params, 'requestState')).toBe(STATE);
  expect(opened.params).toEqual({ ...retry.params, requestState: STATE });
  expect(opened.id).toBe(retry.id);
});

test.each<[string, JsonObject, Partial<Principal>, number]>([
  ['of another caller', {}, { id: 'oauth:i#bob' }, 0],
  ['of another program of the same person', {}, { agent: 'other' }, 0],
  ['for other arguments', { arguments: { a: 2 } }, {}, 0],
  ['for another tool', { name: 'u' }, {}, 0],
  ['after ten minutes', {}, {}, 600_000],
])('%s it is refused', (_, change, other, later) => {
  const { world, ports, requestState } = open();
  world.now += later;
  expect(() => openUpstreamState(call({ requestState, ...change }), { ...ALICE, ...other }, ports)).toThrow(
    expect.objectContaining({ code: 'invalid_params' }),
  );
});

test.each<[unknown]>([[STATE], [''], ['sp1.'], ['sp1.AAAA'], [7], [null], [{}]])('%j is no state of ours', (state) => {
  const { ports } = open();
  expect(() => openUpstreamState(call({ requestState: state as never }), ALICE, ports)).toThrow(
    expect.objectContaining({ code: 'invalid_params' }),
  );
});

test('a request without a state, and an answer without one, are not touched', () => {
  const { ports } = open();
  const request = call();
  expect(openUpstreamState(request, ALICE, ports)).toBe(request);
  const answer = Answer.result('1', { content: [] });
  expect(sealUpstreamState(answer, request, ALICE, ports)).toBe(answer);
});
