import { describe, expect, test } from 'vitest';
import { deskThat, ECHO, openRelay, toInbound } from '../../test/sample-relay.ts';
import type { Envelope, EnvelopeKind } from '../core/envelope.ts';
import { FaultError } from '../core/errors.ts';
import type { JsonObject } from '../core/json.ts';
import { Answer } from '../core/message.ts';
import { ALLOW, type Verdict } from '../core/verdict.ts';
import type { Guard } from '../guard/guard.ts';
import { callTool } from './call-tool.ts';
import { complete } from './complete.ts';
import { getPrompt } from './get-prompt.ts';
import type { Inbound } from './inbound.ts';
import type { CallPorts } from './ports.ts';
import { readResource } from './read-resource.ts';
import { relayTaskRequest, relayUnknown } from './relay-request.ts';

const KINDS: readonly EnvelopeKind[] = ['call', 'read', 'prompt', 'completion', 'task', 'request'];
const BACK: readonly EnvelopeKind[] = ['result', 'contents', 'error'];
const deny = (reason: string): Verdict => ({ kind: 'deny', code: 'denied', reason });
const YES = { verdict: ALLOW, guard: undefined, rewritten: undefined, cause: undefined };

/** A guard of these kinds that notes what it sees. */
function guardOf(kinds: readonly EnvelopeKind[], verdict: Verdict = ALLOW): Guard & { readonly seen: Envelope[] } {
  const seen: Envelope[] = [];
  return {
    name: 'test',
    kinds,
    judge: (envelope) => {
      seen.push(envelope);
      return verdict;
    },
    seen,
  };
}

const CALL = (params: JsonObject = {}) => toInbound('tools/call', { name: 'web_echo', arguments: { a: 1 }, ...params });

type Change = (inbound: Inbound) => Inbound;
type Way = readonly [kind: EnvelopeKind, run: (ports: CallPorts, change?: Change) => Promise<Answer>, target: string];
const asIs: Change = (inbound) => inbound;

const WAYS: readonly Way[] = [
  ['call', (ports, change = asIs) => callTool(ports, change(CALL())), 'echo'],
  [
    'read',
    (ports, change = asIs) => readResource(ports, change(toInbound('resources/read', { uri: 'web+note:listed' }))),
    'note:listed',
  ],
  [
    'prompt',
    (ports, change = asIs) =>
      getPrompt(ports, change(toInbound('prompts/get', { name: 'web_ask', arguments: { a: 1 } }))),
    'ask',
  ],
  [
    'completion',
    (ports, change = asIs) =>
      complete(
        ports,
        change(
          toInbound('completion/complete', {
            ref: { type: 'ref/prompt', name: 'web_ask' },
            argument: { name: 'a', value: 'x' },
          }),
        ),
      ),
    'ask',
  ],
  ['task', (ports, change = asIs) => relayTaskRequest(ports, change(toInbound('tasks/get', { taskId: 't1' }))), 't1'],
  [
    'request',
    (ports, change = asIs) =>
      relayUnknown(ports, change({ ...toInbound('x/unknown', {}), endpoint: { kind: 'server', name: 'web' } })),
    'x/unknown',
  ],
];

describe.each(WAYS)('a %s', (kind, run, target) => {
  test('is judged, recorded, sent, judged on its way back and recorded again', async () => {
    const [out, back] = [guardOf(KINDS), guardOf(BACK)];
    const { ports, steps } = openRelay([out, back]);
    await run(ports);
    expect(steps).toEqual(['recorded', 'sent', 'ok']);
    expect(out.seen).toMatchObject([{ kind, upstream: 'web', target, run: 'client-1', snapshot: { version: 3 } }]);
    expect(back.seen).toMatchObject([{ kind: kind === 'call' ? 'result' : 'contents', asked: { kind, target } }]);
  });

  test('that is denied reaches no server', async () => {
    const { ports, steps } = openRelay([guardOf(KINDS, deny('no'))]);
    const answering = run(ports);
    if (kind === 'call') expect((await answering).result).toMatchObject({ isError: true });
    else await expect(answering).rejects.toMatchObject({ code: 'denied', message: 'no' });
    expect(steps).toEqual(['denied']);
  });

  test('is judged with what its client declares beside the protocol', async () => {
    const guard = guardOf(KINDS);
    const { ports } = openRelay([guard]);
    const declared = (inbound: Inbound): Inbound => {
      const client = { ...inbound.exchange.client, capabilities: { experimental: { 'x/said': { text: 'tides' } } } };
      return { ...inbound, exchange: { ...inbound.exchange, client } as Inbound['exchange'] };
    };
    await run(ports, declared);
    expect(guard.seen[0]?.fixed).toMatchObject({ experimental: { 'x/said': { text: 'tides' } } });
  });

  test('that cannot be recorded reaches no server', async () => {
    const audit = {
      admit: () => Promise.reject(new FaultError('unrecorded', 'full')),
      finish() {},
      trouble: () => undefined,
    };
    const { ports, steps } = openRelay([], { audit });
    await expect(run(ports)).rejects.toMatchObject({ code: 'unrecorded' });
    expect(steps).toEqual([]);
  });

  test('whose answer is denied says that it ran', async () => {
    const { ports, ended } = openRelay([guardOf(BACK, deny('withheld'))]);
    await run(ports).catch(() => undefined);
    expect(ended).toMatchObject([{ end: { outcome: 'withheld', guard: 'test', reason: 'withheld' } }]);
  });

  test('whose server answers with an error has that judged', async () => {
    const back = guardOf(BACK, { kind: 'rewrite', value: { code: -1, message: 'clean' }, reason: 'r' });
    const { ports } = openRelay([back], { answer: () => Answer.error('1', -1, 'words', { more: 1 }) });
    expect((await run(ports)).outcome).toMatchObject({ kind: 'error', error: { code: -1, message: 'clean' } });
    expect(back.seen).toMatchObject([{ kind: 'error', body: { code: -1, message: 'words', data: { more: 1 } } }]);
  });

  test.each([true, false])(
    'that fails with a text of its server (%s) has that judged, and labelled only then',
    async (isQuoting) => {
      const [scan, labels] = [guardOf(BACK), { ...guardOf(BACK), name: 'taint-labels' }];
      const fault = new FaultError('upstream_protocol', 'web answered HTTP 500: obey', { isQuoting });
      const { ports } = openRelay([scan, labels], { answer: () => Promise.reject(fault) });
      await expect(run(ports)).rejects.toMatchObject({ code: 'upstream_protocol' });
      expect(scan.seen).toMatchObject([{ kind: 'error', body: { message: 'web answered HTTP 500: obey' } }]);
      expect(labels.seen).toHaveLength(isQuoting ? 1 : 0);
    },
  );
});

describe('members that the protocol does not define', () => {
  const OTHERS = { recursive: true, task: { ttl: 5, note: 'private' }, _meta: { progressToken: 1, 'x/y': 'private' } };

  test('are judged and in the record', async () => {
    const out = guardOf(['call']);
    const { ports, admitted, sent } = openRelay([out]);
    await callTool(ports, CALL(OTHERS));
    expect(out.seen).toMatchObject([
      {
        body: { a: 1 },
        fixed: { others: { recursive: true, task: { note: 'private' }, _meta: { 'x/y': 'private' } } },
      },
    ]);
    expect(admitted[0]?.args).toContain('"recursive":true');
    expect(sent[0]?.request.params).toMatchObject({ recursive: true });
  });

  test('stay here when a person agreed to the call, who did not see them', async () => {
    const { ports, sent } = openRelay([guardOf(['call'], { kind: 'ask', reason: 'sure?' })], {
      desk: deskThat({ decision: YES }),
    });
    await callTool(ports, CALL(OTHERS));
    expect(sent[0]?.request.params).toEqual({
      name: 'web_echo',
      arguments: { a: 1 },
      task: { ttl: 5 },
      _meta: { progressToken: 1 },
    });
  });

  test('the usual request has none, and its own bytes in the record', async () => {
    const out = guardOf(['call']);
    const { ports, admitted } = openRelay([out]);
    await callTool(ports, CALL({ _meta: { progressToken: 1, 'io.modelcontextprotocol/logLevel': 'info' } }));
    expect(out.seen[0]?.fixed).toEqual({});
    expect(admitted[0]?.args).toBe('{"a":1}');
  });
});

describe('an approval', () => {
  const asks = guardOf(['call', 'prompt'], { kind: 'ask', reason: 'sure?' });

  test('is spent after the record and before the call is sent', async () => {
    const steps: string[] = [];
    const spend = async () => steps.push('spent') > 0;
    const relayed = openRelay([asks], { desk: deskThat({ decision: YES, spend }) });
    await callTool(relayed.ports, CALL());
    expect(relayed.admitted).toMatchObject([{ approval: 'ap_1' }]);
    expect(steps).toEqual(['spent']);
  });

  test('that another call has used stops this one', async () => {
    const { ports, steps } = openRelay([asks], { desk: deskThat({ decision: YES, spend: async () => false }) });
    expect((await callTool(ports, CALL())).result).toMatchObject({ isError: true });
    expect(steps).toEqual(['recorded', 'denied']);
  });

  test('is not asked for where nobody can be asked', async () => {
    const { ports } = openRelay([asks], { desk: deskThat({ decision: YES }) });
    await expect(getPrompt(ports, toInbound('prompts/get', { name: 'web_ask' }))).rejects.toMatchObject({
      message: 'sure? Only a call of a tool can wait for a person, so it is refused.',
    });
  });
});

test('guards that are asked last hear nothing before a person has agreed', async () => {
  const last = { ...guardOf(['call']), isLast: true };
  const asks = guardOf(['call'], { kind: 'ask', reason: 'sure?' });
  await callTool(openRelay([asks, last]).ports, CALL());
  expect(last.seen).toHaveLength(0);
  await callTool(openRelay([asks, last], { desk: deskThat({ decision: YES }) }).ports, CALL());
  expect(last.seen).toHaveLength(1);
});

test('a rewritten body is what is recorded and sent', async () => {
  const masks = guardOf(['call'], { kind: 'rewrite', value: { a: 'masked' }, reason: 'r' });
  const { ports, admitted, sent } = openRelay([masks]);
  await callTool(ports, CALL());
  expect(admitted).toMatchObject([{ args: '{"a":"masked"}', verdict: 'rewrite', guard: 'test' }]);
  const [request] = sent;
  expect(JSON.parse(request?.request.write('1', request.edits) ?? '')).toMatchObject({
    params: { name: 'echo', arguments: { a: 'masked' } },
  });
});

test('an unknown tool is recorded, and named as it is not', async () => {
  const { ports, records } = openRelay([]);
  await expect(callTool(ports, toInbound('tools/call', { name: 'x' }))).rejects.toThrow('Unknown tool: x.');
  expect(records).toMatchObject([{ outcome: 'failed', tool: undefined }]);
});

test('what was said while it ran is judged before the answer is released', async () => {
  const inbound = CALL();
  let settle = (): void => {};
  const told = new Promise<void>((resolve) => {
    settle = resolve;
  });
  Object.assign(inbound.exchange, { told });
  let isReleased = false;
  const answering = callTool(openRelay([]).ports, inbound).then(() => {
    isReleased = true;
  });
  await new Promise(setImmediate);
  expect(isReleased).toBe(false);
  settle();
  await answering;
  expect(ECHO.name).toBe('echo');
});
