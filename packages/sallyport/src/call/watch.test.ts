import { describe, expect, test } from 'vitest';
import { toCall } from '../../test/sample-call.ts';
import { deskThat, openRelay, toInbound } from '../../test/sample-relay.ts';
import type { Envelope, EnvelopeKind } from '../core/envelope.ts';
import { type FaultCode, FaultError } from '../core/errors.ts';
import { Answer, type Notification, parseMessage } from '../core/message.ts';
import { ALLOW, type Verdict } from '../core/verdict.ts';
import type { Guard } from '../guard/guard.ts';
import type { CallPorts } from './ports.ts';
import type { ReadRun } from './run-of.ts';
import { judgeFault, judgeNotification, judgeTaskQuestions, toContext, watch } from './watch.ts';

const ASKED = toCall({ id: 'asked', upstream: 'web', target: 'echo', snapshot: { version: 3 } });
const DENY: Verdict = { kind: 'deny', code: 'denied', reason: 'no' };
const ASK: Verdict = { kind: 'ask', reason: 'sure?' };

function guardOf(
  kind: EnvelopeKind,
  verdict: Verdict | (() => Verdict | Promise<Verdict>),
  given: Partial<Guard> = {},
) {
  const seen: Envelope[] = [];
  const guard: Guard = {
    ...{ name: 'test', kinds: [kind] },
    judge: (envelope) => {
      seen.push(envelope);
      return typeof verdict === 'function' ? verdict() : verdict;
    },
    ...given,
  };
  return Object.assign(guard, { seen });
}

function about(): ReadRun {
  return { run: 'run', user: undefined, isOwnRun: false, plan: undefined, inbound: toInbound('tools/call', {}) };
}

/** As a server wrote it. */
function said(params: string, method = 'notifications/progress'): Notification {
  return parseMessage(Buffer.from(`{"jsonrpc":"2.0","method":"${method}","params":${params}}`)) as Notification;
}

describe('a notification of a server', () => {
  const PROGRESS = '{"progressToken":9007199254740993,"progress":1,"message":"half"}';
  const judge = (guard: Guard, given = said(PROGRESS), context: Envelope = ASKED) =>
    judgeNotification(openRelay([guard]).ports, { ...context, asked: context }, given, { allowed: undefined });

  test('that is allowed passes as it came, with the request it belongs to known to guards', () => {
    const guard = guardOf('server_notification', ALLOW);
    const given = said(PROGRESS);
    expect(judge(guard, given)).toBe(given);
    expect(guard.seen).toMatchObject([
      {
        ...{ kind: 'server_notification', target: 'notifications/progress', publicTarget: 'notifications/progress' },
        ...{ body: { message: 'half' }, fixed: {}, tool: undefined, item: undefined, asked: { id: 'asked' } },
        bytes: given.bytes.length,
      },
    ]);
  });

  test.each([
    ['denied', DENY],
    ['asked about, as nobody can be', ASK],
  ])('that is %s does not pass', async (_, verdict) => {
    expect(judge(guardOf('server_notification', verdict))).toBeUndefined();
    expect(await judge(guardOf('server_notification', async () => verdict))).toBeUndefined();
  });

  test('that is rewritten passes so, with the token of its client to the last digit', () => {
    const rewritten = judge(
      guardOf('server_notification', {
        ...{ kind: 'rewrite', reason: 'r' },
        value: { progressToken: 1, progress: 1, message: 'clean' },
      }),
    ) as Notification;
    expect(rewritten.write()).toBe(
      '{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":9007199254740993,"progress":1,"message":"clean"}}',
    );
    const log = judge(
      guardOf('server_notification', { kind: 'rewrite', reason: 'r', value: { data: 'clean' } }),
      said('{"data":"a key"}', 'notifications/message'),
    ) as Notification;
    expect(log.params).toEqual({ data: 'clean' });
  });

  test('is read anew whenever its words differ, and only then', () => {
    const guard = guardOf('server_notification', ALLOW);
    const { ports } = openRelay([guard]);
    const repeats = { allowed: undefined };
    const judged = (params: string, upstream = 'web', method?: string) => {
      const before = guard.seen.length;
      judgeNotification(ports, { ...ASKED, upstream }, said(params, method), repeats);
      return guard.seen.length - before;
    };
    expect(judged('{"progress":1,"total":9,"message":"a"}')).toBe(1);
    expect(judged('{"progress":2,"total":8,"message":"a"}')).toBe(0);
    expect(judged('{"progress":2,"total":8,"message":"b"}')).toBe(1);
    expect(judged('{"progress":2,"total":8,"message":"b","more":1}')).toBe(1);
    expect(judged('{"progress":"words","total":8,"message":"b","more":1}')).toBe(1);
    expect(judged('{"progress":"words","total":8,"message":"b","more":1}', 'other')).toBe(1);
    expect(judged('{"progress":"words","total":8,"message":"b","more":1}', 'other', 'notifications/x')).toBe(1);
    const long = `{"message":"${'x'.repeat(5_000)}"}`;
    expect([judged(long), judged(long)]).toEqual([1, 1]);
  });

  test('is not allowed by one that was rewritten or withheld', () => {
    const verdicts: Verdict[] = [DENY, { kind: 'rewrite', reason: 'r', value: {} }, ALLOW];
    const guard = guardOf('server_notification', () => verdicts.shift() ?? ALLOW);
    const { ports } = openRelay([guard]);
    const repeats = { allowed: undefined };
    for (let i = 0; i < 4; i++) judgeNotification(ports, ASKED, said(PROGRESS), repeats);
    expect(guard.seen).toHaveLength(3);
  });

  test('is forwarded unread where no guard needs to read it', () => {
    const guard = guardOf('server_notification', DENY, { reads: () => false });
    const given = said(PROGRESS);
    expect(judge(guard, given)).toBe(given);
    expect(guard.seen).toEqual([]);
  });
});

describe('a request of a server', () => {
  const ask = (guard: Guard, given: Partial<CallPorts> = {}) =>
    watch(openRelay([guard], given).ports, { about: about(), asked: ASKED }).request('sampling/createMessage', {
      a: 1,
    });

  test('that is allowed is put to the client, judged under an id of its own', async () => {
    const guard = guardOf('server_request', ALLOW);
    await ask(guard);
    expect(guard.seen).toMatchObject([
      {
        kind: 'server_request',
        target: 'sampling/createMessage',
        body: { a: 1 },
        notes: undefined,
        asked: { id: 'asked' },
      },
    ]);
    expect(guard.seen[0]?.id).not.toBe('asked');
  });

  const yes = { verdict: ALLOW, guard: undefined, rewritten: undefined, cause: undefined };
  test.each<[string, Verdict, Partial<CallPorts>, string]>([
    ['denied', DENY, {}, 'no'],
    ['to be rewritten', { kind: 'rewrite', reason: 'r', value: {} }, {}, 'as it is, or not at all'],
    ['still waiting for a person', ASK, {}, 'sure?'],
    ['denied by a person', ASK, { desk: deskThat({ decision: { ...yes, verdict: DENY, guard: 'approval' } }) }, 'no'],
    [
      'allowed by a yes that another request used',
      ASK,
      { desk: deskThat({ decision: yes, spend: async () => false }) },
      'The approval was used by another request.',
    ],
  ])('that is %s is not put to the client', async (_, verdict, given, message) => {
    await expect(ask(guardOf('server_request', verdict), given)).rejects.toMatchObject({
      ...{ code: 'denied', message: expect.stringContaining(message) },
    });
  });

  test('that a person allowed is put to the client, and the yes is spent', async () => {
    let spent = 0;
    await ask(guardOf('server_request', ASK), {
      desk: deskThat({ decision: yes, spend: async () => ++spent > 0 }),
    });
    expect(spent).toBe(1);
  });
});

test('each question of a task in its status is judged as a request of its server is', async () => {
  const asked: [string, object][] = [];
  const exchange = { watch: { request: async (method: string, params: object) => void asked.push([method, params]) } };
  const questions = {
    a: { method: 'elicitation/create', params: { message: 'm' } },
    b: { method: 'roots/list' },
    c: 1,
  };
  await judgeTaskQuestions(exchange as never, Answer.result('1', { inputRequests: questions }));
  expect(asked).toEqual([
    ['elicitation/create', { message: 'm' }],
    ['roots/list', {}],
    ['undefined', {}],
  ]);
  await judgeTaskQuestions(exchange as never, Answer.result('1', { status: 'working' }));
  expect(asked).toHaveLength(3);
});

describe('a fault', () => {
  const of = (code: FaultCode, given = {}) => new FaultError(code, 'web says: obey', given);
  const judge = (guards: readonly Guard[], fault: FaultError, asked: Envelope | undefined = ASKED) =>
    judgeFault(openRelay(guards).ports, asked, fault);

  test.each<FaultCode>([
    ...(['unreachable', 'not_ready', 'upstream_protocol', 'upstream_unauthenticated'] as const),
    ...(['overloaded', 'timeout', 'session_not_found'] as const),
  ])('%s may quote a server, so that it is judged', async (code) => {
    const cleaned = { kind: 'rewrite', reason: 'r', value: { message: 'cleaned', data: { left: 1 } } } as const;
    const guard = guardOf('error', cleaned);
    const fault = await judge([guard], of(code, { data: { more: 1 } }));
    expect(fault).toMatchObject({ code, message: 'cleaned', data: { left: 1 } });
    expect(guard.seen).toMatchObject([{ kind: 'error', body: { message: 'web says: obey', data: { more: 1 } } }]);
  });

  test.each<Verdict>([DENY, ASK])('that is not allowed says no more than that there is one: $kind', async (verdict) => {
    const fault = await judge([guardOf('error', verdict)], of('unreachable', { data: { text: 'obey' } }));
    expect(fault).toMatchObject({ code: 'unreachable', message: '"web" failed, and what it said is withheld.' });
    expect(JSON.stringify(fault.data ?? null)).not.toContain('obey');
  });

  test('in words of ours passes as it is', async () => {
    const guard = guardOf('error', DENY);
    const own = of('invalid_params');
    expect(await judge([guard], own)).toBe(own);
    const down = of('unreachable');
    expect(await judgeFault(openRelay([guard]).ports, undefined, down)).toBe(down);
    expect(guard.seen).toEqual([]);
  });

  test('labels a run only with words of its server', async () => {
    const labels = guardOf('error', ALLOW, { name: 'taint-labels' });
    await judge([labels], of('unreachable'));
    expect(labels.seen).toHaveLength(0);
    await judge([labels], of('unreachable', { isQuoting: true }));
    expect(labels.seen).toHaveLength(1);
  });
});

test('what belongs to no request is judged under its client’s own run', () => {
  const { exchange, endpoint, snapshot } = toInbound('x', {});
  expect(toContext({ exchange, endpoint, snapshot }, 'web')).toMatchObject({
    ...{ kind: 'request', upstream: 'web', run: 'client-1', user: undefined, plan: undefined, isOwnRun: false },
    snapshot: { version: 3 },
  });
});
