import { FaultError } from '../core/errors.ts';
import { type Json, type JsonObject, member } from '../core/json.ts';
import { withApi } from './api.ts';
import type { Command } from './command.ts';

export const policyWhy: Command = {
  name: 'policy why',
  summary: 'tell why the policies decided about a recent call as they did',
  words: [['<call>', 'the callId of the log']],
  example: 'sallyport policy why 9vBqkJ3mTzo-1f --json',
  async run(input) {
    const [callId = ''] = input.words;
    const { items } = await withApi(input, (api) => api.call('listDecisions', { query: { callId } }));
    const found = items as readonly Json[];
    if (found.length === 0)
      throw new FaultError(
        'not_found',
        `No policy decided about the call "${callId}": another guard stopped it first, or it is not among the last 1,000.`,
      );
    return { value: { decisions: found }, text: found.map(describe).join('\n') };
  },
};

function describe(decision: Json): string {
  const tool = member(decision, 'tool') as JsonObject;
  const policies = member(decision, 'policies');
  const reason = String(member(decision, 'reason') ?? '');
  const version = member(decision, 'version');
  const names = Array.isArray(policies) && policies.length > 0 ? policies.join(', ') : 'none matched';
  return [
    `${member(decision, 'time')}  ${member(decision, 'action')} ${member(tool, 'server')}/${member(tool, 'name')} by ${member(member(decision, 'principal'), 'id')}`,
    `  ${member(decision, 'effect')}${member(decision, 'enforced') === false ? ' (shadow mode: not carried out)' : ''}${reason === '' ? '' : `: ${reason}`}`,
    version === null ? '  No policies were in force.' : `  Policies: ${names}. Version ${version}.`,
  ].join('\n');
}
