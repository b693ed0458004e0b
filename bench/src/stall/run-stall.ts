import { type Part, type PartsOptions, runParts } from '../faults/run-parts.ts';
import { measureStall } from './measure-stall.ts';

const PARTS: ReadonlyMap<string, Part> = new Map<string, Part>([
  ['stall', { measure: measureStall, figures: ['stall.worst_ms', 'stall.other_p99'] }],
]);

/** How long anybody waits while expensive messages of others pass. */
export function runStall(options: PartsOptions): Promise<string> {
  return runParts(PARTS, options);
}
