/** One event of a `text/event-stream` (WHATWG HTML, section 9.2). */
export interface SseEvent {
  /** `message` when the stream names none. */
  readonly type: string;
  readonly data: Buffer;
}

export interface SseListener {
  event(event: SseEvent): void;
  /** A whole event with an id was read: the value for `Last-Event-ID`. Called before the event itself, also for one without data. */
  position(id: string): void;
  /** The stream asks for this pause before a reconnect, in milliseconds. */
  retry(milliseconds: number): void;
}

const LF = 0x0a;
const CR = 0x0d;
const COLON = 0x3a;
const SPACE = 0x20;
const NOTHING = Buffer.alloc(0);
/** What a further line costs beside its bytes: empty ones without end must not fill the memory. */
const LINE_COST = 64;

/**
 * Reads an event stream as the bytes arrive. An event that came in one chunk is a view of that chunk, not a copy.
 * `push` returns false when an event grew beyond the bound: the stream must be given up.
 */
export class SseParser {
  readonly #listener: SseListener;
  readonly #maxBytes: number;
  /** The start of a line whose end has not arrived. */
  #open: Buffer[] = [];
  #size = 0;
  #data: Buffer[] = [];
  #type = '';
  /** Counts only once its event is whole: resuming after an event of which half arrived would lose it. */
  #id: string | undefined;
  #afterCr = false;
  #started = false;

  constructor(listener: SseListener, maxBytes = 16 * 1024 * 1024) {
    this.#listener = listener;
    this.#maxBytes = maxBytes;
  }

  push(bytes: Buffer): boolean {
    let at = 0;
    if (this.#afterCr && bytes.length > 0) {
      this.#afterCr = false;
      if (bytes[0] === LF) at = 1;
    }
    // JSON has no raw CR: searched once per chunk instead of once per line.
    let cr = bytes.indexOf(CR, at);
    while (at < bytes.length) {
      const lf = bytes.indexOf(LF, at);
      if (cr >= 0 && cr < at) cr = bytes.indexOf(CR, at);
      const end = cr >= 0 && (lf < 0 || cr < lf) ? cr : lf;
      if (end < 0) return this.#keep(bytes.subarray(at));
      this.#line(this.#close(bytes.subarray(at, end)));
      at = end + 1;
      if (end === cr) {
        if (at === bytes.length) this.#afterCr = true;
        else if (bytes[at] === LF) at++;
      }
      if (this.#size > this.#maxBytes) return false;
    }
    return true;
  }

  #keep(part: Buffer): boolean {
    this.#open.push(part);
    this.#size += part.length;
    return this.#size <= this.#maxBytes;
  }

  #close(part: Buffer): Buffer {
    if (this.#open.length === 0) return part;
    this.#open.push(part);
    const line = Buffer.concat(this.#open);
    this.#open = [];
    this.#size -= line.length - part.length;
    return line;
  }

  #line(raw: Buffer): void {
    let line = raw;
    if (!this.#started) {
      this.#started = true;
      if (line[0] === 0xef && line[1] === 0xbb && line[2] === 0xbf) line = line.subarray(3);
    }
    if (line.length === 0) {
      this.#dispatch();
      return;
    }
    const colon = line.indexOf(COLON);
    if (colon === 0) return;
    const name = line.toString('latin1', 0, colon < 0 ? line.length : colon);
    let from = colon < 0 ? line.length : colon + 1;
    if (line[from] === SPACE) from++;
    this.#field(name, line.subarray(from));
  }

  #field(name: string, value: Buffer): void {
    if (name === 'data') {
      this.#size += value.length + (this.#data.length === 0 ? 0 : LINE_COST);
      this.#data.push(value);
    } else if (name === 'event') this.#type = value.toString('utf8');
    else if (name === 'id') {
      // An id with a NUL is ignored by the standard; one with a line break cannot occur.
      if (!value.includes(0)) this.#id = value.toString('utf8');
    } else if (name === 'retry') {
      const text = value.toString('latin1');
      if (/^\d{1,9}$/.test(text)) this.#listener.retry(Number(text));
    }
  }

  #dispatch(): void {
    const lines = this.#data;
    const type = this.#type;
    this.#type = '';
    if (this.#id !== undefined) this.#listener.position(this.#id);
    this.#id = undefined;
    if (lines.length === 0) return;
    this.#data = [];
    this.#size = 0;
    const data = lines.length === 1 ? (lines[0] ?? NOTHING) : joinLines(lines);
    // A priming event (2025-11-25, Streamable HTTP) has an id and empty data: no message.
    if (data.length > 0) this.#listener.event({ type: type === '' ? 'message' : type, data });
  }
}

function joinLines(lines: readonly Buffer[]): Buffer {
  const newline = Buffer.from('\n');
  return Buffer.concat(lines.flatMap((line, index) => (index === 0 ? [line] : [newline, line])));
}
