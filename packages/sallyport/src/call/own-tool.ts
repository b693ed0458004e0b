import type { View } from '../catalog/contract.ts';
import type { Snapshot } from '../config/settings.ts';
import type { Client } from '../core/client.ts';
import type { Endpoint } from '../core/endpoint.ts';
import type { JsonObject } from '../core/json.ts';
import type { Inbound } from './inbound.ts';
import type { CallPorts } from './ports.ts';

/** Who asks, and where. */
export interface OwnAsking {
  readonly snapshot: Snapshot;
  readonly endpoint: Endpoint;
  readonly client: Client;
  /** There are artifacts that the caller can read, as far as is known. */
  readonly holdsArtifacts?: boolean | undefined;
}

/** One call of a tool of Sallyport itself. */
export interface OwnCall {
  readonly ports: CallPorts;
  readonly inbound: Inbound;
  readonly run: string;
  /** As it came, with what it says of its run. */
  readonly given: Inbound;
  /** Of the record of this call. */
  readonly callId: string;
  /** The arguments; they match the schema of the definition. */
  readonly body: JsonObject;
}

/** A tool that Sallyport offers itself, beside those of the servers. */
export interface OwnTool {
  readonly name: string;
  /** As lists show it. Calls are checked against its `inputSchema`. */
  readonly definition: JsonObject;
  /** May this caller call it? */
  isOffered(asking: OwnAsking): boolean;
  /** Does the list of this caller show it? Asked only where it is offered and what the list shows is decided. */
  isListed(asking: OwnAsking, view: View): boolean;
  /** It looks at the whole list: a call of it waits, as the list does, for servers that are not known yet. */
  readonly readsList?: true;
  /** @returns the result of the call, e.g. `content`. @throws FaultError */
  answer(call: OwnCall): JsonObject | Promise<JsonObject>;
}
