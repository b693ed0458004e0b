import type { Json, JsonObject } from '../core/json.ts';
import type { Principal } from '../core/principal.ts';

/** What one may do over the API: see, run things, or also decide who may do what. Each includes those before it. */
export const ROLES = ['viewer', 'operator', 'admin'] as const;
export type Role = (typeof ROLES)[number];

/** A JSON Schema (2020-12) that stands in the OpenAPI document as it is. */
export type Schema = JsonObject;

export const TEXT: Schema = { type: 'string' };
export const TEXTS: Schema = { type: 'array', items: TEXT };
export const NULLABLE_TEXT: Schema = { type: ['string', 'null'] };
export const TIME: Schema = { type: 'string', format: 'date-time' };

export interface Parameter {
  readonly name: string;
  readonly description: string;
  readonly schema: Schema;
}

/** One request, checked: the role is there, the path matched, the body is JSON. */
export interface ApiRequest {
  readonly principal: Principal;
  /** At least the role of the route. */
  readonly role: Role;
  /** Decoded path parameters. */
  readonly path: ReadonlyMap<string, string>;
  readonly query: URLSearchParams;
  /** `undefined` for a request without a body. */
  readonly body: Json | undefined;
}

/** Events of one stream until `close` is called. */
export interface EventFeed {
  /** Calls `emit` for each event from now on; returns how to stop. */
  follow(emit: (event: string, data: Json) => void): () => void;
}

/** Text that is too long to be held, piece by piece until it ends. */
export interface TextFeed {
  /** Media type. */
  readonly type: string;
  readonly pieces: AsyncIterable<string>;
}

/** One operation of the API. Adding one is a row in `routes.ts`; the document follows from it. */
export interface Route {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** With parameters as `{name}`. */
  readonly path: string;
  readonly id: string;
  readonly summary: string;
  readonly role: Role;
  readonly query?: readonly Parameter[];
  readonly body?: Schema;
  /** What comes back; absent for an event stream and for text. */
  readonly result?: Schema;
  /** The media types of the text that comes back instead. */
  readonly text?: readonly string[];
  /** Problems beside those every route has, by HTTP status. */
  readonly problems?: readonly number[];
  handle(request: ApiRequest): Answered | Promise<Answered>;
}

type Answered = Json | EventFeed | TextFeed;

export function isTextFeed(value: Answered): value is TextFeed {
  return typeof value === 'object' && value !== null && 'pieces' in value && isIterable(value.pieces);
}

function isIterable(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value;
}

export function isEventFeed(value: Answered): value is EventFeed {
  return typeof value === 'object' && value !== null && 'follow' in value && typeof value.follow === 'function';
}

/** A page of a list: `limit` items from `cursor` on, and where the next begins. */
export const PAGE_PARAMETERS: readonly Parameter[] = [
  {
    name: 'limit',
    description: 'Most items of the page.',
    schema: { type: 'integer', minimum: 1, maximum: 1000, default: 100 },
  },
  { name: 'cursor', description: 'What `next` of the page before said.', schema: { type: 'string' } },
];

/** An object of which every member comes always. */
export function objectOf(properties: JsonObject): Schema {
  return { type: 'object', required: Object.keys(properties), properties };
}

export function pageOf(items: Schema): Schema {
  return {
    type: 'object',
    required: ['items'],
    properties: { items: { type: 'array', items }, next: { type: 'string' } },
  };
}
