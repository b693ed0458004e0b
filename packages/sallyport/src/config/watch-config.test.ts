import { describe, expect, test } from 'vitest';
import type { FaultError } from '../core/errors.ts';
import { loadSnapshot } from './load-snapshot.ts';
import type { Snapshot } from './settings.ts';
import { watchConfig } from './watch-config.ts';

function snapshot(version: number, text = '{}'): Snapshot {
  return loadSnapshot({ file: undefined, text, env: {}, stateDir: '/s', version });
}

function start(texts: (string | undefined)[]) {
  const seen: string[] = [];
  let change = () => {};
  let heard = () => {};
  const watch = watchConfig({
    first: snapshot(1),
    async load(version) {
      const text = texts.shift();
      return text === undefined ? undefined : snapshot(version, text);
    },
    watch(onChange) {
      change = onChange;
      return { close: () => seen.push('closed') };
    },
    publish(published) {
      seen.push(`version ${published.version}, port ${published.gateway.port}`);
      heard();
    },
    refuse(fault) {
      seen.push(`${fault.code}: ${fault.message}`);
      heard();
    },
    quietMs: 1,
  });
  return { seen, watch, change: () => change(), next: () => new Promise<void>((resolve) => (heard = resolve)) };
}

describe('hot reload', () => {
  test('a bad file keeps the old snapshot and says why; versions count what was published', async () => {
    const { seen, watch } = start([
      '{"gateway":{"port":1}}',
      '{"gateway":{"prot":2}}',
      undefined,
      '{"gateway":{"port":3}}',
    ]);
    for (let i = 0; i < 4; i++) await watch.reload();
    expect(seen).toEqual([
      'version 2, port 1',
      'config: the configuration: line 1, gateway.prot: unknown key; did you mean "port"?',
      'version 3, port 3',
    ]);
  });

  test('many changes at once are one reading', async () => {
    const { seen, change, next } = start(['{"gateway":{"port":1}}', '{"gateway":{"port":2}}']);
    const heard = next();
    for (let i = 0; i < 5; i++) change();
    await heard;
    expect(seen).toEqual(['version 2, port 1']);
  });

  test('what throws otherwise is told without its text', async () => {
    const refused: FaultError[] = [];
    const watch = watchConfig({
      first: snapshot(1),
      load: () => Promise.reject(new Error('s3cret')),
      watch: () => ({ close() {} }),
      publish() {},
      refuse: (fault) => refused.push(fault),
    });
    await watch.reload();
    expect(refused.map(({ code, message }) => [code, message.includes('s3cret')])).toEqual([['internal', false]]);
  });

  test('nothing is published after close', async () => {
    const { seen, watch } = start(['{}']);
    watch.close();
    await watch.reload();
    expect(seen).toEqual(['closed']);
  });
});
