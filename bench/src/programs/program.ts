import type { Target } from '../load/connection.ts';
import type { Era } from '../load/messages.ts';
import { openCaller } from '../load/open-caller.ts';
import type { Child } from '../process/child.ts';

/** How a program reaches its upstream. */
export type Via = 'http' | 'stdio';

export interface LaunchOptions {
  readonly via: Via;
  readonly upstreamUrl: string;
  /** An empty or warmed folder of its own, for configuration and state. */
  readonly directory: string;
  /** Flags for Node itself; only the profile sets any. */
  readonly nodeFlags: readonly string[];
}

export interface Launched {
  /** `undefined` for `direct`, which is nothing. */
  readonly child: Child | undefined;
  /** Resolves when the program has said where it answers; it may not answer yet. */
  readonly target: Promise<Target>;
}

/** Something that stands between load and upstream. */
export interface Program {
  readonly name: string;
  readonly kind: 'baseline' | 'sallyport' | 'sdk' | 'peer';
  readonly vias: readonly Via[];
  /** Eras it speaks in front. */
  readonly eras: readonly Era[];
  /** Idle sessions to open for the memory figure; few where each one starts a process, 0 where there are none. */
  readonly mostSessions: number;
  launch(options: LaunchOptions): Promise<Launched>;
}

/** One started program with one kind of upstream. */
export interface Instance {
  readonly program: Program;
  readonly via: Via;
  readonly child: Child | undefined;
  readonly target: Target;
  /** From the start of the process to the first answered `tools/list` that holds what it should. */
  readonly firstListMs: number;
}

const START_DEADLINE_MS = 15_000;
const RETRY_MS = 5;

/** Starts `program` and waits until it lists the upstream's tools. Rejects with its last words when it does not. */
export async function startInstance(program: Program, options: LaunchOptions, tools = 2): Promise<Instance> {
  const { child, target: announced } = await program.launch(options);
  try {
    const target = await announced;
    await waitForTools(target, { era: program.eras.includes('modern') ? 'modern' : 'legacy', tools, child });
    const firstListMs = child === undefined ? 0 : performance.now() - child.startedAt;
    return { program, via: options.via, child, target, firstListMs };
  } catch (error) {
    await child?.stop();
    const words = child?.lastWords() ?? '';
    throw new Error(`${error instanceof Error ? error.message : String(error)}${words === '' ? '' : `: ${words}`}`);
  }
}

/** The instance's name in tables and rows. */
export function labelOf(instance: Pick<Instance, 'program' | 'via'>): string {
  return `${instance.program.name} ${instance.via}`;
}

async function waitForTools(
  target: Target,
  { era, tools, child }: { readonly era: Era; readonly tools: number; readonly child: Child | undefined },
): Promise<void> {
  const deadline = performance.now() + START_DEADLINE_MS;
  let wrong = '';
  while (performance.now() < deadline && child?.ended() === undefined) {
    try {
      const caller = await openCaller(target, era);
      try {
        const names = await caller.list();
        if (names.filter((name) => /(echo|big)$/.test(name)).length >= tools) return;
        wrong = `lists ${names.length === 0 ? 'nothing' : names.join(', ')}`;
      } finally {
        await caller.close();
      }
    } catch (error) {
      wrong = error instanceof Error ? error.message : String(error);
    }
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
  }
  throw new Error(child?.ended() ?? `no tools within ${START_DEADLINE_MS} ms (${wrong})`);
}
