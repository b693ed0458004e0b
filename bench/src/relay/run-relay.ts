import { type Part, type PartsOptions, runParts } from '../faults/run-parts.ts';
import { measureCold } from './measure-cold.ts';
import { measureLate } from './measure-late.ts';
import { measureReloads } from './measure-reloads.ts';
import { measureSilent } from './measure-silent.ts';
import { measureStarts } from './measure-starts.ts';

/** One file each. */
const PARTS: ReadonlyMap<string, Part> = new Map<string, Part>([
  ['starts', { measure: measureStarts, figures: ['relay.initialize_ms', 'relay.first_list_ms'] }],
  ['late', { measure: measureLate, figures: ['relay.late_tools'] }],
  ['silent', { measure: measureSilent, figures: ['relay.silent_wait_ms'] }],
  ['cold', { measure: measureCold, figures: ['relay.cold_missing'] }],
  ['reloads', { measure: measureReloads, figures: ['relay.reload_failed'] }],
]);

/** What clients notice of servers that hang, come late, are many, or are configured anew. */
export function runRelay(options: PartsOptions): Promise<string> {
  return runParts(PARTS, options);
}
