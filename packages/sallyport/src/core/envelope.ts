import type { CallNotes, Tool } from './call.ts';
import type { Client } from './client.ts';
import type { Endpoint } from './endpoint.ts';
import type { Json, JsonObject } from './json.ts';
import type { ShownDefinitions } from './shown-definitions.ts';

/** The frozen configuration an envelope is judged under. What is in it is the business of whoever declares a setting. */
export interface FrozenSnapshot {
  /** Counts up with every reload. */
  readonly version: number;
}

export type EnvelopeKind = keyof typeof KINDS;

/** What a refused message becomes for whoever waits for it. */
export type Refusal =
  /** A result with `isError`, which a model can read (MCP tools#error-handling). */
  | 'tool_error'
  /** A JSON-RPC error. */
  | 'rpc_error'
  /** A form is declined, everything else is an error to the server. */
  | 'decline'
  /** Nobody waits for it. */
  | 'drop';

export interface KindRow {
  readonly to: 'server' | 'client';
  /** May a person be asked about it? Where not, ask is deny. */
  readonly asks: boolean;
  readonly refusal: Refusal;
}

/** Every kind of message that passes, one row each: where it goes, whether a person can be asked, what a refusal becomes. */
export const KINDS = {
  call: { to: 'server', asks: true, refusal: 'tool_error' },
  /** A call of a tool of Sallyport itself: what it reads was judged already, what it calls is judged as calls. */
  own: { to: 'server', asks: false, refusal: 'tool_error' },
  read: { to: 'server', asks: true, refusal: 'rpc_error' },
  prompt: { to: 'server', asks: false, refusal: 'rpc_error' },
  completion: { to: 'server', asks: false, refusal: 'rpc_error' },
  task: { to: 'server', asks: false, refusal: 'rpc_error' },
  /** A method that this program does not know. */
  request: { to: 'server', asks: false, refusal: 'rpc_error' },
  /** What a client wants to follow, and the log level it wants. */
  subscription: { to: 'server', asks: true, refusal: 'rpc_error' },
  client_response: { to: 'server', asks: true, refusal: 'decline' },
  client_notification: { to: 'server', asks: false, refusal: 'drop' },
  result: { to: 'client', asks: false, refusal: 'tool_error' },
  /** The answer to whatever is no call of a tool. */
  contents: { to: 'client', asks: false, refusal: 'rpc_error' },
  error: { to: 'client', asks: false, refusal: 'rpc_error' },
  server_request: { to: 'client', asks: true, refusal: 'decline' },
  server_notification: { to: 'client', asks: false, refusal: 'drop' },
  server_info: { to: 'client', asks: false, refusal: 'drop' },
} as const satisfies Readonly<Record<string, KindRow>>;

/** One message on its way, in either direction, with what it is judged by. Every kind has this one shape. */
export interface Envelope {
  readonly kind: EnvelopeKind;
  /** Of the request it is, or belongs to. */
  readonly id: string;
  readonly client: Client;
  /** The door the client came through. */
  readonly endpoint: Endpoint;
  /** The conversation or task it belongs to: two messages of one run have seen the same data. Nobody joins another caller's. */
  readonly run: string;
  /** What the user asked for, as the client says; believed only from clients the operator trusts with it. */
  readonly user: string | undefined;
  /** Whether the client named the run, and it is not merely everything of a session or caller. */
  readonly isOwnRun: boolean;
  /** The plan it is sent under, as the client sent it: the plan itself, or the digest of one that was fixed. */
  readonly plan: Json | undefined;
  readonly snapshot: FrozenSnapshot;
  readonly upstream: string;
  /** Name, URI or id at the upstream; the method of what names nothing. */
  readonly target: string;
  /** The same as clients of the endpoint call it. */
  readonly publicTarget: string;
  /** What `target` names; `undefined`: nothing that lists show. */
  readonly item: 'tool' | 'resource' | 'prompt' | undefined;
  /** Of a call and of its result. */
  readonly tool: Tool | undefined;
  /** Arguments, result, params or error: what the guards read, and may rewrite. As parsed from the bytes that are forwarded. */
  readonly body: JsonObject;
  /**
   * What else is sent with it and leaves as it is or not at all: the URI or id it names (`NAME`), and members that the
   * protocol does not define.
   */
  readonly fixed: JsonObject;
  /** Size of the whole message. */
  readonly bytes: number;
  /** What the caller's lists show; `undefined`: nobody follows it. */
  readonly shown: (() => ShownDefinitions) | undefined;
  /** Where guards leave what others say of it; `undefined`: nobody does. */
  readonly notes: CallNotes | undefined;
  /** Of what comes from a server: the request during which it came. */
  readonly asked: Envelope | undefined;
}

/** Under which name `fixed` holds a URI or an id of something of the server. */
export const NAME = 'uri';

/** Nothing is fixed, and the same object for every envelope. */
export const NOTHING: JsonObject = Object.freeze({});

/** Of the tool; empty for what has none. */
export function definitionOf({ tool }: Pick<Envelope, 'tool'>): JsonObject {
  return tool === undefined ? NOTHING : tool.definition;
}

/** The tool of a call or of its result. @throws TypeError for what has none: a guard that fails denies */
export function toolOf({ tool, kind }: Pick<Envelope, 'tool' | 'kind'>): Tool {
  if (tool === undefined) throw new TypeError(`a ${kind} has no tool`);
  return tool;
}
