import { expect, test } from 'vitest';
import type { Approval } from './approval.ts';
import { canShowForm, readFormAnswer, showArguments, toAskForm } from './ask-form.ts';

test.each([
  [{}, false],
  [{ elicitation: {} }, true],
  [{ elicitation: { form: {} } }, true],
  [{ elicitation: { form: {}, url: {} } }, true],
  [{ elicitation: { url: {} } }, false],
  [{ elicitation: true }, false],
])('whether %j can show a form', (capabilities, can) => {
  expect(canShowForm(capabilities as never)).toBe(can);
});

test.each([
  [
    { action: 'accept', content: { decision: 'allow once' } },
    { kind: 'allow', scope: 'once' },
  ],
  [
    { action: 'accept', content: { decision: 'allow for this run' } },
    { kind: 'allow', scope: 'run' },
  ],
  [
    { action: 'accept', content: { decision: 'always allow these arguments' } },
    { kind: 'allow', scope: 'always' },
  ],
  [
    { action: 'accept', content: { decision: 'deny', message: 'no' } },
    { kind: 'deny', message: 'no' },
  ],
  [{ action: 'decline' }, { kind: 'deny', message: undefined }],
  [{ action: 'cancel' }, undefined],
  [{ action: 'accept', content: { decision: 'Allow once' } }, undefined],
  [{ action: 'accept', content: { decision: true } }, undefined],
  [{ action: 'accept', content: ['allow once'] }, undefined],
  [{ decision: 'allow once' }, undefined],
  [undefined, undefined],
])('reads %j', (result, answer) => {
  expect(readFormAnswer(result as never)).toEqual(answer);
});

test('nothing in the arguments is invisible or turns the direction of reading', () => {
  const shown = showArguments({
    a: 'x\u202ey',
    b: 'p\u200bq',
    c: 'r\u{e0041}s',
    d: '\u00a0',
    e: '\u034f',
    f: 'ä中\u{1f600}',
  });
  expect(shown).toContain('x\\u202ey');
  expect(shown).toContain('p\\u200bq');
  expect(shown).toContain('r\\udb40\\udc41s');
  expect(shown).toContain('\\u00a0');
  expect(shown).toContain('\\u034f');
  expect(shown).toContain('ä中\u{1f600}');
});

test('what is too long to be read is not asked about in a form', () => {
  const approval = {
    id: 'ap_1',
    tool: 't',
    upstream: 'u',
    reasons: [],
    needed: 1,
    arguments: { a: 'x'.repeat(7_000) },
  };
  expect(toAskForm(approval as unknown as Approval)).toBeUndefined();
});

test('offers the run where there is one', () => {
  const about = { id: 'ap_1', tool: 't', upstream: 'u', arguments: {}, reasons: [], needed: 1 };
  const offered = (run: string) => JSON.stringify(toAskForm({ ...about, run } as unknown as Approval));
  expect(offered('r')).toContain('allow for this run');
  expect(offered('')).not.toContain('for this run');
  expect(offered('')).toContain('allow once');
});
