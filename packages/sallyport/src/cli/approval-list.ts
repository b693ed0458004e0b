import { FaultError } from '../core/errors.ts';
import type { ApprovalState } from '../guard/approve/approval.ts';
import { type Api, withApi } from './api.ts';
import { toJson } from './api-json.ts';
import { type Command, isSet, type Output, textOption } from './command.ts';
import { describeWho } from './describe-who.ts';
import { toTable } from './to-table.ts';

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
    const named = textOption(input.options, 'state') ?? 'waiting';
    const state = STATES.find((one) => one === named);
    if (state === undefined && named !== 'all')
      throw new FaultError('usage', `--state is one of ${STATES.join(', ')} or all.`);
    const screen = input.terminal.stdout.columns ?? 0;
    return withApi(input, (api) =>
      isSet(input.options, 'grants') ? listGrants(api, screen) : listApprovals(api, state, screen),
    );
  },
};

/** Of the API; who has more that wait has another problem. */
const MOST = 1_000;

async function listApprovals(api: Api, state: ApprovalState | undefined, screen: number): Promise<Output> {
  const { items } = await api.call('listApprovals', { query: { state, limit: MOST } });
  const rows = items.map((one) => [
    one.id,
    one.state,
    `${one.upstream}/${one.tool}`,
    describeWho(one.principal, one.person),
    new Date(one.expiresAt).toISOString(),
  ]);
  return {
    value: { approvals: toJson(items) },
    text: rows.length === 0 ? '' : toTable(['id', 'state', 'tool', 'caller', 'open until'], rows, screen),
    remarks: rows.length === 0 ? ['Nothing to list.'] : [],
  };
}

async function listGrants(api: Api, screen: number): Promise<Output> {
  const { items } = await api.call('listGrants', { query: { limit: MOST } });
  const rows = items.map((one) => [
    one.id,
    one.scope,
    `${one.upstream}/${one.tool}`,
    describeWho(one.principal, one.person),
    new Date(one.expiresAt).toISOString(),
  ]);
  return {
    value: { grants: toJson(items) },
    text: rows.length === 0 ? '' : toTable(['id', 'for', 'tool', 'caller', 'until'], rows, screen),
    remarks: rows.length === 0 ? ['Nothing to list.'] : [],
  };
}
