import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Target } from '../load/connection.ts';
import { median } from '../load/latency.ts';
import { type Child, startNode } from '../process/child.ts';
import { describeMachine } from '../process/machine.ts';
import { cpuBetween, usageOf } from '../process/process-tree.ts';
import { HTTP_UPSTREAM } from '../programs/programs.ts';
import { launchSallyport } from '../programs/sallyport.ts';

export interface ReplicasBenchOptions {
  readonly json: boolean;
  readonly rounds: number;
}

/** Calls of each caller, one after the other. */
const CALLS = 100;
/** Of one conversation. */
const CALLS_OF_RUN = 10;
const WARM_CALLS = 1_000;
const TEXT = 2_000;
const DOCUMENT = 65_536;

/**
 * What calls do to the memory of a run: `same`, nothing; `new`, a text of 2,000 characters that it does not know; `new_16`,
 * the same with 16 callers at once, each in runs of its own.
 */
const KINDS = ['same', 'new', 'new_16'] as const;
type Kind = (typeof KINDS)[number];

interface Mode {
  readonly name: string;
  readonly child: Child;
  readonly target: Target;
}

interface Sample {
  readonly p50: number;
  readonly cpuUs: number;
}

/** What it costs that several processes share what runs have read: per call, and for the first call at another process. */
export async function runReplicas({ json, rounds }: ReplicasBenchOptions): Promise<string> {
  const machine = describeMachine(new Date());
  const directory = mkdtempSync(join(tmpdir(), 'sallyport-bench-'));
  const upstream = startNode({ args: [HTTP_UPSTREAM] });
  try {
    const { port } = JSON.parse(await upstream.stdoutLine) as { port: number };
    const url = `http://127.0.0.1:${port}/mcp`;
    const memory = await start('memory', join(directory, 'memory'), url);
    const shared = await start('shared', join(directory, 'shared'), url);
    const other = await start('shared', join(directory, 'shared'), url);
    for (const mode of [memory, shared, other])
      for (const kind of KINDS) await sample(mode, kind, kind === 'new_16' ? CALLS : WARM_CALLS);
    const added = await measureAdded([memory, shared], rounds);
    const joins = await measureJoins(shared, other, rounds);
    const figures = [
      ...KINDS.flatMap((kind) => [
        toFigure(`replicas.${kind}.p50_ms`, added[kind].p50, 'ms'),
        toFigure(`replicas.${kind}.cpu_us`, added[kind].cpuUs, 'us per call'),
      ]),
      toFigure('replicas.join_64k_ms', joins, 'ms'),
    ];
    for (const { child } of [memory, shared, other]) await child.stop(20_000);
    if (json) return `${JSON.stringify({ machine, figures })}\n`;
    const lines = figures.map(({ name, value, unit }) => `| ${name} | ${value} | ${unit} |`);
    return `${machine.cpu}, ${machine.cores} cores, Node ${machine.node}, commit ${machine.commit}, load before ${machine.loadBefore.toFixed(1)}\n\n| figure | value | unit |\n|---|---|---|\n${lines.join('\n')}\n`;
  } finally {
    await upstream.stop();
    rmSync(directory, { recursive: true, force: true });
  }
}

async function start(name: string, directory: string, url: string): Promise<Mode> {
  const sections = {
    audit: { mode: 'off' },
    secrets: {},
    taint: {},
    state: { shared: name === 'shared' },
  };
  const options = { via: 'http', upstreamUrl: url, directory, nodeFlags: [] } as const;
  const { child, target } = await launchSallyport({ echo: { url } }, options, { sections });
  if (child === undefined) throw new Error('Sallyport is no process of its own here');
  return { name, child, target: await target };
}

/** Both in turns, each first every other time: medians of what each round adds. */
async function measureAdded([memory, shared]: readonly [Mode, Mode], rounds: number): Promise<Record<Kind, Sample>> {
  const added: Record<Kind, Sample[]> = { same: [], new: [], new_16: [] };
  for (let round = 0; round < rounds; round += 1) {
    for (const kind of KINDS) {
      const turns = round % 2 === 0 ? [memory, shared] : [shared, memory];
      const taken = new Map<string, Sample>();
      for (const mode of turns) taken.set(mode.name, await sample(mode, kind, CALLS));
      const [without, together] = [taken.get('memory'), taken.get('shared')];
      if (without !== undefined && together !== undefined)
        added[kind].push({ p50: together.p50 - without.p50, cpuUs: together.cpuUs - without.cpuUs });
    }
  }
  const middle = (kind: Kind): Sample => ({
    p50: median(added[kind].map(({ p50 }) => p50)),
    cpuUs: median(added[kind].map(({ cpuUs }) => cpuUs)),
  });
  return { same: middle('same'), new: middle('new'), new_16: middle('new_16') };
}

let count = 0;

async function sample({ child, target }: Mode, kind: Kind, calls: number): Promise<Sample> {
  const times: number[] = [];
  const callers = kind === 'new_16' ? 16 : 1;
  const known = toText(TEXT);
  const before = usageOf([child.pid]);
  const callAll = async (run: string): Promise<void> => {
    for (let i = 0; i < calls; i += 1) {
      const startedAt = performance.now();
      if (kind === 'same') await call(target, run, known);
      else await call(target, `${run}-${Math.floor(i / CALLS_OF_RUN)}`, toText(TEXT));
      times.push(performance.now() - startedAt);
    }
  };
  await Promise.all(Array.from({ length: callers }, () => callAll(`${kind}-${++count}`)));
  return { p50: median(times), cpuUs: cpuBetween(before, usageOf([child.pid])) / times.length };
}

/** A run reads 64 KB at one process; its first call at the other one, less the second there. */
async function measureJoins(one: Mode, other: Mode, rounds: number): Promise<number> {
  const times: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const run = `join-${++count}`;
    const known = toText(TEXT);
    await call(one.target, run, known);
    await call(one.target, run, toText(DOCUMENT));
    const took: number[] = [];
    for (let i = 0; i < 2; i += 1) {
      const startedAt = performance.now();
      await call(other.target, run, known);
      took.push(performance.now() - startedAt);
    }
    times.push((took[0] ?? Number.NaN) - (took[1] ?? Number.NaN));
  }
  return median(times);
}

/** Words that no run has read before. */
function toText(size: number): string {
  let text = `${++count}`;
  let x = count;
  while (text.length < size) {
    x = Math.imul(x ^ (x >>> 15), 0x2c1b_3c6d) + count;
    text += ` ${(x >>> 0).toString(36)}`;
  }
  return text.slice(0, size);
}

async function call(target: Target, run: string, text: string): Promise<void> {
  const name = `${target.toolPrefix}echo`;
  const params = {
    ...{ name, arguments: { text } },
    _meta: {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 'bench-load', version: '1.0.0' },
      'io.modelcontextprotocol/clientCapabilities': {},
      'dev.sallyport/run': run,
    },
  };
  const response = await fetch(`http://127.0.0.1:${target.port}${target.path}`, {
    method: 'POST',
    headers: {
      ...target.headers,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...{ 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': name },
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
  });
  const body = await response.text();
  if (!response.ok || body.includes('"isError":true') || !body.includes(text.slice(0, 40)))
    throw new Error(`${response.status} ${body.slice(0, 300)}`);
}

function toFigure(name: string, value: number, unit: string) {
  return { name, value: Math.round(value * 100) / 100, unit, goal: null, holds: true as const };
}
