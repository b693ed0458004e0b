/** How long and for whom an answer stays true; only modern clients are told (2026-07-28 caching). */
export interface Caching {
  readonly ttlMs: number;
  readonly cacheScope: 'public' | 'private';
}

/** What can be written as the response to a request. */
export interface Response {
  readonly errorCode: number | undefined;
  /** `undefined`: whoever answered says it, or nobody. */
  readonly caching: Caching | undefined;
  /** Does the result have this member, as far as whoever answered wrote it? */
  hasMember(key: string): boolean;
  /**
   * The whole message under the client's id. `head` goes first into the result object: members as JSON text without
   * a trailing comma, e.g. `"resultType":"complete"`.
   */
  write(id: string, head?: string): Buffer;
}

/** A result whose members are JSON text already, e.g. a page of a list: it is not parsed again to be sent. */
export class TextResult implements Response {
  readonly errorCode = undefined;
  readonly caching: Caching | undefined;
  readonly #members: string;

  constructor(members: string, caching: Caching | undefined) {
    this.#members = members;
    this.caching = caching;
  }

  hasMember(): boolean {
    return false;
  }

  write(id: string, head = ''): Buffer {
    const comma = head !== '' && this.#members !== '' ? ',' : '';
    // The id is a binary string, the members are text: only together with the right encoding each.
    return Buffer.concat([
      Buffer.from(`{"jsonrpc":"2.0","id":${id},"result":{${head}${comma}`, 'latin1'),
      Buffer.from(`${this.#members}}}`, 'utf8'),
    ]);
  }
}
