import { expect, test } from 'vitest';
import { describeDifference } from './describe-difference.ts';

test('a name or a path of a server writes no line of its own, and hides nothing', () => {
  const text = describeDifference({
    server: 'git',
    item: 'tools/read\nnothing changed',
    digest: '',
    state: 'changed',
    weight: 'major',
    renamedFrom: null,
    findings: [],
    related: [],
    risks: ['new parameter: a\n  + harmless'],
    changes: [{ path: '/inputSchema/properties/a\u200b\n    + harmless', change: 'added', after: 'one\ntwo\u200b' }],
  } as unknown as Parameters<typeof describeDifference>[0]); // what it shows of one
  expect(text.split('\n')).toEqual([
    'git tools/read nothing changed: changed since it was approved (to be read)',
    '  ! new parameter: a + harmless',
    '  /inputSchema/properties/a\\u{200b} + harmless added',
    '    + one',
    '    + two\\u{200b}',
  ]);
});
