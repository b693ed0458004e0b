import { expect, test } from 'vitest';
import type { PinMode } from '../../config/pins-section.ts';
import type { DefinitionScan } from '../../config/scan-section.ts';
import { FaultError } from '../../core/errors.ts';
import type { Finding } from '../../core/finding.ts';
import { type Log, silentLog } from '../../core/log.ts';
import { runAtOnce } from '../../core/pace.ts';
import { readKeptItems } from '../fetch-list.ts';
import { type KnownList, toKnownList } from '../known-list.ts';
import { createInspection } from './inspect-item.ts';
import type { Inspected, Inspection, Peer, Report } from './inspection.ts';
import type { Pin, Sighting } from './pin.ts';
import { FIRST_SIGHT } from './pin.ts';
import { PinBook } from './pin-book.ts';

const finding = (tier: Finding['tier']): Finding => ({
  ...{ id: `has-${tier}`, tier, owasp: 'MCP03', where: '/description', start: 0, end: 4 },
  ...{ evidence: 'evil', why: 'It is evil.', fix: 'Do not use it.' },
});

/** Finds words: `evil` is held, `odd` is shown; `like x` and `near x` are so as soon as somebody else's x is approved. */
class WordInspection implements Inspection {
  version = '1';
  readonly inspected: (Inspected & { readonly peers: readonly Peer[] })[] = [];
  words = ['evil'];

  inspect(item: Inspected, peers: readonly Peer[]): Report {
    this.inspected.push({ ...item, peers });
    const text = JSON.stringify(item.definition);
    if (text.includes('breaks')) throw new Error('broken');
    const others = peers.filter(({ server }) => server !== item.server);
    const isBad =
      this.words.some((word) => text.includes(word)) || others.some(({ name }) => text.includes(`like ${name}`));
    const isOdd = text.includes('odd') || others.some(({ name }) => text.includes(`near ${name}`));
    const findings = [...(isBad ? [finding('block')] : []), ...(isOdd ? [finding('review')] : [])];
    return {
      findings,
      score: 0,
      risky: findings.length > 0,
      ...(isBad ? { hold: 'reading it found: has-block' } : {}),
    };
  }
}

const tool = (name: string, description: string) => ({ name, description, inputSchema: { type: 'object' } });

function toList(kind: 'tools' | 'prompts', items: readonly object[]): KnownList {
  const kept = readKeptItems(
    kind,
    items.map((one) => JSON.stringify(one)),
  );
  return toKnownList(kind, { items: kept, problems: [], ttlMs: undefined, isPrivate: false }, new Map());
}

function open({ mode = 'laptop', earlier = [] }: { mode?: PinMode; earlier?: readonly Pin[] } = {}) {
  const state = { mode, inspection: 'hold' as DefinitionScan };
  const inspection = new WordInspection();
  const kept: Sighting[] = [];
  const lines: string[] = [];
  const waiting: (() => void)[] = [];
  const runBehind = () => {
    for (let i = 0; i < 100; i++) waiting.shift()?.();
    expect(waiting).toEqual([]);
  };
  const held: string[] = [];
  const log: Log = {
    ...silentLog,
    info: (_facts: unknown, text?: string) => void lines.push(text ?? ''),
    warn: (facts: unknown, text?: string) => void lines.push(`${JSON.stringify(facts)} ${text}`),
  };
  const book = new PinBook({
    rules: () => ({ mode: state.mode, lock: undefined, inspection: () => state.inspection }),
    keep: (sightings) => void kept.push(...sightings),
    log,
    inspection,
    later: (work) => void waiting.push(work),
  });
  book.adopt(earlier);
  book.onHeld((some) => held.push(...some.map(({ name }) => name)));
  const meet = (tools: readonly object[], { server = 's', prompts = [] as readonly object[] } = {}) => {
    const lists = [toList('tools', tools), toList('prompts', prompts)];
    runAtOnce(book.look(server, { identity: undefined, lists }));
    return lists.flatMap(({ kind, items }) =>
      items.filter((item) => book.of(server).whyHeld(kind, item) === undefined).map(({ id }) => id),
    );
  };
  const why = (one: object, server = 's') => {
    const [item] = toList('tools', [one]).items;
    return item === undefined ? 'no item' : book.of(server).whyHeld('tools', item);
  };
  return { book, state, inspection, kept, lines, held, meet, why, runBehind };
}

/** The pin a database would have after this sighting. */
function toPin({ server, kind, name, definition, approve, found }: Sighting, approvedBy = FIRST_SIGHT): Pin {
  const isApproved = approve || approvedBy !== FIRST_SIGHT;
  return {
    ...{ server, kind, name, approved: isApproved ? definition : undefined, seen: definition, rejected: undefined },
    ...{ renamedFrom: undefined, approvedBy: isApproved ? approvedBy : undefined, approvedAt: '', seenAt: '', found },
  };
}

const ofTools = (sightings: readonly Sighting[]) => sightings.filter(({ kind }) => kind === 'tools');

test('laptop: what reading it found holds one item at first sight, the rest of its server works', () => {
  const { meet, why, held, kept, lines } = open();
  expect(meet([tool('a', 'evil'), tool('b', 'good'), tool('c', 'odd')])).toEqual(['b', 'c']);
  expect(why(tool('a', 'evil'))).toMatch(
    /^The tool a waits for the operator's approval because nobody has approved it yet, and the check of its definition did not pass\./,
  );
  expect(held).toEqual(['a']);
  expect(ofTools(kept).map(({ name, approve, found }) => [name, approve, found?.findings.length])).toEqual([
    ['a', false, 1],
    ['b', true, 0],
    ['c', true, 1],
  ]);
  expect(lines.filter((line) => line.includes('tools/c: has-review'))).toHaveLength(1);
});

test('what a person approved with its findings is used', () => {
  const { book, meet, kept } = open();
  meet([tool('a', 'evil')]);
  book.adopt(ofTools(kept).map((one) => toPin(one, 'key:ann')));
  expect(meet([tool('a', 'evil')])).toEqual(['a']);
});

test('instructions and prompts are read too', () => {
  const { book, meet, inspection } = open();
  expect(meet([], { prompts: [{ name: 'p', description: 'evil' }, { name: 'q' }] })).toEqual(['q']);
  const identity = { serverInfo: {}, capabilities: {}, revision: '', instructions: 'evil words' };
  runAtOnce(book.look('t', { identity, lists: [] }));
  expect(book.of('t').release(identity).instructions).toBeUndefined();
  expect(inspection.inspected.at(-1)).toMatchObject({
    kind: 'instructions',
    definition: { instructions: 'evil words' },
  });
  const said = {
    serverInfo: { name: 'u', description: 'evil' },
    capabilities: {},
    revision: '',
    instructions: undefined,
  };
  runAtOnce(book.look('u', { identity: said, lists: [] }));
  expect(book.of('u').release(said).serverInfo).toEqual({ name: 'u', version: '' });
});

test('each definition is read once, and again when the rules are others', () => {
  const first = open();
  first.meet([tool('a', 'good')]);
  first.meet([tool('a', 'good')]);
  expect(first.inspection.inspected.filter(({ kind }) => kind === 'tools')).toHaveLength(1);
  const second = open({ earlier: first.kept.map((one) => toPin(one)) });
  second.meet([tool('a', 'good')]);
  expect(second.inspection.inspected).toEqual([]);
  second.inspection.version = '2';
  second.meet([tool('a', 'good')]);
  expect(second.inspection.inspected.filter(({ kind }) => kind === 'tools')).toHaveLength(1);
});

test('what first sight approved is held by rules that find more; what a person approved stays', () => {
  const first = open();
  first.meet([tool('a', 'sly'), tool('b', 'sly')]);
  const [a, b] = ofTools(first.kept);
  if (a === undefined || b === undefined) throw new Error('both were met');
  const second = open({ earlier: [toPin(a), toPin(b, 'key:ann')] });
  second.inspection.version = '2';
  second.inspection.words = ['sly'];
  expect(second.meet([tool('a', 'sly'), tool('b', 'sly')])).toEqual(['b']);
  expect(second.held).toEqual(['a']);
});

test('a change is compared with what was approved, and held whatever is found', () => {
  const { meet, inspection } = open();
  meet([tool('a', 'good')]);
  expect(meet([tool('a', 'good, better')])).toEqual([]);
  expect(inspection.inspected.at(-1)).toMatchObject({
    definition: tool('a', 'good, better'),
    before: tool('a', 'good'),
  });
});

test('it is read beside the tools of its own server and the approved ones of others', () => {
  const { meet, inspection } = open();
  meet([tool('a', 'evil'), tool('b', 'good')], { server: 'one' });
  meet([tool('c', 'good')], { server: 'two' });
  const peers = inspection.inspected.at(-1)?.peers.map(({ server, name, isApproved }) => [server, name, isApproved]);
  expect(peers).toEqual([
    ['two', 'c', false],
    ['one', 'b', true],
  ]);
});

test('show holds nothing, off reads nothing', () => {
  const shown = open();
  shown.state.inspection = 'show';
  expect(shown.meet([tool('a', 'evil')])).toEqual(['a']);
  expect(ofTools(shown.kept)[0]?.found?.findings).toHaveLength(1);
  shown.book.reconsider(() => {
    shown.state.inspection = 'hold';
  });
  expect(shown.meet([tool('a', 'evil')])).toEqual([]);
  const off = open();
  off.state.inspection = 'off';
  expect(off.meet([tool('a', 'evil')])).toEqual(['a']);
  expect(off.inspection.inspected).toEqual([]);
});

test('under a new name, what was held is held', () => {
  const { meet, inspection } = open();
  meet([tool('a', 'evil')]);
  inspection.words = [];
  expect(meet([tool('b', 'evil')])).toEqual([]);
});

test('what breaks its reader is held, and nothing else of its server', () => {
  const { meet, why } = open();
  expect(meet([tool('a', 'breaks'), tool('b', 'good')])).toEqual(['b']);
  expect(why(tool('a', 'breaks'))).toContain('the check of its definition did not pass');
});

test('who was met first is read again beside those who came later, and what is held stays held', () => {
  const { book, meet, why, held, kept, runBehind } = open();
  expect(meet([tool('a', 'like b'), tool('x', 'odd')], { server: 'one' })).toEqual(['a', 'x']);
  expect(meet([tool('b', 'good')], { server: 'two' })).toEqual(['b']);
  const told: string[] = [];
  book.onChange((server) => told.push(server));
  runBehind();
  expect(held).toEqual(['a']);
  expect(told).toEqual(['one']);
  expect(why(tool('a', 'like b'), 'one')).toContain('nobody has approved it yet, and the check of its definition');
  expect(kept.at(-1)).toMatchObject({
    server: 'one',
    name: 'a',
    approve: false,
    found: { findings: [{ tier: 'block' }] },
  });
});

test('what is only shown with what was found changes no list', () => {
  const { book, meet, kept, runBehind } = open();
  meet([tool('a', 'near b')], { server: 'one' });
  meet([tool('b', 'good')], { server: 'two' });
  const told: string[] = [];
  book.onChange((server) => told.push(server));
  runBehind();
  expect(kept.at(-1)).toMatchObject({ server: 'one', found: { findings: [{ tier: 'review' }] } });
  expect(told).toEqual([]);
});

test('two that are each like the other do not let each other go in turns', () => {
  const { meet, held, why, runBehind } = open();
  meet([tool('a', 'like b')], { server: 'one' });
  meet([tool('b', 'like a')], { server: 'two' });
  runBehind();
  expect(held).toEqual(['b']);
  expect(why(tool('a', 'like b'), 'one')).toBeUndefined();
});

test('team: what waits is read again once somebody approved what it is like', () => {
  const { book, meet, kept, runBehind } = open({ mode: 'team' });
  meet([tool('a', 'like b')], { server: 'one' });
  meet([tool('b', 'good')], { server: 'two' });
  runBehind();
  const before = kept.length;
  book.adopt(
    ofTools(kept)
      .filter(({ name }) => name === 'b')
      .map((one) => toPin(one, 'key:ann')),
  );
  runBehind();
  expect(kept.slice(before)).toMatchObject([{ name: 'a', found: { hold: expect.anything() } }]);
});

test('what is too long to be read is held, and so is what a server sends beyond measure', () => {
  const { meet, why, inspection } = open();
  const long = tool('a', 'good '.repeat(30_000));
  expect(meet([long, tool('b', 'good')])).toEqual(['b']);
  expect(why(long)).toContain('the check of its definition did not pass');
  const many = Array.from({ length: 40 }, (_, i) => tool(`t${i}`, `${i} ${'good '.repeat(25_000)}`));
  const shown = meet(many, { server: 'flood' });
  expect(shown.length).toBeGreaterThan(10);
  expect(shown.length).toBeLessThan(40);
  expect(inspection.inspected.filter(({ server, kind }) => server === 'flood' && kind === 'tools')).toHaveLength(
    shown.length,
  );
  expect(meet([tool('c', 'good')], { server: 'other' })).toEqual(['c']);
});

test('a server that goes back and forth does not wipe what was found in its definitions', () => {
  const { kept, meet, book } = open();
  const good = tool('a', 'fine');
  meet([good]);
  meet([tool('a', 'evil')]);
  meet([good]);
  meet([tool('a', 'evil')]);
  expect(kept.at(-1)).toMatchObject({ definition: { text: expect.stringContaining('evil') } });
  expect(kept.at(-1)?.found?.hold).toBe('reading it found: has-block');
  expect(book.of('s')).toBeDefined();
});

test('nor by more definitions than are remembered', () => {
  const { state, inspection, meet, why } = open();
  const bad = tool('a', 'worse');
  expect(meet([bad])).toEqual(['a']);
  // The rules are others now, and find it: first sight agreed to it, no person.
  inspection.words = ['worse'];
  inspection.version = '2';
  expect(meet([bad])).toEqual([]);
  for (let i = 0; i < 40; i++) meet([tool('a', `another ${i}`)]);
  expect(state.mode).toBe('laptop');
  expect(why(bad)).toContain('the check of its definition did not pass');
});

test('what is too much for the rules is held, and no fault for whoever asks', () => {
  const tooMuch = () => {
    throw new FaultError('too_large', 'Too much.');
  };
  const reviewFrom = { definition: 1, change: 1 };
  const { inspect } = createInspection({ version: '1', scan: tooMuch, scanChange: tooMuch, reviewFrom });
  expect(inspect({ server: 's', kind: 'tools', name: 'a', definition: {} }, []).hold).toContain('could not be read');
});
