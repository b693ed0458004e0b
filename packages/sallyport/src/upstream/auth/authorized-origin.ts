import { FaultError, toFault } from '../../core/errors.ts';
import type { HttpOrigin } from '../http-origin.ts';
import type { BodyMode, HttpReply, ReplyReader, RunningExchange } from '../http-reply.ts';
import type { SseEvent } from '../sse-parser.ts';
import { parseChallenge } from './challenge.ts';
import type { Credential, CredentialHeaders, CredentialRequest, Refusal } from './credential.ts';

/** The same origin, with a credential on every request; a refused request is sent again when the credential got better. */
export function authorizeOrigin(origin: HttpOrigin, credential: Credential): HttpOrigin {
  const post: CredentialRequest = { method: 'POST', url: origin.url.href };
  return {
    url: origin.url,
    place: origin.place,
    post(headers, body, reader, options = {}) {
      const { path } = options;
      const request = path === undefined ? post : { method: 'POST', url: new URL(path, origin.url).href };
      return new AuthorizedExchange({ credential, request }, reader, (own, inner) =>
        origin.post(headers, body, inner, { ...options, headers: { ...options.headers, ...own } }),
      ).begin();
    },
    ask(method, headers, reader) {
      const request = { method, url: origin.url.href };
      return new AuthorizedExchange({ credential, request }, reader, (own, inner) =>
        origin.ask(method, [...headers, ...Object.entries(own).flat()], inner),
      ).begin();
    },
    // The connections belong to the origin, which others use too.
    close: () => Promise.resolve(),
  };
}

/** Whose credential goes with what. */
interface Purpose {
  readonly credential: Credential;
  readonly request: CredentialRequest;
}

type Send = (own: CredentialHeaders, reader: ReplyReader) => RunningExchange;

/** However often a credential believes in itself. */
const MAX_ATTEMPTS = 4;

class AuthorizedExchange implements ReplyReader, RunningExchange {
  readonly #credential: Credential;
  readonly #request: CredentialRequest;
  readonly #reader: ReplyReader;
  readonly #send: Send;
  #running: RunningExchange | undefined;
  #used: CredentialHeaders = {};
  #refusal: Refusal | undefined;
  #attempt = 0;
  /** The proof wanted a nonce, and this is the attempt that has it. */
  #hasNonce = false;
  #isRepeated = false;
  #cancelled = false;

  constructor({ credential, request }: Purpose, reader: ReplyReader, send: Send) {
    this.#credential = credential;
    this.#request = request;
    this.#reader = reader;
    this.#send = send;
  }

  get flooded(): boolean {
    return this.#reader.flooded === true;
  }

  begin(): this {
    const headers = this.#credential.headers(this.#request);
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
    const nonce = this.#used['dpop'] === undefined ? undefined : reply.header('dpop-nonce');
    if (nonce !== undefined) this.#credential.noteNonce?.(this.#request.url, nonce);
    if (status !== 401 && status !== 403) return this.#reader.head(reply);
    const challenge = parseChallenge(reply.header('www-authenticate'));
    // RFC 9449 section 9: the token is not refused, only a proof without the server's nonce; once per token.
    if (status === 401 && challenge.error === 'use_dpop_nonce' && nonce !== undefined && !this.#hasNonce) {
      this.#hasNonce = true;
      this.#isRepeated = true;
      return 'drop';
    }
    // Any other 403 is about the request and no better token helps.
    if (status === 403 && challenge.error !== 'insufficient_scope') return this.#reader.head(reply);
    this.#hasNonce = false;
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
    if (this.#isRepeated) {
      this.#isRepeated = false;
      if (!this.#cancelled) this.begin();
      return;
    }
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
