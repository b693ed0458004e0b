import { describe, expect, test } from 'vitest';
import type { Found } from './inspection.ts';
import {
  createEntry,
  hasFindings,
  isTwin,
  noteApproved,
  noteContent,
  noteFound,
  noteMet,
  noteSeen,
  toKey,
} from './pin-entry.ts';

const found = (digest: string, given: object = {}): Found =>
  ({ digest, version: 'v', hold: undefined, findings: [], related: [], ...given }) as unknown as Found;
const finding = (id: string, tier = 'note') => ({ id, tier, where: '/description', start: 0, end: 9 });

describe('what is remembered of a pin is bounded', () => {
  test('the sixteen digests met last', () => {
    const entry = createEntry();
    for (let i = 0; i < 16; i++) noteMet(entry, `d${i}`);
    noteMet(entry, 'd0');
    noteMet(entry, 'new');
    expect(entry.met.size).toBe(16);
    expect([...entry.met].slice(-2)).toEqual(['d0', 'new']);
    expect([entry.met.has('d1'), entry.met.has('d2')]).toEqual([false, true]);
  });

  test('the sixteen readings made last, and that of the approved one', () => {
    const entry = createEntry();
    entry.approved = 'd0';
    for (let i = 0; i < 16; i++) noteFound(entry, found(`d${i}`));
    noteFound(entry, found('d1'));
    noteFound(entry, found('new'));
    expect([...entry.found.keys()].slice(-2)).toEqual(['d1', 'new']);
    expect(['d0', 'd1', 'd2', 'd3'].map((digest) => entry.found.has(digest))).toEqual([true, true, false, true]);
    expect(entry.found.size).toBe(16);
  });

  test('sixteen contents', () => {
    const entry = createEntry();
    for (let i = 0; i < 17; i++) noteContent(entry, `c${i}`);
    expect([...entry.contents]).toEqual(['c16']);
  });
});

describe('a definition that was read', () => {
  test.each<[string, object[], boolean]>([
    ['without findings', [], false],
    ['that praises itself', [finding('boasts')], false],
    ['that promotes itself', [finding('promotes-itself')], false],
    ['with a stray character', [finding('stray-characters')], false],
    ['that is like one of another server', [finding('shadow-name')], false],
    ['that gives an order', [finding('boasts'), finding('gives-orders')], true],
    ['that is like one of another server to be blocked', [finding('shadow-name', 'block')], true],
  ])('%s leads a model: %s', (_, findings, leads) => {
    const entry = createEntry();
    noteFound(entry, found('d', { findings }));
    entry.twins.set('twin', 'd');
    expect([hasFindings(entry, 'd'), hasFindings(entry, 'twin')]).toEqual([leads, leads]);
    expect([hasFindings(entry, 'other'), hasFindings(undefined, 'd')]).toEqual([false, false]);
  });

  test('has another key for everything that differs in its report', () => {
    const reports = [
      found('d'),
      found('d', { hold: 'scan' }),
      found('d', { findings: [finding('a')] }),
      found('d', { findings: [finding('a', 'block')] }),
      found('d', { findings: [{ ...finding('a'), end: 8 }] }),
      found('d', { related: [{ server: 's', name: 'n' }] }),
      found('d', { related: [{ server: 's', name: 'm' }] }),
    ];
    expect(new Set(reports.map(toKey)).size).toBe(reports.length);
    expect(toKey(found('x', { findings: [finding('a')] }))).toBe(toKey(found('y', { findings: [finding('a')] })));
  });
});

describe('a definition in the words of the other era', () => {
  const text = (support: string, description = 'reads') =>
    JSON.stringify({ name: 'a', description, inputSchema: {}, execution: { taskSupport: support } });
  const offered = (digest: string, words: string) => ({ digest, define: () => ({ digest, text: words }) }) as never;

  test('is the approved one, and is known by its digest from then on', () => {
    const entry = createEntry();
    noteApproved(entry, { digest: 'one', text: text('optional') }, false);
    expect(isTwin(entry, offered('other', text('forbidden', 'writes')))).toBe(false);
    expect(isTwin(entry, offered('twin', text('forbidden')))).toBe(true);
    expect(entry.twins).toEqual(new Map([['twin', 'one']]));
    expect(isTwin(entry, offered('one', text('optional')))).toBe(false);
  });

  test('is the one that waits', () => {
    const entry = createEntry();
    noteSeen(entry, { digest: 'seen', text: text('optional') });
    expect(isTwin(entry, offered('twin', text('required')))).toBe(true);
    expect(entry.twins.get('twin')).toBe('seen');
  });

  test('is not one that was refused, nor anything before there is one', () => {
    const entry = createEntry();
    expect(isTwin(entry, offered('twin', text('required')))).toBe(false);
    noteApproved(entry, { digest: 'one', text: text('optional') }, false);
    entry.rejected = 'refused';
    expect(isTwin(entry, offered('refused', text('required')))).toBe(false);
  });
});

test('what is offered waits unless it is approved', () => {
  const entry = createEntry();
  noteSeen(entry, { digest: 'd', text: 'words' });
  expect([entry.seen, entry.waitingText]).toEqual(['d', 'words']);
  noteApproved(entry, { digest: 'other', text: 'x' }, true);
  expect([entry.approved, entry.waitingText, entry.isUnread]).toEqual(['other', 'words', true]);
  noteApproved(entry, { digest: 'd', text: 'words' }, false);
  expect([entry.approvedText, entry.waitingText, entry.isUnread]).toEqual(['words', undefined, false]);
  noteSeen(entry, { digest: 'd', text: 'words' });
  expect(entry.waitingText).toBeUndefined();
  noteApproved(entry, undefined, false);
  expect([entry.approved, entry.approvedText]).toEqual([undefined, undefined]);
});
