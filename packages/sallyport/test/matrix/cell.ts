import { expect } from 'vitest';
import { type Column, type Era, type Fields, type Revision, type Row, toEra } from './cells.ts';
import type { Answer, CallOptions, RawClient } from './raw-client.ts';
import type { Endpoint } from './world.ts';

/** One client in front of one upstream, and what a scenario needs to know of both. */
export class Cell {
  readonly row: Row;
  readonly column: Column;
  readonly endpoint: Endpoint;
  readonly client: RawClient;
  /** The same upstream program, asked without Sallyport in between. */
  readonly direct: RawClient;

  constructor(
    place: { readonly row: Row; readonly column: Column; readonly endpoint: Endpoint },
    clients: { readonly client: RawClient; readonly direct: RawClient },
  ) {
    this.row = place.row;
    this.column = place.column;
    this.endpoint = place.endpoint;
    this.client = clients.client;
    this.direct = clients.direct;
  }

  get revision(): Revision {
    return this.row.revision;
  }

  get modern(): boolean {
    return this.client.modern;
  }

  /** Of the upstream, for this client. */
  get era(): Era {
    return toEra(this.column, this.row);
  }

  get shared(): boolean {
    return this.endpoint === 'all';
  }

  /** The name of the upstream's tool or prompt, as this endpoint has it. */
  name(own: string): string {
    return this.shared ? `${this.column.name}_${own}` : own;
  }

  uri(own: string): string {
    return this.shared ? `${this.column.name}+${own}` : own;
  }

  /** Calls a tool by its own name, with whatever rounds it takes. */
  tool(name: string, args: Fields = {}, options: CallOptions = {}): Promise<Answer> {
    return this.client.call('tools/call', { name: this.name(name), arguments: args }, options);
  }

  /** The text of a tool's first content block. Fails when the call did. */
  async textOf(name: string, args: Fields = {}, options: CallOptions = {}): Promise<string> {
    const answer = await this.tool(name, args, options);
    return toText(answer);
  }

  /** All items of a list that belong to this upstream, page by page. */
  async list(method: string, member: string): Promise<Fields[]> {
    const items = await listAll(this.client, method, member);
    if (!this.shared) return items;
    const key = member === 'resources' ? 'uri' : member === 'resourceTemplates' ? 'uriTemplate' : 'name';
    const start = key === 'name' ? `${this.column.name}_` : `${this.column.name}+`;
    return items.filter((item) => String(item[key]).startsWith(start));
  }
}

export async function listAll(client: RawClient, method: string, member: string): Promise<Fields[]> {
  const items: Fields[] = [];
  let cursor: unknown;
  do {
    const { result, text } = await client.call(method, cursor === undefined ? {} : { cursor });
    if (result === undefined) throw new Error(`${method} failed: ${text}`);
    items.push(...(result[member] as Fields[]));
    cursor = result['nextCursor'];
  } while (cursor !== undefined);
  return items;
}

export function toText({ result, text }: Answer): string {
  const [first] = (result?.['content'] ?? []) as { text?: string }[];
  if (result?.['isError'] === true || typeof first?.text !== 'string') throw new Error(`not a text result: ${text}`);
  return first.text;
}

/** Two values are the same JSON text, order of members included. */
export function expectSameText(found: unknown, wanted: unknown): void {
  // Item by item, so that a failure shows one item and not a whole list.
  if (Array.isArray(found) && Array.isArray(wanted) && found.length === wanted.length)
    for (const [index, one] of wanted.entries()) expect(JSON.stringify(found[index])).toBe(JSON.stringify(one));
  else expect(JSON.stringify(found)).toBe(JSON.stringify(wanted));
}
