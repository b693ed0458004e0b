import { describe, expect, test } from 'vitest';
import { toCall } from '../../test/sample-call.ts';
import { NAME, NOTHING } from '../core/envelope.ts';
import type { JsonObject } from '../core/json.ts';
import type { CallPorts } from './ports.ts';
import { reveal } from './transforms.ts';

type Ports = Parameters<typeof reveal>[0];
const HANDLE = { text: 'handle' };
const MASKED = { text: 'masked' };

function open(given: {
  readonly opened?: JsonObject;
  readonly unmasked?: JsonObject;
  readonly later?: boolean;
}): Ports {
  const answer = <T>(value: T) => (given.later === true ? Promise.resolve(value) : value);
  return {
    handled: { toUpstream: () => answer(given.opened) },
    masked: { toUpstream: () => answer(given.unmasked) } as unknown as CallPorts['masked'],
  };
}

describe.each([false, true])('what a server gets (later: %s)', (later) => {
  test('is the body itself where nothing stands for another value', async () => {
    const revealed = await reveal(open({ later }), toCall(), MASKED);
    expect(revealed).toEqual({ body: MASKED, fixed: NOTHING, isRevealed: false });
    expect(revealed.body).toBe(MASKED);
  });

  test('has handles opened, and then masked values put back', async () => {
    expect(await reveal(open({ later, opened: MASKED }), toCall(), HANDLE)).toMatchObject({
      body: MASKED,
      isRevealed: true,
    });
    const both = open({ later, opened: MASKED, unmasked: { text: 'plain' } });
    expect(await reveal(both, toCall(), HANDLE)).toMatchObject({ body: { text: 'plain' }, isRevealed: true });
  });

  test('is refused where a masked value would be put back beside the arguments', async () => {
    const envelope = toCall({ fixed: { task: '{{secret:x}}' } });
    const work = async () => reveal(open({ later, unmasked: { request: { task: 'plain' } } }), envelope, {});
    await expect(work()).rejects.toMatchObject({
      code: 'denied',
      message: expect.stringContaining('where none can be put back'),
    });
  });

  test('may have a masked value put back in its name', async () => {
    const envelope = toCall({ fixed: { [NAME]: 'note://{{secret:x}}' } });
    const revealed = await reveal(open({ later, unmasked: { [NAME]: 'note://plain' } }), envelope, {});
    expect(revealed).toMatchObject({ fixed: { [NAME]: 'note://plain' }, isRevealed: true });
  });
});

test('only calls of tools have handles', async () => {
  const revealed = await reveal(open({ opened: MASKED }), toCall({ kind: 'prompt', tool: undefined }), HANDLE);
  expect(revealed).toMatchObject({ body: HANDLE, isRevealed: false });
});
