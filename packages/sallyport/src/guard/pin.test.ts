import { expect, test } from 'vitest';
import { toCall, toTool } from '../../test/sample-call.ts';
import { ALLOW } from '../core/verdict.ts';
import { inspect } from './guard.ts';
import { pin } from './pin.ts';

test('a tool that is held is refused with the reason, whatever the call says', () => {
  const guard = pin((tool) => (tool.name === 'held' ? 'It is quarantined: sallyport pin diff s' : undefined));
  for (const given of [{}, { arguments: { a: 1 } }, { endpoint: { kind: 'server', name: 's' } as const }])
    expect(guard.judge(toCall({ tool: toTool({ name: 'held' }), ...given }))).toEqual({
      kind: 'deny',
      code: 'denied',
      reason: 'It is quarantined: sallyport pin diff s',
    });
});

test('an approved tool passes', () => {
  const guard = pin(() => undefined);
  expect(guard.judge(toCall())).toBe(ALLOW);
});

test('a look-up that throws denies', () => {
  const guard = pin(() => {
    throw new Error('broken');
  });
  expect(inspect([guard], toCall())).toMatchObject({ verdict: { kind: 'deny' }, guard: 'pin' });
});
