import { join } from 'node:path';
import { atMost, type FaultMeasure, type FaultPlace } from '../faults/figure.ts';
import type { Era } from '../load/messages.ts';
import { RelayClient } from './relay-client.ts';
import { type Servers, startRelay, startUpstream } from './relay-gateway.ts';

const ERAS: readonly Era[] = ['legacy', 'modern'];
const HEALTHY = 32;
const INTRODUCTIONS = 10;

/** A first start beside a server that never answers: how long clients wait for their introduction, and for their first list. */
export async function measureStarts({ folder, progress }: FaultPlace): Promise<FaultMeasure> {
  const upstream = await startUpstream();
  const healthy = Object.fromEntries(Array.from({ length: HEALTHY }, (_, i) => [`s${i}`, upstream.entry(`s${i}`, 5)]));
  const servers: Servers = { silent: upstream.silent, ...healthy };
  const rows: { era: Era; initializeMs: number; firstListMs: number; listed: number }[] = [];
  try {
    for (const era of ERAS) {
      const gateway = await startRelay(join(folder, era), servers);
      try {
        let initializeMs = 0;
        const introduce = async (): Promise<RelayClient> => {
          const startedAt = performance.now();
          const client = await new RelayClient(gateway.target, era).open();
          initializeMs = Math.max(initializeMs, performance.now() - startedAt);
          return client;
        };
        const client = await introduce();
        const startedAt = performance.now();
        const { length } = await client.list();
        const firstListMs = performance.now() - startedAt;
        for (let i = 1; i < INTRODUCTIONS; i++) await introduce();
        rows.push({ era, initializeMs, firstListMs, listed: length });
        progress(
          `${era}: introduced in ${initializeMs.toFixed(0)} ms, ${length} tools in ${firstListMs.toFixed(0)} ms`,
        );
      } finally {
        await gateway.stop();
      }
    }
  } finally {
    await upstream.stop();
  }
  const isWhole = rows.every(({ listed }) => listed === HEALTHY * 5);
  const firstList = isWhole ? Math.max(...rows.map(({ firstListMs }) => firstListMs)) : Number.NaN;
  const initialize = Math.max(...rows.map(({ initializeMs }) => initializeMs));
  return {
    figures: [
      atMost('relay.initialize_ms', initialize, { goal: 200, unit: 'ms' }),
      atMost('relay.first_list_ms', firstList, { goal: 2500, unit: 'ms' }),
    ],
    rows,
  };
}
