import { FaultError } from '../core/errors.ts';
import { member } from '../core/json.ts';
import type { Answer } from '../core/message.ts';
import type { Inbound } from './inbound.ts';
import type { CallPorts } from './ports.ts';
import { toPublicNames } from './public-names.ts';

/** A request about a task: it reaches the upstream that owns the task, from whatever connection it comes. */
export async function relayTaskRequest(ports: CallPorts, inbound: Inbound): Promise<Answer> {
  const { request, exchange, view } = inbound;
  const id = member(request.params, 'taskId');
  const task = typeof id === 'string' ? view.task(id) : undefined;
  if (task === undefined) throw new FaultError('invalid_params', `Unknown task: ${String(id).slice(0, 128)}.`);
  const edits = task.taskId === id ? [] : [request.setParam('taskId', JSON.stringify(task.taskId))];
  const answer = await ports.upstreams.send(
    task.upstream,
    { request, edits, target: task.taskId, paramHeaders: undefined },
    exchange,
  );
  return inbound.endpoint.kind === 'all' ? toPublicNames(answer, view, task.upstream) : answer;
}

/** A method this program does not know: an endpoint of one upstream passes it on, the shared one cannot tell whose it is. */
export async function relayUnknown(ports: CallPorts, { request, exchange, endpoint }: Inbound): Promise<Answer> {
  if (endpoint.kind !== 'server')
    throw new FaultError('method_not_found', `Method not found: ${request.method.slice(0, 128)}`);
  return ports.upstreams.send(
    endpoint.name,
    { request, edits: [], target: undefined, paramHeaders: undefined },
    exchange,
  );
}
