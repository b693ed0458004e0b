import { answerApproval } from '../call/answer-approval.ts';
import { FaultError } from '../core/errors.ts';
import type { Json, JsonObject } from '../core/json.ts';
import type { Approval, ApprovalState, GrantScope, PersonAnswer } from '../guard/approve/approval.ts';
import type { Pattern } from '../guard/approve/pattern.ts';
import { type ApprovalStore, createApprovalStore } from '../storage/approvals.ts';
import { createApprovalFeed } from './approval-feed.ts';
import { ALLOW_BODY, APPROVAL, DENY_BODY } from './approval-schemas.ts';
import { toApprovalView } from './approval-view.ts';
import { checkAttended } from './check-attended.ts';
import { describePage, pageByTime, readLimit, readPlace, readWord } from './page.ts';
import type { ControlPorts } from './ports.ts';
import { type ApiRequest, PAGE_PARAMETERS, pageOf, type Route, TEXT } from './route.ts';

const STATES: readonly ApprovalState[] = ['waiting', 'allowed', 'denied', 'expired'];

/** The calls that wait for people, and what people answer. */
export function approvalRoutes(ports: ControlPorts): readonly Route[] {
  const { clock, database, texts, note, heard } = ports;
  const open = async (): Promise<ApprovalStore> => createApprovalStore(await database(), clock, await texts());
  const feed = createApprovalFeed(open, clock);

  const answer = async (request: ApiRequest, given: Answer): Promise<JsonObject> => {
    const { principal, path, role } = request;
    const { id: by, person, kind } = principal;
    const who = { by, person, via: kind === 'os' ? 'command' : 'api', at: clock.now() } as const;
    const approvals = await open();
    const after = await answerApproval({ approvals, note }, path.get('id') ?? '', { ...given, ...who });
    heard(after);
    return toApprovalView(after, role);
  };

  return [
    {
      method: 'GET',
      path: '/approvals',
      id: 'listApprovals',
      summary: 'Calls a person was asked about, the newest first; arguments for operators only',
      role: 'viewer',
      query: [
        ...PAGE_PARAMETERS,
        { name: 'state', description: 'How it stands.', schema: { enum: STATES } },
        { name: 'principal', description: 'Id of the caller.', schema: TEXT },
        { name: 'upstream', description: 'The server.', schema: TEXT },
        { name: 'tool', description: "The server's own name of it.", schema: TEXT },
      ],
      result: pageOf(APPROVAL),
      handle: ({ query, role }) => listPage(open, query, (one) => toApprovalView(one, role)),
    },
    {
      method: 'GET',
      path: '/approvals/events',
      id: 'followApprovals',
      summary: 'First all that wait, then every question and every answer; arguments for operators only',
      role: 'viewer',
      handle: ({ role }) => ({
        follow: (emit) => feed.follow((event, approval) => emit(event, toApprovalView(approval, role))),
      }),
    },
    {
      method: 'GET',
      path: '/approvals/{id}',
      id: 'showApproval',
      summary:
        'One call a person was asked about: reasons, difference from the last allowed call; arguments for operators only',
      role: 'viewer',
      result: APPROVAL,
      problems: [404],
      handle: async ({ path, role }) => {
        const id = path.get('id') ?? '';
        const approval = await (await open()).get(id);
        if (approval === undefined) throw new FaultError('not_found', `There is no approval ${id.slice(0, 64)}.`);
        return toApprovalView(approval, role);
      },
    },
    {
      method: 'POST',
      path: '/approvals/{id}/allow',
      id: 'allowApproval',
      summary: 'Allows a call that waits: once, for this run or always, for a pattern of arguments, or with others',
      role: 'operator',
      body: ALLOW_BODY,
      result: APPROVAL,
      problems: [404, 409, 503],
      handle: (request) => {
        checkAttended(ports, request.body);
        return answer(request, readAllow(request.body));
      },
    },
    {
      method: 'POST',
      path: '/approvals/{id}/deny',
      id: 'denyApproval',
      summary: 'Denies a call that waits, with a message to the model',
      role: 'operator',
      body: DENY_BODY,
      result: APPROVAL,
      problems: [404, 409, 503],
      handle: (request) => answer(request, readDeny(request.body)),
    },
  ];
}

type WithoutWho<T> = T extends unknown ? Omit<T, 'by' | 'person' | 'via' | 'at'> : never;
type Answer = WithoutWho<PersonAnswer>;

async function listPage(
  open: () => Promise<ApprovalStore>,
  query: URLSearchParams,
  view: (approval: Approval) => JsonObject,
): Promise<JsonObject> {
  const get = (name: string) => query.get(name) ?? undefined;
  const state = readWord(query, 'state', STATES);
  const filter = { state, principal: get('principal'), upstream: get('upstream'), tool: get('tool') };
  const found = await (await open()).list({ ...filter, limit: readLimit(query), after: readPlace(query) });
  return describePage(pageByTime(found, query), view);
}

/** The bodies are as their schemas say: the API checked. */
function readAllow(body: Json | undefined): Answer {
  const given = body as { readonly scope?: GrantScope; readonly pattern?: Pattern; readonly arguments?: JsonObject };
  // A pattern without a scope is refused as one for once: what stands for months is said, never assumed.
  const { pattern, scope = 'once', arguments: changed } = given;
  return {
    kind: 'allow',
    scope,
    ...(pattern === undefined ? {} : { pattern }),
    ...(changed === undefined ? {} : { arguments: changed }),
  };
}

function readDeny(body: Json | undefined): Answer {
  const { message } = body as { readonly message?: string };
  return { kind: 'deny', ...(message === undefined ? {} : { message }) };
}
