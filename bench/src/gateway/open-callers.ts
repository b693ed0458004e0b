import type { LoadProcess } from '../load/load-process.ts';
import type { Era } from '../load/messages.ts';
import { type Instance, labelOf } from '../programs/program.ts';

/** Callers of one program in one era, open for the whole bench: opening and closing sessions is not what is measured. */
export interface OpenCallers {
  readonly instance: Instance;
  readonly era: Era;
  readonly key: string;
  /** Why there are none. */
  readonly problem: string | undefined;
}

/** Until a program has run hot: V8 has compiled what a call touches. The slow ones are not waited for. */
const WARM_CALLS = 5_000;
const WARM_WINDOWS = 5;
const WARM_WINDOW_MS = 400;

/** Opens `callers` in every era of every instance and lets them call until warm. */
export async function openCallers(
  instances: readonly Instance[],
  {
    load,
    callers,
    say,
  }: { readonly load: LoadProcess; readonly callers: number; readonly say: (text: string) => void },
): Promise<OpenCallers[]> {
  const opened: OpenCallers[] = [];
  for (const instance of instances) {
    for (const era of instance.program.eras) {
      const key = `${labelOf(instance)} ${era}`;
      let problem: string | undefined;
      try {
        await load.run({ do: 'open', key, target: instance.target, era, callers });
        await warm(load, key, instance.program.kind === 'baseline' || instance.program.kind === 'sallyport');
      } catch (error) {
        problem = error instanceof Error ? error.message : String(error);
        say(`${key}: ${problem}`);
      }
      opened.push({ instance, era, key, problem });
    }
  }
  return opened;
}

async function warm(load: LoadProcess, key: string, patient: boolean): Promise<void> {
  let calls = 0;
  for (let i = 0; i < (patient ? WARM_WINDOWS : 1) && calls < WARM_CALLS; i += 1) {
    const result = await load.run({ do: 'run', key, tool: 'echo', callers: 16, ms: WARM_WINDOW_MS });
    if (result?.calls === 0) throw new Error(result.firstError ?? 'no answer');
    calls += result?.calls ?? 0;
  }
}
