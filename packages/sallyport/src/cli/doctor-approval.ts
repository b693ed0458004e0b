import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Tally } from '../catalog/contract.ts';
import { isWaiting } from '../catalog/pins/server-pins.ts';
import { allPages } from './all-pages.ts';
import { type Api, withApi } from './api.ts';
import type { Input } from './command.ts';
import { findStateDir } from './config-file.ts';
import { describeTally, toRemedy } from './describe-tally.ts';
import { EXIT, type Finding, type Step } from './doctor-steps.ts';

/** The last step of a server of the configuration: how much of what it offers may be used. */
export function toApprovalStep(server: string, input: Input): Step {
  return { name: 'approval', exit: EXIT.other, deadlineMs: 10_000, run: () => check(server, input) };
}

async function check(server: string, input: Input): Promise<Finding> {
  // Nothing is made here only because somebody asked how things are.
  const isMade = existsSync(join(findStateDir(input.terminal), 'sallyport.db'));
  const counts = isMade ? await withApi(input, (api) => countOffer(api, server)) : undefined;
  if (counts === undefined) return { outcome: 'skipped', detail: 'Sallyport has not met this server yet.' };
  const detail = describeTally(counts);
  const remedy = toRemedy(server, counts);
  return remedy === undefined
    ? { outcome: 'ok', detail: `${detail}.` }
    : {
        outcome: 'warning',
        detail: `${detail}; ${remedy}`,
        fix: `${remedy.charAt(0).toUpperCase()}${remedy.slice(1)}.`,
      };
}

/** What the running Sallyport knows; beside none, what was written down of what it offered last. */
async function countOffer(api: Api, server: string): Promise<Tally | undefined> {
  if (api.isRunning) return (await api.call('showServer', { path: { name: server } })).definitions ?? undefined;
  const all = await allPages((page) => api.call('listPins', { query: page }));
  const pins = all.filter((pin) => pin.server === server && pin.digest !== null);
  if (pins.length === 0) return undefined;
  const tools = pins.filter(({ item }) => item.startsWith('tools/'));
  const waiting = (some: typeof pins) => some.filter(({ state }) => isWaiting(state)).length;
  return {
    tools: tools.length,
    quarantined: waiting(tools),
    rejected: tools.filter(({ state }) => state === 'rejected').length,
    unvalidated: 0,
    malformed: 0,
    waiting: waiting(pins),
  };
}
