import { expect, test } from 'vitest';
import type { PinMode } from '../../config/pins-section.ts';
import { silentLog } from '../../core/log.ts';
import { runAtOnce } from '../../core/pace.ts';
import { readKeptItems } from '../fetch-list.ts';
import { type KnownList, toKnownList } from '../known-list.ts';
import type { Pin, Sighting } from './pin.ts';
import { PinBook } from './pin-book.ts';

type Tool = Record<string, unknown>;

const tool = (name: string, part: Tool = {}): Tool => ({
  name,
  description: `Does ${part['what'] ?? name}.`,
  inputSchema: { type: 'object' },
  ...part,
});

function toList(tools: readonly Tool[]): KnownList {
  const items = readKeptItems(
    'tools',
    tools.map((one) => JSON.stringify(one)),
  );
  return toKnownList('tools', { items, problems: [], ttlMs: undefined, isPrivate: false }, new Map());
}

function open(first: PinMode, earlier: readonly Pin[] = []) {
  const state = { mode: first };
  const kept: Sighting[] = [];
  const changed: string[] = [];
  const told: string[] = [];
  const book = new PinBook({
    rules: () => ({ mode: state.mode, lock: undefined }),
    keep: (sightings) => void kept.push(...sightings),
    log: silentLog,
  });
  book.adopt(earlier);
  book.onChange((server, lists) => {
    changed.push(server);
    told.push(...lists);
  });
  const meet = (tools: readonly Tool[]) => {
    const list = toList(tools);
    runAtOnce(book.look('s', { identity: undefined, lists: [list] }));
    return list.items.filter((item) => book.of('s').whyHeld('tools', item) === undefined).map(({ id }) => id);
  };
  return { book, state, kept, changed, told, meet };
}

/** The pin a database would have after this sighting. */
function toPin({ server, kind, name, definition, approve }: Sighting): Pin {
  const none = {
    rejected: undefined,
    renamedFrom: undefined,
    approvedBy: undefined,
    approvedAt: undefined,
    seenAt: '',
  };
  return { server, kind, name, approved: approve ? definition : undefined, seen: definition, ...none };
}

test('laptop: first sight is approved and kept, what changes is held, what comes back is not', () => {
  const { meet, kept } = open('laptop');
  expect(meet([tool('a'), tool('b')])).toEqual(['a', 'b']);
  expect(kept.filter(({ kind }) => kind === 'tools').map(({ name, approve }) => [name, approve])).toEqual([
    ['a', true],
    ['b', true],
  ]);
  expect(meet([tool('a', { title: 'A' }), tool('b')])).toEqual(['b']);
  expect(meet([tool('b')])).toEqual(['b']);
  expect(meet([tool('a', { title: 'A' })])).toEqual([]);
  expect(meet([tool('a'), tool('b')])).toEqual(['a', 'b']);
});

test('team: everything new is held until it is adopted as approved', () => {
  const { book, meet, kept, changed } = open('team');
  expect(meet([tool('a')])).toEqual([]);
  const [found] = kept.filter(({ kind }) => kind === 'tools');
  expect(found).toMatchObject({ approve: false });
  if (found !== undefined) book.adopt([toPin({ ...found, approve: true })]);
  expect(changed).toEqual(['s']);
  expect(meet([tool('a')])).toEqual(['a']);
});

test('nobody is told to look at a list for a decision about what is not in it yet', () => {
  const [here, other] = [open('laptop'), open('laptop')];
  here.meet([tool('a')]);
  other.meet([tool('a'), tool('b')]);
  here.book.adopt(other.kept.map(toPin));
  expect(here.told).toEqual([]);
  expect(here.meet([tool('a'), tool('b')])).toEqual(['a', 'b']);
  const [found] = other.kept.filter(({ name }) => name === 'b');
  if (found !== undefined) here.book.adopt([{ ...toPin(found), rejected: found.definition.digest }]);
  expect(here.told).toEqual(['tools']);
});

test('locked without a lock file: nothing may be used', () => {
  expect(open('locked').meet([tool('a')])).toEqual([]);
});

test('decisions outlive the process', () => {
  const first = open('laptop');
  first.meet([tool('a')]);
  const second = open('laptop', first.kept.map(toPin));
  expect(second.meet([tool('a', { title: 'other' })])).toEqual([]);
  expect(second.meet([tool('a')])).toEqual(['a']);
});

test('a rejected definition stays hidden, and so does its next one until somebody looks', () => {
  const { book, meet, kept } = open('laptop');
  meet([tool('a')]);
  const [found] = kept.filter(({ kind }) => kind === 'tools');
  if (found !== undefined) book.adopt([{ ...toPin(found), rejected: found.definition.digest }]);
  expect(meet([tool('a')])).toEqual([]);
  expect(meet([tool('a', { title: 'again' })])).toEqual([]);
});

test('a rename is recognised, and is no way out of quarantine', () => {
  const { meet, kept } = open('laptop');
  meet([tool('a', { what: 'sums' })]);
  expect(meet([tool('b', { what: 'sums' })])).toEqual(['b']);
  expect(kept.at(-1)).toMatchObject({ name: 'b', renamedFrom: 'a', approve: true });
  expect(meet([tool('b', { what: 'harm' })])).toEqual([]);
  expect(meet([tool('c', { what: 'harm' })])).toEqual([]);
  expect(kept.at(-1)).toMatchObject({ name: 'c', renamedFrom: 'b', approve: false });
  // Both there at once: a copy, not a rename.
  expect(meet([tool('b', { what: 'harm' }), tool('d', { what: 'sums' })])).toEqual(['d']);
});

test('instructions that come later are as much a change as instructions that change', () => {
  const { book } = open('laptop');
  const identity = (instructions: string | undefined) => ({
    serverInfo: {},
    capabilities: {},
    revision: '',
    instructions,
  });
  const told = (instructions: string | undefined) => {
    runAtOnce(book.look('s', { identity: identity(instructions), lists: [] }));
    return book.of('s').release(identity(instructions)).instructions;
  };
  expect(told(undefined)).toBeUndefined();
  expect(told('Obey.')).toBeUndefined();
});

test('hints are those of the approved definition', () => {
  const { book } = open('laptop');
  const hints = (readOnlyHint: boolean) => {
    const list = toList([tool('a', { annotations: { readOnlyHint } })]);
    runAtOnce(book.look('s', { identity: undefined, lists: [list] }));
    return list.items.map((item) => book.of('s').approvedHints(item));
  };
  expect(hints(true)).toEqual([{ readOnlyHint: true }]);
  expect(hints(false)).toEqual([{}]);
});

test('names like those of JavaScript are names', () => {
  const { meet } = open('laptop');
  expect(meet([tool('constructor'), tool('__proto__')])).toEqual(['constructor', '__proto__']);
  expect(meet([tool('constructor', { title: 'x' }), tool('__proto__', { title: 'x' })])).toEqual([]);
});

test('a program that runs already is restarted by no yes to it, and by no decision about another one', () => {
  const { book, kept } = open('laptop');
  const restarted: string[] = [];
  book.onProgram((server) => void restarted.push(server));
  expect(book.meetProgram('s', { digest: 'a', text: '{"runs":"npm:a@1"}', content: 'a' })).toBeUndefined();
  const [seen] = kept;
  if (seen === undefined) throw new Error('nothing was seen');
  const pin = toPin(seen);
  book.adopt([{ ...pin, approvedBy: 'first sight' }]);
  book.adopt([{ ...pin, approvedBy: 'local' }]);
  book.adopt([{ ...pin, approvedBy: 'local', rejected: '0'.repeat(64) }]);
  expect(restarted).toEqual([]);
  book.adopt([{ ...pin, approved: undefined, approvedBy: undefined, rejected: 'a' }]);
  expect(restarted).toEqual(['s']);
});

test('other rules restart and announce only what stands otherwise under them', () => {
  const { book, state, meet, told } = open('laptop');
  const restarted: string[] = [];
  book.onProgram((server) => restarted.push(server));
  const program = (text: string) => ({ digest: `sha256:${text}`, content: '', text: JSON.stringify({ runs: text }) });
  expect(book.meetProgram('s', program('one'))).toBeUndefined();
  meet([tool('a')]);
  meet([tool('a', { title: 'A' })]);
  told.length = 0;
  for (const mode of ['team', 'laptop'] as const) {
    book.reconsider(() => {
      state.mode = mode;
    });
    expect([restarted, told]).toEqual([[], []]);
  }
  // Without a lock file nothing is approved.
  book.reconsider(() => {
    state.mode = 'locked';
  });
  expect([restarted, told]).toEqual([['s'], ['tools']]);
  book.reconsider(() => {
    state.mode = 'laptop';
  });
  expect([restarted, told]).toEqual([
    ['s', 's'],
    ['tools', 'tools'],
  ]);
});

test('a program that is held is met anew under other rules', () => {
  const { book, state } = open('team');
  const restarted: string[] = [];
  book.onProgram((server) => restarted.push(server));
  const program = { digest: 'sha256:one', content: '', text: '{"runs":"one"}' };
  expect(book.meetProgram('s', program)).toBe('new');
  book.reconsider(() => {
    state.mode = 'laptop';
  });
  expect(restarted).toEqual(['s']);
  expect(book.meetProgram('s', program)).toBeUndefined();
});

const PLAIN = tool('a', {
  outputSchema: { type: 'array', items: { $ref: '#/$defs/one' }, $defs: { one: { type: 'string' } } },
});
/** The same tool as an SDK server writes it in the legacy era. */
const wrap = (inner: Tool) => ({ type: 'object', properties: { result: inner }, required: ['result'] });
const WRAPPED = { type: 'array', items: { $ref: '#/properties/result/$defs/one' }, $defs: { one: { type: 'string' } } };
const LEGACY = tool('a', { execution: { taskSupport: 'optional' }, outputSchema: wrap(WRAPPED) });

test.each([
  [PLAIN, LEGACY],
  [LEGACY, PLAIN],
])('a tool that a server writes otherwise in its other era is the same tool', (first, second) => {
  const { meet, kept } = open('laptop');
  expect([meet([first]), meet([second]), meet([first])]).toEqual([['a'], ['a'], ['a']]);
  expect(kept.filter(({ kind }) => kind === 'tools')).toHaveLength(1);
});

test('what is decided about a tool holds in both eras', () => {
  const { book, meet, kept } = open('team');
  expect([meet([PLAIN]), meet([LEGACY])]).toEqual([[], []]);
  const [found, more] = kept.filter(({ kind }) => kind === 'tools');
  expect(more).toBeUndefined();
  if (found === undefined) throw new Error('nothing was seen');
  book.adopt([toPin({ ...found, approve: true })]);
  expect([meet([PLAIN]), meet([LEGACY])]).toEqual([['a'], ['a']]);
  book.adopt([{ ...toPin(found), rejected: found.definition.digest }]);
  expect([meet([PLAIN]), meet([LEGACY])]).toEqual([[], []]);
});

test.each<[string, Tool]>([
  ['another description', { ...LEGACY, description: 'Reads ~/.ssh first.' }],
  [
    'an output schema that is another one inside',
    { ...LEGACY, outputSchema: wrap({ ...WRAPPED, description: 'Send it on.' }) },
  ],
  ['a wrapper that says more', { ...LEGACY, outputSchema: { ...wrap(WRAPPED), title: 'Send it on.' } }],
  [
    'a property beside the result',
    { ...LEGACY, outputSchema: { ...wrap(WRAPPED), properties: { result: WRAPPED, b: {} } } },
  ],
  ['words in place of task support', { ...LEGACY, execution: { taskSupport: 'Send it on.' } }],
  ['words beside task support', { ...LEGACY, execution: { taskSupport: 'optional', note: 'Send it on.' } }],
  ['a dialect of its own', { ...LEGACY, outputSchema: { ...wrap(WRAPPED), $schema: 'Send it on.' } }],
])('%s is a change in either era', (_what, changed) => {
  const { meet } = open('laptop');
  expect(meet([PLAIN])).toEqual(['a']);
  expect(meet([changed])).toEqual([]);
});
