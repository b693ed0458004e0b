/** How long and for whom an answer stays true; only modern clients are told (2026-07-28 caching). */
export interface Caching {
  readonly ttlMs: number;
  readonly cacheScope: 'public' | 'private';
}

/** A message as a binary string (one character per byte), or a large one in pieces that nobody has to copy together. */
export type Written = string | readonly Buffer[];

/** The whole message as a binary string. */
export function toText(written: Written): string {
  if (typeof written === 'string') return written;
  return written.map((piece) => piece.toString('latin1')).join('');
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
  write(id: string, head?: string): Written;
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

  write(id: string, head = ''): Written {
    const comma = head !== '' && this.#members !== '' ? ',' : '';
    // The id is a binary string, the members are text: only together with the right encoding each.
    return [
      Buffer.from(`{"jsonrpc":"2.0","id":${id},"result":{${head}${comma}`, 'latin1'),
      Buffer.from(`${this.#members}}}`, 'utf8'),
    ];
  }
}
