import type { Client } from './client.ts';
import type { FaultError } from './errors.ts';
import type { JsonObject } from './json.ts';
import type { Answer, Notification, Request } from './message.ts';

/**
 * Judges what a server says while it works on a request, and what the client responds. Set by whoever sends the request on.
 */
export interface Watch {
  /**
   * The notification as the client gets it, at once or later; `undefined`: it does not. Never rejects.
   */
  notification(said: Notification): Notification | undefined | Promise<Notification | undefined>;
  /**
   * May a server request be put to the client? Waits for a person where one has to look at it.
   * @throws FaultError `denied`, `cancelled`; by the promise.
   */
  request(method: string, params: JsonObject): Promise<void>;
  /**
   * May what the client responds to it go there? Waits for a person where one has to look at it.
   * @throws FaultError `cancelled`, by the promise.
   */
  response(method: string, answer: JsonObject): Promise<Passage>;
}

export type Passage =
  /** The very object that was given: as it came. */
  | { readonly kind: 'pass'; readonly answer: JsonObject }
  /** `told`: what the server may hear of it; `fault`: what the client may. */
  | { readonly kind: 'stop'; readonly told: string; readonly fault: FaultError };

/**
 * The way back to the client while one of its requests is in flight. The gateway makes one per request; what era or
 * transport stands behind it is not visible here.
 */
export interface Exchange {
  readonly client: Client;
  /** The level below which log messages of this request are not wanted; `undefined`: none are. */
  readonly logLevel: string | undefined;
  /** The client's progress token as JSON text (`"abc"`, `7`), or `undefined` when it asked for none. */
  readonly progressToken: string | undefined;
  /**
   * True for a request without a session behind it (a modern client's): where an upstream cannot say which request its
   * question belongs to, such a request has a connection to itself while it runs, so that the question can only be its own.
   */
  readonly exclusive?: boolean;
  /** True for our own errands on behalf of a client (its lists): no question of an upstream can be put through it. */
  readonly unattended?: boolean;
  /** Set by whoever works on the request; called once when the client cancels, goes away, or the deadline of the front passes. */
  onCancel: ((reason: string) => void) | undefined;
  readonly cancelled: boolean;
  /** `undefined`: nothing of a server may be put through, since nobody would judge it. */
  watch?: Watch | undefined;
  /** Notifications that are still judged: the answer waits for them. `undefined`: none are. */
  readonly told?: Promise<void> | undefined;
  /** The answer will take a while and whoever waits for it may be let go and come back. A hint. */
  suspend?(): void;
  /** Header lines for the answer, where it travels over HTTP and its head has not left yet. Names in lower case. */
  annotate?(headers: Readonly<Record<string, string>>): void;
  /** Sends a notification that belongs to this request. Progress already carries the client's token. */
  notify(notification: Notification): void;
  /**
   * Puts a server's question (sampling, elicitation, roots) to the client and waits for its answer: as a request on
   * a legacy client's stream, as `input_required` to a modern one, which parks the call until the retry.
   * `own`: the question is Sallyport's, so that it is not judged as a server's.
   * @throws FaultError when the client cannot be asked, went away, or must not be asked this (`denied`).
   */
  ask(request: Request, options?: { readonly own?: boolean }): Promise<Answer>;
  /**
   * An upstream wants input before it goes on (`resultType: "input_required"`). Returns the `inputResponses` when
   * this client is asked question by question, or `undefined`, at once or later, when the result itself goes to the client.
   * `isNeeded`: the result cannot go to the client, so every client is asked.
   */
  answerInputs(
    inputRequests: JsonObject,
    options?: { readonly isNeeded?: boolean },
  ): Promise<JsonObject | undefined> | undefined;
}
