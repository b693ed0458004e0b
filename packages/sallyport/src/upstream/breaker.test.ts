import { describe, expect, it } from 'vitest';
import { FaultError } from '../core/errors.ts';
import { Breaker } from './breaker.ts';

const fault = new FaultError('unreachable', 'Nobody answers.');

function create() {
  const clock = { time: 1000, now: () => clock.time };
  return { clock, breaker: new Breaker({ name: 'subject', failures: 2, openMs: 500, clock }) };
}

describe('Breaker', () => {
  it('opens after failures in a row and says why', () => {
    const { breaker } = create();
    breaker.admit();
    breaker.failed(fault);
    breaker.admit();
    breaker.failed(fault);
    expect(() => breaker.admit()).toThrow(
      expect.objectContaining({
        code: 'unreachable',
        message: expect.stringMatching(/failed 2 times.*Nobody answers/),
      }),
    );
    expect(breaker.open).toBe(true);
  });

  it('counts failures in a row only', () => {
    const { breaker } = create();
    breaker.failed(fault);
    breaker.succeeded();
    breaker.failed(fault);
    expect(() => breaker.admit()).not.toThrow();
  });

  it('lets one try after a while, and closes when it succeeds', () => {
    const { breaker, clock } = create();
    breaker.failed(fault);
    breaker.failed(fault);
    clock.time += 500;
    breaker.admit();
    expect(() => breaker.admit()).toThrow(FaultError);
    breaker.succeeded();
    expect(() => breaker.admit()).not.toThrow();
  });

  it('opens again when the try fails, and lets another try when it says nothing', () => {
    const { breaker, clock } = create();
    breaker.failed(fault);
    breaker.failed(fault);
    clock.time += 500;
    breaker.admit();
    breaker.passed();
    breaker.admit();
    breaker.failed(fault);
    expect(() => breaker.admit()).toThrow(FaultError);
    clock.time += 500;
    expect(() => breaker.admit()).not.toThrow();
  });
});
