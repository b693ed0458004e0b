import type { Socket } from 'node:net';

/**
 * TLS handshakes under way. One that began before the certificates we believe changed ends under the old ones, however
 * long its client draws it out.
 */
export class Handshakes {
  /** By address and port of the client, which the raw and the encrypted socket have in common. */
  readonly #began = new Map<string, number>();
  #renewals = 0;

  began(socket: Socket): void {
    const key = toKey(socket);
    this.#began.set(key, this.#renewals);
    socket.once('close', () => this.#began.delete(key));
  }

  /** Whether the handshake that this connection came out of is to count. */
  ended(socket: Socket): boolean {
    return this.#began.get(toKey(socket)) === this.#renewals;
  }

  renewed(): void {
    this.#renewals++;
  }
}

function toKey({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}
