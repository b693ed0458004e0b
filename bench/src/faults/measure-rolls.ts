import { setTimeout as passed } from 'node:timers/promises';
import type { Child } from '../process/child.ts';
import { launchSallyport } from '../programs/sallyport.ts';
import { startWitness } from './audited-gateway.ts';
import { startBalancer } from './balancer.ts';
import { atMost, type FaultMeasure, type FaultPlace } from './figure.ts';
import { callOnce } from './text-callers.ts';

const RESTARTS = 4;
const CALLS = 2_000;
const CALLERS = 16;
/** Between two calls of a caller: the calls are spread over the restarts. Milliseconds. */
const PAUSE_MS = 100;
/** A process that is asked to end may take this long. Milliseconds. */
const END_MS = 30_000;

interface Process {
  readonly child: Child;
  readonly port: number;
}

/** Calls that fail, or run twice, while two processes behind a balancer are restarted in turns. */
export async function measureRolls({ folder, progress }: FaultPlace): Promise<FaultMeasure> {
  const witness = await startWitness(folder);
  const balancer = await startBalancer();
  const start = async (): Promise<Process & { readonly target: Awaited<LaunchedTarget> }> => {
    const options = { via: 'http', upstreamUrl: witness.url, directory: folder, nodeFlags: [] } as const;
    const launched = await launchSallyport({ echo: { url: witness.url } }, options, { sections: {} });
    if (launched.child === undefined) throw new Error('Sallyport is a process of its own');
    const target = await launched.target;
    return { child: launched.child, port: target.port, target };
  };
  const first = await start();
  const processes = [first, await start()];
  balancer.use(processes.map(({ port }) => port));
  await Promise.all(processes.map(({ port }) => balancer.ready(port)));

  const target = { ...first.target, port: balancer.port };
  const failures = new Map<string, number>();
  let made = 0;
  let over = false;
  const callers = Array.from({ length: CALLERS }, async (_, caller) => {
    for (let i = 0; !over || made < CALLS; i++) {
      made++;
      const why = await callOnce(target, `roll-${caller}-${i}`).catch((error: Error) => describe(error));
      if (why !== 'answer') failures.set(why, (failures.get(why) ?? 0) + 1);
      await passed(PAUSE_MS);
    }
  });
  for (let restart = 0; restart < RESTARTS; restart++) {
    const [leaving] = processes.splice(0, 1);
    await leaving?.child.stop(END_MS);
    processes.push(await start());
    balancer.use(processes.map(({ port }) => port));
    await balancer.ready(processes.at(-1)?.port ?? 0);
    progress(`restart ${restart + 1} of ${RESTARTS}, ${made} calls`);
  }
  over = true;
  await Promise.all(callers);
  await Promise.all(processes.map(({ child }) => child.stop(END_MS)));
  balancer.close();
  const executed = witness.executed();
  await witness.stop();
  const twice = executed.length - new Set(executed).size;
  const failed = [...failures.values()].reduce((sum, count) => sum + count, 0);
  const row = {
    table: 'roll',
    restarts: RESTARTS,
    calls: made,
    failed,
    twice,
    turnedAway: balancer.turnedAway(),
    failures: Object.fromEntries(failures),
  };
  progress(JSON.stringify(row));
  return { figures: [atMost('faults.roll_failed', failed + twice, { goal: 0, unit: 'calls' })], rows: [row] };
}

type LaunchedTarget = Awaited<ReturnType<typeof launchSallyport>>['target'];

function describe({ message, cause }: Error): string {
  return cause instanceof Error ? `${message}: ${cause.message}` : message;
}
