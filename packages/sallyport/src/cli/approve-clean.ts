import { setTimeout } from 'node:timers/promises';
import { FaultError } from '../core/errors.ts';
import type { Api } from './api.ts';
import { type Input, isSet, type Output, textOption } from './command.ts';
import { liveServers } from './live-servers.ts';
import { type PinDifference, readDifferences } from './pin-differences.ts';

/** A server whose program was approved is started then, and only then offers what else waits. Milliseconds. */
const START_MS = 60_000;
const LOOK_MS = 250;
/** What was seen is written down behind: this many looks without anything new are the end. */
const QUIET_LOOKS = 4;

/** Approves all that wait and in which nothing was found, of one server or of all, and tells what is left. */
export async function approveClean(input: Input, api: Api): Promise<Output> {
  for (const other of ['minor', 'withFindings'])
    if (isSet(input.options, other)) throw new FaultError('usage', '--clean stands alone.');
  if (textOption(input.options, 'digest') !== undefined) throw new FaultError('usage', '--clean stands alone.');
  const round: Round = { tried: new Set(), approved: [], late: [], mode: 'laptop' };
  const troubles = await readTroubles(api);
  let left = await approveWaiting(input, api, round);
  const started = new Set(round.approved.flatMap(({ server, item }) => (item === 'program' ? [server] : [])));
  if (api.isRunning && started.size > 0) left = await follow(input, api, { round, started, troubles, left });
  const { approved, late, mode } = round;
  return {
    value: {
      approved: approved.map(({ server, item }) => ({ server, item })),
      left: left.map(({ server, item, findings }) => ({ server, item, findings: idsOf(findings) })),
      late: late.map(({ server, item }) => ({ server, item })),
    },
    text: listed('Approved', approved),
    remarks: [
      ...(approved.length + left.length === 0 ? ['Nothing is waiting for a decision.'] : []),
      ...left.map(
        ({ server, item, findings }) =>
          `Left because of findings: ${server} ${item} (${idsOf(findings).join(', ') || 'it competes with an approved tool'}). Read it with: sallyport pin diff ${server} ${item}`,
      ),
      ...(late.length === 0 ? [] : ['Some offer another definition by now: run this again.']),
      ...(mode === 'locked' && approved.length > 0
        ? ['Mode locked: this takes effect with "sallyport pin lock".']
        : []),
    ],
    exit: late.length > 0 ? 1 : 0,
  };
}

interface Item {
  readonly server: string;
  readonly item: string;
}

interface Round {
  /** Definitions that were decided about, or left. */
  readonly tried: Set<string>;
  readonly approved: Item[];
  readonly late: Item[];
  mode: string;
}

/** What waits now; the ones with findings come back. */
async function approveWaiting(input: Input, api: Api, round: Round): Promise<readonly PinDifference[]> {
  const { items } = await readDifferences(api, input.words);
  const clean = items.filter((one) => one.findings.length === 0 && !round.tried.has(keyOf(one)));
  const held = new Set<string>();
  if (clean.length > 0) {
    for (const one of clean) round.tried.add(keyOf(one));
    const decided = clean.map(({ server, item, digest }) => ({ server, item, digest }));
    const outcome = await api.call('approvePins', { body: { items: decided, withFindings: false } });
    round.approved.push(...outcome.done);
    round.late.push(...outcome.late);
    round.mode = outcome.mode;
    for (const { server, item } of outcome.left) held.add(`${server}\n${item}`);
  }
  return items.filter(({ server, item, findings }) => findings.length > 0 || held.has(`${server}\n${item}`));
}

interface Following {
  readonly round: Round;
  readonly started: ReadonlySet<string>;
  /** Server -> its last error before; another one is that of its start. */
  readonly troubles: ReadonlyMap<string, string | null>;
  readonly left: readonly PinDifference[];
}

/** Until every server whose program was approved has said what it offers, or cannot be started. */
async function follow(input: Input, api: Api, following: Following): Promise<readonly PinDifference[]> {
  const { round, started, troubles, left } = following;
  const until = Date.now() + START_MS;
  let last = left;
  let quiet = 0;
  while (quiet < QUIET_LOOKS && Date.now() < until) {
    await setTimeout(LOOK_MS, undefined, { signal: input.signal });
    const before = round.approved.length;
    last = await approveWaiting(input, api, round);
    const servers = await liveServers(api);
    const isOpen = [...started].some((name) => {
      const server = servers?.get(name);
      if (server === undefined || server.definitions !== null) return false;
      return server.lastError === null || server.lastError === troubles.get(name);
    });
    quiet = isOpen || round.approved.length > before ? 0 : quiet + 1;
  }
  return last;
}

async function readTroubles(api: Api): Promise<ReadonlyMap<string, string | null>> {
  const servers = await liveServers(api);
  return new Map([...(servers?.values() ?? [])].map(({ name, lastError }) => [name, lastError]));
}

function keyOf({ server, item, digest }: PinDifference): string {
  return `${server}\n${item}\n${digest}`;
}

function idsOf(findings: PinDifference['findings']): string[] {
  return [...new Set(findings.map(({ id }) => id))];
}

/** One line for each server. */
function listed(heading: string, items: readonly Item[]): string {
  const byServer = new Map<string, string[]>();
  for (const { server, item } of items) byServer.set(server, [...(byServer.get(server) ?? []), item]);
  return [...byServer].map(([server, names]) => `${heading} of ${server}: ${names.join(', ')}`).join('\n');
}
