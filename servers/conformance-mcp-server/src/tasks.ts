import { randomUUID } from 'node:crypto';
import type { Ask, InputRequest } from './call.ts';
import { codes, type Fields, isFields, RpcError, toErrorMessage } from './messages.ts';

export const tasksExtension = 'io.modelcontextprotocol/tasks';

const ttlMs = 300_000;
const pollIntervalMs = 100;
const mostTasks = 1_000;

type Status = 'working' | 'input_required' | 'completed' | 'failed' | 'cancelled';

interface Pending {
  readonly request: InputRequest;
  readonly answer: (response: Fields) => void;
}

interface Task {
  readonly id: string;
  readonly createdAt: string;
  readonly abort: AbortController;
  readonly pending: Map<string, Pending>;
  status: Status;
  updatedAt: string;
  outcome: Fields;
}

/** What a running task may do besides compute. */
export interface TaskRun {
  readonly signal: AbortSignal;
  readonly ask: Ask;
}

/** Tasks of the extension io.modelcontextprotocol/tasks (SEP-2663), in memory, forgotten after their ttl. */
export class TaskStore {
  readonly #tasks = new Map<string, Task>();
  readonly #onChange: (task: Fields) => void;

  constructor(onChange: (task: Fields) => void) {
    this.#onChange = onChange;
  }

  /** Starts the work and returns the CreateTaskResult; `tasks/get` for it resolves from now on. */
  start(work: (run: TaskRun) => Promise<Fields>): Fields {
    if (this.#tasks.size >= mostTasks) throw new RpcError(codes.internal, 'too many tasks');
    const now = new Date().toISOString();
    const task: Task = {
      id: randomUUID(),
      createdAt: now,
      abort: new AbortController(),
      pending: new Map(),
      status: 'working',
      updatedAt: now,
      outcome: {},
    };
    this.#tasks.set(task.id, task);
    setTimeout(() => this.#forget(task), ttlMs).unref();
    void this.#run(task, work);
    return { resultType: 'task', ...toSummary(task) };
  }

  /** The DetailedTask. Throws -32602 for an unknown id. */
  get(id: unknown): Fields {
    return toDetail(this.#find(id));
  }

  /** Delivers answers; keys that nobody waits for are ignored, as the extension wants. */
  update(id: unknown, responses: unknown): void {
    const task = this.#find(id);
    if (!isFields(responses)) throw new RpcError(codes.invalidParams, 'inputResponses must be an object');
    for (const [key, response] of Object.entries(responses)) {
      const pending = task.pending.get(key);
      if (pending === undefined || !isFields(response)) continue;
      task.pending.delete(key);
      pending.answer(response);
    }
    if (task.status === 'input_required' && task.pending.size === 0) this.#move(task, 'working');
  }

  cancel(id: unknown): void {
    const task = this.#find(id);
    if (isOver(task)) return;
    this.#move(task, 'cancelled');
    task.abort.abort(new Error('cancelled'));
  }

  has(id: string): boolean {
    return this.#tasks.has(id);
  }

  close(): void {
    for (const task of [...this.#tasks.values()]) this.#forget(task);
  }

  async #run(task: Task, work: (run: TaskRun) => Promise<Fields>): Promise<void> {
    try {
      const result = await work({ signal: task.abort.signal, ask: (requests) => this.#ask(task, requests) });
      this.#move(task, 'completed', { result });
    } catch (error) {
      this.#move(task, 'failed', { error: toErrorMessage(error).error });
    }
  }

  async #ask(task: Task, requests: Record<string, InputRequest>): Promise<Record<string, Fields>> {
    const answers = Object.entries(requests).map(
      ([name, request]) =>
        new Promise<[string, Fields]>((resolve, reject) => {
          // Keys must not repeat over the life of a task, so a second round cannot be answered by a late first one.
          task.pending.set(`${name}-${randomUUID()}`, { request, answer: (response) => resolve([name, response]) });
          task.abort.signal.addEventListener('abort', () => reject(task.abort.signal.reason), { once: true });
        }),
    );
    this.#move(task, 'input_required');
    return Object.fromEntries(await Promise.all(answers));
  }

  #move(task: Task, status: Status, outcome: Fields = {}): void {
    if (isOver(task)) return;
    task.status = status;
    task.outcome = outcome;
    task.updatedAt = new Date().toISOString();
    this.#onChange(toDetail(task));
  }

  #find(id: unknown): Task {
    const task = typeof id === 'string' ? this.#tasks.get(id) : undefined;
    if (task === undefined) throw new RpcError(codes.invalidParams, 'unknown task');
    return task;
  }

  #forget(task: Task): void {
    this.#tasks.delete(task.id);
    task.abort.abort(new Error('expired'));
  }
}

function isOver(task: Task): boolean {
  return task.status === 'completed' || task.status === 'failed' || task.status === 'cancelled';
}

function toSummary(task: Task): Fields {
  return {
    taskId: task.id,
    status: task.status,
    createdAt: task.createdAt,
    lastUpdatedAt: task.updatedAt,
    ttlMs,
    pollIntervalMs,
  };
}

function toDetail(task: Task): Fields {
  const waiting = [...task.pending].map(([key, pending]) => [key, pending.request]);
  const inputs = task.status === 'input_required' ? { inputRequests: Object.fromEntries(waiting) } : {};
  return { ...toSummary(task), ...inputs, ...task.outcome };
}
