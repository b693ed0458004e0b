/** What can be written as the response to a request. */
export interface Response {
  readonly errorCode: number | undefined;
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
  readonly #members: string;

  constructor(members: string) {
    this.#members = members;
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
