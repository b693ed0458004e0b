import { expect, it } from 'vitest';
import { toCall, toResult, toTool } from '../../test/sample-call.ts';
import { SharedMemories } from '../../test/shared-memories.ts';
import { settingsOf } from '../../test/taint-conversation.ts';
import type { Envelope } from '../core/envelope.ts';
import type { Verdict } from '../core/verdict.ts';
import { readDefinition } from '../guard/sinks/classify-definition.ts';
import { findSinks } from '../guard/sinks/sink-floor.ts';
import { createPrinter } from '../guard/taint/fingerprints.ts';
import { type TaintPorts, taint, taintLabels } from '../guard/taint/taint.ts';
import type { TaintMemory } from '../guard/taint/taint-ports.ts';
import { createTaintMemory } from './taint-memory.ts';

const TOOLS = ['mail.send_email', 'web.fetch_page', 'bank.get_transactions', 'files.write_file', 'vault.get_secret'];
const VALUES = [
  'eve@attacker.example',
  '7719004412',
  'zq_live_8fK2mQ7xT4vB9nR1wY6pL3dH',
  'the minutes of the meeting of the board on the ninth of May',
  'https://docs.example/a/b/c',
  'Lunch at noon',
];
const LIMITS = { printsPerRun: 500_000, prints: 4_000_000, runs: 100, idleMs: 60_000 };

function createPorts(memory: TaintMemory): TaintPorts {
  const settings = settingsOf();
  return {
    settings: () => settings,
    memory,
    printer: createPrinter(Buffer.alloc(32, 7)),
    sinksOf: (call) => findSinks(call, undefined),
  };
}

/** The same choices for every run of the test. */
function createChooser(seed: number) {
  let x = seed;
  return <T>(from: readonly T[]): T => {
    x = (Math.imul(x, 1_103_515_245) + 12_345) >>> 0;
    return from[(x >>> 8) % from.length] as T;
  };
}

function toStep(
  choose: ReturnType<typeof createChooser>,
  id: number,
): { readonly call: Envelope; readonly text: string } {
  const [upstream = '', tool = ''] = choose(TOOLS).split('.');
  const properties = { to: { type: 'string' }, body: { type: 'string' } };
  const definition = { name: tool, inputSchema: { type: 'object', properties } };
  const { sinks } = readDefinition(definition);
  const call = toCall({
    id: `call-${id}`,
    tool: toTool(definition, { upstream, publicName: `${upstream}_${tool}`, sinks }),
    body: { to: choose(VALUES), body: `${choose(VALUES)} and ${choose(VALUES)}` },
    run: choose(['one', 'two', 'three']),
  });
  // Each result says something new: what the client gave before is written with it, and not a moment later.
  return { call, text: `${choose(VALUES)}. ${choose(VALUES)} Filed by the clerk as letter number ${id}.` };
}

async function take(ports: TaintPorts, { call, text }: ReturnType<typeof toStep>): Promise<Verdict | undefined> {
  const verdict = await taint(ports).judge(call);
  if (verdict?.kind === 'allow') await taintLabels(ports).judge(toResult(call, { content: [{ type: 'text', text }] }));
  return verdict;
}

it.each([1, 2, 3, 4, 5])('any conversation over three processes is judged as in one (%i)', async (seed) => {
  const memories = await SharedMemories.open();
  memories.limits = { ...memories.limits, ...LIMITS };
  const choose = createChooser(seed);
  const local = createPorts(createTaintMemory({ now: () => 0, limits: () => LIMITS }));
  const replicas = [0, 1, 2].map(() => createPorts(memories.replica().taint));
  const kinds = new Set<string | undefined>();
  for (let i = 0; i < 60; i++) {
    const step = toStep(choose, i);
    const expected = await take(local, step);
    kinds.add(expected?.kind);
    expect(await take(choose(replicas), step)).toEqual(expected);
  }
  expect(kinds.size).toBeGreaterThan(1);
});
