import { expect, test } from 'vitest';
import { loadSnapshot } from './load-snapshot.ts';

function load(sections: object) {
  const text = JSON.stringify({ mcpServers: { web: { command: 'x' } }, ...sections });
  return loadSnapshot({ file: '/etc/s.json', text, env: {}, stateDir: '/tmp/s', version: 1 }).plans;
}

test.each([
  { plans: { handles: ['web'] }, taint: { mode: 'off' } },
  { plans: {}, policy: { set: 'team' }, taint: { mode: 'off' } },
])('%j is a mistake: no plan could be fixed', (sections) => {
  expect(() => load(sections)).toThrow(/line 1, plans: plans need the section "taint".*remove "plans"\.$/);
});

test.each([{ plans: {} }, { plans: {}, taint: {} }, { plans: {}, policy: { set: 'laptop' } }])(
  '%j has what plans need',
  (sections) => {
    expect(load(sections)).toMatchObject({ plans: 10_000 });
  },
);

test.each([{}, { plans: { mode: 'off' } }])('%j has no plans, and needs nothing for them', (sections) => {
  expect(load(sections)).toBeUndefined();
});

test('a server of handles that is not there is a mistake', () => {
  expect(() => load({ plans: { handles: ['wbe'] }, taint: {} })).toThrow('no server is called "wbe"');
});
