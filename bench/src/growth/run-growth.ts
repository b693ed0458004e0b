import { type Part, type PartsOptions, runParts } from '../faults/run-parts.ts';
import { measureCallers } from './measure-callers.ts';
import { measureCold } from './measure-cold.ts';
import { measurePolicies } from './measure-policies.ts';

const PARTS: ReadonlyMap<string, Part> = new Map<string, Part>([
  ['cold', { measure: measureCold, figures: ['growth.cold_s', 'growth.stall_ms', 'growth.tool_kb'] }],
  [
    'callers',
    {
      measure: measureCallers,
      figures: ['growth.caller_mb', 'growth.change_ms', 'growth.change_seen_ms', 'growth.change_p99'],
    },
  ],
  ['policies', { measure: measurePolicies, figures: ['growth.policies_call_us', 'growth.policies_list_ms'] }],
]);

/** What many tools, callers and policies cost. */
export function runGrowth(options: PartsOptions): Promise<string> {
  return runParts(PARTS, options);
}
