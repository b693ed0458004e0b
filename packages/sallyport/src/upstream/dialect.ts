import type { Exchange } from '../core/exchange.ts';
import type { Notification } from '../core/message.ts';
import type { UpstreamIdentity, UpstreamRequest } from '../core/upstream-port.ts';
import type { OutgoingMessage } from './wire.ts';

/** How one connection speaks after its handshake. */
export interface Dialect {
  readonly era: 'legacy' | 'modern';
  readonly identity: UpstreamIdentity;
  /** A client's request as this upstream must see it, under an id of ours. */
  write(request: UpstreamRequest, id: number, exchange: Exchange): OutgoingMessage;
  /** Takes what belongs to the dialect itself out of a notification; `undefined` when nothing is left of it. */
  notice?(notification: Notification): Notification | undefined;
}
