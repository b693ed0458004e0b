import type { Client } from './client.ts';
import type { Endpoint } from './endpoint.ts';
import type { Json, JsonObject } from './json.ts';
import type { PolicyNotes } from './policy-decision.ts';
import type { ShownDefinitions } from './shown-definitions.ts';
import type { SinkClass } from './sink.ts';

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
  /** Why the tool may not be called, e.g. a name that a bundle gives twice; `undefined`: it may. */
  readonly setAside: string | undefined;
  /**
   * The annotations of the definition that was approved, whatever the server says now; empty while none is. What decides
   * from hints decides from these.
   */
  readonly approvedHints: JsonObject;
  /** The effects that its definition tells of, or the operator says it has; its arguments may tell of more. */
  readonly sinks: readonly SinkClass[];
}

/** A whole configuration (config/settings.ts), of which this folder knows the version alone. */
export interface CallSnapshot {
  readonly version: number;
}

/** One tools/call, as the guards see it. */
export interface Call {
  readonly id: string;
  readonly tool: Tool;
  readonly client: Client;
  /** The door it came through. */
  readonly endpoint: Endpoint;
  /** The conversation or task it belongs to: two calls of one run have seen the same data. Nobody joins another caller's. */
  readonly run: string;
  /** What the user asked for, as the client says; believed only from clients the operator trusts with it. */
  readonly user?: string | undefined;
  /** Whether the client named the run, and it is not merely everything of a session or caller. */
  readonly isOwnRun?: boolean | undefined;
  /** The plan the call is made under, as the client sent it: the plan itself, or the digest of one that was fixed. */
  readonly plan?: Json | undefined;
  /** As parsed from the very bytes that are forwarded. */
  readonly arguments: JsonObject;
  /** Size of the whole message. */
  readonly bytes: number;
  /** What the caller's lists show. Left out: it is no call, or nobody follows it. */
  readonly shown?: (() => ShownDefinitions) | undefined;
  /** The frozen configuration it began with. */
  readonly snapshot: CallSnapshot;
  /** True for what is no call: the client's answer to a question of the server, which leaves as arguments do. */
  readonly isAnswer?: boolean | undefined;
  /** Where guards leave what others say of the call; left out: nobody does. */
  readonly notes?: CallNotes | undefined;
}

/** What guards leave for the record, and for the answer. */
export interface CallNotes extends PolicyNotes {
  /** Header lines of the HTTP answer that say how the limits stand, by name; `undefined`: no limit concerns the call. */
  standing: Readonly<Record<string, string>> | undefined;
  /** Id under which the result is in quarantine. */
  keptResult?: string | undefined;
  /** What a schema of the tool did not validate, and why. */
  notValidated?: string | undefined;
}
