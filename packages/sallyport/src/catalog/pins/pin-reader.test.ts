import { describe, expect, test } from 'vitest';
import { silentLog } from '../../core/log.ts';
import type { Inspected, Inspection } from './inspection.ts';
import { createEntry, type Entry } from './pin-entry.ts';
import { PinReader, toObject } from './pin-reader.ts';

const TOOL = { server: 's', kind: 'tools', name: 'read' } as const;
const REPORT = { findings: [], hold: undefined, risky: false, score: 0 };

function open(given: { inspect?: Inspection['inspect']; off?: boolean; isSettled?: boolean } = {}) {
  const world = { now: 0 };
  const seen: Inspected[] = [];
  const inspection = {
    version: 'v1',
    inspect: (...all: Parameters<Inspection['inspect']>) => {
      seen.push(all[0]);
      return given.inspect?.(...all) ?? REPORT;
    },
  } as unknown as Inspection;
  const reader = new PinReader({
    rules: () => ({ mode: 'team', lock: undefined, inspection: () => (given.off ? 'off' : 'on') }) as never,
    ...{ inspection, log: silentLog, clock: { now: () => world.now }, isSettled: () => given.isSettled === true },
  });
  const read = (text: string, entry: Entry = createEntry(), digest = 'd', server = 's') =>
    reader.read({ ...TOOL, server }, { definition: { digest, text }, entry }, []);
  return { reader, read, seen, world };
}

const words = (length: number) => JSON.stringify({ d: 'x'.repeat(length - 8) });

describe('a definition', () => {
  test('is read with what it takes the place of', () => {
    const { read, seen } = open({ isSettled: true });
    expect(read('{"a":1}')).toMatchObject({ digest: 'd', version: 'v1' });
    const approved = { ...createEntry(), approved: 'old', approvedText: '{"a":0}' };
    read('{"a":1}', approved);
    read('{"a":0}', approved, 'old');
    expect(seen).toMatchObject([
      { server: 's', kind: 'tools', name: 'read', definition: { a: 1 }, isApproved: false, isSettled: false },
      { definition: { a: 1 }, before: { a: 0 }, isApproved: false, isSettled: false },
      { definition: { a: 0 }, isApproved: true, isSettled: true },
    ]);
    expect([seen[0]?.before, seen[2]?.before]).toEqual([undefined, undefined]);
  });

  test('that cannot be read is held', () => {
    const { read } = open({
      inspect: () => {
        throw new Error('x');
      },
    });
    expect(read('{}')).toMatchObject({ hold: expect.any(String), digest: 'd', version: 'v1' });
  });

  test.each([
    [131_072, undefined],
    [131_073, 'it is too long to be read for findings'],
  ])('of %d characters is held because of its length: %s', (length, hold) => {
    expect(open().read(words(length))?.hold).toEqual(hold === undefined ? undefined : expect.stringContaining(hold));
  });

  test('is due until it was read by the rules in force', () => {
    const { reader } = open();
    const entry = createEntry();
    expect(reader.isDue(TOOL, entry, 'd')).toBe(true);
    entry.found.set('d', { version: 'v0' } as never);
    expect(reader.isDue(TOOL, entry, 'd')).toBe(true);
    entry.found.set('d', { version: 'v1' } as never);
    expect(reader.isDue(TOOL, entry, 'd')).toBe(false);
  });

  test('of a program or a page, or of a server whose words are not read, is not read', () => {
    const { reader } = open();
    expect(
      ['tools', 'prompts', 'instructions', 'program', 'ui'].map((kind) => reader.isOn('s', kind as never)),
    ).toEqual([...[true, true, true, false, false]]);
    const off = open({ off: true }).reader;
    expect([off.isOn('s', 'tools'), off.isDue(TOOL, createEntry(), 'd')]).toEqual([false, false]);
    const none = new PinReader({ rules: () => ({}) as never, log: silentLog, isSettled: () => false });
    expect(none.isOn('s', 'tools')).toBe(false);
    expect(none.read(TOOL, { definition: { digest: 'd', text: '{}' }, entry: createEntry() }, [])).toBeUndefined();
  });
});

describe('a server that sends much text', () => {
  const fill = ({ read }: ReturnType<typeof open>, server = 's') => {
    for (let i = 0; i < 40; i++) read(words(100_000), createEntry(), `d${i}`, server);
  };

  test('has four million characters read in ten minutes, and no more', () => {
    const house = open();
    fill(house);
    expect(house.seen).toHaveLength(40);
    expect(house.read('1')).toMatchObject({ hold: expect.stringContaining('too much text at once'), version: '' });
    // What may be used already stays as it is.
    expect(house.read('1', { ...createEntry(), approved: 'd' })).toBeUndefined();
    expect(house.read('1', createEntry(), 'd', 'other')?.hold).toBeUndefined();
    house.world.now = 599_999;
    expect(house.read('1')?.hold).toBeDefined();
    house.world.now = 600_000;
    expect(house.read('1')?.hold).toBeUndefined();
  });
});

test('instructions are one text', () => {
  expect(toObject('instructions', '"be kind"')).toEqual({ instructions: 'be kind' });
  expect(toObject('instructions', '{}')).toEqual({ instructions: '' });
  expect(toObject('tools', '[]')).toEqual({});
});
