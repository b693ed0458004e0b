import { type JsonObject, member } from '../../core/json.ts';

/** The schema that these documents follow. */
const SCHEMA = 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json';
/** Names of the registry are a namespace and a name. Ours are of this Sallyport only, so that no domain is claimed. */
const NAMESPACE = 'sallyport/';
/** What server.json allows. Characters. */
const MAX_TEXT = 100;
const MAX_VERSION = 255;

export interface ServedServer {
  /** Its name in the configuration. */
  readonly name: string;
  /** What the server says of itself, as far as it was approved. */
  readonly serverInfo: JsonObject;
  /** Of its endpoint at this Sallyport. */
  readonly url: string;
  /** Callers send a key. */
  readonly needsKey: boolean;
}

/** `github` is `sallyport/github` in the registry. */
export function toRegistryName(server: string): string {
  return NAMESPACE + server;
}

/** The name in the configuration; `undefined`: the registry gives out no such name. */
export function fromRegistryName(name: string): string | undefined {
  return name.startsWith(NAMESPACE) ? name.slice(NAMESPACE.length) : undefined;
}

/**
 * A server behind this Sallyport as `server.json` describes servers: one remote, the endpoint here. How Sallyport itself
 * reaches the server (command, variables, headers, address) is not an argument, so it cannot be in the document.
 */
export function toServerJson({ name, serverInfo, url, needsKey }: ServedServer): JsonObject {
  const title = cut(member(serverInfo, 'title'), MAX_TEXT);
  return {
    $schema: SCHEMA,
    name: toRegistryName(name),
    description: cut(member(serverInfo, 'description'), MAX_TEXT) ?? `The server ${name} behind Sallyport.`,
    ...(title === undefined ? {} : { title }),
    version: toVersion(serverInfo),
    remotes: [{ type: 'streamable-http', url, ...(needsKey ? { headers: [KEY_HEADER] } : {}) }],
  };
}

/** The version in its document. A server without one, or with one the registry reserves, is 0.0.0. */
function toVersion(serverInfo: JsonObject): string {
  const version = member(serverInfo, 'version');
  if (typeof version !== 'string' || version.length > MAX_VERSION || version === 'latest') return NO_VERSION;
  return /^[A-Za-z0-9][A-Za-z0-9.+_-]*$/.test(version) ? version : NO_VERSION;
}

const NO_VERSION = '0.0.0';

const KEY_HEADER: JsonObject = {
  name: 'Authorization',
  description: 'A key of this Sallyport.',
  value: 'Bearer {key}',
  isRequired: true,
  isSecret: true,
  variables: { key: { description: 'A key of this Sallyport.', isRequired: true, isSecret: true } },
};

/** By whole characters; `undefined`: no text. */
function cut(value: unknown, most: number): string | undefined {
  if (typeof value !== 'string' || value.trim() === '') return undefined;
  // Twice as many units hold that many characters.
  return [...value.slice(0, most * 2)].slice(0, most).join('');
}
