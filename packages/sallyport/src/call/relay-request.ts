import type { ServerAccess } from '../config/access-settings.ts';
import type { Client } from '../core/client.ts';
import { FaultError } from '../core/errors.ts';
import { member } from '../core/json.ts';
import type { Answer } from '../core/message.ts';
import type { Inbound } from './inbound.ts';
import type { CallPorts } from './ports.ts';
import { relay } from './relay.ts';
import { readRequest, writeRequest } from './request-forms.ts';

/** A request about a task: it reaches the upstream that owns the task, from whatever connection it comes. */
export function relayTaskRequest(ports: CallPorts, given: Inbound): Promise<Answer> {
  return relay(ports, given, async ({ inbound }) => {
    const { request, view, exchange } = inbound;
    const id = member(request.params, 'taskId');
    const task = typeof id === 'string' ? view.task(id) : undefined;
    const isOwn =
      task !== undefined && (await ports.taskOwners.isOf(task.upstream, task.taskId, exchange.client.principal));
    if (!isOwn) throw toUnknownTask(request.method, String(id), exchange.client);
    return {
      kind: 'task',
      upstream: task.upstream,
      target: task.taskId,
      // What is asked of a task was decided with the call that started it.
      ...readRequest('task', request, { named: undefined, isSealed: exchange.exclusive === true }),
      write: (own, sent) => writeRequest('task', own, sent),
    };
  });
}

const TASKS = 'io.modelcontextprotocol/tasks';

/** What a server says that does not know the task: first whether tasks are spoken of at all (SEP-2663). */
function toUnknownTask(method: string, id: string, { era, capabilities }: Client): FaultError {
  if (era === 'modern' && method === 'tasks/result')
    return new FaultError('method_not_found', `Method not found: ${method}`);
  if (era === 'modern' && member(member(capabilities, 'extensions'), TASKS) === undefined)
    return new FaultError(
      'missing_capability',
      `${method} needs the client capability "extensions": { "${TASKS}": {} }.`,
      {
        data: { requiredCapabilities: { extensions: { [TASKS]: {} } } },
      },
    );
  return new FaultError('invalid_params', `Unknown task: ${id.slice(0, 128)}.`);
}

/** A method this program does not know: an endpoint of one upstream passes it on, the shared one cannot tell whose it is. */
export async function relayUnknown(ports: CallPorts, given: Inbound): Promise<Answer> {
  const { request, endpoint, exchange } = given;
  if (endpoint.kind !== 'server' || !mayReach(ports, request.method, given))
    throw new FaultError('method_not_found', `Method not found: ${request.method.slice(0, 128)}`);
  const answer = await relay(ports, given, ({ inbound }) => ({
    kind: 'request',
    upstream: endpoint.name,
    ...readRequest('request', inbound.request, { named: undefined, isSealed: exchange.exclusive === true }),
  }));
  if (request.method !== 'tasks/list') return answer;
  return ports.taskOwners.withoutOthers(endpoint.name, answer, exchange.client.principal);
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

type Deciding = Pick<CallPorts, 'offers'>;
type From = Pick<Inbound, 'endpoint' | 'snapshot'>;

/** Nobody can tell what an unknown method or name reaches: where a list or a policy says what may be reached, it stops here. */
export function mayReach({ offers }: Deciding, method: string, { endpoint, snapshot }: From): boolean {
  if (endpoint.kind !== 'server' || isNarrowed(snapshot.servers.get(endpoint.name)?.access)) return false;
  // A caller's own tasks are no more than what the policies let it start.
  return !offers.areEnforced(snapshot) || method === 'tasks/list';
}

function isNarrowed(access: ServerAccess | undefined): boolean {
  if (access === undefined) return false;
  const { allow, deny } = access;
  return Object.values(allow).some((list) => list !== undefined) || Object.values(deny).some((list) => list.length > 0);
}
