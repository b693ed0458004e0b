import { FaultError, toFault } from '../../core/errors.ts';
import type { HttpOrigin } from '../http-origin.ts';
import type { BodyMode, HttpReply, ReplyReader, RunningExchange } from '../http-reply.ts';
import type { SseEvent } from '../sse-parser.ts';
import { parseChallenge } from './challenge.ts';
import type { Credential, CredentialHeaders, Refusal } from './credential.ts';

/** The same origin, with a credential on every request; a refused request is sent again when the credential got better. */
export function authorizeOrigin(origin: HttpOrigin, credential: Credential): HttpOrigin {
  return {
    url: origin.url,
    place: origin.place,
    post(headers, body, reader, options = {}) {
      return new AuthorizedExchange(credential, reader, (own, inner) =>
        origin.post(headers, body, inner, { ...options, headers: { ...options.headers, ...own } }),
      ).begin();
    },
    ask(method, headers, reader) {
      return new AuthorizedExchange(credential, reader, (own, inner) =>
        origin.ask(method, [...headers, ...Object.entries(own).flat()], inner),
      ).begin();
    },
    // The connections belong to the origin, which others use too.
    close: () => Promise.resolve(),
  };
}

type Send = (own: CredentialHeaders, reader: ReplyReader) => RunningExchange;

/** However often a credential believes in itself. */
const MAX_ATTEMPTS = 4;

class AuthorizedExchange implements ReplyReader, RunningExchange {
  readonly #credential: Credential;
  readonly #reader: ReplyReader;
  readonly #send: Send;
  #running: RunningExchange | undefined;
  #used: CredentialHeaders = {};
  #refusal: Refusal | undefined;
  #attempt = 0;
  #cancelled = false;

  constructor(credential: Credential, reader: ReplyReader, send: Send) {
    this.#credential = credential;
    this.#reader = reader;
    this.#send = send;
  }

  begin(): this {
    const headers = this.#credential.headers();
    if (headers instanceof Promise)
      headers.then((own) => this.#sendWith(own)).catch((error: unknown) => this.failed(error));
    else this.#sendWith(headers);
    return this;
  }

  cancel(): void {
    this.#cancelled = true;
    this.#running?.cancel();
  }

  #sendWith(own: CredentialHeaders): void {
    if (this.#cancelled) return;
    this.#used = own;
    this.#running = this.#send(own, this);
  }

  head(reply: HttpReply): BodyMode {
    const { status } = reply;
    if (status !== 401 && status !== 403) return this.#reader.head(reply);
    const challenge = parseChallenge(reply.header('www-authenticate'));
    // Any other 403 is about the request and no better token helps.
    if (status === 403 && challenge.error !== 'insufficient_scope') return this.#reader.head(reply);
    this.#refusal = { status, challenge, used: this.#used, attempt: this.#attempt++ };
    return 'drop';
  }

  whole(body: Buffer, reply: HttpReply): void {
    this.#reader.whole(body, reply);
  }

  event(event: SseEvent): void {
    this.#reader.event(event);
  }

  position(id: string): void {
    this.#reader.position(id);
  }

  retry(milliseconds: number): void {
    this.#reader.retry(milliseconds);
  }

  ended(): void {
    const refusal = this.#refusal;
    if (refusal === undefined) {
      this.#reader.ended();
      return;
    }
    this.#refusal = undefined;
    const judged =
      refusal.attempt >= MAX_ATTEMPTS
        ? Promise.reject(new FaultError('upstream_unauthenticated', 'It refuses every token.'))
        : this.#credential.refused(refusal);
    judged.then(() => this.#cancelled || this.begin()).catch((error: unknown) => this.failed(error));
  }

  failed(error: unknown): void {
    if (this.#cancelled) return;
    this.#cancelled = true;
    // A broken connection keeps its own error: what it means is for the wire to say.
    this.#reader.failed(this.#running === undefined ? toFault(error) : error);
  }
}
