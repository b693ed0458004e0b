import { type CallToolResult, type InputRequest, ProtocolErrorCode } from '@modelcontextprotocol/server';
import { answerKey, InputNeeded } from '../context.ts';
import { createDeadline } from '../deadline.ts';
import { fail } from '../fail.ts';
import { type CallNote, runTool, settle, startNote, toTimeout } from '../run-tool.ts';
import type { Tool } from '../tool.ts';
import { LIFE_MS, type NewTask, type StoredTask, type TaskStore } from './task-store.ts';

type Members = Readonly<Record<string, unknown>>;

export interface TaskPorts {
  readonly store: TaskStore;
  readonly tools: ReadonlyMap<string, Tool>;
  readonly maxCharacters: number;
  readonly note: (line: CallNote) => void;
}

/** A call that becomes a task. @param input the validated arguments */
export type TaskCall = Omit<NewTask, 'tool'> & { readonly input: Members };

interface Running {
  readonly abort: AbortController;
  message: string | undefined;
  /** The message has changed since the store knows it. */
  isNews: boolean;
}

/** How often a process says that it is alive, and looks for tasks of others that are not. Milliseconds. */
const BEAT_MS = 1_000;
const POLL_MS = 1_000;
/** Of one caller that have not ended. */
const MAX_OPEN = 100;
const MAX_MESSAGE = 500;
const TIDY_EVERY = 100;

/**
 * Runs tools as tasks of the extension io.modelcontextprotocol/tasks (SEP-2663). The store knows what each has done, so that
 * any process may answer for a task, and the next one settles what a killed one has left.
 */
export class TaskRunner {
  readonly #ports: TaskPorts;
  readonly #running = new Map<string, Running>();
  readonly #followers = new Set<(task: StoredTask) => void>();
  readonly #timer: NodeJS.Timeout;
  #starts = 0;
  #isClosed = false;

  constructor(ports: TaskPorts) {
    this.#ports = ports;
    this.#timer = setInterval(() => this.#guard(() => this.#beat()), BEAT_MS).unref();
    this.#guard(() => this.#takeOver());
  }

  /** Starts the work. @returns the CreateTaskResult @throws ToolFailure when the caller has too many */
  start(tool: Tool, { input, ...call }: TaskCall): CallToolResult {
    const { store } = this.#ports;
    if (this.#starts++ % TIDY_EVERY === 0) store.tidy();
    if (store.countOpen(call.caller) >= MAX_OPEN)
      fail(`${MAX_OPEN} tasks have not ended yet.`, 'Wait until one of them has ended, or cancel one.');
    const task = store.add({ ...call, tool: tool.name });
    this.#launch(task, tool, input);
    return toCreated(task);
  }

  /** The CreateTaskResult of a call that was made before, as the task is now. */
  refresh(created: CallToolResult): CallToolResult {
    const task = this.#ports.store.find(String(created['taskId']));
    if (task === undefined) return fail('The task of this call has expired.', 'Call again with a new key.');
    return toCreated(task);
  }

  /** The DetailedTask. `undefined`: this caller has no such task. */
  get(id: string, caller: string | undefined): Members | undefined {
    const task = this.#find(id, caller);
    return task === undefined ? undefined : this.toDetail(task);
  }

  /** Gives the answer that a task waits for; others are ignored, as the extension wants. @returns whether the caller has it */
  async update(id: string, caller: string | undefined, answers: Members): Promise<boolean> {
    const task = this.#find(id, caller);
    if (task === undefined) return false;
    const key = answerKey(task.steps.length);
    if (task.status !== 'input_required' || !Object.hasOwn(answers, key)) return true;
    const answered = this.#ports.store.answer(task, answers[key]);
    if (answered !== undefined) {
      this.#tell(answered);
      await this.#resume(answered);
    }
    return true;
  }

  /** @returns whether the caller has this task */
  cancel(id: string, caller: string | undefined): boolean {
    if (this.#find(id, caller) === undefined) return false;
    const task = this.#ports.store.cancel(id);
    if (task !== undefined) this.#tell(task);
    this.#running.get(id)?.abort.abort(new DOMException('The task was cancelled', 'AbortError'));
    return true;
  }

  /** Calls back for each change that this process makes or learns of. @returns how to stop */
  follow(follower: (task: StoredTask) => void): () => void {
    this.#followers.add(follower);
    return () => this.#followers.delete(follower);
  }

  /** The DetailedTask of one that has ended: nobody will hear of it again. */
  ended(id: string): Members | undefined {
    const task = this.#ports.store.find(id);
    return task === undefined || task.status === 'working' || task.status === 'input_required'
      ? undefined
      : this.toDetail(task);
  }

  toDetail(task: StoredTask): Members {
    const message = task.status === 'working' ? (this.#running.get(task.id)?.message ?? task.message) : undefined;
    return { ...toSummary({ ...task, message }), ...task.outcome };
  }

  /** Ends the work of this process: what can resume is left to the next one. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    clearInterval(this.#timer);
    const { store } = this.#ports;
    for (const [id, { abort }] of this.#running) {
      const task = store.find(id);
      if (task !== undefined && this.#canResume(task)) store.release(id);
      else if (task !== undefined) this.#abandon(task);
      abort.abort(new DOMException('The server ends', 'AbortError'));
    }
    store.close();
  }

  #find(id: string, caller: string | undefined): StoredTask | undefined {
    const task = this.#ports.store.find(id);
    return task?.caller === caller ? task : undefined;
  }

  #launch(task: StoredTask, tool: Tool, input: Members): void {
    const running: Running = { abort: new AbortController(), message: undefined, isNews: false };
    this.#running.set(task.id, running);
    this.#run(task, tool, { input, running })
      // The store failed: another process, or this one, finds the task without anybody at work.
      .catch((error: unknown) => this.#noteFault(tool.name, error))
      .finally(() => {
        if (this.#running.get(task.id) === running) this.#running.delete(task.id);
      });
  }

  async #run(
    { id, caller, steps: known, capabilities }: StoredTask,
    tool: Tool,
    { input, running }: { readonly input: Members; readonly running: Running },
  ): Promise<void> {
    const { signal } = running.abort;
    const deadline = createDeadline(signal, toTimeout(tool));
    const steps = [...known];
    const channel = { caller, progress: reportTo(running), log: async () => {} };
    const save = () => {
      if (!signal.aborted) this.#ports.store.change(id, { steps });
    };
    try {
      const note = startNote(tool, caller, this.#ports.note);
      const result = await settle(tool, { deadline, signal, note }, () =>
        runTool(tool, input, {
          ...{ channel, deadline, signal, maxCharacters: this.#ports.maxCharacters },
          steps: { steps, takeAnswer: () => undefined, save },
        }),
      );
      if (!signal.aborted)
        this.#change(id, { status: 'completed', outcome: { result: { resultType: 'complete', ...result } } });
    } catch (error) {
      // Who aborted has settled what becomes of it.
      if (signal.aborted) return;
      if (!(error instanceof InputNeeded)) throw error;
      const missing = findMissing(error.request, capabilities);
      if (missing !== undefined) this.#change(id, { status: 'failed', outcome: { error: missing } });
      else
        this.#change(id, {
          status: 'input_required',
          steps,
          outcome: { inputRequests: { [answerKey(steps.length)]: error.request } },
        });
    } finally {
      deadline.close();
    }
  }

  /** Runs a task on from what the store knows of it. */
  async #resume(task: StoredTask): Promise<void> {
    const tool = this.#ports.tools.get(task.tool);
    const checked = await tool?.inputSchema['~standard'].validate(task.args);
    if (tool === undefined || checked === undefined || checked.issues !== undefined)
      this.#change(task.id, {
        status: 'failed',
        outcome: { error: toError(`The server no longer has ${task.tool} as it was called.`) },
      });
    else this.#launch(task, tool, checked.value);
  }

  #takeOver(): void {
    for (const task of this.#ports.store.takeOver()) {
      if (!this.#canResume(task)) this.#abandon(task);
      else this.#resume(task).catch((error: unknown) => this.#noteFault(task.tool, error));
    }
  }

  #beat(): void {
    const { store } = this.#ports;
    for (const [id, running] of this.#running) {
      // Another process has cancelled it, or took this one for dead.
      if (!store.extend(id)) running.abort.abort(new DOMException('The task was ended', 'AbortError'));
      else if (running.isNews && running.message !== undefined) {
        running.isNews = false;
        this.#change(id, { message: running.message });
      }
    }
    this.#takeOver();
  }

  #canResume({ tool }: StoredTask): boolean {
    const task = this.#ports.tools.get(tool)?.definition.task;
    return typeof task === 'object' && task.resumes;
  }

  #abandon(task: StoredTask): void {
    const hints = this.#ports.tools.get(task.tool)?.definition.hints;
    const isHarmless = hints !== undefined && (hints.readOnly || hints.idempotent);
    const error = toError(
      isHarmless
        ? `The server ended while it worked on this task. Call ${task.tool} again.`
        : `The server ended while it worked on this task, so nobody knows whether it took effect. Look whether it took effect before you call ${task.tool} again.`,
    );
    this.#change(task.id, { status: 'failed', outcome: { error } });
  }

  #change(...change: Parameters<TaskStore['change']>): void {
    const changed = this.#ports.store.change(...change);
    if (changed !== undefined) this.#tell(changed);
  }

  #tell(task: StoredTask): void {
    for (const follower of [...this.#followers]) follower(task);
  }

  /** A database that cannot be read now may be read at the next beat. */
  #guard(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.#noteFault('tasks', error);
    }
  }

  #noteFault(tool: string, cause: unknown): void {
    this.#ports.note({ tool, caller: undefined, outcome: 'error', ms: 0, cause });
  }
}

function reportTo(running: Running) {
  return async (done: number, total?: number, message?: string): Promise<void> => {
    running.message = (message ?? (total === undefined ? `${done}` : `${done} of ${total}`)).slice(0, MAX_MESSAGE);
    running.isNews = true;
  };
}

function toSummary(task: StoredTask): Members {
  return {
    taskId: task.id,
    status: task.status,
    ...(task.message === undefined ? {} : { statusMessage: task.message }),
    createdAt: new Date(task.createdAt).toISOString(),
    lastUpdatedAt: new Date(task.updatedAt).toISOString(),
    ttlMs: LIFE_MS,
    pollIntervalMs: POLL_MS,
  };
}

/** The SDK wants `content` in every result of a tool. */
function toCreated(task: StoredTask): CallToolResult {
  return { content: [], resultType: 'task', ...toSummary(task) };
}

function toError(message: string) {
  return { code: ProtocolErrorCode.InternalError, message };
}

/** What the client did not say it can be asked for. */
function findMissing({ method }: InputRequest, capabilities: Members) {
  const name = method === 'elicitation/create' ? 'elicitation' : 'sampling';
  if (Object.hasOwn(capabilities, name)) return undefined;
  return {
    code: ProtocolErrorCode.MissingRequiredClientCapability,
    message: `The tool has to ask (${method}), and the client did not declare that it can be asked.`,
    data: { requiredCapabilities: { [name]: {} } },
  };
}
