import { FaultError } from '../core/errors.ts';
import type { Json } from '../core/json.ts';
import { type ApprovalState, toApprovalJson } from '../guard/approve/approval.ts';
import type { GrantStore } from '../storage/grants.ts';
import { type Command, isSet, type Output, textOption } from './command.ts';
import { toTable } from './to-table.ts';
import { withApprovals } from './with-approvals.ts';

const STATES: readonly ApprovalState[] = ['waiting', 'allowed', 'denied', 'expired'];

export const approvalList: Command = {
  name: 'approval list',
  summary: 'list the calls that wait for a person',
  options: [
    { flags: '--state <state>', meaning: 'waiting (default), allowed, denied, expired or all' },
    { flags: '--grants', meaning: 'list what was allowed and is still worth something' },
  ],
  example: 'sallyport approval list --state all',
  run(input) {
    if (isSet(input.options, 'grants')) return withApprovals(input, ({ grants }) => listGrants(grants));
    const state = textOption(input.options, 'state') ?? 'waiting';
    const known = STATES.find((one) => one === state);
    if (known === undefined && state !== 'all')
      throw new FaultError('usage', `--state is one of ${STATES.join(', ')} or all.`);
    return withApprovals(input, async ({ approvals }) => {
      const found = await approvals.list(known === undefined ? {} : { state: known });
      const rows = found.map((one) => [
        one.id,
        one.state,
        `${one.upstream}/${one.tool}`,
        one.principal,
        new Date(one.expiresAt).toISOString(),
      ]);
      return {
        value: { approvals: found.map(toApprovalJson) },
        text: rows.length === 0 ? '' : toTable(['id', 'state', 'tool', 'caller', 'open until'], rows, 0),
        remarks: rows.length === 0 ? ['Nothing to list.'] : [],
      };
    });
  },
};

async function listGrants(store: GrantStore): Promise<Output> {
  const grants = await store.list();
  const rows = grants.map((one) => [
    one.id,
    one.scope,
    `${one.upstream}/${one.tool}`,
    one.principal,
    new Date(one.expiresAt).toISOString(),
  ]);
  return {
    value: { grants: JSON.parse(JSON.stringify(grants)) as Json },
    text: rows.length === 0 ? '' : toTable(['id', 'for', 'tool', 'caller', 'until'], rows, 0),
    remarks: rows.length === 0 ? ['Nothing to list.'] : [],
  };
}
