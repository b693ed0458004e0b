import { expect, test } from 'vitest';
import { readKeptItems } from './fetch-list.ts';
import { whyUriHeld } from './held.ts';
import { toKnownList } from './known-list.ts';
import type { ViewPart } from './view-part.ts';

const HELD = new Set(['notes://held', 'bad://{id}', 'both://{id}']);

function toPart(): ViewPart {
  const list = (kind: 'resources' | 'resourceTemplates', key: string, uris: readonly string[]) => {
    const texts = uris.map((uri) => JSON.stringify({ name: uri, [key]: uri }));
    const items = readKeptItems(kind, texts);
    return toKnownList(kind, { items, problems: [], ttlMs: undefined, isPrivate: false }, new Map());
  };
  const lists = new Map([
    ['resources', list('resources', 'uri', ['notes://open', 'notes://held', 'bad://listed'])],
    ['resourceTemplates', list('resourceTemplates', 'uriTemplate', ['bad://{id}', 'both://{id}', 'both://{+path}'])],
  ] as const);
  const pins = { whyHeld: (_: string, { id }: { id: string }) => (HELD.has(id) ? `${id} is held` : undefined) };
  // Only what is looked at here.
  return { lists, pins } as unknown as ViewPart;
}

test.each([
  ['notes://held', 'notes://held is held'],
  ['bad://1', 'bad://{id} is held'],
])('%s may not be read', (uri, why) => {
  expect(whyUriHeld(toPart(), uri)).toBe(why);
});

test.each([
  ['an approved resource', 'notes://open'],
  ['a resource listed beside a template that is held', 'bad://listed'],
  ['what an approved template explains, too', 'both://1'],
  ['a link that no list names', 'other://1'],
])('%s may be read', (_, uri) => {
  expect(whyUriHeld(toPart(), uri)).toBeUndefined();
});
