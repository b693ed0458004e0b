import { type Telling, tellServer } from '../call/tell.ts';
import type { View } from '../catalog/contract.ts';
import type { Client } from '../core/client.ts';
import type { Endpoint } from '../core/endpoint.ts';
import { toFault } from '../core/errors.ts';
import { member } from '../core/json.ts';
import type { Notification, Request } from '../core/message.ts';
import type { GatewayPorts } from './ports.ts';

/** Notifications of one client that wait to be read and told. */
const MAX_UNTOLD = 256;
/** What a server hears of a client that gives no reason for giving up, or none that may leave. */
export const NO_REASON = 'cancelled by the client';

export interface Speaker {
  readonly client: () => Client;
  readonly endpoint: Endpoint;
  sees(upstream: string): boolean;
}

interface Teller extends Speaker {
  view(): View | Promise<View>;
}

/** Tells every server that the client reaches here. Never rejects. */
export async function tellServers(ports: GatewayPorts, speaker: Speaker, notification: Notification): Promise<void> {
  for (const upstream of ports.snapshot().servers.keys()) {
    if (!speaker.sees(upstream)) continue;
    try {
      await tellServer(ports, toTelling(ports, speaker, upstream), notification);
    } catch (error) {
      const { code, message } = toFault(error);
      ports.log.debug({ upstream, code, reason: message }, 'a notification did not reach an upstream');
    }
  }
}

function toTelling(ports: GatewayPorts, { client, endpoint }: Speaker, upstream: string): Telling {
  return { exchange: { client: client() }, endpoint, snapshot: ports.snapshot(), upstream };
}

/** The notifications of one client on their way to its servers, in the order they came, whatever is looked up for one of them. */
export class ToldNotifications {
  readonly #ports: GatewayPorts;
  readonly #teller: Teller;
  #telling = Promise.resolve();
  #untold = 0;

  constructor(ports: GatewayPorts, teller: Teller) {
    this.#ports = ports;
    this.#teller = teller;
  }

  tell(notification: Notification): void {
    if (this.#untold >= MAX_UNTOLD) {
      const method = notification.method.slice(0, 64);
      this.#ports.log.warn({ method }, 'notifications of a client came too fast and were dropped');
      return;
    }
    this.#untold++;
    this.#telling = this.#telling
      .then(() => tellServers(this.#ports, this.#teller, notification))
      .finally(() => this.#untold--);
  }

  /** Once all that came before has been told; at once where nothing waits. */
  afterwards(work: () => void): void {
    if (this.#untold === 0) work();
    else void this.#telling.then(work);
  }

  /** Why a client gives up goes to the server of its request, as far as any notification may. Never rejects. */
  async readReason(notification: Notification, { params }: Request): Promise<string> {
    try {
      const { endpoint } = this.#teller;
      const name = String(member(params, 'name'));
      const upstream = endpoint.kind === 'server' ? endpoint.name : (await this.#teller.view()).tool(name)?.upstream;
      if (upstream === undefined) return NO_REASON;
      let reason = NO_REASON;
      await tellServer(this.#ports, toTelling(this.#ports, this.#teller, upstream), notification, (told) => {
        reason = String(member(told.params, 'reason'));
      });
      return reason;
    } catch (error) {
      this.#ports.log.debug({ reason: toFault(error).message }, 'the reason of a client for giving up is not told');
      return NO_REASON;
    }
  }
}
