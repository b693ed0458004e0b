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
/** The same for changes of lists and resources: each makes somebody ask again. */
const CHANGES_BURST = 100;
const CHANGES_PER_SECOND = 20;
/** What was put off is told this much later. Milliseconds. */
const LATER_MS = 500;
/** Different ones that are put off; more are dropped. */
const MAX_LATER = 256;
/** Longer ones are read each time. Bytes. */
const MAX_TEXT = 512;
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
  readonly #all: Bucket;
  readonly #changes: Bucket;
  #warnedAt = Number.NEGATIVE_INFINITY;
  readonly #later = new Map<string, () => void>();
  /** The texts of those that are put off: the same once more is not even read. */
  readonly #laterTexts = new Set<string>();
  #timer: NodeJS.Timeout | undefined;

  constructor(options: FloodGateOptions) {
    this.#options = options;
    this.#all = new Bucket(options.now, BURST, PER_SECOND);
    this.#changes = new Bucket(options.now, CHANGES_BURST, CHANGES_PER_SECOND);
  }

  /** The rate is exceeded: whoever reads from this server takes its time. */
  get over(): boolean {
    return this.#over && !this.#mayPass();
  }

  /** Can this message be dropped unread? Asked for every message: the usual one costs a comparison. */
  drops(bytes: Buffer): boolean {
    if (!this.#over || !isNotification(bytes)) return false;
    return (isDroppable(bytes) || this.#isPutOff(bytes)) && !this.#mayPass();
  }

  /** Passes a notification on, puts it off or drops it. */
  take(notification: Notification, pass: () => void): void {
    const isWithin = this.#mayPass();
    if (isWithin) this.#all.take();
    else this.#warn();
    const key = toChange(notification);
    if (key === undefined) {
      if (isWithin) pass();
    } else if (isWithin && !this.#later.has(key) && this.#changes.hasSome()) {
      this.#changes.take();
      pass();
    } else this.#putOff(key, notification, pass);
  }

  #putOff(key: string, { bytes }: Notification, pass: () => void): void {
    if (this.#later.size >= MAX_LATER && !this.#later.has(key)) return;
    this.#later.set(key, pass);
    if (bytes.length <= MAX_TEXT && this.#laterTexts.size < MAX_LATER) this.#laterTexts.add(bytes.toString('latin1'));
    this.#timer ??= setTimeout(() => this.#tell(), LATER_MS).unref();
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#later.clear();
    this.#laterTexts.clear();
  }

  #isPutOff(bytes: Buffer): boolean {
    return bytes.length <= MAX_TEXT && this.#laterTexts.has(bytes.toString('latin1'));
  }

  #mayPass(): boolean {
    this.#over = !this.#all.hasSome();
    return !this.#over;
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
    this.#laterTexts.clear();
    for (const pass of passes) pass();
  }
}

/** Tokens that come back over time. */
class Bucket {
  readonly #now: () => number;
  readonly #most: number;
  readonly #perSecond: number;
  #left: number;
  #at: number;

  constructor(now: () => number, most: number, perSecond: number) {
    this.#now = now;
    this.#most = most;
    this.#perSecond = perSecond;
    this.#left = most;
    this.#at = now();
  }

  hasSome(): boolean {
    if (this.#left >= 1) return true;
    const now = this.#now();
    this.#left = Math.min(this.#most, this.#left + ((now - this.#at) * this.#perSecond) / 1_000);
    this.#at = now;
    return this.#left >= 1;
  }

  take(): void {
    this.#left--;
  }
}

function isNotification(bytes: Buffer): boolean {
  return HEADS.some((head) => startsWith(bytes, head, 0));
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
