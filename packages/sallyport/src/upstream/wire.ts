import type { FaultError } from '../core/errors.ts';

/** A JSON-RPC message for an upstream as a binary string (one character per byte, write with `latin1`). */
export interface OutgoingMessage {
  readonly text: string;
  /** The id of a request; `undefined` for a notification or an answer of ours. */
  readonly id: number | undefined;
  /** Extra HTTP headers of this message; stdio ignores them. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** The answer is a stream that stays open (`subscriptions/listen`): HTTP keeps it apart from the connections of calls. */
  readonly stream?: boolean;
}

/** Where a wire puts what it hears. Calls never throw. */
export interface WireSink {
  /**
   * One message from the upstream, not parsed. `related` is the id of the request on whose stream it came, when the
   * wire can tell (HTTP), else `undefined` (stdio, SSE).
   */
  message(bytes: Buffer, related: number | undefined): void;
  /** This request will get no answer: the HTTP exchange failed or ended without one. Other requests are not affected. */
  failed(id: number, fault: FaultError): void;
  /** The upstream let the connection of this request go and is asked for the rest of its answer later (2025-11-25 polling, SEP-1699). */
  suspended?(id: number): void;
  /** The whole wire is gone: child exited, event stream ended, session expired. Called at most once; nothing follows it. */
  lost(fault: FaultError): void;
  /** More comes than is passed on: a wire that can lets the upstream wait, so that others get their turns. */
  readonly flooded?: boolean;
  /** False until the handshake is done: whoever opened the wire reports a failure until then. Left out: always done. */
  readonly isOpen?: boolean;
}

/** One way of moving messages to an upstream and back. Made connected or not at all; owns no protocol knowledge beyond its framing. */
export interface Wire {
  /** True when messages arrive on the stream of the request they belong to. */
  readonly relates: boolean;
  /** Never throws and never waits; trouble is reported to the sink. */
  send(message: OutgoingMessage): void;
  /** Gives a request up: HTTP closes its exchange, stdio does nothing (the era layer sends `notifications/cancelled`). */
  abandon(id: number): void;
  /** The request has its answer: the end of its exchange will not be missed. Only wires with an exchange per request care. */
  answered?(id: number): void;
  /**
   * Legacy handshake done: sends `notifications/initialized`, waits until the upstream has taken it, then listens for
   * messages outside of requests. Wires without it get the notification through `send`.
   */
  establish?(revision: string, initialized: OutgoingMessage): Promise<void>;
  /** Idempotent. Resolves when nothing of it is left running. */
  close(): Promise<void>;
}
