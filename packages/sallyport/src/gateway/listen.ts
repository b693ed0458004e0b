import { followResource, followTask } from '../call/follow.ts';
import type { Inbound } from '../call/inbound.ts';
import { findUnreached } from '../call/unreachable.ts';
import { judgeNotification, type Repeats, toContext } from '../call/watch.ts';
import type { ListChange, View } from '../catalog/contract.ts';
import { concerns } from '../config/allowed.ts';
import type { Snapshot } from '../config/settings.ts';
import type { Endpoint } from '../core/endpoint.ts';
import { FaultError } from '../core/errors.ts';
import { isObject, type JsonObject, member } from '../core/json.ts';
import { fromBinary } from '../core/json-scan.ts';
import { Answer, Notification, type Request } from '../core/message.ts';
import type { Principal } from '../core/principal.ts';
import type { UpstreamEvent } from '../core/upstream-port.ts';
import { InOrder } from './in-order.ts';
import type { ModernFacts } from './modern-request.ts';
import type { GatewayPorts } from './ports.ts';
import type { Reply } from './reply.ts';
import type { Follower } from './session-store.ts';

const SUBSCRIPTION_KEY = 'io.modelcontextprotocol/subscriptionId';
const LIST_FLAGS = {
  tools: 'toolsListChanged',
  resources: 'resourcesListChanged',
  prompts: 'promptsListChanged',
} as const;
/** One stream may follow this many resources or tasks. */
const MAX_FOLLOWED = 1_000;

interface Opening {
  readonly request: Request;
  readonly facts: ModernFacts;
  readonly snapshot: Snapshot;
  readonly endpoint: Endpoint;
  readonly reply: Reply;
}

/** One `subscriptions/listen` stream: exactly the kinds of notification the client asked for (2026-07-28 subscriptions). */
export class Listen implements Follower {
  readonly #ports: GatewayPorts;
  readonly #opening: Opening;
  readonly #flags = new Set<string>();
  /** `upstream\nuri` -> the URI the client knows. */
  readonly #resources = new Map<string, string>();
  /** `upstream\ntaskId` -> the id the client knows. */
  readonly #tasks = new Map<string, string>();
  /** It is over, whoever ended it. */
  onClose: (() => void) | undefined;
  readonly #hearing = new InOrder<Notification>();
  readonly #repeats: Repeats = { allowed: undefined };
  #acknowledged = false;
  #closed = false;

  constructor(ports: GatewayPorts, opening: Opening) {
    this.#ports = ports;
    this.#opening = opening;
  }

  get principal(): Principal {
    return this.#opening.facts.client.principal;
  }

  /** The caller's credential is worth nothing any more. */
  expire(): void {
    this.finish();
  }

  async open(): Promise<void> {
    const { request, facts, snapshot, endpoint } = this.#opening;
    const view = await this.#ports.catalog.view(snapshot, endpoint, facts.client, request);
    const missing = !view.isIntroduced && facts.client.principal.kind !== 'stdio';
    const fault = await findUnreached(this.#ports, this.#inbound(view), { code: 'not_ready', missing });
    if (fault !== undefined) throw fault;
    const wanted = member(request.params, 'notifications');
    const honoured: Record<string, JsonObject[string]> = {};
    for (const [list, flag] of Object.entries(LIST_FLAGS)) {
      if (member(wanted, flag) !== true || !isObject(member(view.capabilities, list))) continue;
      this.#flags.add(flag);
      honoured[flag] = true;
    }
    const uris = await this.#followResources(strings(member(wanted, 'resourceSubscriptions')), this.#inbound(view));
    if (uris.length > 0) honoured['resourceSubscriptions'] = uris;
    const tasks = await this.#followTasks(strings(member(wanted, 'taskIds')), this.#inbound(view));
    if (tasks.length > 0) honoured['taskIds'] = tasks;
    if (this.#closed) return;
    this.#acknowledged = true;
    this.#send(Notification.of('notifications/subscriptions/acknowledged', { notifications: honoured }));
  }

  /** Nobody can be asked through a stream that is only listened to. */
  #inbound(view: View): Inbound {
    const { request, facts, endpoint, snapshot } = this.#opening;
    const exchange = {
      ...facts,
      ...{ unattended: true, onCancel: undefined, cancelled: false, notify() {}, answerInputs: () => undefined },
      ask: () => Promise.reject(new FaultError('cancelled', 'The client only listens.')),
    };
    return { request, exchange, endpoint, snapshot, view };
  }

  async #followResources(uris: readonly string[], inbound: Inbound): Promise<string[]> {
    const followed: string[] = [];
    for (const uri of uris) {
      const owner = inbound.view.resource(uri)[0];
      if (owner === undefined || this.#closed) continue;
      const answer = await unlessRefused(followResource(this.#ports, inbound, { owner, uri }));
      if (answer?.result === undefined) continue;
      this.#resources.set(`${owner.upstream}\n${owner.uri}`, uri);
      followed.push(uri);
    }
    return followed;
  }

  /** A task is followed at the upstream that owns it, by whoever started it (SEP-2663, task status notifications). */
  async #followTasks(ids: readonly string[], inbound: Inbound): Promise<string[]> {
    const followed: string[] = [];
    const { taskOwners } = this.#ports;
    for (const id of ids) {
      const task = inbound.view.task(id);
      if (task === undefined || this.#closed) continue;
      if (!(await taskOwners.isOf(task.upstream, task.taskId, this.principal)) || this.#closed) continue;
      if ((await unlessRefused(followTask(this.#ports, inbound, task))) !== true) continue;
      this.#tasks.set(`${task.upstream}\n${task.taskId}`, id);
      followed.push(id);
    }
    return followed;
  }

  onListChange({ upstream, list, profile, principal, isSame }: ListChange): void {
    if (isSame === true && this.#opening.endpoint.kind !== 'server') return;
    if (profile !== undefined && profile !== this.#opening.facts.client.profile) return;
    if (principal !== undefined && principal !== this.principal.id) return;
    if (this.#sees(upstream) && this.#flags.has(LIST_FLAGS[list]))
      this.#send(Notification.of(`notifications/${list}/list_changed`));
  }

  onUpstreamEvent(event: UpstreamEvent): void {
    // What it could see when the stream was opened may have been taken from it since.
    if (!this.#sees(event.upstream)) return;
    if (event.kind === 'resource_updated') {
      const uri = this.#resources.get(`${event.upstream}\n${event.uri}`);
      if (uri !== undefined && event.isFor(this.#opening.facts.client)) this.#hear(event, { key: 'uri', value: uri });
    } else if (event.kind === 'other') {
      // What is withheld after it was followed is nobody's.
      if (this.#ports.taskOwners.isOfOther(event.upstream, event.notification, this.principal)) return;
      const id = member(event.notification.params, 'taskId');
      const known = typeof id === 'string' ? this.#tasks.get(`${event.upstream}\n${id}`) : undefined;
      if (known !== undefined) this.#hear(event, { key: 'taskId', value: known });
    }
  }

  #hear(
    { upstream, notification }: Pick<UpstreamEvent & { notification: Notification }, 'upstream' | 'notification'>,
    renamed: Renamed,
  ): void {
    const { facts, endpoint } = this.#opening;
    const context = toContext({ exchange: facts, endpoint, snapshot: this.#ports.snapshot() }, upstream);
    this.#hearing.push(judgeNotification(this.#ports, context, notification, this.#repeats), (told) =>
      this.#send(told, renamed),
    );
  }

  /** Ends the stream from our side, telling the client that it ended well (2026-07-28 subscriptions#graceful-closure). */
  finish(): void {
    const { request, reply } = this.#opening;
    if (this.#closed) return;
    this.close();
    const head = `"resultType":"complete","_meta":{"${SUBSCRIPTION_KEY}":${request.id}}`;
    reply.answer(Answer.result(request.id, {}).write(request.id, head), 200);
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.onClose?.();
    for (const key of this.#tasks.keys()) {
      const [upstream = '', taskId = ''] = key.split('\n', 2);
      this.#ports.tasks.unfollowTask(upstream, taskId, this.#opening.facts.client);
    }
    for (const key of this.#resources.keys()) {
      const [upstream = '', uri = ''] = key.split('\n', 2);
      this.#ports.upstreams.unsubscribe(upstream, uri, this.#opening.facts.client).catch((error: unknown) => {
        this.#ports.log.debug({ upstream, error }, 'unsubscribing failed');
      });
    }
  }

  #send(notification: Notification, renamed?: Renamed): void {
    if (this.#closed || !this.#acknowledged) return;
    const edits = [notification.setInParam('_meta', SUBSCRIPTION_KEY, fromBinary(this.#opening.request.id))];
    if (renamed !== undefined && member(notification.params, renamed.key) !== renamed.value) {
      edits.push(notification.setParam(renamed.key, JSON.stringify(renamed.value)));
    }
    this.#opening.reply.message(notification.write(edits));
  }

  #sees(upstream: string): boolean {
    const { endpoint, facts } = this.#opening;
    const { groups } = facts.client.principal;
    return concerns(this.#ports.snapshot(), endpoint, { upstream, groups });
  }
}

function strings(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string').slice(0, MAX_FOLLOWED) : [];
}

/** What may not be followed is left out, as what is not there is. */
async function unlessRefused<T>(following: Promise<T>): Promise<T | undefined> {
  try {
    return await following;
  } catch (error) {
    if (error instanceof FaultError && (error.code === 'denied' || error.code === 'too_many')) return undefined;
    throw error;
  }
}

/** A member that the client calls otherwise than its server. */
interface Renamed {
  readonly key: string;
  readonly value: string;
}
