import { hideNews } from '../call/kept-servers.ts';
import { mayFollow } from '../call/planned.ts';
import { assertReached } from '../call/unreachable.ts';
import { vetFollowed } from '../call/vet-outgoing.ts';
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
import type { ModernFacts } from './modern-request.ts';
import type { GatewayPorts } from './ports.ts';
import type { Reply } from './reply.ts';
import { toHeard, toTold } from './screen-questions.ts';
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
    const texts = this.#ports.texts;
    assertReached(
      'not_ready',
      { endpoint, snapshot, view },
      { missing: !view.isIntroduced && facts.client.principal.kind !== 'stdio', texts },
    );
    const wanted = member(request.params, 'notifications');
    const honoured: Record<string, JsonObject[string]> = {};
    for (const [list, flag] of Object.entries(LIST_FLAGS)) {
      if (member(wanted, flag) !== true || !isObject(member(view.capabilities, list))) continue;
      this.#flags.add(flag);
      honoured[flag] = true;
    }
    const uris = await this.#followResources(strings(member(wanted, 'resourceSubscriptions')), view);
    if (uris.length > 0) honoured['resourceSubscriptions'] = uris;
    const tasks = await this.#followTasks(strings(member(wanted, 'taskIds')), view);
    if (tasks.length > 0) honoured['taskIds'] = tasks;
    if (this.#closed) return;
    this.#acknowledged = true;
    this.#send(Notification.of('notifications/subscriptions/acknowledged', { notifications: honoured }));
  }

  async #followResources(uris: readonly string[], view: Pick<View, 'resource'>): Promise<string[]> {
    const followed: string[] = [];
    for (const uri of uris) {
      const owner = view.resource(uri)[0];
      if (owner === undefined || this.#closed || !(await this.#isPlanned(uri))) continue;
      if ((await this.#ports.resources?.mayFollow(owner)) === false) continue;
      if (!owner.isListed && !(await this.#mayLeave(owner.upstream, owner.uri))) continue;
      const answer = await this.#ports.upstreams.subscribe(owner.upstream, owner.uri, this.#opening.facts.client);
      if (answer.result === undefined) continue;
      this.#resources.set(`${owner.upstream}\n${owner.uri}`, uri);
      followed.push(uri);
    }
    return followed;
  }

  /** What the plan of the run does not name is not followed, as what is not there is not. */
  #isPlanned(uri: string): Promise<boolean> {
    const { request, facts, endpoint, snapshot } = this.#opening;
    return isAllowed(mayFollow(this.#ports.planned, { request, exchange: facts, endpoint, snapshot }, uri));
  }

  /** Nor is a URI that would take something along. */
  #mayLeave(upstream: string, name: string): Promise<boolean> {
    const { request, facts, endpoint, snapshot } = this.#opening;
    return isAllowed(vetFollowed(this.#ports, { request, exchange: facts, endpoint, snapshot }, { upstream, name }));
  }

  /** A task is followed at the upstream that owns it, by whoever started it (SEP-2663, task status notifications). */
  async #followTasks(ids: readonly string[], view: View): Promise<string[]> {
    const followed: string[] = [];
    for (const id of ids) {
      const task = view.task(id);
      if (task === undefined || this.#closed) continue;
      const isOwn = await this.#ports.taskOwners?.isOf(task.upstream, task.taskId, this.principal);
      if (isOwn === false || this.#closed) continue;
      if (isOwn !== true && !(await this.#mayLeave(task.upstream, task.taskId))) continue;
      if (!(await this.#ports.tasks.followTask(task.upstream, task.taskId, this.#opening.facts.client))) continue;
      this.#tasks.set(`${task.upstream}\n${task.taskId}`, id);
      followed.push(id);
    }
    return followed;
  }

  onListChange({ upstream, list, profile, principal }: ListChange): void {
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
      if (uri === undefined || !event.isFor(this.#opening.facts.client)) return;
      const told = this.#toHeard(event.upstream, hideNews(this.#ports.snapshot(), event));
      if (told !== undefined) this.#send(told, { key: 'uri', value: uri });
    } else if (event.kind === 'other') {
      // What is withheld after it was followed is nobody's.
      if (this.#ports.taskOwners?.isOfOther(event.upstream, event.notification, this.principal) === true) return;
      const id = member(event.notification.params, 'taskId');
      const known = typeof id === 'string' ? this.#tasks.get(`${event.upstream}\n${id}`) : undefined;
      const told = known === undefined ? undefined : this.#toHeard(event.upstream, toTold(this.#ports, event));
      if (known !== undefined && told !== undefined) this.#send(told, { key: 'taskId', value: known });
    }
  }

  #toHeard(upstream: string, told: Notification | undefined): Notification | undefined {
    return toHeard(this.#ports.texts, told, { upstream, client: this.#opening.facts.client.key });
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

  #send(notification: Notification, renamed?: { key: string; value: string }): void {
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

async function isAllowed(asked: Promise<void>): Promise<boolean> {
  try {
    await asked;
    return true;
  } catch (error) {
    if (error instanceof FaultError && error.code === 'denied') return false;
    throw error;
  }
}
