import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { type Ask, findMissingCapabilities, type InputRequest } from './call.ts';
import { codes, type Fields, isFields, type Request, RpcError } from './messages.ts';

/** Thrown by a modern `ask` when answers are missing; becomes an InputRequiredResult. */
export class InputRequired extends Error {
  readonly result: Fields;

  constructor(result: Fields) {
    super('input required');
    this.name = 'InputRequired';
    this.result = result;
  }
}

const secret = randomBytes(32);

/**
 * The modern `ask` for one request: the handler runs from the start on every retry, and the answers of earlier rounds
 * travel in a signed `requestState` bound to the method and its arguments (specification, multi round-trip requests).
 */
export function createRetryAsk(request: Request, capabilities: Fields): Ask {
  const params = request.params ?? {};
  const answers = new Map<string, Fields>();
  const binding = toBinding(request.method, params);
  if (params.requestState !== undefined) {
    for (const [key, value] of Object.entries(openState(params.requestState, binding))) answers.set(key, value);
  }
  if (params.inputResponses !== undefined) {
    if (!isFields(params.inputResponses)) throw new RpcError(codes.invalidParams, 'inputResponses must be an object');
    for (const [key, value] of Object.entries(params.inputResponses)) if (isFields(value)) answers.set(key, value);
  }
  const used = new Map<string, Fields>();
  return async (requests) => {
    const missing: [string, InputRequest][] = [];
    for (const [key, wanted] of Object.entries(requests)) {
      const answer = answers.get(key);
      if (answer === undefined) missing.push([key, wanted]);
      else used.set(key, answer);
    }
    if (missing.length > 0) {
      const lacking = findMissingCapabilities(
        capabilities,
        missing.map(([, wanted]) => wanted),
      );
      if (lacking !== undefined) throw toMissingCapability(lacking);
      throw new InputRequired({
        resultType: 'input_required',
        inputRequests: Object.fromEntries(missing.map(([key, wanted]) => [key, fitModern(wanted)])),
        requestState: sealState(Object.fromEntries(used), binding),
      });
    }
    return Object.fromEntries(Object.keys(requests).map((key) => [key, answers.get(key) ?? {}]));
  };
}

export function toMissingCapability(requiredCapabilities: Fields): RpcError {
  return new RpcError(codes.missingCapability, 'missing required client capability', {
    data: { requiredCapabilities },
    status: 400,
  });
}

/** `elicitationId` exists in 2025-11-25 only. */
function fitModern(request: InputRequest): InputRequest {
  if (request.params?.elicitationId === undefined) return { params: {}, ...request };
  const { elicitationId: _, ...params } = request.params;
  return { method: request.method, params };
}

function toBinding(method: string, params: Fields): string {
  const what = JSON.stringify([method, params.name ?? params.uri ?? null, params.arguments ?? null]);
  return createHash('sha256').update(what).digest('base64url');
}

function sealState(answers: Fields, binding: string): string {
  const body = Buffer.from(JSON.stringify({ answers, binding, nonce: randomBytes(8).toString('hex') })).toString(
    'base64url',
  );
  return `${body}.${toMac(body)}`;
}

function openState(state: unknown, binding: string): Record<string, Fields> {
  const refused = new RpcError(codes.invalidParams, 'requestState is not one of ours for this request');
  if (typeof state !== 'string') throw refused;
  const dot = state.indexOf('.');
  const body = state.slice(0, dot);
  const given = Buffer.from(state.slice(dot + 1));
  const wanted = Buffer.from(toMac(body));
  if (dot < 0 || given.length !== wanted.length || !timingSafeEqual(given, wanted)) throw refused;
  const opened: unknown = JSON.parse(Buffer.from(body, 'base64url').toString());
  if (!isFields(opened) || opened.binding !== binding || !isFields(opened.answers)) throw refused;
  return opened.answers as Record<string, Fields>; // we signed it, so the answers are the objects we put in
}

function toMac(body: string): string {
  return createHmac('sha256', secret).update(body).digest('base64url');
}
