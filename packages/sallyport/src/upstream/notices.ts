import type { Client, Era } from '../core/client.ts';
import { member } from '../core/json.ts';
import { type Notification, parseMessage } from '../core/message.ts';
import type { UpstreamEvent } from '../core/upstream-port.ts';
import { isWanted } from './log-level.ts';
import type { Pending } from './pending.ts';

export interface NoticesOptions {
  readonly upstream: string;
  readonly emit: (event: UpstreamEvent) => void;
  /** The clients of one era alone have this connection. */
  readonly era: () => Era | undefined;
  readonly isFor: (client: Client) => boolean;
  readonly find: (id: number) => Pending | undefined;
  /** Where messages do not say whose they are, one request alone in flight says it. */
  readonly sole: () => Pending | undefined;
  /** The one client the connection serves, if it is one. */
  readonly owner: () => string | undefined;
  /** The era of the server behind it. */
  readonly spoken: () => Era | undefined;
  /** The one caller whose calls the connection carried, if it was one. */
  readonly caller: () => string | undefined;
}

const LISTS: ReadonlyMap<string, 'tools' | 'resources' | 'prompts'> = new Map([
  ['notifications/tools/list_changed', 'tools'],
  ['notifications/resources/list_changed', 'resources'],
  ['notifications/prompts/list_changed', 'prompts'],
]);

/** Where each notification of a server goes: to the client of the request it belongs to, or out as an event. */
export class Notices {
  readonly #options: NoticesOptions;

  constructor(options: NoticesOptions) {
    this.#options = options;
  }

  /** `related`: the request on whose stream it came. */
  take(notification: Notification, related: number | undefined): void {
    const { method, params } = notification;
    const { upstream, emit, owner, isFor } = this.#options;
    if (method === 'notifications/progress') {
      this.#progress(notification);
      return;
    }
    const pending = related === undefined ? undefined : this.#options.find(related);
    if (method === 'notifications/message') {
      this.#logMessage(notification, pending);
      return;
    }
    const list = LISTS.get(method);
    const uri = member(params, 'uri');
    const era = list === undefined ? undefined : this.#options.era();
    if (list !== undefined) emit({ kind: 'list_changed', upstream, list, ...(era === undefined ? {} : { era }) });
    else if (method === 'notifications/resources/updated' && typeof uri === 'string')
      emit({ kind: 'resource_updated', upstream, uri, notification, isFor });
    else if (pending?.exchange !== undefined) pending.exchange.notify(notification);
    else emit({ kind: 'other', upstream, client: owner(), notification });
  }

  /** Progress keeps the request alive whether or not its client asked for it; only one that asked hears it, under its own token. */
  #progress(notification: Notification): void {
    const pending = this.#options.find(Number(member(notification.params, 'progressToken')));
    if (pending === undefined) return;
    pending.touch();
    const token = pending.exchange?.progressToken;
    if (token === undefined) return;
    const text = notification.write([notification.setParam('progressToken', token)]);
    const own = parseMessage(Buffer.from(text, 'latin1'));
    if (own.kind === 'notification') pending.exchange?.notify(own);
  }

  #logMessage(notification: Notification, related: Pending | undefined): void {
    const { upstream, emit, owner, caller, sole } = this.#options;
    const exchange = (related ?? sole())?.exchange;
    // A legacy client that set no level leaves it to the server (2025-11-25 logging). A modern one wants none then, and a
    // modern server knows that: one that sends some all the same means this request.
    const isLeftToServer =
      exchange?.logLevel === undefined &&
      (exchange?.client.era === 'legacy' || (related !== undefined && this.#options.spoken() === 'modern'));
    if (exchange !== undefined && (related !== undefined || exchange.logLevel !== undefined || isLeftToServer)) {
      // One client's messages are no event: on a shared connection others would read them.
      const level = member(notification.params, 'level');
      if (isLeftToServer || (exchange.logLevel !== undefined && isWanted(level, exchange.logLevel)))
        exchange.notify(notification);
    } else emit({ kind: 'log', upstream, client: owner(), principal: caller(), notification });
  }
}
