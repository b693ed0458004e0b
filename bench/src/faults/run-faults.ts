import { measureDisk } from './measure-disk.ts';
import { measureFlood } from './measure-flood.ts';
import { measureKills } from './measure-kills.ts';
import { measureRolls } from './measure-rolls.ts';
import { measureSlowDisk } from './measure-slow-disk.ts';
import { measureSoak } from './measure-soak.ts';
import { type Part, type PartsOptions, runParts } from './run-parts.ts';

/** One file each. */
const PARTS: ReadonlyMap<string, Part> = new Map<string, Part>([
  ['disk', { measure: measureDisk, figures: ['faults.disk_back_ms'] }],
  ['kill', { measure: measureKills, figures: ['faults.kill_unrecorded'] }],
  ['roll', { measure: measureRolls, figures: ['faults.roll_failed'] }],
  ['slow-disk', { measure: measureSlowDisk, figures: ['faults.slow_disk_p50_ms', 'faults.slow_disk_loop_ms'] }],
  ['flood', { measure: measureFlood, figures: ['faults.flood_p50'] }],
  ['soak', { measure: measureSoak, figures: ['faults.soak_mib_h'] }],
]);

/** What goes wrong in operation, and what it costs the callers. */
export function runFaults(options: PartsOptions): Promise<string> {
  return runParts(PARTS, options);
}
