import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stopAll } from '../process/child.ts';
import { describeMachine } from '../process/machine.ts';
import type { FaultFigure, FaultMeasure, FaultPlace } from './figure.ts';

export interface PartsOptions {
  readonly json: boolean;
  readonly only: readonly string[] | undefined;
  /** Shorter, for parts that know how. */
  readonly quick: boolean;
}

export interface Part {
  measure(place: FaultPlace): Promise<FaultMeasure>;
  readonly figures: readonly string[];
}

/** Runs parts one after the other. One whose conditions are missing throws: its figures are then null. */
export async function runParts(parts: ReadonlyMap<string, Part>, { json, only, quick }: PartsOptions): Promise<string> {
  const unknown = only?.find((name) => !parts.has(name));
  if (unknown !== undefined)
    throw new Error(`there is no part "${unknown}"; there are ${[...parts.keys()].join(', ')}`);
  const machine = describeMachine(new Date());
  const folder = mkdtempSync(join(tmpdir(), 'sallyport-bench-'));
  const progress = (line: string) => process.stderr.write(`${line}\n`);
  const figures: FaultFigure[] = [];
  const rows: object[] = [];
  try {
    for (const [name, part] of parts) {
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
