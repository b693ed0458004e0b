import { mayTake, type Share } from '../core/shares.ts';
import type { HttpResponse } from './http-exchange.ts';

/** A reply that goes on after its connection was lost. */
export interface ResumableReply {
  readonly done: boolean;
  attach(response: HttpResponse): void;
}

interface LoggedEvent {
  readonly stream: number;
  readonly sequence: number;
  readonly text: string;
}

/** What one session keeps for clients that reconnect: enough for a burst, bounded against a client that never does. */
const MAX_EVENTS = 256;
const MAX_CHARACTERS = 1_048_576;
/** Of all sessions together, shared by callers. */
const MAX_ALL = 268_435_456;

/** What the logs of all sessions hold. Characters. */
export class LogRoom {
  used = 0;
}

/**
 * The events of one legacy session by stream, so that `Last-Event-ID` resumes exactly the stream it came from
 * (2025-11-25 transports#resumability-and-redelivery). Stream 0 is the standalone GET stream.
 */
export class EventLog {
  #events: LoggedEvent[] = [];
  #characters = 0;
  #lastStream = 0;
  #lastSequence = 0;
  readonly #open = new Map<number, ResumableReply>();
  #room = new LogRoom();
  #share: Share = { held: 0, bytes: 0 };

  /** From now on it shares a room with the logs of others; what it holds counts for one caller. */
  enter(room: LogRoom, share: Share): void {
    this.leave();
    this.#room = room;
    this.#share = share;
  }

  /** The session is over: nobody resumes it. */
  leave(): void {
    this.#count(-this.#characters);
    this.#events = [];
    this.#room = new LogRoom();
    this.#share = { held: 0, bytes: 0 };
  }

  #count(characters: number): void {
    this.#characters += characters;
    this.#share.bytes += characters;
    this.#room.used += characters;
  }

  get #isOver(): boolean {
    return this.#characters > MAX_CHARACTERS || !mayTake(this.#share.bytes, MAX_ALL - this.#room.used);
  }

  /** A new stream for the events of one reply. */
  open(reply: ResumableReply): number {
    this.#lastStream++;
    this.#open.set(this.#lastStream, reply);
    return this.#lastStream;
  }

  finish(stream: number): void {
    this.#open.delete(stream);
  }

  /** Keeps an event and returns its id. */
  append(stream: number, text: string): string {
    const sequence = ++this.#lastSequence;
    this.#events.push({ stream, sequence, text });
    this.#count(text.length);
    while (this.#events.length > MAX_EVENTS || (this.#isOver && this.#events.length > 1)) {
      this.#count(-(this.#events.shift()?.text.length ?? 0));
    }
    return `${stream}-${sequence}`;
  }

  /** What a client that last saw `lastEventId` has missed, and the reply that still goes on; `undefined` for an id that is none of ours. */
  resume(
    lastEventId: string,
  ):
    | { stream: number; missed: readonly { id: string; text: string }[]; reply: ResumableReply | undefined }
    | undefined {
    const match = /^(\d{1,12})-(\d{1,12})$/.exec(lastEventId);
    if (match === null) return undefined;
    const stream = Number(match[1]);
    const after = Number(match[2]);
    if (stream > this.#lastStream || after > this.#lastSequence) return undefined;
    const missed = this.#events
      .filter((event) => event.stream === stream && event.sequence > after && event.text !== '')
      .map((event) => ({ id: `${stream}-${event.sequence}`, text: event.text }));
    return { stream, missed, reply: this.#open.get(stream) };
  }
}
