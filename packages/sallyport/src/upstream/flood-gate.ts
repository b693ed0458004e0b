import { member } from '../core/json.ts';
import type { Log } from '../core/log.ts';
import type { Notification } from '../core/message.ts';

export interface FloodGateOptions {
  readonly upstream: string;
  readonly log: Log;
  /** Milliseconds of a clock that does not jump (`performance.now`). */
  readonly now: () => number;
}

/** Notifications of one server that are passed on at once, and each second after that. */
const BURST = 1_000;
const PER_SECOND = 500;
/** What was put off is told this much later. Milliseconds. */
const LATER_MS = 1_000;
/** Different ones that are put off; more are dropped. */
const MAX_LATER = 256;
const WARN_EVERY_MS = 60_000;

/** How the common SDKs begin a notification. A message that begins so and goes on so is one. */
const HEADS = ['{"jsonrpc":"2.0",', '{'].map((head) => Buffer.from(`${head}"method":"notifications/`));
const DROPPED = [Buffer.from('message"'), Buffer.from('progress"')];

/**
 * Bounds what the notifications of one server cost the others. Below the rate nothing is lost. Above it, log messages and
 * progress are dropped; of changes (lists, resources) the latest is told a second later, once.
 */
export class FloodGate {
  readonly #options: FloodGateOptions;
  #over = false;
  #left = BURST;
  #at: number;
  #warnedAt = Number.NEGATIVE_INFINITY;
  readonly #later = new Map<string, () => void>();
  #timer: NodeJS.Timeout | undefined;

  constructor(options: FloodGateOptions) {
    this.#options = options;
    this.#at = options.now();
  }

  /** The rate is exceeded: whoever reads from this server takes its time. */
  get over(): boolean {
    return this.#over && !this.#mayPass();
  }

  /** Can this message be dropped unread? Asked for every message: the usual one costs a comparison. */
  drops(bytes: Buffer): boolean {
    return this.#over && isDroppable(bytes) && !this.#mayPass();
  }

  /** Passes a notification on, puts it off or drops it. */
  take(notification: Notification, pass: () => void): void {
    if (this.#mayPass()) {
      this.#left--;
      pass();
      return;
    }
    this.#warn();
    const key = toChange(notification);
    if (key === undefined || (this.#later.size >= MAX_LATER && !this.#later.has(key))) return;
    this.#later.set(key, pass);
    this.#timer ??= setTimeout(() => this.#tell(), LATER_MS).unref();
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#later.clear();
  }

  #mayPass(): boolean {
    if (this.#left < 1) this.#refill();
    this.#over = this.#left < 1;
    return !this.#over;
  }

  #refill(): void {
    const now = this.#options.now();
    this.#left = Math.min(BURST, this.#left + ((now - this.#at) * PER_SECOND) / 1_000);
    this.#at = now;
  }

  #warn(): void {
    const now = this.#options.now();
    if (now - this.#warnedAt < WARN_EVERY_MS) return;
    this.#warnedAt = now;
    this.#options.log.warn(
      { upstream: this.#options.upstream, perSecond: PER_SECOND },
      'The server sends more notifications than are passed on: log messages and progress above the rate are dropped',
    );
  }

  #tell(): void {
    this.#timer = undefined;
    const passes = [...this.#later.values()];
    this.#later.clear();
    for (const pass of passes) pass();
  }
}

function isDroppable(bytes: Buffer): boolean {
  return HEADS.some(
    (head) => startsWith(bytes, head, 0) && DROPPED.some((name) => startsWith(bytes, name, head.length)),
  );
}

function startsWith(bytes: Buffer, wanted: Buffer, at: number): boolean {
  const end = at + wanted.length;
  return bytes.length >= end && bytes.compare(wanted, 0, wanted.length, at, end) === 0;
}

/** What a notification says has changed; the same said twice is said once. */
function toChange({ method, params }: Notification): string | undefined {
  if (method.endsWith('/list_changed')) return method;
  const uri = member(params, 'uri');
  return method === 'notifications/resources/updated' && typeof uri === 'string' ? `${method} ${uri}` : undefined;
}
