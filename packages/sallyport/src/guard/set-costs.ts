/**
 * What a door costs, as the benches measured it; printed beside what it does. Each figure names its page, which has command
 * and date; a door that no bench measures by itself says so.
 */
export const SET_COSTS = {
  permissions: 'laptop: none; team, locked: 1 us of CPU a call, 500 us where a policy reads arguments (docs/policy.md)',
  'definitions, first seen': 'not measured',
  'definitions, changed': 'not measured',
  'definitions with findings': '164 ms per 1,000 definitions, once (docs/detection.md)',
  results: '2.2 ms per result of 64 Ki characters (docs/detection.md)',
  'resources and links': 'not measured',
  taint: '0.05 ms a call after 1 MB of results (docs/detection.md)',
  'secrets in arguments': 'not measured',
  'secrets in results': 'not measured',
  'argument safety': 'not measured',
  'forms that ask for secrets': 'not measured',
  audit: '22 us of CPU a call (docs/audit.md)',
} as const;
