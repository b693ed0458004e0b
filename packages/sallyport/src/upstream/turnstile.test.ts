import { describe, expect, it } from 'vitest';
import { createClient, TestExchange } from '../../test/upstream-set-up.ts';
import { ANYONE } from '../core/principal.ts';
import type { Share } from '../core/shares.ts';
import { Turnstile } from './turnstile.ts';

const CALLER = new TestExchange();

/** A request of another caller. */
const ofOther = (id: string) => new TestExchange({ client: { ...createClient(id), principal: { ...ANYONE, id } } });

const turnstile = (own: { places?: number; line?: number; patienceMs?: number } = {}) =>
  new Turnstile({ name: 'subject', places: 1, line: 2, patienceMs: 60_000, ...own });

describe('Turnstile', () => {
  it('lets in as many as there are places, then in order of arrival', async () => {
    const subject = turnstile();
    const place = subject.tryEnter(CALLER) as Share;
    expect(place).toBeDefined();
    expect(subject.tryEnter(CALLER)).toBeUndefined();
    const order: number[] = [];
    const first = subject.enter(new TestExchange()).then(() => order.push(1));
    const second = subject.enter(new TestExchange()).then(() => order.push(2));
    subject.leave(place);
    await first;
    expect(order).toEqual([1]);
    expect(subject.inside).toBe(1);
    subject.leave(place);
    await second;
    expect(order).toEqual([1, 2]);
  });

  it('turns away who finds the line full', async () => {
    const subject = turnstile({ line: 0 });
    subject.tryEnter(CALLER);
    await expect(subject.enter(new TestExchange())).rejects.toMatchObject({
      code: 'overloaded',
      message: expect.stringContaining('"subject" is busy'),
    });
  });

  it('lets nobody wait for ever', async () => {
    const subject = turnstile({ patienceMs: 20 });
    const place = subject.tryEnter(CALLER) as Share;
    await expect(subject.enter(new TestExchange())).rejects.toMatchObject({ code: 'overloaded' });
    subject.leave(place);
    expect(subject.tryEnter(CALLER)).toBeDefined();
  });

  it('lets a client that leaves out of the line', async () => {
    const subject = turnstile();
    const place = subject.tryEnter(CALLER) as Share;
    const leaver = new TestExchange();
    const left = subject.enter(leaver);
    const stayed = subject.enter(new TestExchange());
    leaver.cancel();
    await expect(left).rejects.toMatchObject({ code: 'cancelled' });
    subject.leave(place);
    await stayed;
    expect(subject.inside).toBe(1);
  });

  it('leaves room for others when the calls of one caller hang', async () => {
    const subject = turnstile({ places: 80, line: 256 });
    const taken = Array.from({ length: 70 }, () => subject.tryEnter(CALLER));
    expect(taken).not.toContain(undefined);
    expect(subject.tryEnter(CALLER)).toBeUndefined();
    const waiting = subject.enter(new TestExchange());
    const other = subject.tryEnter(ofOther('other')) as Share;
    expect(other).toBeDefined();
    // A place of its own, not one that others left, lets the caller in.
    subject.leave(other);
    expect(subject.inside).toBe(70);
    subject.leave(taken[0] as Share);
    await waiting;
  });

  it('leaves room in the line, too, and lets others pass who waits for its own calls', async () => {
    const subject = turnstile({ places: 8, line: 16 });
    const hogged = Array.from({ length: 7 }, () => subject.tryEnter(CALLER) as Share);
    const other = subject.tryEnter(ofOther('other')) as Share;
    const line = Array.from({ length: 14 }, () => subject.enter(new TestExchange()));
    await expect(subject.enter(new TestExchange())).rejects.toMatchObject({ code: 'overloaded' });
    const third = subject.enter(ofOther('third'));
    subject.leave(other);
    await third;
    expect(subject.inside).toBe(8);
    subject.leave(hogged[0] as Share);
    await line[0];
  });

  it('says when it is empty', async () => {
    const subject = turnstile();
    await subject.empty();
    const place = subject.tryEnter(CALLER) as Share;
    const empty = subject.empty();
    subject.leave(place);
    await empty;
  });
});
