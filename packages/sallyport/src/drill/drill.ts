import { mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { FaultError } from '../core/errors.ts';
import type { Done } from './agent.ts';
import { type Children, openChildren } from './children.ts';
import { type Guarded, playGuarded } from './guarded.ts';
import { playPlain } from './plain.ts';
import type { Entry, PlayName, Scenario } from './scenario.ts';
import { describeServers } from './served.ts';
import type { DrillSettings } from './settings.ts';
import { type OpenStage, openStages } from './stage.ts';
import { tellInOrder } from './tell-in-order.ts';

/** What came of one threat. */
export interface Outcome {
  readonly name: string;
  readonly threat: string;
  readonly plain: { readonly harmed: boolean };
  readonly guarded: { readonly harmed: boolean; readonly guard: string | null; readonly rule: string | null };
  readonly honest: { readonly passed: boolean };
  /** For a person: what was seen at the victim's and the attacker's side, and what went wrong with the drill itself. */
  readonly seen: string;
  readonly trouble: readonly string[];
}

export interface DrillOptions {
  readonly settings: DrillSettings;
  readonly signal: AbortSignal;
  /** Called for each scenario once it and those before it have ended. */
  onOutcome(outcome: Outcome): void;
}

/** A scenario keeps a core busy: on a machine with more to do than it can, deadlines stop what is honest. */
const AT_ONCE = Math.min(4, availableParallelism());

/** Runs scenarios, a few at a time. Every process and folder it made is gone when it returns or throws. */
export async function runDrill(
  scenarios: readonly Scenario[],
  { settings, signal, onOutcome }: DrillOptions,
): Promise<readonly Outcome[]> {
  const folder = makeFolder();
  const removeFolder = (): void => rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  const children = openChildren(signal);
  process.on('exit', removeFolder);
  const stopped = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
  stopped.catch(() => undefined);
  const outcomes: Outcome[] = [];
  const tell = tellInOrder(onOutcome);
  const queue = [...scenarios.entries()];
  const work = async (): Promise<void> => {
    for (let next = queue.shift(); next !== undefined && !signal.aborted; next = queue.shift()) {
      const [index, scenario] = next;
      const place = { folder: join(folder, scenario.name), settings };
      const outcome = await Promise.race([runScenario(scenario, place, children), stopped]);
      outcomes[index] = outcome;
      tell(index, outcome);
    }
  };
  try {
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    signal.throwIfAborted();
    return outcomes;
  } finally {
    await children.close();
    process.off('exit', removeFolder);
    removeFolder();
  }
}

/** @throws FaultError `config`. */
function makeFolder(): string {
  const parent = tmpdir();
  try {
    return mkdtempSync(join(parent, 'sallyport-drill-'));
  } catch (cause) {
    const { code = 'unknown' } = cause as NodeJS.ErrnoException; // what file systems throw
    throw new FaultError(
      'config',
      `The drill cannot make its folder in ${parent} (${code}). Set TMPDIR to a folder that exists and can be written to.`,
      { cause },
    );
  }
}

/** The harm is there on plain MCP and not here, and Sallyport names what stopped it: what nobody names was luck. */
export function isContained({ plain, guarded }: Outcome): boolean {
  return plain.harmed && !guarded.harmed && guarded.guard !== null;
}

interface Place {
  readonly folder: string;
  readonly settings: DrillSettings;
}

async function runScenario(scenario: Scenario, { folder, settings }: Place, children: Children): Promise<Outcome> {
  const trouble: string[] = [];
  // A play that fails has proved nothing, and says so.
  const attempt = async <T>(what: string, work: () => Promise<T>): Promise<T | undefined> => {
    try {
      return await work();
    } catch (error) {
      trouble.push(`${what}: ${error instanceof Error ? error.message : String(error)}`);
      return undefined;
    }
  };
  const stages = await openStages(scenario, folder, children);
  try {
    const stage = { attack: stages.open('plain', 'attack'), honest: stages.open('plain', 'honest') };
    const kept = { attack: stages.open('guarded', 'attack'), honest: stages.open('guarded', 'honest') };
    const [, plainHonest, guarded] = await Promise.all([
      attempt('plain attack', () => playPlain(scenario.attack, stage.attack, children)),
      attempt('plain honest', () => playPlain(scenario.honest, stage.honest, children)),
      attempt('guarded', () => playBoth(scenario, { kept, folder, settings }, children)),
    ]);
    const { attacked, honest } = guarded ?? {};
    const harm = stage.attack.ledger().filter(scenario.harm);
    const keptHarm = kept.attack.ledger().filter(scenario.harm);
    const stop = attacked?.stops[0];
    const isSame = plainHonest !== undefined && honest !== undefined && same(plainHonest, honest, trouble);
    const hasEffect = [stage.honest, kept.honest].every((one) => one.ledger().some(scenario.effect));
    if (!hasEffect) trouble.push('the honest twin did not do its work on both sides');
    if (attacked !== undefined && stop === undefined) trouble.push('Sallyport names nothing that it stopped');
    return {
      name: scenario.name,
      threat: scenario.threat,
      plain: { harmed: harm.length > 0 },
      // Fail closed: a play that did not come to its end has not shown that nothing happens.
      guarded: {
        harmed: attacked === undefined || keptHarm.length > 0,
        guard: stop?.guard ?? null,
        rule: stop?.rule ?? null,
      },
      honest: { passed: isSame && hasEffect },
      seen: describe(harm),
      trouble,
    };
  } finally {
    await stages.close();
  }
}

interface Twins {
  readonly attacked: Guarded | undefined;
  readonly honest: Guarded | undefined;
}

/** Twins whose servers say the same of themselves share a Sallyport: a start takes most of a scenario's time. */
async function playBoth(
  scenario: Scenario,
  { kept, folder, settings }: Place & { readonly kept: Readonly<Record<PlayName, OpenStage>> },
  children: Children,
): Promise<Twins> {
  const at = (name: PlayName) => ({ name, stage: kept[name] });
  if (describeServers(scenario.attack.servers) === describeServers(scenario.honest.servers)) {
    const plays = [at('honest'), at('attack')];
    const [honest, attacked] = await playGuarded(
      { scenario, plays, settings, folder: join(folder, 'guarded') },
      children,
    );
    return { honest, attacked };
  }
  const own = async (name: PlayName): Promise<Guarded | undefined> => {
    const plays = [at(name)];
    return (await playGuarded({ scenario, plays, settings, folder: join(folder, 'guarded', name) }, children))[0];
  };
  const [honest, attacked] = await Promise.all([own('honest'), own('attack')]);
  return { honest, attacked };
}

/** The honest twin gets the same answers, in the same order. */
function same(plain: readonly Done[], { done, stops }: Guarded, trouble: string[]): boolean {
  // A question that a person answered is no answer yet: the call was made again.
  const toText = (all: readonly Done[]): string =>
    JSON.stringify(all.filter(({ verdict }) => verdict === undefined).map(({ tool, text }) => [tool, text]));
  if (toText(plain) === toText(done)) return true;
  const why = stops.map(({ guard, rule }) => `${guard}: ${rule}`).join('; ');
  trouble.push(`the honest twin got ${toText(done).slice(0, 600)} instead of ${toText(plain).slice(0, 600)} (${why})`);
  return false;
}

function describe(entries: readonly Entry[]): string {
  const [first] = entries;
  return first === undefined ? 'no harm was seen' : `${first.server}: ${first.what} ${first.detail}`;
}
