import {
  isJSONRPCNotification,
  isJSONRPCRequest,
  type JSONRPCMessage,
  type McpHttpHandler,
  type MessageExtraInfo,
  type RequestId,
  SUBSCRIPTION_ID_META_KEY,
  type Transport,
} from '@modelcontextprotocol/server';
import type { TaskRunner } from './task-runner.ts';
import type { StoredTask } from './task-store.ts';

/**
 * Status notifications of tasks. The SDK serves `subscriptions/listen` and knows no tasks: here its streams get those that
 * the client listed in `taskIds`.
 */

type Members = Readonly<Record<string, unknown>>;

/** One stream may follow so many. */
const MAX_TASKS = 100;
/** Notifications that wait for a client to read them. */
const MAX_WAITING = 1_000;

interface Wanted {
  readonly id: RequestId;
  readonly taskIds: readonly string[];
  /** The request as the SDK is asked. */
  readonly forwarded: JSONRPCMessage;
  /** The client wants this as well. */
  readonly wantsTools: boolean;
}

/** `undefined`: it asks for no tasks. */
function readWanted(message: unknown): Wanted | undefined {
  if (!isJSONRPCRequest(message) || message.method !== 'subscriptions/listen') return undefined;
  const { notifications } = (message.params ?? {}) as { readonly notifications?: Members };
  if (typeof notifications !== 'object' || notifications === null) return undefined;
  const { taskIds, ...others } = notifications;
  if (!Array.isArray(taskIds)) return undefined;
  return {
    id: message.id,
    taskIds: taskIds.filter((id): id is string => typeof id === 'string').slice(0, MAX_TASKS),
    wantsTools: others['toolsListChanged'] === true,
    // The SDK ends a stream on which it has nothing to send.
    forwarded: {
      ...message,
      params: { ...message.params, notifications: { ...others, toolsListChanged: true } },
    } as JSONRPCMessage,
  };
}

/** The acknowledgement of the SDK with the tasks in it. */
function toAcknowledged(message: JSONRPCMessage, { wantsTools }: Wanted, taskIds: readonly string[]): JSONRPCMessage {
  const { params = {} } = message as { readonly params?: Members };
  const { toolsListChanged, ...honoured } = (params['notifications'] ?? {}) as Members;
  const notifications = {
    ...honoured,
    ...(wantsTools && toolsListChanged === true ? { toolsListChanged } : {}),
    taskIds,
  };
  return { ...message, params: { ...params, notifications } } as JSONRPCMessage;
}

function isAcknowledgement(message: JSONRPCMessage): boolean {
  return isJSONRPCNotification(message) && message.method === 'notifications/subscriptions/acknowledged';
}

/** Sends a notification for each change of these tasks; of those that have ended already, at once. @returns how to stop */
function followTasks(
  tasks: TaskRunner,
  { id, taskIds }: Pick<Wanted, 'id' | 'taskIds'>,
  send: (message: JSONRPCMessage) => void,
): () => void {
  const wanted = new Set(taskIds);
  const tell = (detail: Members) =>
    send({
      jsonrpc: '2.0',
      method: 'notifications/tasks',
      params: { ...detail, _meta: { [SUBSCRIPTION_ID_META_KEY]: id } },
    });
  const stop = tasks.follow((task: StoredTask) => {
    if (wanted.has(task.id)) tell(tasks.toDetail(task));
  });
  for (const taskId of wanted) {
    const ended = tasks.ended(taskId);
    if (ended !== undefined) tell(ended);
  }
  return stop;
}

/** Streams of a handler of Streamable HTTP. */
export function withTaskStreams(handler: McpHttpHandler, tasks: () => TaskRunner): McpHttpHandler {
  return {
    ...handler,
    async fetch(request, options) {
      const body: unknown = options?.parsedBody ?? (await readJson(request));
      const wanted = readWanted(body);
      if (wanted === undefined) return handler.fetch(request, options);
      const response = await handler.fetch(request, { ...options, parsedBody: wanted.forwarded });
      if (response.body === null || !response.headers.get('content-type')?.startsWith('text/event-stream'))
        return response;
      const caller = options?.authInfo?.clientId;
      const taskIds = wanted.taskIds.filter((id) => tasks().get(id, caller) !== undefined);
      return new Response(joinStreams(response.body, tasks(), { ...wanted, taskIds }), response);
    },
  };
}

async function readJson(request: Request): Promise<unknown> {
  if (request.method !== 'POST') return undefined;
  return request
    .clone()
    .json()
    .catch(() => undefined);
}

function joinStreams(body: ReadableStream<Uint8Array>, tasks: TaskRunner, wanted: Wanted): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  let stop = () => {};
  return new ReadableStream<Uint8Array>({
    async start(controller) {
      const send = (message: JSONRPCMessage) => {
        if ((controller.desiredSize ?? 0) < -MAX_WAITING) end();
        else controller.enqueue(new TextEncoder().encode(`event: message\ndata: ${JSON.stringify(message)}\n\n`));
      };
      const end = () => {
        stop();
        void reader.cancel().catch(() => {});
        controller.close();
      };
      // Its first frame is the acknowledgement, written at once.
      const { value } = await reader.read();
      const data = /^data: (.*)$/m.exec(new TextDecoder().decode(value))?.[1] ?? '{}';
      send(toAcknowledged(JSON.parse(data) as JSONRPCMessage, wanted, wanted.taskIds));
      stop = followTasks(tasks, wanted, send);
    },
    async pull(controller) {
      const { value, done } = await reader.read();
      if (!done) return controller.enqueue(value);
      stop();
      controller.close();
    },
    async cancel(reason) {
      stop();
      await reader.cancel(reason);
    },
  });
}

/** The streams of one connection on stdio. */
export class TaskStreamTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage, extra?: MessageExtraInfo) => void;
  readonly #inner: Transport;
  readonly #tasks: () => TaskRunner;
  readonly #wanted = new Map<RequestId, Wanted>();
  readonly #stops = new Map<RequestId, () => void>();

  constructor(inner: Transport, tasks: () => TaskRunner) {
    this.#inner = inner;
    this.#tasks = tasks;
    inner.onclose = () => {
      this.#stopAll();
      this.onclose?.();
    };
    inner.onerror = (error) => this.onerror?.(error);
    inner.onmessage = (message, extra) => this.onmessage?.(this.#receive(message), extra);
  }

  start(): Promise<void> {
    return this.#inner.start();
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const id = toStreamId(message);
    const wanted = id === undefined ? undefined : this.#wanted.get(id);
    if (wanted === undefined) return this.#inner.send(message);
    if (!isAcknowledgement(message)) {
      // Its end: it was refused, or the server ends.
      this.#stop(wanted.id);
      return this.#inner.send(message);
    }
    const tasks = this.#tasks();
    const taskIds = wanted.taskIds.filter((taskId) => tasks.get(taskId, undefined) !== undefined);
    await this.#inner.send(toAcknowledged(message, wanted, taskIds));
    const send = (notification: JSONRPCMessage) => void this.#inner.send(notification).catch(() => {});
    this.#stops.set(wanted.id, followTasks(tasks, { ...wanted, taskIds }, send));
  }

  async close(): Promise<void> {
    this.#stopAll();
    await this.#inner.close();
  }

  #receive(message: JSONRPCMessage): JSONRPCMessage {
    if (isJSONRPCNotification(message) && message.method === 'notifications/cancelled')
      this.#stop((message.params as { readonly requestId?: RequestId } | undefined)?.requestId ?? '');
    const wanted = readWanted(message);
    if (wanted === undefined) return message;
    this.#wanted.set(wanted.id, wanted);
    return wanted.forwarded;
  }

  #stop(id: RequestId): void {
    this.#wanted.delete(id);
    this.#stops.get(id)?.();
    this.#stops.delete(id);
  }

  #stopAll(): void {
    for (const id of [...this.#wanted.keys()]) this.#stop(id);
  }
}

/** The stream that a message is about: its acknowledgement, or the response to its request. */
function toStreamId(message: JSONRPCMessage): RequestId | undefined {
  if (!('method' in message)) return message.id ?? undefined;
  const { params = {} } = message as { readonly params?: { readonly _meta?: Members } };
  return isAcknowledgement(message) ? (params._meta?.[SUBSCRIPTION_ID_META_KEY] as RequestId | undefined) : undefined;
}
