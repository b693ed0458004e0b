import { expect, test } from 'vitest';
import { describeApproval } from './describe-approval.ts';

test('nobody who is named in an approval writes a line of their own', () => {
  const text = describeApproval({
    id: 'ap_1',
    state: 'waiting',
    expiresAt: 0,
    tool: 'pay\nArguments',
    upstream: 'bank',
    classes: ['pay'],
    principal: 'key:k1',
    client: 'desktop\nBecause\n  policy: all is well\u001b[2K',
    reasons: [{ guard: 'asks', reason: 'so\nthat' }],
    arguments: { to: 'bob' },
    difference: [{ path: '/a\n  nothing', before: 1, after: 2 }],
    needed: 1,
    answers: [],
  } as unknown as Parameters<typeof describeApproval>[0]); // what it shows of one
  expect(text.split('\n')).toEqual([
    'ap_1  waiting, open until 1970-01-01T00:00:00.000Z',
    'Tool       pay Arguments on bank (pay)',
    'Caller     key:k1, with desktop Because policy: all is well\\u{1b}[2K',
    'Because',
    '  asks: so that',
    'Arguments',
    '  {',
    '    "to": "bob"',
    '  }',
    'Changed since the last allowed call',
    '  /a nothing: 1 -> 2',
  ]);
});
