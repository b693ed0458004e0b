import { isObject, type Json, type JsonObject, member } from '../core/json.ts';
import type { Answer, Notification } from '../core/message.ts';
import type { Principal } from '../core/principal.ts';

/** Tasks of this process that are remembered; the oldest are forgotten. */
const MAX_TASKS = 10_000;
/** What makes a task is short; larger answers are results. */
const MAX_BYTES = 16_384;
/** No caller is called so. */
const NOBODY = '';

/**
 * Who started which task. Ids are the server's own and may be guessed: a task of one caller is not there for another.
 * A task that this process did not see start, before a restart or through another replica, is everybody's who knows its id.
 */
export class TaskOwners {
  readonly #owners = new Map<string, string>();

  /**
   * Looks at the answer of a call: some start a task (MCP tasks, SEP-2663).
   * @param principal `undefined`: the answer was withheld, so nobody may ask for what comes of it
   */
  note(upstream: string, answer: Answer, principal: Principal | undefined): void {
    if (answer.bytes.length > MAX_BYTES || !answer.source.includes('"taskId"')) return;
    const { result } = answer;
    const started = member(result, 'task') ?? result;
    const taskId = isObject(started) ? member(started, 'taskId') : undefined;
    if (typeof taskId !== 'string') return;
    this.#owners.delete(keyOf(upstream, taskId));
    this.#owners.set(keyOf(upstream, taskId), principal === undefined ? NOBODY : toOwner(principal));
    for (const oldest of this.#owners.keys()) {
      if (this.#owners.size <= MAX_TASKS) break;
      this.#owners.delete(oldest);
    }
  }

  isOf(upstream: string, taskId: string, principal: Principal): boolean {
    const owner = this.#owners.get(keyOf(upstream, taskId));
    return owner === undefined || owner === toOwner(principal);
  }

  /** Did this process see the caller start it? */
  isKnownOf(upstream: string, taskId: string, principal: Principal): boolean {
    return this.#owners.get(keyOf(upstream, taskId)) === toOwner(principal);
  }

  /** Does it tell how a task of somebody else is doing? */
  isOfOther(upstream: string, { params }: Notification, principal: Principal): boolean {
    const taskId = member(params, 'taskId');
    return typeof taskId === 'string' && !this.isOf(upstream, taskId, principal);
  }

  /** A list of tasks without those of others. */
  withoutOthers(upstream: string, answer: Answer, principal: Principal): Answer {
    const { result } = answer;
    const tasks = member(result, 'tasks');
    if (result === undefined || !Array.isArray(tasks)) return answer;
    const own = (tasks as readonly Json[]).filter((task) => {
      const taskId = member(task, 'taskId');
      return typeof taskId !== 'string' || this.isOf(upstream, taskId, principal);
    });
    if (own.length === tasks.length) return answer;
    const kept: JsonObject = { ...result, tasks: own };
    return answer.withResult(kept);
  }
}

/** A person's two programs are two callers, as in sessions. */
function toOwner({ id, agent = '' }: Principal): string {
  return `${id}\n${agent}`;
}

function keyOf(upstream: string, taskId: string): string {
  return `${upstream}\n${taskId}`;
}
