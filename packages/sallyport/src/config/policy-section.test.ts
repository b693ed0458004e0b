import { describe, expect, test } from 'vitest';
import { loadSnapshot } from './load-snapshot.ts';
import { policiesOf } from './policy-section.ts';

function load(sections: object) {
  const text = JSON.stringify({ mcpServers: { web: { command: 'x' } }, ...sections });
  return loadSnapshot({ file: '/etc/s.json', text, env: {}, stateDir: '/tmp/s', version: 1, readText: () => '' });
}

const FILE = 'team.cedar';

describe('the set in force', () => {
  test.each([
    [{}, 'laptop'],
    [{ policy: {} }, 'laptop'],
    [{ policy: { files: [FILE] } }, 'laptop'],
    [{ policy: { set: 'team' } }, 'team'],
    [{ policy: { set: 'locked', files: [FILE] } }, 'locked'],
  ])('of %j is %s', (sections, set) => {
    expect(load(sections).set).toBe(set);
  });

  test('nothing configured is laptop written out, for every door', () => {
    const { policy: _, ...bare } = load({});
    const { policy: __, ...written } = load({ policy: { set: 'laptop' } });
    expect(bare).toEqual(written);
  });

  test('each door can be switched off by itself', () => {
    for (const set of ['laptop', 'team', 'locked']) {
      const off = load({
        policy: { set },
        taint: { mode: 'off' },
        secrets: { mode: 'off' },
        argumentSafety: { enabled: false },
        scan: { definitions: 'off', results: 'off' },
      });
      expect([off.taint, off.secrets, off.argumentSafety.enabled]).toEqual([undefined, undefined, false]);
      expect(off.scan).toMatchObject({ definitions: 'off', results: 'off' });
    }
  });
});

describe('policies are evaluated', () => {
  test.each([
    ['for a known caller of laptop: not at all', {}, undefined],
    ['nor where laptop is written', { policy: { set: 'laptop' } }, undefined],
    ['for callers that nobody knows', { gateway: { auth: 'none' } }, { set: 'laptop' }],
    ['of files alone, where no set is written', { policy: { files: [FILE] } }, { set: undefined }],
    ['of files and the set', { policy: { set: 'laptop', files: [FILE] } }, { set: 'laptop' }],
    ['that are only tried, beside laptop', { policy: { shadow: [FILE] } }, { set: 'laptop', files: [] }],
    ['of other sets', { policy: { set: 'locked' } }, { set: 'locked' }],
  ])('%s', (_, sections, expected) => {
    const policies = policiesOf(load(sections));
    if (expected === undefined) expect(policies).toBeUndefined();
    else expect(policies).toMatchObject(expected);
  });
});
