import type { ServerAccess } from '../config/access-settings.ts';
import { FaultError } from '../core/errors.ts';
import { isObject, member } from '../core/json.ts';
import type { Answer } from '../core/message.ts';
import { findSecretQuestion } from '../guard/approve/elicitation-secrets.ts';
import type { Inbound } from './inbound.ts';
import type { CallPorts } from './ports.ts';
import { toPublicNames } from './public-names.ts';
import { sendRecorded } from './send-recorded.ts';

/** A request about a task: it reaches the upstream that owns the task, from whatever connection it comes. */
export async function relayTaskRequest(ports: CallPorts, inbound: Inbound): Promise<Answer> {
  const { request, view } = inbound;
  const id = member(request.params, 'taskId');
  const task = typeof id === 'string' ? view.task(id) : undefined;
  const { principal } = inbound.exchange.client;
  const isOwn = task && (await ports.taskOwners?.isOf(task.upstream, task.taskId, principal));
  if (task === undefined || isOwn === false)
    throw new FaultError('invalid_params', `Unknown task: ${String(id).slice(0, 128)}.`);
  const edits = task.taskId === id ? [] : [request.setParam('taskId', JSON.stringify(task.taskId))];
  // What is asked of a task was decided with the call that started it.
  const about = { upstream: task.upstream, edits, target: task.taskId, isDecided: isOwn === true };
  const answer = await sendRecorded(ports, inbound, about);
  await vetQuestions(answer, inbound);
  return inbound.endpoint.kind !== 'server' ? toPublicNames(answer, view, task.upstream) : answer;
}

/** A method this program does not know: an endpoint of one upstream passes it on, the shared one cannot tell whose it is. */
export async function relayUnknown(ports: CallPorts, inbound: Inbound): Promise<Answer> {
  const { request, endpoint } = inbound;
  if (endpoint.kind !== 'server' || !mayReach(ports, request.method, inbound))
    throw new FaultError('method_not_found', `Method not found: ${request.method.slice(0, 128)}`);
  const answer = await sendRecorded(ports, inbound, { upstream: endpoint.name, edits: [], target: undefined });
  if (request.method !== 'tasks/list' || ports.taskOwners === undefined) return answer;
  return ports.taskOwners.withoutOthers(endpoint.name, answer, inbound.exchange.client.principal);
}

/** Requests of the protocol, those of later revisions included. */
const PROTOCOL =
  /^(?:[^/]*|(?:tools|resources|prompts|completion|tasks|logging|server|subscriptions|roots|sampling|elicitation)\/.*)$/s;

/**
 * Whether a client's notification may be passed on. One of a vendor goes where a request of a vendor goes. A request of the
 * protocol without an id goes nowhere: some servers run it, and no guard has read it.
 */
export function mayNotify(ports: Deciding, method: string, from: From): boolean {
  return method.startsWith('notifications/') || (!PROTOCOL.test(method) && mayReach(ports, method, from));
}

type Deciding = Pick<CallPorts, 'offers' | 'taskOwners'>;
type From = Pick<Inbound, 'endpoint' | 'snapshot'>;

/** Nobody can tell what an unknown method reaches: where a list or a policy says what may be reached, it stops here. */
function mayReach({ offers, taskOwners }: Deciding, method: string, { endpoint, snapshot }: From): boolean {
  if (endpoint.kind !== 'server' || isNarrowed(snapshot.servers.get(endpoint.name)?.access)) return false;
  // A caller's own tasks are no more than what the policies let it start.
  return offers?.areEnforced(snapshot) !== true || (method === 'tasks/list' && taskOwners !== undefined);
}

function isNarrowed(access: ServerAccess | undefined): boolean {
  if (access === undefined) return false;
  const { allow, deny } = access;
  return Object.values(allow).some((list) => list !== undefined) || Object.values(deny).some((list) => list.length > 0);
}

/** A task asks its questions in its status (SEP-2663): the client must not be asked there for what it is not asked for elsewhere. */
async function vetQuestions(answer: Answer, { exchange }: Inbound): Promise<void> {
  const asked = answer.resultMember('inputRequests');
  if (!isObject(asked)) return;
  for (const question of Object.values(asked)) {
    const params = member(question, 'params');
    const method = String(member(question, 'method'));
    const given = isObject(params) ? params : {};
    const refused = findSecretQuestion(method, given);
    if (refused !== undefined) throw new FaultError('denied', refused);
    await exchange.vet?.(method, given);
  }
}
