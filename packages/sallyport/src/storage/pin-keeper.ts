import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Pin, Sighting } from '../catalog/pins/pin.ts';
import type { Clock } from '../core/clock.ts';
import type { Log } from '../core/log.ts';
import type { PinStore } from './pins.ts';

/** A person who approves something at a command line tries again at once. Milliseconds. */
const LOOK_MS = 400;
/** Pins that are adopted in one go: some milliseconds, in which nobody is served. */
const ADOPTED_AT_ONCE = 200;
/** Sightings that wait to be written; more are forgotten, and met again at the next start. */
const MAX_WAITING = 100_000;

export interface PinKeeperPorts {
  readonly store: PinStore;
  readonly clock: Clock;
  readonly log: Log;
  /** What others wrote, a command line or another Sallyport. */
  readonly adopt: (pins: readonly Pin[]) => void;
}

/** Writes what was seen behind, and notices what others decided. */
export class PinKeeper {
  readonly #ports: PinKeeperPorts;
  #waiting: Sighting[] = [];
  #work: Promise<void> = Promise.resolve();
  #isBusy = false;
  #isFailing = false;
  #revision = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(ports: PinKeeperPorts) {
    this.#ports = ports;
  }

  /** Adopts what is there, and from now on what comes. */
  async open(): Promise<void> {
    await this.#look();
    this.#timer = setInterval(() => this.#later(() => this.#write().then(() => this.#look())), LOOK_MS).unref();
  }

  keep(sightings: readonly Sighting[]): void {
    if (this.#waiting.length + sightings.length > MAX_WAITING) return;
    this.#waiting.push(...sightings);
    this.#work = this.#work.then(() => this.#write());
  }

  #later(work: () => Promise<void>): void {
    if (this.#isBusy) return;
    this.#isBusy = true;
    this.#work = this.#work.then(work).finally(() => {
      this.#isBusy = false;
    });
  }

  async #look(): Promise<void> {
    try {
      for (let isMore = true; isMore; ) {
        const { pins, revision } = await this.#ports.store.read(this.#revision, ADOPTED_AT_ONCE);
        isMore = revision !== this.#revision;
        this.#revision = revision;
        if (pins.length > 0) this.#ports.adopt(pins);
        if (isMore) await nextTurn();
      }
    } catch (error) {
      this.#ports.log.error({ error }, 'the pins in the database could not be read');
      if (this.#timer === undefined) throw error;
    }
  }

  async #write(): Promise<void> {
    const sightings = this.#waiting;
    this.#waiting = [];
    if (sightings.length === 0) return;
    try {
      await this.#ports.store.keep(sightings, new Date(this.#ports.clock.now()).toISOString());
      this.#isFailing = false;
    } catch (error) {
      // Tried again with the next look. What was seen first stays first.
      this.#waiting = [...sightings, ...this.#waiting].slice(0, MAX_WAITING);
      if (!this.#isFailing)
        this.#ports.log.error({ error, count: sightings.length }, 'what servers offer could not be written down yet');
      this.#isFailing = true;
    }
  }

  /** Writes what waits. Idempotent. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#work;
  }
}
