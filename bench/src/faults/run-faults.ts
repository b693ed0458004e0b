import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stopAll } from '../process/child.ts';
import { describeMachine } from '../process/machine.ts';
import type { FaultFigure, FaultMeasure, FaultPlace } from './figure.ts';
import { measureDisk } from './measure-disk.ts';
import { measureFlood } from './measure-flood.ts';
import { measureKills } from './measure-kills.ts';
import { measureRolls } from './measure-rolls.ts';
import { measureSlowDisk } from './measure-slow-disk.ts';
import { measureSoak } from './measure-soak.ts';

export interface FaultsOptions {
  readonly json: boolean;
  readonly only: readonly string[] | undefined;
  readonly quick: boolean;
}

/** One file each. A part whose conditions are missing throws: its figures are then null. */
const PARTS: ReadonlyMap<string, Part> = new Map<string, Part>([
  ['disk', { measure: measureDisk, figures: ['faults.disk_back_ms'] }],
  ['kill', { measure: measureKills, figures: ['faults.kill_unrecorded'] }],
  ['roll', { measure: measureRolls, figures: ['faults.roll_failed'] }],
  ['slow-disk', { measure: measureSlowDisk, figures: ['faults.slow_disk_p50_ms', 'faults.slow_disk_loop_ms'] }],
  ['flood', { measure: measureFlood, figures: ['faults.flood_p50'] }],
  ['soak', { measure: measureSoak, figures: ['faults.soak_mib_h'] }],
]);

interface Part {
  measure(place: FaultPlace): Promise<FaultMeasure>;
  readonly figures: readonly string[];
}

/** What goes wrong in operation, and what it costs the callers. */
export async function runFaults({ json, only, quick }: FaultsOptions): Promise<string> {
  const unknown = only?.find((name) => !PARTS.has(name));
  if (unknown !== undefined)
    throw new Error(`there is no part "${unknown}"; there are ${[...PARTS.keys()].join(', ')}`);
  const machine = describeMachine(new Date());
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-faults-'));
  const progress = (line: string) => process.stderr.write(`${line}\n`);
  const figures: FaultFigure[] = [];
  const rows: object[] = [];
  try {
    for (const [name, part] of PARTS) {
      if (only !== undefined && !only.includes(name)) continue;
      const own = join(folder, name);
      mkdirSync(own);
      const startedAt = performance.now();
      try {
        const measured = await part.measure({ folder: own, progress, quick });
        figures.push(...measured.figures);
        rows.push(...measured.rows);
      } catch (error) {
        // The other parts are worth their time.
        progress(`${name} could not be measured: ${error instanceof Error ? error.message : error}`);
        figures.push(...part.figures.map(toUnmeasured));
        await stopAll();
      }
      progress(`${name}: ${Math.round((performance.now() - startedAt) / 1000)} s`);
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  if (json) return `${JSON.stringify({ machine, figures, rows })}\n`;
  const lines = figures.map(({ name, value, unit, goal }) => `| ${name} | ${value} | ${unit} | ${goal} |`);
  return `${machine.cpu}, ${machine.cores} cores, Node ${machine.node}, commit ${machine.commit}, load before ${machine.loadBefore.toFixed(1)}\n\n| figure | value | unit | goal |\n|---|---|---|---|\n${lines.join('\n')}\n`;
}

function toUnmeasured(name: string): FaultFigure {
  return { name, value: null, unit: '', goal: 'measured', holds: false };
}
