import type { Client, Era } from './client.ts';
import type { Exchange } from './exchange.ts';
import type { JsonObject } from './json.ts';
import type { Edit } from './json-scan.ts';
import type { Answer, Notification, Request } from './message.ts';

/** What an upstream said about itself when the connection was made. */
export interface UpstreamIdentity {
  readonly serverInfo: JsonObject;
  readonly capabilities: JsonObject;
  readonly instructions: string | undefined;
  /** The revision spoken with it. */
  readonly revision: string;
}

/** A request on its way to an upstream: the client's own bytes, plus what must be different there. */
export interface UpstreamRequest {
  readonly request: Request;
  /** E.g. the tool's own name instead of the one on the shared endpoint. `_meta` and the id are the upstream's business. */
  readonly edits: readonly Edit[];
  /** `params.name` or `params.uri` as the upstream knows it: becomes the `Mcp-Name` header of a modern HTTP upstream. */
  readonly target: string | undefined;
  /** Header name -> value for arguments marked `x-mcp-header` in the tool's schema. */
  readonly paramHeaders: Readonly<Record<string, string>> | undefined;
}

/** A change at an upstream that is not part of any request. */
export type UpstreamEvent =
  | {
      readonly kind: 'list_changed';
      readonly upstream: string;
      readonly list: 'tools' | 'resources' | 'prompts';
      /** As for `connected`. */
      readonly era?: Era;
    }
  | {
      readonly kind: 'resource_updated';
      readonly upstream: string;
      readonly uri: string;
      readonly notification: Notification;
      /** Whether this client's own connection said so: it hears once what several connections tell. */
      readonly isFor: (client: Client) => boolean;
    }
  /**
   * A log message no request claims; `client` names the owner of the connection when it is not shared, `principal` the
   * caller all of whose calls the connection carried, before any call the one it was made for: no other may read it.
   * `undefined`: it belongs to nobody.
   */
  | {
      readonly kind: 'log';
      readonly upstream: string;
      readonly client: string | undefined;
      readonly principal: string | undefined;
      readonly notification: Notification;
    }
  /** Any other notification, task status included. */
  | {
      readonly kind: 'other';
      readonly upstream: string;
      readonly client: string | undefined;
      readonly notification: Notification;
    }
  /**
   * A connection was made (again): what it said may differ from what is known. `era`: only to clients of this one, because
   * those of the other have a process of their own; left out: to all.
   */
  | { readonly kind: 'connected'; readonly upstream: string; readonly era?: Era };

/** What `doctor`, `server list` and the log show of one upstream. */
export interface UpstreamStatus {
  readonly name: string;
  readonly state: 'idle' | 'connecting' | 'ready' | 'broken' | 'unauthenticated' | 'stopped';
  readonly era: Era | 'both' | undefined;
  /** ISO date at which the latest of them was found. */
  readonly eraFoundAt: string | undefined;
  readonly revision: string | undefined;
  readonly connections: number;
  readonly inFlight: number;
  readonly pids: readonly number[];
  readonly lastError: string | undefined;
  /** The last lines a stdio child wrote to stderr. */
  readonly stderr: readonly string[];
  /** Lines on a stdio child's stdout that were no messages: count and the last few. */
  readonly noise: { readonly count: number; readonly last: readonly string[] };
}

/** The upstreams as the rest of the program sees them; implemented in `upstream/`. */
export interface UpstreamPort {
  /**
   * Sends a request and returns the upstream's answer, errors included: an upstream's error is data.
   * Progress and logs go to `exchange`, questions to `exchange.ask`; `input_required` is answered round by round when
   * `exchange.answerInputs` returns answers, and is the answer otherwise.
   * @throws FaultError `unreachable`, `timeout`, `overloaded`, `cancelled`, `upstream_unauthenticated`, `upstream_protocol`.
   */
  send(upstream: string, request: UpstreamRequest, exchange: Exchange): Promise<Answer>;
  /** A notification of the client for the upstream (`notifications/roots/list_changed`, unknown ones); dropped when there is no connection of this client. */
  notify(upstream: string, notification: Notification, client: Client): Promise<void>;
  /** Connects when needed. */
  identify(upstream: string, client: Client): Promise<UpstreamIdentity>;
  /** Follows a resource; the updates arrive as events. Counted per URI: the upstream is asked once. The answer is the upstream's. */
  subscribe(upstream: string, uri: string, client: Client): Promise<Answer>;
  unsubscribe(upstream: string, uri: string, client: Client): Promise<Answer>;
  /** Sets the log level this client wants from connections that have one; the answer is the upstream's. */
  setLogLevel(upstream: string, level: string, client: Client): Promise<Answer>;
  /** A client is gone: connections of its own are closed, its subscriptions dropped. */
  release(clientKey: string): void;
  onEvent(listener: (event: UpstreamEvent) => void): () => void;
  status(upstream: string): UpstreamStatus | undefined;
  restart(upstream: string): Promise<void>;
}

/** Status notifications of tasks (SEP-2663), for upstreams that offer them; they arrive as events of kind `other`. */
export interface TaskPort {
  /** True when the upstream agreed to tell of this task. Counted per client. */
  followTask(upstream: string, taskId: string, client: Client): Promise<boolean>;
  unfollowTask(upstream: string, taskId: string, client: Client): void;
}
