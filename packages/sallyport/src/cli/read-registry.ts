import { checkAgainst } from '../config/check-against.ts';
import { topSchema } from '../config/file-schema.ts';
import { isProblem, parseFile } from '../config/parse-file.ts';
import { toRegistryUrl } from '../config/registries-section.ts';
import { type ServerJson, serverJsonSchema } from '../config/server-json.ts';
import { FaultError } from '../core/errors.ts';
import { member, memberText } from '../core/json.ts';
import { createGuardedFetch } from '../upstream/auth/guarded-fetch.ts';
import type { OpenFile } from './edit-config.ts';

/** Pages of one search: a registry that never ends is left after these. */
const MAX_PAGES = 10;
const PAGE = 30;

/** A registry with the API of the MCP registry (v0.1), read only. */
export interface Registry {
  readonly url: string;
  /** Servers whose name has `search` in it, each checked; `unusable` counts the documents that are no server.json. */
  search(search: string): Promise<{ readonly servers: readonly ServerJson[]; readonly unusable: number }>;
  /** @throws FaultError `not_found`. */
  get(name: string, version: string): Promise<ServerJson>;
}

/**
 * Which registries a command line means.
 * @throws FaultError `usage` for one that the configuration does not permit, and when there is none.
 */
export function pickRegistries(open: OpenFile, from: string | undefined): readonly string[] {
  const permitted = readPermitted(open);
  if (from === undefined) {
    if (permitted.length > 0) return permitted;
    throw new FaultError(
      'usage',
      'Say which registry: --from https://registry.modelcontextprotocol.io, or the address of your own. "registries" in the configuration can name it once and for all.',
    );
  }
  const url = toRegistryUrl(from);
  if (permitted.length === 0 || permitted.includes(url)) return [url];
  throw new FaultError(
    'usage',
    `${url} is not among the registries of ${open.file}: ${permitted.join(', ')}. Add it to "registries" there if servers may come from it.`,
  );
}

function readPermitted({ file, text, yaml }: OpenFile): readonly string[] {
  const parsed = parseFile(text, yaml);
  const written = isProblem(parsed) ? undefined : member(parsed.value, 'registries');
  const { value, issues } = checkAgainst(topSchema.shape.registries, written);
  if (value === undefined) throw new FaultError('config', `${file}: registries: ${issues[0]?.message ?? 'unusable'}.`);
  return value.map(toRegistryUrl);
}

/** The person named the address, so it may be of this machine or network; where it redirects to is not asked. */
export function openRegistry(url: string, headers: Readonly<Record<string, string>>, signal: AbortSignal): Registry {
  const fetch = createGuardedFetch({ loopback: true, private: true });
  const read = async (path: string): Promise<unknown> => {
    const reply = await fetch(`${url}/v0.1${path}`, { headers: { accept: 'application/json', ...headers }, signal });
    if (reply.status === 404) throw new FaultError('not_found', `${url} has nothing at /v0.1${path}.`);
    if (reply.status === 401 || reply.status === 403)
      throw new FaultError(
        'upstream_unauthenticated',
        `${url} refuses the request (${reply.status}). Give its credential: --header 'Authorization: Bearer …', or --header @file.`,
      );
    if (!reply.ok) throw new FaultError('upstream_protocol', `${url} answers with status ${reply.status}.`);
    try {
      return await reply.json();
    } catch {
      throw new FaultError('upstream_protocol', `${url} answers with something that is not JSON.`);
    }
  };
  return {
    url,
    async search(search) {
      const servers: ServerJson[] = [];
      let unusable = 0;
      let cursor = '';
      for (let page = 0; page < MAX_PAGES; page++) {
        const query = new URLSearchParams({ limit: String(PAGE), version: 'latest' });
        if (search !== '') query.set('search', search);
        if (cursor !== '') query.set('cursor', cursor);
        const list = await read(`/servers?${query}`);
        const entries = member(list, 'servers');
        if (!Array.isArray(entries))
          throw new FaultError('upstream_protocol', `${url} answers with something that is no list of servers.`);
        for (const entry of entries) {
          const checked = serverJsonSchema.safeParse(member(entry, 'server'));
          if (checked.success) servers.push(checked.data);
          else unusable++;
        }
        cursor = memberText(member(list, 'metadata'), 'nextCursor');
        if (cursor === '') break;
      }
      return { servers, unusable };
    },
    async get(name, version) {
      const path = `/servers/${encodeURIComponent(name)}/versions/${encodeURIComponent(version)}`;
      const document = checkServerJson(member(await read(path), 'server'), url);
      // A registry that answers with another server must not get it in under the name that was asked for.
      if (document.name !== name || (version !== 'latest' && document.version !== version))
        throw new FaultError('upstream_protocol', `${url} answers with another server or version than ${name}.`);
      return document;
    },
  };
}

/** @throws FaultError `usage` for what is no server.json, without a word of it. */
export function checkServerJson(value: unknown, source: string): ServerJson {
  const { value: document, issues } = checkAgainst(serverJsonSchema, value);
  if (document !== undefined) return document;
  const [first] = issues;
  const place = first === undefined || first.path.length === 0 ? '' : `${first.path.join('.').slice(0, 100)}: `;
  throw new FaultError('usage', `${source} has no usable server.json: ${place}${first?.message ?? 'not an object'}.`);
}
