import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { JsonObject } from '../core/json.ts';
import { Notification } from '../core/message.ts';
import { FloodGate } from './flood-gate.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function open() {
  const world = { now: 0, warnings: 0 };
  const gate = new FloodGate({
    upstream: 's',
    log: { debug() {}, info() {}, error() {}, warn: () => void world.warnings++ },
    now: () => world.now,
  });
  const passed: string[] = [];
  const say = (method: string, params: JsonObject = {}, name = method) => {
    const notification = Notification.of(`notifications/${method}`, params);
    if (gate.drops(notification.bytes)) return;
    gate.take(notification, () => passed.push(name));
  };
  return { world, gate, passed, say };
}

const progress = { progressToken: 1, progress: 1 };

describe('notifications', () => {
  it('at ordinary rates are all passed on, at once', () => {
    const { world, gate, passed, say } = open();
    for (let i = 0; i < 1_000; i++) say('progress', progress);
    for (let second = 0; second < 10; second++) {
      for (let i = 0; i < 100; i++) {
        world.now += 10;
        say('progress', progress);
        say('message', { level: 'info', data: 'x' });
      }
    }
    expect(passed).toHaveLength(3_000);
    expect([gate.over, world.warnings]).toEqual([false, 0]);
  });

  it('above the rate are dropped, with one warning, and the rest goes on when the flood is over', () => {
    const { world, gate, passed, say } = open();
    for (let i = 0; i < 100_000; i++) say(i % 2 === 0 ? 'progress' : 'message');
    expect([passed.length, gate.over, world.warnings]).toEqual([1_000, true, 1]);
    world.now += 1_000;
    expect(gate.over).toBe(false);
    for (let i = 0; i < 100_000; i++) say('message');
    expect([passed.length, world.warnings]).toEqual([1_500, 1]);
    world.now += 10_000;
    say('message');
    expect(passed).toHaveLength(1_501);
  });

  it('of changes are told late and once, but never lost', async () => {
    const { passed, say } = open();
    for (let i = 0; i < 2_000; i++) say('message');
    const before = passed.length;
    for (let i = 0; i < 5_000; i++) {
      say('tools/list_changed');
      say('prompts/list_changed');
      say('resources/updated', { uri: `test://${i % 10}` }, `updated ${i % 10}`);
    }
    expect(passed).toHaveLength(before);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(passed.slice(before).sort()).toEqual(
      ['tools/list_changed', 'prompts/list_changed', ...Array.from({ length: 10 }, (_, i) => `updated ${i}`)].sort(),
    );
  });

  it('of changes are told at once at ordinary rates, and together when they come fast', async () => {
    const { gate, passed, say } = open();
    for (let i = 0; i < 100; i++) say('resources/updated', { uri: `test://${i}` });
    expect(passed).toHaveLength(100);
    for (let i = 0; i < 300; i++) say('tools/list_changed');
    say('progress', progress);
    expect([passed.length, gate.over]).toEqual([101, false]);
    await vi.advanceTimersByTimeAsync(500);
    expect(passed.slice(101)).toEqual(['tools/list_changed']);
  });

  it('that only look like one are read', () => {
    const { gate, say } = open();
    for (let i = 0; i < 2_000; i++) say('message');
    for (const text of [
      '{"jsonrpc":"2.0","id":1,"result":{"method":"notifications/message"}}',
      '{"jsonrpc":"2.0","method":"notifications/messages"}',
      '{"method":"notifications/resources/updated","params":{"uri":"a"},"jsonrpc":"2.0"}',
      '{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}',
      '{"jsonrpc":"2.0","id":7,"method":"ping"}',
      '{}',
      '',
    ])
      expect(gate.drops(Buffer.from(text)), text).toBe(false);
    expect(gate.drops(Buffer.from('{"method":"notifications/progress","params":{},"jsonrpc":"2.0"}'))).toBe(true);
  });

  it('put off are bounded, and forgotten at the end', async () => {
    const { gate, passed, say } = open();
    for (let i = 0; i < 2_000; i++) say('message');
    const before = passed.length;
    for (let i = 0; i < 5_000; i++) say('resources/updated', { uri: `test://${i}` });
    await vi.advanceTimersByTimeAsync(1_000);
    expect(passed).toHaveLength(before + 256);
    say('tools/list_changed');
    gate.close();
    await vi.advanceTimersByTimeAsync(10_000);
    expect(passed).toHaveLength(before + 256);
  });
});
