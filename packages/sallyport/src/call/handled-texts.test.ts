import { describe, expect, test } from 'vitest';
import { toCall } from '../../test/sample-call.ts';
import type { Verdict } from '../core/verdict.ts';
import { createChains, type Guard } from '../guard/guard.ts';
import { type KeptText, toHandle } from '../guard/plan/handle.ts';
import { createHandledTexts, type HandledTextPorts } from './handled-texts.ts';

const ID = 'abcdefghijklmnop';
const ARGS = { path: toHandle(ID) };
const CALL = toCall({ body: ARGS });

function open(
  guards: readonly Guard[] = [],
  {
    text = 'the text',
    isOn = true,
    isLater = false,
  }: { text?: string | undefined; isOn?: boolean; isLater?: boolean } = {},
) {
  const runs: string[] = [];
  const kept: ReadonlyMap<string, KeptText> = new Map([[ID, { text, upstream: 'web' }]]);
  const find = (run: string) => {
    runs.push(run);
    return isLater ? Promise.resolve(kept) : kept;
  };
  const settings = () => (isOn ? ({} as ReturnType<HandledTextPorts['settings']>) : undefined);
  const handles = { find } as unknown as HandledTextPorts['handles'];
  return { ...createHandledTexts({ settings, handles, chains: createChains(guards) }), runs };
}

const guard = (name: string, judge: (path: unknown) => Verdict): Guard => ({
  ...{ name, kinds: ['call'] },
  judge: ({ body }) => judge(body['path']),
});
const DENY: Verdict = { kind: 'deny', code: 'denied', reason: 'it quotes the text' };
const askedBy = (path: unknown): Verdict =>
  path === 'the text' ? { kind: 'ask', reason: 'x', classes: ['file-write'] as never } : { kind: 'ask', reason: 'x' };

test.each([false, true])('a handle is opened for the run it belongs to (later: %s)', async (isLater) => {
  const { toUpstream, runs } = open([], { isLater });
  expect(await toUpstream(CALL, ARGS)).toEqual({ path: 'the text' });
  expect(runs).toEqual([CALL.run]);
});

test('arguments without a handle, and settings without handles, ask for none', () => {
  const { toUpstream, runs } = open();
  expect(toUpstream(CALL, { path: `see ${toHandle(ID)}` })).toBeUndefined();
  expect(open([], { isOn: false }).toUpstream(CALL, ARGS)).toBeUndefined();
  expect(runs).toEqual([]);
});

describe('a call is refused', () => {
  const refused = async (guards: readonly Guard[], more = {}, args = ARGS) =>
    (async () => open(guards, more).toUpstream(CALL, args))();

  test('when a handle is not known', async () => {
    await expect(refused([], {}, { path: toHandle('ponmlkjihgfedcba') })).rejects.toMatchObject({
      code: 'denied',
      message: expect.stringContaining('not known any longer'),
    });
  });

  test('when its handles stand for too much text', async () => {
    await expect(refused([], { text: 'x'.repeat(16_777_217) })).rejects.toThrow('too much text');
  });

  test('when a guard forbids what a handle stands for, without the words of the guard', async () => {
    const safety = guard('argument-safety', (path) => (path === 'the text' ? DENY : { kind: 'allow' }));
    const fault = await refused([safety]).catch((error: Error) => error);
    expect(fault).toMatchObject({ code: 'denied', message: expect.stringContaining('a dangerous path') });
    expect((fault as Error).message).not.toContain('quotes');
  });

  test('when a policy forbids it, or a person would be asked more about it than about the handle', async () => {
    const policy = guard('policy', (path) => (path === 'the text' ? DENY : { kind: 'allow' }));
    await expect(refused([policy])).rejects.toThrow('a policy forbids it');
    await expect(refused([guard('sink-floor', askedBy)])).rejects.toThrow('a person would have to agree to it');
  });
});

test('what a person was asked about then is not asked about again', async () => {
  const asking = guard('sink-floor', () => ({ kind: 'ask', reason: 'x' }));
  expect(await open([asking]).toUpstream(CALL, ARGS)).toEqual({ path: 'the text' });
});

test('guards that are neither look at handles only', async () => {
  const other = guard('taint', (path) => (path === 'the text' ? DENY : { kind: 'allow' }));
  expect(await open([other]).toUpstream(CALL, ARGS)).toEqual({ path: 'the text' });
});
