import type { Json } from './json.ts';

interface Failure {
  /** HTTP status when the failure answers a whole HTTP request. */
  readonly http: number;
  /** JSON-RPC error code (JSON-RPC 2.0 section 5.1; MCP 2026-07-28 basic#error-codes). */
  readonly rpc: number;
  /** Exit code of the command line. */
  readonly exit: number;
  readonly retryable: boolean;
}

/** Every way Sallyport itself can fail. What an upstream answers is data, not a failure. */
export const FAILURES = {
  usage: { http: 400, rpc: -32602, exit: 1, retryable: false },
  config: { http: 500, rpc: -32603, exit: 1, retryable: false },
  internal: { http: 500, rpc: -32603, exit: 1, retryable: false },
  parse: { http: 400, rpc: -32700, exit: 1, retryable: false },
  invalid_request: { http: 400, rpc: -32600, exit: 1, retryable: false },
  invalid_params: { http: 200, rpc: -32602, exit: 1, retryable: false },
  method_not_found: { http: 404, rpc: -32601, exit: 1, retryable: false },
  not_found: { http: 404, rpc: -32602, exit: 1, retryable: false },
  resource_not_found: { http: 200, rpc: -32002, exit: 1, retryable: false },
  header_mismatch: { http: 400, rpc: -32020, exit: 1, retryable: false },
  missing_capability: { http: 400, rpc: -32021, exit: 1, retryable: false },
  unsupported_version: { http: 400, rpc: -32022, exit: 1, retryable: false },
  unauthenticated: { http: 401, rpc: -32001, exit: 3, retryable: false },
  forbidden: { http: 403, rpc: -32003, exit: 10, retryable: false },
  denied: { http: 200, rpc: -32003, exit: 10, retryable: false },
  schema: { http: 200, rpc: -32602, exit: 6, retryable: false },
  session_not_found: { http: 404, rpc: -32001, exit: 1, retryable: true },
  media_type: { http: 415, rpc: -32600, exit: 1, retryable: false },
  not_acceptable: { http: 406, rpc: -32600, exit: 1, retryable: false },
  conflict: { http: 409, rpc: -32600, exit: 1, retryable: false },
  too_large: { http: 413, rpc: -32600, exit: 1, retryable: false },
  too_many: { http: 429, rpc: -32000, exit: 1, retryable: true },
  overloaded: { http: 503, rpc: -32000, exit: 4, retryable: true },
  unrecorded: { http: 503, rpc: -32000, exit: 4, retryable: true },
  not_ready: { http: 503, rpc: -32000, exit: 4, retryable: true },
  draining: { http: 503, rpc: -32000, exit: 4, retryable: true },
  unreachable: { http: 502, rpc: -32000, exit: 4, retryable: true },
  upstream_unauthenticated: { http: 502, rpc: -32000, exit: 3, retryable: false },
  upstream_protocol: { http: 502, rpc: -32000, exit: 4, retryable: false },
  timeout: { http: 504, rpc: -32000, exit: 4, retryable: true },
  cancelled: { http: 499, rpc: -32000, exit: 130, retryable: false },
} as const satisfies Record<string, Failure>;

export type FailureCode = keyof typeof FAILURES;

interface FaultOptions {
  readonly cause?: unknown;
  readonly data?: Json;
  readonly remedy?: string;
  readonly isOurs?: boolean;
  readonly isQuoting?: boolean;
}

/**
 * The one error class. `message` is safe to show to clients and models: it names the step, the cause and the fix and
 * holds no secret. `cause` is for the log only.
 */
export class FaultError extends Error {
  override readonly name = 'FaultError';
  readonly code: FailureCode;
  /** Goes into the JSON-RPC error's `data`. */
  readonly data: Json | undefined;
  /** The command that solves it. Only people are shown it: a model must not learn how the operator goes about it. */
  readonly remedy: string | undefined;
  /** No word of a server or of a client is in `message`: it may stand among the instructions for a model. */
  readonly isOurs: boolean;
  /** Message or data repeat a text of an upstream, or those of a cause that does. */
  readonly isQuoting: boolean;

  constructor(code: FailureCode, message: string, options: FaultOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.data = options.data;
    this.remedy = options.remedy;
    this.isOurs = options.isOurs ?? false;
    const { cause } = options;
    this.isQuoting = options.isQuoting ?? (cause instanceof FaultError && cause.isQuoting);
  }

  /** For the log and the command line. */
  get forPeople(): string {
    return this.remedy === undefined ? this.message : `${this.message} ${this.remedy}`;
  }

  get failure(): Failure {
    return FAILURES[this.code];
  }
}

/** Anything thrown as a fault: what is not ours becomes `internal`, with its text kept out of the message. */
export function toFault(error: unknown): FaultError {
  if (error instanceof FaultError) return error;
  return new FaultError('internal', 'Sallyport failed inside. The log has the cause.', { cause: error });
}

/**
 * For whoever gets no result of a call that reached its server: "try again" would have the model do it twice, e.g. pay
 * twice.
 */
export const IT_RAN =
  'The call ran: what it does is done. Do not simply repeat it. Find out with a call that only reads, or tell the user.';

/** What happened, without what to do about it. */
export function firstSentenceOf(message: string): string {
  const end = message.search(/\. /);
  return end < 0 ? message : message.slice(0, end + 1);
}

/** A failure of ours after the server had answered. */
export function toFaultAfter(fault: FaultError): FaultError {
  if (!fault.failure.retryable && fault.code !== 'internal') return fault;
  const message = `The result of the call cannot be given. ${firstSentenceOf(fault.message)} ${IT_RAN}`;
  return new FaultError('denied', message, { cause: fault });
}
