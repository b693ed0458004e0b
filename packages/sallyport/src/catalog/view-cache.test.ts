import { expect, test } from 'vitest';
import type { Snapshot } from '../config/settings.ts';
import type { View } from './contract.ts';
import { ViewCache } from './view-cache.ts';

// Only its version and its identity are looked at.
const snapshotOf = (version: number) => ({ version }) as Snapshot;
const ALL = { kind: 'all' } as const;

test('views of earlier snapshots are dropped, so that reloads hold none of them', () => {
  const views = new ViewCache();
  const client = { key: 'k', profile: '', principal: { id: 'p' } } as Parameters<ViewCache['find']>[2]['client'];
  const keep = (snapshot: Snapshot) =>
    views.keep(
      {
        ...{ snapshot, endpoint: ALL, profile: '', sight: '', principal: 'p', parts: [], unavailable: [] },
        ...{ isPrivate: true, dueAt: 0 },
      },
      () => ({}) as View,
    );
  const [old, now] = [snapshotOf(1), snapshotOf(2)];
  keep(old);
  const view = keep(now);
  views.renew(now);
  expect(views.find(old, ALL, { client, sight: '' })).toBeUndefined();
  expect(views.find(now, ALL, { client, sight: '' })?.view).toBe(view);
});
