import { expect, test } from 'vitest';
import { openSampleControl } from '../../test/sample-control.ts';
import { toDefinition } from '../catalog/pins/define-item.ts';
import type { Sighting } from '../catalog/pins/pin.ts';
import type { Finding } from '../core/finding.ts';
import { createPinStore } from '../storage/pins.ts';
import { findingRoutes } from './finding-routes.ts';
import { pinRoutes } from './pin-routes.ts';

const AT = '2025-01-01T00:00:00.000Z';

function finding(id: string, tier: Finding['tier']): Finding {
  return {
    id,
    tier,
    owasp: 'MCP03',
    where: '/description',
    start: 0,
    end: 4,
    evidence: 'evil',
    why: 'Why.',
    fix: 'Fix.',
  };
}

function met(name: string, description: string, findings: readonly Finding[], approve = false): Sighting {
  const definition = toDefinition('tools', JSON.stringify({ name, description }));
  const isHeld = findings.some(({ tier }) => tier === 'block');
  const hold = isHeld ? { hold: `reading it found: ${findings[0]?.id}` } : {};
  const related = [{ server: 'other', name: 'save', why: 'It does the same.' }];
  const found = {
    ...{ findings, score: 0.5, risky: findings.length > 0, digest: definition.digest, version: '1', ...hold },
    ...(isHeld ? { related } : {}),
  };
  return { server: 's', kind: 'tools', name, definition, renamedFrom: undefined, approve, found };
}

async function open() {
  const opened = await openSampleControl((ports) => [...pinRoutes(ports), ...findingRoutes(ports)], {});
  const store = createPinStore(opened.database, 'none');
  const see = (...sightings: Sighting[]) => store.keep(sightings, AT);
  await see(
    met('a', 'evil', [finding('hides', 'block'), finding('odd', 'review')]),
    met('b', 'odd', [finding('odd', 'review')], true),
    met('c', 'good', [], true),
  );
  const list = async (query: string) =>
    (await opened.ask('viewer', `GET /findings?${query}`)).value.items.map(
      ({ item, id }: Record<string, string>) => `${item} ${id}`,
    );
  return { ...opened, see, list };
}

test('findings are listed page by page, by server, item, tier, rule and state', async () => {
  const { ask, list } = await open();
  const all = ['tools/a hides', 'tools/a odd', 'tools/b odd'];
  expect(await list('')).toEqual(all);
  expect(await list('server=s&item=b')).toEqual([all[2]]);
  expect(await list('tier=block')).toEqual([all[0]]);
  expect(await list('rule=odd')).toEqual([all[1], all[2]]);
  expect(await list('state=held')).toEqual([all[0], all[1]]);
  expect(await list('state=approved')).toEqual([all[2]]);
  const { value } = await ask('viewer', 'GET /findings?limit=2');
  expect(value.items[0]).toEqual({
    ...{ server: 's', item: 'tools/a', state: 'new', digest: met('a', 'evil', []).definition.digest },
    ...finding('hides', 'block'),
  });
  expect(await list(`cursor=${encodeURIComponent(value.next)}`)).toEqual([all[2]]);
  expect(await ask('viewer', 'GET /findings?tier=all')).toMatchObject({ status: 400 });
  expect(await ask('viewer', 'GET /findings?server=nobody')).toMatchObject({ status: 404 });
});

test('of a definition that is another one by now, only its own findings are shown', async () => {
  const { see, list } = await open();
  await see({ ...met('a', 'other', []), found: undefined });
  expect(await list('')).toEqual(['tools/b odd']);
});

test('pins and differences carry what reading them found', async () => {
  const { ask } = await open();
  expect((await ask('viewer', 'GET /pins')).value.items.map(({ found }: Record<string, unknown>) => found)).toEqual([
    { block: 1, review: 1, score: 0.5 },
    { block: 0, review: 1, score: 0.5 },
    { block: 0, review: 0, score: 0.5 },
  ]);
  expect((await ask('viewer', 'GET /pins/differences')).value.items).toEqual([
    expect.objectContaining({
      item: 'tools/a',
      weight: 'major',
      risks: ['reading it found: hides, odd'],
      findings: [finding('hides', 'block'), finding('odd', 'review')],
      related: [{ server: 'other', name: 'save', why: 'It does the same.', fields: [] }],
    }),
  ]);
});

test('what is held for what reading it found is approved by who says so, and by nobody else', async () => {
  const { ask, notes } = await open();
  const items = [{ server: 's', item: 'tools/a', digest: met('a', 'evil', []).definition.digest }];
  expect((await ask('operator', 'POST /pins/approve', { items })).value).toEqual({
    ...{ mode: 'team', done: [], late: [], left: [{ server: 's', item: 'tools/a' }] },
  });
  expect((await ask('viewer', 'GET /pins?item=a')).value.items).toMatchObject([{ state: 'new' }]);
  expect(notes).toEqual([]);
  expect((await ask('operator', 'POST /pins/approve', { items, withFindings: true })).value).toMatchObject({
    ...{ done: [{ server: 's', item: 'tools/a' }], left: [] },
  });
  expect(notes).toMatchObject([{ kind: 'pin_approve', item: 'tools/a', rules: 'hides, odd' }]);
  expect((await ask('viewer', 'GET /pins?item=a')).value.items).toMatchObject([{ state: 'approved' }]);
});

test('a refusal needs no such word', async () => {
  const { ask } = await open();
  const items = [{ server: 's', item: 'tools/a', digest: met('a', 'evil', []).definition.digest }];
  expect((await ask('operator', 'POST /pins/reject', { items })).value.done).toHaveLength(1);
});

test('what first sight approved and reading found bad since is new again, shown whole, and approved by a person', async () => {
  const { ask, see } = await open();
  await see(met('b', 'odd', [finding('hides', 'block')]));
  const { value } = await ask('viewer', 'GET /pins/differences?item=b');
  expect(value.items).toMatchObject([{ state: 'new', changes: [{ path: '', change: 'added' }] }]);
  const items = [{ server: 's', item: 'tools/b', digest: value.items[0].digest }];
  await ask('operator', 'POST /pins/approve', { items, withFindings: true });
  expect((await ask('viewer', 'GET /pins?item=b')).value.items).toMatchObject([
    { state: 'approved', approvedBy: 'key:operator' },
  ]);
});
