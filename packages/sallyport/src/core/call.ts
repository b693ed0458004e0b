import type { Client } from './client.ts';
import type { JsonObject } from './json.ts';

/** One tool as the shared endpoint shows it and as its upstream knows it. */
export interface Tool {
  readonly upstream: string;
  /** The name at the upstream. */
  readonly name: string;
  /** The name clients of this endpoint use. */
  readonly publicName: string;
  /** Parsed definition, under the upstream's own name. */
  readonly definition: JsonObject;
  /** SHA-256 of the definition as the upstream wrote it, hex: equal digests have equal schemas. */
  readonly digest: string;
  /** Why the tool may not be called, e.g. a schema that cannot be compiled; `undefined`: it may. */
  readonly setAside: string | undefined;
}

/** One tools/call, as the guards see it. */
export interface Call {
  readonly id: string;
  readonly tool: Tool;
  readonly client: Client;
  /** As parsed from the very bytes that are forwarded. */
  readonly arguments: JsonObject;
  /** Size of the whole message. */
  readonly bytes: number;
  /** The answer is read only where a guard asks for it. */
  readonly snapshotVersion: number;
}
