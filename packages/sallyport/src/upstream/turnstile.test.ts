import { describe, expect, it } from 'vitest';
import { TestExchange } from '../../test/upstream-set-up.ts';
import { Turnstile } from './turnstile.ts';

const turnstile = (own: { places?: number; line?: number; patienceMs?: number } = {}) =>
  new Turnstile({ name: 'subject', places: 1, line: 2, patienceMs: 60_000, ...own });

describe('Turnstile', () => {
  it('lets in as many as there are places, then in order of arrival', async () => {
    const subject = turnstile();
    expect(subject.tryEnter()).toBe(true);
    expect(subject.tryEnter()).toBe(false);
    const order: number[] = [];
    const first = subject.enter(new TestExchange()).then(() => order.push(1));
    const second = subject.enter(new TestExchange()).then(() => order.push(2));
    subject.leave();
    await first;
    expect(order).toEqual([1]);
    expect(subject.inside).toBe(1);
    subject.leave();
    await second;
    expect(order).toEqual([1, 2]);
  });

  it('turns away who finds the line full', async () => {
    const subject = turnstile({ line: 0 });
    subject.tryEnter();
    await expect(subject.enter(new TestExchange())).rejects.toMatchObject({
      code: 'overloaded',
      message: expect.stringContaining('"subject" is busy'),
    });
  });

  it('lets nobody wait for ever', async () => {
    const subject = turnstile({ patienceMs: 20 });
    subject.tryEnter();
    await expect(subject.enter(new TestExchange())).rejects.toMatchObject({ code: 'overloaded' });
    subject.leave();
    expect(subject.tryEnter()).toBe(true);
  });

  it('lets a client that leaves out of the line', async () => {
    const subject = turnstile();
    subject.tryEnter();
    const leaver = new TestExchange();
    const left = subject.enter(leaver);
    const stayed = subject.enter(new TestExchange());
    leaver.cancel();
    await expect(left).rejects.toMatchObject({ code: 'cancelled' });
    subject.leave();
    await stayed;
    expect(subject.inside).toBe(1);
  });

  it('says when it is empty', async () => {
    const subject = turnstile();
    await subject.empty();
    subject.tryEnter();
    const empty = subject.empty();
    subject.leave();
    await empty;
  });
});
