import { createHash } from 'node:crypto';
import { TLSSocket } from 'node:tls';
import type { ListKind, View } from '../catalog/contract.ts';
import { fromRegistryName, toRegistryName, toServerJson } from '../catalog/registry/to-server-json.ts';
import { mayEnter } from '../config/allowed.ts';
import { SERVER_NAME } from '../config/file-schema.ts';
import type { GatewaySettings, Snapshot } from '../config/settings.ts';
import type { JsonObject } from '../core/json.ts';
import { createPause, runPaced } from '../core/pace.ts';
import { decodePercent } from '../core/percent.ts';
import type { Principal } from '../core/principal.ts';
import type { HttpRequest, HttpResponse } from './http-exchange.ts';
import { toClient } from './modern-request.ts';
import type { GatewayPorts } from './ports.ts';

/** Where the API of the MCP registry is (registry OpenAPI v0.1, the part that reads). */
export const REGISTRY_PREFIX = '/v0.1/';

/** Of a page, as the official registry has it. */
const DEFAULT_LIMIT = 30;
const MAX_LIMIT = 100;
const KINDS: readonly ListKind[] = ['tools', 'resources', 'resourceTemplates', 'prompts'];

interface Asking {
  readonly request: HttpRequest;
  readonly principal: Principal;
  readonly path: string;
}

interface Answer {
  readonly status: number;
  readonly body: JsonObject;
}

/** One request to the registry: the servers of which this caller may use something that is approved. */
export async function serveRegistry(
  ports: Pick<GatewayPorts, 'snapshot' | 'catalog'>,
  { response, ...asking }: Asking & { readonly response: HttpResponse },
): Promise<void> {
  const { method, headers } = asking.request;
  if (method !== 'GET' && method !== 'HEAD') {
    response.writeHead(405, { allow: 'GET, HEAD' }).end();
    return;
  }
  const { status, body } = await answer(ports, asking);
  if (response.destroyed) return;
  const text = Buffer.from(JSON.stringify(body), 'utf8');
  // Another caller may be shown another list under the same address.
  const caching = { 'cache-control': 'private, no-cache', vary: 'authorization, origin' };
  const etag = `"${createHash('sha256').update(text).digest('base64url')}"`;
  if (status === 200 && isKnown(headers['if-none-match'], etag)) {
    response.writeHead(304, { etag, ...caching }).end();
    return;
  }
  const own = { 'content-type': 'application/json', 'content-length': text.length, ...caching };
  response.writeHead(status, status === 200 ? { ...own, etag } : own).end(method === 'HEAD' ? '' : text);
}

/** RFC 9110 section 13.1.2: weak comparison. */
function isKnown(written: string | undefined, etag: string): boolean {
  if (written === undefined) return false;
  return written.split(',').some((one) => one.trim() === '*' || one.trim().replace(/^W\//, '') === etag);
}

async function answer(ports: Pick<GatewayPorts, 'snapshot' | 'catalog'>, asking: Asking): Promise<Answer> {
  const registry = new Reader(ports, asking);
  const { url = '' } = asking.request;
  const mark = url.indexOf('?');
  const query = new URLSearchParams(mark < 0 ? '' : url.slice(mark + 1));
  const [, , root, written, versions, version, ...rest] = asking.path.split('/');
  if (root !== 'servers' || rest.length > 0) return NO_PATH;
  if (written === undefined) return listServers(registry, query);
  if (versions !== 'versions') return NO_PATH;
  const found = await registry.find(fromRegistryName(decodePercent(written) ?? '') ?? '');
  if (found === undefined) return refuse(404, 'Server not found');
  if (version === undefined) return { status: 200, body: { servers: [found], metadata: { count: 1 } } };
  const wanted = decodePercent(version);
  return wanted === 'latest' || wanted === versionOf(found)
    ? { status: 200, body: found }
    : refuse(404, 'Server version not found');
}

const NO_PATH = refuse(
  404,
  'The registry has /v0.1/servers, /v0.1/servers/<name>/versions and /v0.1/servers/<name>/versions/<version>.',
);

function refuse(status: number, error: string): Answer {
  return { status, body: { error } };
}

/** In the order of names, so that a cursor holds although servers come and go. */
async function listServers(registry: Reader, query: URLSearchParams): Promise<Answer> {
  const limit = readLimit(query.get('limit'));
  if (limit === undefined) return refuse(400, `limit is a whole number from 1 to ${MAX_LIMIT}.`);
  const cursor = query.get('cursor');
  const after = cursor === null || cursor === '' ? '' : fromCursor(cursor);
  if (after === undefined) return refuse(400, 'The cursor is none that this registry gave out. Begin without one.');
  const search = query.get('search')?.toLowerCase() ?? '';
  const version = query.get('version') ?? 'latest';
  const names = registry.names().filter((name) => name > after && toRegistryName(name).toLowerCase().includes(search));
  const found: { readonly name: string; readonly server: JsonObject }[] = [];
  // Only as many are looked at as the page needs, and the one that tells whether another page follows.
  for (let next = 0; next < names.length && found.length <= limit; ) {
    const some = names.slice(next, next + limit + 1 - found.length);
    next += some.length;
    const servers = await Promise.all(some.map((name) => registry.find(name)));
    for (const [i, server] of servers.entries())
      if (server !== undefined && (version === 'latest' || version === versionOf(server)))
        found.push({ name: some[i] ?? '', server });
  }
  const page = found.slice(0, limit);
  const last = found.length > limit ? page.at(-1) : undefined;
  const metadata = { count: page.length, ...(last === undefined ? {} : { nextCursor: toCursor(last.name) }) };
  return { status: 200, body: { servers: page.map(({ server }) => server), metadata } };
}

function readLimit(written: string | null): number | undefined {
  if (written === null) return DEFAULT_LIMIT;
  const limit = /^\d{1,9}$/.test(written) ? Number(written) : 0;
  return limit < 1 ? undefined : Math.min(limit, MAX_LIMIT);
}

function toCursor(name: string): string {
  return Buffer.from(name).toString('base64url');
}

function fromCursor(cursor: string): string | undefined {
  if (!/^[A-Za-z0-9_-]{1,128}$/.test(cursor)) return undefined;
  const name = Buffer.from(cursor, 'base64url').toString('utf8');
  return SERVER_NAME.test(name) ? name : undefined;
}

function versionOf(found: JsonObject): unknown {
  const { server } = found as { readonly server?: JsonObject };
  return server?.['version'];
}

/** The servers as one caller may see them, under the snapshot the request began with. */
class Reader {
  readonly #catalog: GatewayPorts['catalog'];
  readonly #snapshot: Snapshot;
  readonly #asking: Asking;

  constructor({ snapshot, catalog }: Pick<GatewayPorts, 'snapshot' | 'catalog'>, asking: Asking) {
    this.#catalog = catalog;
    this.#snapshot = snapshot();
    this.#asking = asking;
  }

  names(): readonly string[] {
    return [...this.#snapshot.servers.keys()].filter((name) => this.#mayEnter(name)).sort();
  }

  #mayEnter(name: string): boolean {
    return mayEnter(this.#snapshot, { kind: 'server', name }, this.#asking.principal.groups);
  }

  /** `undefined`: there is none, or nothing of it that this caller may use. The two cannot be told apart. */
  async find(name: string): Promise<JsonObject | undefined> {
    if (!this.#mayEnter(name)) return undefined;
    const client = toClient(this.#asking.principal, { name: 'registry' }, {});
    const asked = { method: 'tools/list', params: {} };
    const view = await this.#catalog.view(this.#snapshot, { kind: 'server', name }, client, asked);
    if (!(await hasAny(view))) return undefined;
    const { gateway } = this.#snapshot;
    const { serverInfo } = view;
    const url = `${baseOf(gateway, this.#asking.request)}/servers/${encodeURIComponent(name)}/mcp`;
    return {
      server: toServerJson({ name, serverInfo, url, needsKey: needsKey(gateway) }),
      _meta: { [OFFICIAL]: { status: 'active', isLatest: true } },
    };
  }
}

/** Clients of registries look for the state of a version here. When it was published is not known, and not made up. */
const OFFICIAL = 'io.modelcontextprotocol.registry/official';

async function hasAny(view: View): Promise<boolean> {
  for (const kind of KINDS) {
    const steps = view.prepare(kind);
    if (steps !== undefined) await runPaced(steps, createPause());
    const isEmpty = kind === 'tools' ? view.listedTools().length === 0 : view.list(kind, undefined).items === '[]';
    if (!isEmpty) return true;
  }
  return false;
}

function needsKey({ auth }: GatewaySettings): boolean {
  return typeof auth === 'string' ? auth === 'key' : auth.keys;
}

/** What clients reach this Sallyport by. The Host header was checked: it is a name of ours. */
function baseOf({ auth }: GatewaySettings, { headers, socket }: HttpRequest): string {
  const publicUrl = typeof auth === 'string' ? undefined : auth.oauth?.publicUrl;
  if (publicUrl !== undefined) return publicUrl.replace(/\/$/, '');
  return `${socket instanceof TLSSocket ? 'https' : 'http'}://${headers.host ?? ''}`;
}
