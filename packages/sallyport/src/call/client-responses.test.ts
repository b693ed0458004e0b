import { describe, expect, it } from 'vitest';
import { toCall } from '../../test/sample-call.ts';
import { deskThat, openRelay, toInbound } from '../../test/sample-relay.ts';
import { FaultError } from '../core/errors.ts';
import type { JsonObject } from '../core/json.ts';
import { ALLOW, type Verdict } from '../core/verdict.ts';
import type { Guard } from '../guard/guard.ts';
import { enterResponses, judgeResponse } from './client-responses.ts';
import type { CallPorts } from './ports.ts';
import type { ReadRun } from './run-of.ts';

const VALUE = '7719004412';
const REASON = `from a result of "bank.get_account"`;
const ASKED = toCall({ upstream: 'web', target: 'sum_up', tool: undefined, snapshot: { version: 3 } });
const SAMPLED = { role: 'assistant', content: { type: 'text', text: VALUE } };
const FILLED = { action: 'accept', content: { a: VALUE } };

const says = (verdict: Verdict | (() => Verdict)): Guard => ({
  name: 'taint',
  kinds: ['client_response'],
  judge: () => (typeof verdict === 'function' ? verdict() : verdict),
});
const DENY = says({ kind: 'deny', code: 'denied', reason: REASON });
const ASK = says({ kind: 'ask', reason: REASON });
const MASK = says({ kind: 'rewrite', value: { masked: true }, reason: 'a key left out' });

function setUp(guard: Guard, given: Partial<CallPorts> = {}) {
  const { ports, ...seen } = openRelay([guard], given);
  return {
    ...seen,
    ports,
    watch: () => (method: string, answer: JsonObject) =>
      judgeResponse(ports, { about: asker(), asked: ASKED, method }, answer),
  };
}

function asker(params: JsonObject = {}): ReadRun {
  const inbound = toInbound('tools/call', { name: 'web_sum_up', ...params });
  return { run: 'run', user: undefined, isOwnRun: false, plan: undefined, inbound };
}

const yes = (rewritten: JsonObject) => ({ verdict: ALLOW, guard: undefined, rewritten, cause: undefined });

describe('an answer that is stopped', () => {
  it.each<[string, Guard, Partial<CallPorts>]>([
    ['by a rule', DENY, {}],
    ['where nobody can be asked', ASK, {}],
    [
      'by a guard that fails',
      says(() => {
        throw new Error(VALUE);
      }),
      {},
    ],
    ['where nobody has answered yet', ASK, { desk: deskThat({}) }],
    ['where a yes was used by another', ASK, { desk: deskThat({ decision: yes(SAMPLED), spend: async () => false }) }],
    [
      'where a value is not kept any longer',
      says(ALLOW),
      { masked: { toUpstream: () => Promise.reject(new FaultError('denied', 'gone')) } as never },
    ],
    [
      'where it cannot be recorded',
      MASK,
      { audit: { admit: () => Promise.reject(new FaultError('unrecorded', 'disk full')), finish() {} } },
    ],
  ])('%s', async (_, guard, given) => {
    const { watch, records } = setUp(guard, given);
    const passage = await watch()('sampling/createMessage', SAMPLED);
    if (passage.kind !== 'stop') throw new Error('passed');
    // The server hears neither what was found nor where it was from.
    expect(passage.told).toMatch(/^The answer is not passed on/);
    expect(passage.told).not.toMatch(/bank|7719/);
    expect(passage.fault).toMatchObject({ code: 'denied' });
    expect(JSON.stringify([passage.fault.message, passage.fault.data])).not.toContain(VALUE);
    expect(records).toMatchObject([{ outcome: 'denied', upstream: 'web', tool: 'sampling/createMessage' }]);
    expect(JSON.stringify(records)).not.toContain(VALUE);
  });

  it('is recorded as a call is, with the tool it was asked through', async () => {
    const { watch, ended, admitted } = setUp(DENY);
    await watch()('sampling/createMessage', SAMPLED);
    expect(admitted).toEqual([]);
    expect(ended).toMatchObject([
      {
        ...{ method: 'sampling/createMessage', upstream: 'web', target: 'sum_up', snapshotVersion: 3 },
        end: { outcome: 'denied', guard: 'taint', reason: REASON },
      },
    ]);
  });

  it('names the approval that waits, to the server without the reason', async () => {
    const { watch } = setUp(ASK, { desk: deskThat({}) });
    expect(await watch()('sampling/createMessage', SAMPLED)).toMatchObject({
      told: 'The answer is not passed on before a person allows it: approval ap_1.',
      fault: { message: REASON, data: { 'dev.sallyport/verdict': { kind: 'ask', guard: 'taint', approval: 'ap_1' } } },
    });
  });

  it('where the client has gone, the question ends', async () => {
    const gone = { settle: () => Promise.reject(new FaultError('cancelled', 'gone')) };
    await expect(setUp(ASK, { desk: gone }).watch()('sampling/createMessage', SAMPLED)).rejects.toMatchObject({
      code: 'cancelled',
    });
  });
});

describe('an answer that leaves', () => {
  it('as it came, and without a record', async () => {
    const { watch, records, admitted, ended } = setUp(says(ALLOW));
    const passage = await watch()('sampling/createMessage', SAMPLED);
    expect(passage.kind === 'pass' && passage.answer === SAMPLED).toBe(true);
    expect([records, admitted, ended]).toEqual([[], [], []]);
  });

  it('rewritten, which is recorded before', async () => {
    const { watch, admitted, ended } = setUp(MASK);
    expect(await watch()('sampling/createMessage', SAMPLED)).toMatchObject({ answer: { masked: true } });
    expect(admitted).toMatchObject([{ verdict: 'rewrite', guard: 'taint', args: '{"masked":true}' }]);
    expect(ended).toMatchObject([{ end: { outcome: 'ok', guard: 'taint', reason: 'a key left out' } }]);
  });

  it('with the values put back after the record', async () => {
    const masked = { toUpstream: () => ({ back: VALUE }) } as unknown as CallPorts['masked'];
    const { watch, admitted } = setUp(MASK, { masked });
    expect(await watch()('sampling/createMessage', SAMPLED)).toMatchObject({ answer: { back: VALUE } });
    expect(admitted.map(({ args }) => args)).toEqual(['{"masked":true}']);
  });

  it('by a person’s yes, with what the person wrote', async () => {
    let spent = 0;
    const spend = async () => ++spent === 1;
    const { watch, admitted } = setUp(ASK, { desk: deskThat({ decision: yes({ other: 1 }), spend }) });
    expect(await watch()('sampling/createMessage', SAMPLED)).toMatchObject({ answer: { other: 1 } });
    expect(admitted).toMatchObject([{ approval: 'ap_1', args: '{"other":1}' }]);
    expect(spent).toBe(1);
  });
});

describe('answers that come with the request', () => {
  const enter = (guard: Guard | undefined, given: ReadRun) =>
    enterResponses(openRelay(guard === undefined ? [] : [guard]).ports, given, ASKED);

  it('are not waited for where there are none, or nobody judges', () => {
    expect(enter(DENY, asker())).toBeUndefined();
    expect(enter(undefined, asker({ inputResponses: { a: SAMPLED } }))).toBeUndefined();
  });

  it('that pass leave the request as it was', async () => {
    const given = asker({ inputResponses: { a: SAMPLED, b: FILLED } });
    expect(await enter(says(ALLOW), given)).toEqual({ request: given.inbound.request });
  });

  it.each<[string, unknown]>([
    ['one', { a: SAMPLED }],
    ['the second', { a: { action: 'decline' }, b: SAMPLED }],
    ['that are no map', [VALUE]],
    ['that are a text', VALUE],
    ['of which one is no answer', { a: VALUE }],
  ])('stop the request: %s', async (_, given) => {
    const inputResponses = given as JsonObject;
    expect(await enter(DENY, asker({ inputResponses }))).toMatchObject({ decision: { verdict: { reason: REASON } } });
  });

  it('a form is declined instead, and the rest is as it was', async () => {
    const onlyForms: Guard = {
      ...DENY,
      judge: (one) => (one.target === 'elicitation/create' ? DENY.judge(one) : ALLOW),
    };
    const entered = await enter(onlyForms, asker({ inputResponses: { a: FILLED, b: SAMPLED } }));
    if (entered === undefined || !('request' in entered)) throw new Error('stopped');
    expect(entered.request.params['inputResponses']).toEqual({
      a: { action: 'decline', _meta: { 'dev.sallyport/refused': expect.stringContaining('not passed on') } },
      b: SAMPLED,
    });
    expect(entered.request.params['name']).toBe('web_sum_up');
  });
});
