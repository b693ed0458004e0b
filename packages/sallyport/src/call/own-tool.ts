import type { View } from '../catalog/contract.ts';
import type { Snapshot } from '../config/settings.ts';
import type { Tool } from '../core/call.ts';
import type { Client } from '../core/client.ts';
import type { Endpoint } from '../core/endpoint.ts';
import type { JsonObject } from '../core/json.ts';
import type { Inbound } from './inbound.ts';
import type { CallPorts } from './ports.ts';

/** In records, for tools of Sallyport itself. No server of a configuration can have this name. */
export const OWN_UPSTREAM = '(sallyport)';

/** Who asks, and where. */
export interface OwnAsking {
  readonly snapshot: Snapshot;
  readonly endpoint: Endpoint;
  readonly client: Client;
}

/** One call of a tool of Sallyport itself. */
export interface OwnCall {
  readonly ports: CallPorts;
  readonly inbound: Inbound;
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
  /** @returns the result of the call, e.g. `content`. @throws FaultError */
  answer(call: OwnCall): JsonObject | Promise<JsonObject>;
}

/** The same as a tool of a server, for guards and records. */
export function toTool({ name, definition }: Pick<OwnTool, 'name' | 'definition'>): Tool {
  return {
    upstream: OWN_UPSTREAM,
    name,
    publicName: name,
    definition,
    // Never that of a server's tool: those are the hex digits of a hash.
    digest: `${OWN_UPSTREAM} ${name}`,
    setAside: undefined,
    approvedHints: {},
    sinks: [],
  };
}
