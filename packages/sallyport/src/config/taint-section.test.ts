import { describe, expect, test } from 'vitest';
import { loadSnapshot } from './load-snapshot.ts';
import { STARTER_FLOWS } from './taint-section.ts';

function load(sections: object) {
  const text = JSON.stringify({ mcpServers: { 'a.b': { command: 'x' }, c: { command: 'x' } }, ...sections });
  return loadSnapshot({ file: '/etc/s.json', text, env: {}, stateDir: '/tmp/s', version: 1 }).taint;
}

describe('when data is marked', () => {
  test.each([{}, { policy: {} }, { policy: { files: [] } }, { taint: {} }])(
    '%j: by the rules of laptop',
    (sections) => {
      expect(load(sections)?.flows).toEqual(STARTER_FLOWS.laptop);
    },
  );
  test.each([{}, { policy: { set: 'team' } }])('%j and mode off: not at all', (sections) => {
    expect(load({ ...sections, taint: { mode: 'off' } })).toBeUndefined();
  });
  test.each(['laptop', 'team', 'locked'] as const)('the set %s brings its rules', (set) => {
    expect(load({ policy: { set } })?.flows).toEqual(STARTER_FLOWS[set]);
  });
  test('rules of the file replace those of the set', () => {
    const rule = { name: 'no-secrets', from: 'secret', by: 'value', to: { servers: ['c'] }, action: 'deny' };
    expect(load({ policy: { set: 'team' }, taint: { flows: [rule] } })?.flows).toEqual([rule]);
  });
  test('secrets are never released by a set', () => {
    for (const flows of Object.values(STARTER_FLOWS))
      expect(flows.find(({ from }) => from === 'secret')).toMatchObject({ action: 'deny', by: 'value' });
  });
});

test.each([
  ['a source of a server that is not there', { sources: [{ match: 'd.get_*' }] }, 'taint.sources.0.match'],
  ['an inside that is not there', { inside: ['d'] }, 'taint.inside.0'],
  [
    'a rule for a server that is not there',
    { flows: [{ name: 'x', from: 'untrusted', by: 'run', to: { servers: ['d'] } }] },
    'servers',
  ],
  ['a key that is none', { sources: [{ match: 'c', privacy: 'private' }] }, 'privacy'],
])('%s is a mistake', (_, taint, where) => {
  expect(() => load({ taint })).toThrow(where);
});

test('names of servers may hold dots', () => {
  expect(
    load({ taint: { sources: [{ match: 'a.b.get_*', trust: 'trusted' }, { match: 'c.*' }] } })?.sources,
  ).toMatchObject([
    { match: 'a.b.get_*', trust: 'trusted', privacy: 'public' },
    { match: 'c.*', trust: 'untrusted' },
  ]);
});
