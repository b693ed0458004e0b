import { describe, expect, test } from 'vitest';
import { loadSnapshot } from './load-snapshot.ts';

function load(approvals: object, env: Readonly<Record<string, string>> = {}) {
  const text = JSON.stringify({ mcpServers: { files: { command: 'x' }, off: { disabled: true } }, approvals });
  return loadSnapshot({ file: '/etc/s.json', text, env, stateDir: '/tmp/s', version: 1 }).approvals;
}

const WEBHOOK = { url: 'https://chat.example.com/hook', secretEnv: 'HOOK_SECRET' };

describe('what would never ask is a mistake:', () => {
  test.each(['files.write_*', 'files', 'files/', 'file/write', 'write_*', 'Files/*', '/write', 'file?'])(
    'asks of %s',
    (glob) => {
      expect(() => load({ asks: ['files/*', glob] })).toThrow(
        `approvals.asks.1: ${JSON.stringify(glob)} matches no tool of a server of this file, so it would ask nobody; write <server>/<tool>, e.g. files/write_*.`,
      );
    },
  );

  test.each(['nobody', 'files/*'])('sampling of %s', (glob) => {
    expect(() => load({ sampling: [glob] })).toThrow(
      `approvals.sampling.0: ${JSON.stringify(glob)} matches no server of this file, so it would ask nobody.`,
    );
  });

  test.each([{}, { HOOK_SECRET: '' }])('a webhook whose secret is not set: %j', (env) => {
    expect(() => load({ webhook: WEBHOOK }, env)).toThrow(
      'approvals.webhook.secretEnv: the environment variable HOOK_SECRET is not set; set it to the secret before the start',
    );
  });
});

test.each([
  'files/write_*',
  '*/delete_*',
  '*',
  '*delete*',
  'f*',
  'file?/x',
  'files?write',
  'f*s/a',
  'off/x',
  'files/a/b',
])('asks of %s may ask', (glob) => {
  expect(load({ asks: [glob] })).toMatchObject({ asks: [glob] });
});

test('servers that are there and a secret that is set are no mistake', () => {
  expect(load({ sampling: ['f*', 'off'], webhook: WEBHOOK }, { HOOK_SECRET: 'x' })).toMatchObject({ webhook: WEBHOOK });
});
