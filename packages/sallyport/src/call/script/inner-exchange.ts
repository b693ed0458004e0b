import type { Exchange, Watch } from '../../core/exchange.ts';
import type { JsonObject } from '../../core/json.ts';
import type { Answer, Notification, Request } from '../../core/message.ts';

/** Called when a person is asked, with what to call once that is over. */
export type WaitForPerson = () => () => void;

/**
 * The way back to the client for one call of a script: that of the script's own call, whose client is the same. Each call
 * brings the watch that judges what its own server says. The outer exchange reads its watch when it is called, before
 * anything is awaited, so calls beside each other do not get each other's.
 */
export class InnerExchange implements Exchange {
  readonly #outer: Exchange;
  readonly #waitForPerson: WaitForPerson;
  /** The progress that a client hears is that of the script. */
  readonly progressToken = undefined;
  onCancel: ((reason: string) => void) | undefined;
  watch: Watch | undefined;
  #cancelled = false;

  constructor(outer: Exchange, waitForPerson: WaitForPerson) {
    this.#outer = outer;
    this.#waitForPerson = waitForPerson;
  }

  get client() {
    return this.#outer.client;
  }

  get logLevel() {
    return this.#outer.logLevel;
  }

  get exclusive(): boolean {
    return this.#outer.exclusive === true;
  }

  get unattended(): boolean {
    return this.#outer.unattended === true;
  }

  get cancelled(): boolean {
    return this.#cancelled || this.#outer.cancelled;
  }

  get told(): Promise<void> | undefined {
    return this.#outer.told;
  }

  cancel(reason: string): void {
    if (this.#cancelled) return;
    this.#cancelled = true;
    this.onCancel?.(reason);
  }

  suspend(): void {
    this.#outer.suspend?.();
  }

  notify(notification: Notification): void {
    if (this.#cancelled || this.watch === undefined) return;
    this.#outer.watch = this.watch;
    this.#outer.notify(notification);
  }

  async ask(request: Request, options?: { readonly own?: boolean }): Promise<Answer> {
    const goOn = this.#waitForPerson();
    try {
      this.#outer.watch = this.watch;
      return await this.#outer.ask(request, options);
    } finally {
      goOn();
    }
  }

  /** A script cannot hand the questions of a server to its client as its own result: they are put to the client here. */
  async answerInputs(inputRequests: JsonObject): Promise<JsonObject | undefined> {
    const goOn = this.#waitForPerson();
    try {
      this.#outer.watch = this.watch;
      return await this.#outer.answerInputs(inputRequests, { isNeeded: true });
    } finally {
      goOn();
    }
  }
}
