import { isObject, type Json, type JsonObject, member } from '../core/json.ts';
import type { Log } from '../core/log.ts';
import type { Answer, Notification } from '../core/message.ts';
import type { Principal } from '../core/principal.ts';
import type { TaskOwnerStore } from '../storage/task-owners.ts';

/** Tasks that are remembered in this process; the oldest are asked for again. */
const MAX_TASKS = 10_000;
/** Of larger answers only the members are looked at. */
const MAX_BYTES = 16_384;
/** No caller is called so. */
const NOBODY = '';

/** What other processes know, and this one knew before a restart. */
export interface TaskOwnerPorts {
  readonly store: () => Promise<TaskOwnerStore>;
  readonly log: Log;
}

/**
 * Who started which task. Ids are the server's own and may be guessed: a task of one caller is not there for another, and
 * a task that nobody is known to have started is nobody's.
 */
export class TaskOwners {
  readonly #ports: TaskOwnerPorts | undefined;
  readonly #owners = new Map<string, string>();
  #learning = false;

  /** @param ports left out: only what this process sees counts */
  constructor(ports?: TaskOwnerPorts) {
    this.#ports = ports;
  }

  /**
   * Looks at the answer of a call: some start a task (MCP tasks, SEP-2663). A promise where one does: until every process
   * knows it, nobody may be told of it.
   * @param principal `undefined`: the answer was withheld, so nobody may ask for what comes of it
   */
  note(upstream: string, answer: Answer, principal: Principal | undefined): Promise<void> | undefined {
    if (!mentionsTask(answer)) return undefined;
    const { result } = answer;
    const started = member(result, 'task') ?? result;
    const taskId = isObject(started) ? member(started, 'taskId') : undefined;
    if (typeof taskId !== 'string') return undefined;
    const owner = principal === undefined ? NOBODY : toOwner(principal);
    this.#remember(keyOf(upstream, taskId), owner);
    return this.#put(keyOf(upstream, taskId), owner);
  }

  isOf(upstream: string, taskId: string, principal: Principal): boolean | Promise<boolean> {
    const known = this.#owners.get(keyOf(upstream, taskId));
    if (known !== undefined || this.#ports === undefined) return known === toOwner(principal);
    return this.#find([keyOf(upstream, taskId)]).then((found) => found.includes(toOwner(principal)));
  }

  /**
   * Does it tell how a task of somebody else is doing? Of a task that is not known here yet nobody hears, and it is looked
   * for: one at a time, since servers may send as many ids as they like.
   */
  isOfOther(upstream: string, { params }: Notification, principal: Principal): boolean {
    const taskId = member(params, 'taskId');
    if (typeof taskId !== 'string') return false;
    const known = this.#owners.get(keyOf(upstream, taskId));
    if (known === undefined && this.#ports !== undefined && !this.#learning) {
      this.#learning = true;
      this.#find([keyOf(upstream, taskId)])
        .catch(() => undefined)
        .finally(() => {
          this.#learning = false;
        });
    }
    return known !== toOwner(principal);
  }

  /** A list of tasks without those of others. */
  async withoutOthers(upstream: string, answer: Answer, principal: Principal): Promise<Answer> {
    const { result } = answer;
    const tasks = member(result, 'tasks');
    if (result === undefined || !Array.isArray(tasks)) return answer;
    const keys = (tasks as readonly Json[]).map((task) => {
      const taskId = member(task, 'taskId');
      return typeof taskId === 'string' ? keyOf(upstream, taskId) : undefined;
    });
    const owners = await this.#find(keys.map((key) => key ?? ''));
    const own = (tasks as readonly Json[]).filter((_, i) => keys[i] === undefined || owners[i] === toOwner(principal));
    if (own.length === tasks.length) return answer;
    const kept: JsonObject = { ...result, tasks: own };
    return answer.withResult(kept);
  }

  /** One for each; what is found is remembered. @throws where the database cannot be read: then it is nobody's. */
  async #find(keys: readonly string[]): Promise<(string | undefined)[]> {
    const unknown = keys.filter((key) => key !== '' && !this.#owners.has(key));
    const found = unknown.length === 0 ? undefined : await (await this.#ports?.store())?.find(unknown);
    for (const [key, owner] of found ?? []) this.#remember(key, owner);
    return keys.map((key) => found?.get(key) ?? this.#owners.get(key));
  }

  #remember(key: string, owner: string): void {
    this.#owners.delete(key);
    this.#owners.set(key, owner);
    for (const oldest of this.#owners.keys()) {
      if (this.#owners.size <= MAX_TASKS) break;
      this.#owners.delete(oldest);
    }
  }

  /** Fails closed: where it cannot be written, the task is nobody's in other processes. */
  async #put(key: string, owner: string): Promise<void> {
    try {
      await (await this.#ports?.store())?.put(key, owner);
    } catch (error) {
      this.#ports?.log.error({ error }, 'who started a task could not be stored: other processes do not know it');
    }
  }
}

/** A cheap first look: most answers start no task. */
function mentionsTask(answer: Answer): boolean {
  if (answer.bytes.length <= MAX_BYTES) return answer.source.includes('"taskId"');
  return answer.isResult && (answer.hasMember('task') || answer.hasMember('taskId'));
}

/** A person's two programs are two callers, as in sessions. */
function toOwner({ id, agent = '' }: Principal): string {
  return `${id}\n${agent}`;
}

function keyOf(upstream: string, taskId: string): string {
  return `${upstream}\n${taskId}`;
}
