/** A JSON object whose members are not yet known. */
export type Fields = Record<string, unknown>;

export type RequestId = string | number;

export type Era = 'legacy' | 'modern';

/** One JSON-RPC message; which members are set decides what it is. */
export interface Message {
  readonly jsonrpc: '2.0';
  readonly id?: RequestId;
  readonly method?: string;
  readonly params?: Fields;
  readonly result?: Fields;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

export interface Request extends Message {
  readonly id: RequestId;
  readonly method: string;
}

export const codes = {
  parse: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internal: -32603,
  resourceNotFoundLegacy: -32002,
  headerMismatch: -32020,
  missingCapability: -32021,
  unsupportedVersion: -32022,
} as const;

/** A failure that is answered as a JSON-RPC error, on modern HTTP with this status. */
export class RpcError extends Error {
  readonly code: number;
  readonly data: unknown;
  readonly status: number;

  constructor(code: number, message: string, more: { data?: unknown; status?: number } = {}) {
    super(message);
    this.name = 'RpcError';
    this.code = code;
    this.data = more.data;
    this.status = more.status ?? 200;
  }
}

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function toFields(value: unknown): Fields {
  return isFields(value) ? value : {};
}

export function isRequest(message: Message): message is Request {
  return message.method !== undefined && message.id !== undefined;
}

/** Checks the envelope of something parsed from the wire. Throws -32600. */
export function toMessage(value: unknown): Message {
  if (!isFields(value) || value.jsonrpc !== '2.0')
    throw new RpcError(codes.invalidRequest, 'not a JSON-RPC 2.0 message');
  const { id, method, params } = value;
  if (id !== undefined && typeof id !== 'string' && typeof id !== 'number') {
    throw new RpcError(codes.invalidRequest, 'id must be a string or a number');
  }
  if (method !== undefined && typeof method !== 'string')
    throw new RpcError(codes.invalidRequest, 'method must be a string');
  if (method === undefined && (id === undefined || (value.result === undefined && value.error === undefined))) {
    throw new RpcError(codes.invalidRequest, 'neither request, notification nor response');
  }
  if (params !== undefined && !isFields(params)) throw new RpcError(codes.invalidRequest, 'params must be an object');
  return value as unknown as Message; // every member the interface names was checked above, result and error by their reader
}

export function toErrorMessage(error: unknown, id?: RequestId): Message {
  const known =
    error instanceof RpcError ? error : new RpcError(codes.internal, error instanceof Error ? error.message : 'failed');
  const body = { code: known.code, message: known.message, ...(known.data === undefined ? {} : { data: known.data }) };
  return { jsonrpc: '2.0', ...(id === undefined ? {} : { id }), error: body };
}

/** Required text argument. Throws -32602. */
export function readText(fields: Fields, name: string): string {
  const value = Object.hasOwn(fields, name) ? fields[name] : undefined;
  if (typeof value !== 'string') throw new RpcError(codes.invalidParams, `${name} must be a string`);
  return value;
}

export function readNumber(fields: Fields, name: string, otherwise: number): number {
  const value = Object.hasOwn(fields, name) ? fields[name] : undefined;
  return typeof value === 'number' && Number.isFinite(value) ? value : otherwise;
}
