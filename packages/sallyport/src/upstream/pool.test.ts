import { describe, expect, it } from 'vitest';
import { childSettings, createClient } from '../../test/upstream-set-up.ts';
import type { Client } from '../core/client.ts';
import { systemClock } from '../core/clock.ts';
import type { Log } from '../core/log.ts';
import { ANYONE } from '../core/principal.ts';
import { Connection } from './connection.ts';
import { createEraMemory } from './era-store.ts';
import { FloodGate } from './flood-gate.ts';
import { LearnedEras } from './learned-eras.ts';
import { Pool } from './pool.ts';

const settings = childSettings([], { sharing: 'client' });
const of = (principal: string, session: number): Client => ({
  ...createClient(`${principal} ${session}`, { sampling: {} }),
  principal: { ...ANYONE, id: principal },
});

const log: Log = { debug() {}, info() {}, warn() {}, error() {} };

function open() {
  const ended: Connection[] = [];
  const eras = new LearnedEras({ store: createEraMemory(), key: 's', clock: systemClock, forced: 'auto' });
  eras.learn({ era: 'legacy', revision: '2025-11-25', transport: 'stdio', missing: 'modern' });
  const pool = new Pool({
    settings,
    eras,
    connect: () => {
      const connection = new Connection({
        settings,
        log,
        emit: () => {},
        gate: new FloodGate({ upstream: 's', log, now: () => 0 }),
        gone: (gone) => {
          ended.push(gone);
          pool.forget(gone);
        },
        unreadable: () => {},
        strayed: () => {},
        eraOf: () => undefined,
        isUsedBy: () => true,
      });
      return Promise.resolve(connection);
    },
    ready: () => Promise.resolve(),
    // Busy: somebody follows something there.
    wanted: (key) => key.includes('busy'),
  });
  return { pool, ended };
}

describe('the connections of one caller', () => {
  it('leave room for another when all are busy', async () => {
    const { pool } = open();
    for (let session = 0; session < 70; session++) await pool.acquire(of('busy', session));
    await expect(pool.acquire(of('busy', 70))).rejects.toMatchObject({ code: 'overloaded' });
    for (let session = 0; session < 8; session++) await pool.acquire(of('other', session));
    expect(pool.size).toBe(78);
  });

  it('end the longest idle of its own, never those of others', async () => {
    const { pool, ended } = open();
    await pool.acquire(of('other', 0));
    const theirs = pool.find(of('other', 0));
    for (let session = 0; session < 200; session++) await pool.acquire(of('greedy', session));
    await expect.poll(() => pool.size).toBeLessThan(75);
    expect(ended).not.toContain(theirs);
    expect(pool.find(of('other', 0))).toBe(theirs);
    expect(pool.find(of('greedy', 199))).toBeDefined();
  });

  it('are counted while they start', async () => {
    const { pool } = open();
    const outcomes = await Promise.allSettled(Array.from({ length: 200 }, (_, i) => pool.acquire(of('busy', i))));
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(70);
  });
});
