import type { JsonObject } from '../core/json.ts';
import { NO_RUN } from '../guard/approve/approval.ts';
import { showArguments } from '../guard/approve/ask-form.ts';
import type { ApiResult } from './api.ts';
import { describeWho } from './describe-who.ts';
import { toLine } from './plain-text.ts';

/** A name or a reason with line breaks could write lines of its own. Columns. */
const MAX_LINE = 1_000;

/** Everything a person must know before answering. */
export function describeApproval(approval: ApiResult<'showApproval'>): string {
  const { id, state, tool, upstream, principal, client, needed, answers, difference } = approval;
  const changes = (difference ?? []).map(
    ({ path, before, after }) =>
      `  ${path === '' ? '/' : toLine(path, MAX_LINE)}: ${toShort(before)} -> ${toShort(after)}`,
  );
  const given = answers.map(
    (one) =>
      `  ${toLine(describeWho(one.by, one.person), MAX_LINE)} (${one.via}): ${one.kind}${one.kind === 'allow' ? ` ${one.scope}` : one.message === undefined ? '' : `, ${toLine(one.message, MAX_LINE)}`}`,
  );
  return [
    `${id}  ${state}, open until ${new Date(approval.expiresAt).toISOString()}`,
    `Tool       ${toLine(tool, MAX_LINE)} on ${upstream}${approval.classes.length === 0 ? '' : ` (${approval.classes.join(', ')})`}`,
    `Caller     ${toLine(describeWho(principal, approval.person), MAX_LINE)}, with ${toLine(client, MAX_LINE)}`,
    'Because',
    ...approval.reasons.map(({ guard, reason }) => `  ${guard}: ${toLine(reason ?? '', MAX_LINE)}`),
    'Arguments',
    ...showArguments((approval.arguments ?? {}) as JsonObject)
      .split('\n')
      .map((line) => `  ${line}`),
    ...(difference === undefined
      ? []
      : ['Changed since the last allowed call', ...(changes.length === 0 ? ['  nothing'] : changes)]),
    ...(approval.run === NO_RUN ? ['The client names no run: a yes for this run is for this call.'] : []),
    ...(needed === 2 ? ['Two different people must allow this call.'] : []),
    ...(given.length === 0 ? [] : ['Answers', ...given]),
  ].join('\n');
}

function toShort(value: unknown): string {
  const text = value === undefined ? '(nothing)' : showArguments({ value: value as string }).slice(0, 200);
  return text.replace(/^\{\s*"value": /, '').replace(/\s{0,8}\}$/, '');
}
