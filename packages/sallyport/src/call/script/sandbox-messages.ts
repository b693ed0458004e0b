/** What the gateway and the thread of a script say to each other. */

export interface SandboxLimits {
  /** Time in which the script itself computes; waiting for tools does not count. Milliseconds. */
  readonly computeMs: number;
  readonly memoryMb: number;
  /** Of what the script returns, and of what it writes to the console. Characters. */
  readonly outputCharacters: number;
  readonly consoleCharacters: number;
  /** Calls of tools in all. */
  readonly calls: number;
}

/** A server, and the names of its functions with the number that a call says. */
export type NamedTools = readonly (readonly [namespace: string, functions: readonly (readonly [string, number])[]])[];

export interface SandboxStart {
  readonly script: string;
  readonly tools: NamedTools;
  readonly limits: SandboxLimits;
}

/** What a call gave: the result of the tool as JSON text, or why there is none. */
export type CallAnswer =
  | { readonly id: number; readonly result: string }
  | { readonly id: number; readonly failure: string };

export interface SandboxCall {
  readonly id: number;
  /** Number of the tool. */
  readonly tool: number;
  /** JSON text, or what else the script passed. */
  readonly args: string;
}

/** Where the script stands when it can do nothing more by itself. */
export type Turn = { readonly calls: readonly SandboxCall[]; readonly console: string } & (
  | { readonly kind: 'waits' }
  /** `result`: `undefined` when it returned nothing. `length`: of all of it, when `result` is its beginning. */
  | { readonly kind: 'done'; readonly result: string | undefined; readonly length: number }
  | { readonly kind: 'failed'; readonly reason: string }
);

export type ToThread =
  | ({ readonly kind: 'start' } & SandboxStart)
  | { readonly kind: 'answers'; readonly answers: readonly CallAnswer[] };

export type FromThread = { readonly kind: 'ready' } | { readonly kind: 'turn'; readonly turn: Turn };
