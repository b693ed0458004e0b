import { FaultError } from '../core/errors.ts';
import type { Json } from '../core/json.ts';
import { countKeys } from '../core/json-scan.ts';
import type { Log } from '../core/log.ts';
import { decodePercent } from '../core/percent.ts';
import type { Principal } from '../core/principal.ts';
import { readFrame } from '../core/read-frame.ts';
import { findRepeatedKey } from '../core/repeated-key.ts';
import { checkBody } from './check-body.ts';
import { toDocument } from './openapi.ts';
import { type Problem, toBody, toProblem } from './problem.ts';
import { type ApiRequest, type EventFeed, isEventFeed, isTextFeed, ROLES, type Role, type Route } from './route.ts';

/** A request for the API, as the front has it: the caller is known, the body is read. */
export interface ControlRequest {
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  readonly query: string;
  readonly principal: Principal;
  readonly contentType: string | undefined;
  readonly body: Buffer;
}

/** What the front sends back: one body, text piece by piece, or events until the client goes. */
export type ControlReply =
  | {
      readonly kind: 'whole';
      readonly status: number;
      readonly type: string;
      readonly body: string;
      readonly allow?: string;
    }
  | { readonly kind: 'text'; readonly type: string; readonly pieces: AsyncIterable<string> }
  | {
      readonly kind: 'events';
      follow(write: (event: string) => void): () => void;
      /** Whether the caller still has the role the stream was opened in: roles are changed while it is open. */
      mayHear(): boolean;
    };

export interface ControlApi {
  handle(request: ControlRequest): Promise<ControlReply>;
}

export interface ApiOptions {
  readonly routes: readonly Route[];
  readonly version: string;
  readonly log: Log;
  /** Role -> groups whose members have it; a principal has the highest of its groups. */
  readonly roles: () => Readonly<Record<Role, readonly string[]>>;
}

export const PREFIX = '/api/v1';

/** The REST API: a table of routes, checked in the same order for all of them: path, method, role, body. Never rejects. */
export function createApi({ routes, version, log, roles }: ApiOptions): ControlApi {
  const patterns = routes.map((route) => ({ route, parts: split(PREFIX + route.path) }));
  const document = JSON.stringify(toDocument(routes, { version, prefix: PREFIX }));

  const find = (request: ControlRequest) => {
    const parts = split(request.path);
    return patterns.flatMap(({ route, parts: pattern }) => {
      const path = match(pattern, parts);
      return path === undefined ? [] : [{ route, path }];
    });
  };

  const serve = async (request: ControlRequest): Promise<ControlReply> => {
    const role = roleOf(request.principal, roles);
    if (request.path === `${PREFIX}/openapi.json` && request.method === 'GET') return whole(document);
    const found = find(request);
    if (found.length === 0)
      return problem(
        404,
        'not_found',
        `There is nothing at ${request.path}. ${PREFIX}/openapi.json lists what there is.`,
      );
    const chosen = found.find(({ route }) => route.method === request.method);
    if (chosen === undefined) {
      const allow = found.map(({ route }) => route.method).join(', ');
      return { ...problem(405, 'usage', `${request.method} is not possible here; ${allow} is.`), allow };
    }
    const { route, path } = chosen;
    if (role === undefined || ROLES.indexOf(role) < ROLES.indexOf(route.role))
      return problem(
        403,
        'forbidden',
        `This needs the role ${route.role}; ${request.principal.id} has ${role ?? 'none'}.`,
      );
    const body = readJson(request, route);
    if (body instanceof Error) return fromProblem(toProblem(body));
    if (route.body !== undefined) checkBody(route, body);
    const query = new URLSearchParams(request.query);
    const unknown = [...query.keys()].find((name) => !route.query?.some((one) => one.name === name));
    if (unknown !== undefined)
      return problem(400, 'usage', `There is no query parameter "${unknown.slice(0, 64)}" here.`);
    const { principal } = request;
    const result = await route.handle({ principal, role, path, query, body } satisfies ApiRequest);
    if (isTextFeed(result)) return { kind: 'text', ...result };
    if (isEventFeed(result)) return toEvents(result, () => roleOf(principal, roles) === role);
    return whole(JSON.stringify(result));
  };

  return {
    async handle(request) {
      try {
        return await serve(request);
      } catch (error) {
        const known = toProblem(error);
        if (known.status === 500) log.error({ error, path: request.path }, 'a request of the API failed inside');
        return fromProblem(known);
      }
    },
  };
}

/**
 * The highest role of the principal's groups. The state directory belongs to whoever may open it, whatever the file says.
 * A credential that is limited by scopes has no more than the scope `control:<role>` gives it: a token that an agent
 * carries for a person who happens to be an admin must not approve what the agent asks for.
 */
function roleOf({ kind, groups, scopes }: Principal, roles: ApiOptions['roles']): Role | undefined {
  if (kind === 'os') return 'admin';
  const named = roles();
  const highest = (has: (role: Role) => boolean) => ROLES.findLastIndex(has);
  const byGroups = highest((role) => named[role].some((group) => groups.includes(group)));
  const byScopes = scopes === undefined ? ROLES.length : highest((role) => scopes.includes(`control:${role}`));
  return ROLES[Math.min(byGroups, byScopes)];
}

function readJson({ method, contentType, body }: ControlRequest, route: Route): Json | undefined | FaultError {
  if (method === 'GET' || route.body === undefined) return undefined;
  // Also what keeps a web page from posting without a preflight.
  if (!/^application\/json\s*(;|$)/i.test(contentType ?? ''))
    return fault('media_type', 'Send the body as Content-Type: application/json.');
  const { depth, pairs } = readFrame(body, MAX_DEPTH);
  if (depth > MAX_DEPTH) return fault('invalid_request', `The body is nested deeper than ${MAX_DEPTH} levels.`);
  let value: Json;
  try {
    value = JSON.parse(body.toString('utf8')) as Json;
  } catch {
    return fault('parse', 'The body is not JSON.');
  }
  // Of two values one counts here, and the other may be what a person or a proxy has read.
  if (countKeys(value) === pairs) return value;
  const key = findRepeatedKey(body) ?? '';
  return fault('invalid_request', `The body has the key "${key.slice(0, 64)}" twice in one object.`);
}

/** Of a body: arguments in it may be as deep as a message (gateway.limits.depth). */
const MAX_DEPTH = 520;

function fault(code: 'media_type' | 'parse' | 'invalid_request', message: string): FaultError {
  return new FaultError(code, message);
}

function toEvents(feed: EventFeed, mayHear: () => boolean): ControlReply {
  return {
    kind: 'events',
    mayHear,
    follow: (write) => feed.follow((event, data) => write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`)),
  };
}

function whole(body: string): ControlReply {
  return { kind: 'whole', status: 200, type: 'application/json', body };
}

function problem(status: number, code: string, detail: string): Extract<ControlReply, { kind: 'whole' }> {
  return fromProblem({ status, body: toBody(status, code, detail) });
}

function fromProblem({ status, body }: Problem): Extract<ControlReply, { kind: 'whole' }> {
  return { kind: 'whole', status, type: 'application/problem+json', body: JSON.stringify(body) };
}

function split(path: string): string[] {
  return path.split('/');
}

/** Parameters by name, or `undefined` when the path is another one. */
function match(pattern: readonly string[], parts: readonly string[]): Map<string, string> | undefined {
  if (pattern.length !== parts.length) return undefined;
  const found = new Map<string, string>();
  for (const [index, expected] of pattern.entries()) {
    const part = parts[index] ?? '';
    const name = /^\{(\w+)\}$/.exec(expected)?.[1];
    if (name === undefined) {
      if (part !== expected) return undefined;
      continue;
    }
    const value = decodePercent(part);
    if (value === undefined || value === '') return undefined;
    found.set(name, value);
  }
  return found;
}
