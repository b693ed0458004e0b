import { FaultError, toFault } from '../core/errors.ts';
import { isObject, type JsonObject, member } from '../core/json.ts';
import type { Log } from '../core/log.ts';
import { type Notification, parseMessage, Request } from '../core/message.ts';
import type { Connection } from './connection.ts';
import { toHeaders, toOwnMeta } from './modern.ts';
import type { Pending } from './pending.ts';
import { setMeta } from './request-meta.ts';

const SUBSCRIPTION_KEY = 'io.modelcontextprotocol/subscriptionId';
const TASKS_EXTENSION = 'io.modelcontextprotocol/tasks';
const FIRST_PAUSE = 1000;
const LONGEST_PAUSE = 30_000;

/** What one `subscriptions/listen` asks for (2026-07-28, Subscriptions; SEP-2663 for `taskIds`). */
export interface ListenFilter {
  readonly toolsListChanged?: true;
  readonly promptsListChanged?: true;
  readonly resourcesListChanged?: true;
  readonly resourceSubscriptions?: readonly string[];
  readonly taskIds?: readonly string[];
}

export interface ListeningOptions {
  readonly connection: Connection;
  readonly clientInfo: JsonObject;
  readonly log: Log;
}

interface Stream {
  readonly key: string;
  readonly acknowledged: Promise<ListenFilter>;
  readonly acknowledge: (filter: ListenFilter | Promise<ListenFilter>) => void;
  readonly refuse: (fault: FaultError) => void;
  id: number | undefined;
}

/** The listening stream of one modern connection: opened anew when the filter changes or the stream is lost, without a gap in between. */
export class Listening {
  readonly #options: ListeningOptions;
  #filter: ListenFilter = {};
  #current: Stream | undefined;
  /** Opened for a newer filter and not yet acknowledged. */
  #next: Stream | undefined;
  #pause = FIRST_PAUSE;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: ListeningOptions) {
    this.#options = options;
  }

  /**
   * Listens to `filter` from now on; returns what the server agreed to.
   * @throws FaultError when the server offers no such stream or does not answer.
   */
  update(filter: ListenFilter): Promise<ListenFilter> {
    this.#filter = filter;
    const key = JSON.stringify(filter);
    const same = [this.#next, this.#current].find((stream) => stream?.key === key);
    if (same !== undefined) return same.acknowledged;
    if (key === '{}') {
      this.#drop(this.#next);
      this.#drop(this.#current);
      this.#next = this.#current = undefined;
      return Promise.resolve({});
    }
    return this.#open(key);
  }

  /** Takes the acknowledgement, and takes the subscription id out of everything else: it is between the upstream and us. */
  notice(notification: Notification): Notification | undefined {
    const id = member(member(notification.params, '_meta'), SUBSCRIPTION_KEY);
    if (notification.method === 'notifications/subscriptions/acknowledged') {
      const stream = [this.#next, this.#current].find((each) => each?.id === Number(id));
      const agreed = member(notification.params, 'notifications');
      stream?.acknowledge((isObject(agreed) ? agreed : {}) as ListenFilter);
      return undefined;
    }
    return id === undefined ? notification : withoutSubscription(notification);
  }

  #open(key: string): Promise<ListenFilter> {
    clearTimeout(this.#timer);
    const overtaken = this.#next;
    const stream = createStream(key);
    // Whoever waited for the older filter wants part of this one: its answer is theirs.
    overtaken?.acknowledge(stream.acknowledged);
    this.#drop(overtaken);
    this.#next = stream;
    void this.#run(stream, this.#filter);
    void stream.acknowledged.then(
      () => {
        this.#pause = FIRST_PAUSE;
        if (this.#next !== stream) return;
        this.#drop(this.#current);
        this.#current = stream;
        this.#next = undefined;
      },
      () => {},
    );
    return stream.acknowledged;
  }

  async #run(stream: Stream, filter: ListenFilter): Promise<void> {
    const { connection, clientInfo, log } = this.#options;
    const revision = connection.dialect?.identity.revision ?? '';
    const capabilities = filter.taskIds === undefined ? {} : { extensions: { [TASKS_EXTENSION]: {} } };
    const params: JsonObject = {
      _meta: toOwnMeta({ revision, capabilities, clientInfo }),
      notifications: { ...filter },
    };
    const { startTimeoutMs } = connection.settings;
    let pending: Pending | undefined;
    void stream.acknowledged.then(
      () => pending?.keepOpen(),
      () => {},
    );
    try {
      const answer = await connection.request(
        'subscriptions/listen',
        (id) => ({
          id,
          text: Request.of(String(id), 'subscriptions/listen', params).bytes.toString('latin1'),
          headers: toHeaders(revision, 'subscriptions/listen', undefined),
          stream: true,
        }),
        {
          timing: { timeoutMs: startTimeoutMs, maxTimeoutMs: startTimeoutMs },
          standing: true,
          started: (started) => {
            pending = started;
            stream.id = started.id;
          },
        },
      );
      if (answer.outcome.kind === 'error') {
        const { code, message } = answer.outcome.error;
        const fault = new FaultError(
          'upstream_protocol',
          `"${connection.settings.name}" refused subscriptions/listen: ${message.slice(0, 200)} (${code}).`,
        );
        log.info({ upstream: connection.settings.name, reason: fault.message }, 'The upstream is not listened to');
        // A refusal will be the same next time: no new attempt until something else is wanted.
        return this.#over(stream, fault, false);
      }
      this.#over(stream, new FaultError('unreachable', 'The stream ended.'), true);
    } catch (error) {
      const fault = toFault(error);
      this.#over(stream, fault, fault.code !== 'cancelled');
    }
  }

  #over(stream: Stream, fault: FaultError, again: boolean): void {
    stream.refuse(fault);
    stream.id = undefined;
    const wasCurrent = this.#current === stream;
    if (wasCurrent) this.#current = undefined;
    else if (this.#next === stream) this.#next = undefined;
    else return;
    if (!again || !this.#options.connection.usable || this.#next !== undefined) return;
    this.#timer = setTimeout(() => void this.update(this.#filter).catch(() => {}), this.#pause);
    this.#timer.unref();
    this.#pause = Math.min(this.#pause * 2, LONGEST_PAUSE);
  }

  #drop(stream: Stream | undefined): void {
    if (stream?.id !== undefined) this.#options.connection.drop(stream.id);
  }
}

function createStream(key: string): Stream {
  let acknowledge: Stream['acknowledge'] = () => {};
  let refuse: (fault: FaultError) => void = () => {};
  const acknowledged = new Promise<ListenFilter>((resolve, reject) => {
    acknowledge = resolve;
    refuse = reject;
  });
  // Whoever does not wait for it does not care why it failed.
  acknowledged.catch(() => {});
  return { key, acknowledged, acknowledge, refuse, id: undefined };
}

function withoutSubscription(notification: Notification): Notification {
  const text = notification.write([setMeta(notification, new Map([[SUBSCRIPTION_KEY, undefined]]))]);
  const stripped = parseMessage(Buffer.from(text, 'latin1'));
  return stripped.kind === 'notification' ? stripped : notification;
}
