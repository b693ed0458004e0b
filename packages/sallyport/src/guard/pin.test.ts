import { expect, test } from 'vitest';
import { toCall, toTool } from '../../test/sample-call.ts';
import { ALLOW } from '../core/verdict.ts';
import { inspectRequest } from './guard.ts';
import { pin } from './pin.ts';

test('a tool that is held is refused with the reason, whatever the call says', () => {
  const guard = pin((tool) => (tool.name === 'held' ? 'It is quarantined: sallyport pin diff s' : undefined));
  for (const given of [{}, { arguments: { a: 1 } }, { endpoint: { kind: 'server', name: 's' } as const }])
    expect(guard.request?.(toCall({ tool: toTool({ name: 'held' }), ...given }))).toEqual({
      kind: 'deny',
      code: 'denied',
      reason: 'It is quarantined: sallyport pin diff s',
    });
});

test('an approved tool passes, and its result is never read', () => {
  const guard = pin(() => undefined);
  expect(guard.request?.(toCall())).toBe(ALLOW);
  expect(guard.result).toBeUndefined();
});

test('a look-up that throws denies', () => {
  const guard = pin(() => {
    throw new Error('broken');
  });
  expect(inspectRequest([guard], toCall())).toMatchObject({ verdict: { kind: 'deny' }, guard: 'pin' });
});
