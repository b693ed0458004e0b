import type { KeyedInput, ServerArgument, ServerJson, ServerPackage, ServerRemote } from '../../config/server-json.ts';
import { isHeader } from '../../core/header.ts';
import type { Json, JsonObject } from '../../core/json.ts';
import { isIpAddress, isPublicAddress } from '../../core/public-address.ts';
import { type AskedVariable, createInputs, type Inputs, refuse, show } from './fill-inputs.ts';

/** How a server of a registry is run or reached. */
export const WAYS = ['npm', 'pypi', 'oci', 'remote'] as const;
export type Way = (typeof WAYS)[number];

export interface ImportedServer {
  readonly way: Way;
  /** As it goes into `mcpServers`. */
  readonly entry: JsonObject;
  readonly asked: readonly AskedVariable[];
  readonly optional: readonly string[];
}

/** The ways that the document offers and that can be taken over, in its order, packages first. */
export function listWays({ packages, remotes }: ServerJson): readonly Way[] {
  const found = packages.flatMap(({ registryType }) => WAYS.filter((way) => way === registryType && way !== 'remote'));
  return [...new Set<Way>([...found, ...(remotes.length === 0 ? [] : ['remote' as const])])];
}

/**
 * The entry of one server. Nothing of the document is run or read by a shell: each text becomes one word, variable or
 * header, and a text that only a shell, an option or another address could make something of is refused.
 * @param name of the entry
 * @param way left out: the first that the document offers
 * @param origin of the registry that gave the document out: only its own addresses may be private
 * @throws FaultError `usage`, with the reason.
 */
export function fromServerJson(
  document: ServerJson,
  { name, way = listWays(document)[0], origin }: { name: string; way?: Way | undefined; origin?: string | undefined },
): ImportedServer {
  const inputs = createInputs(name);
  const entry = toEntry(document, { way, origin, inputs });
  if (way === undefined || entry === undefined)
    throw refuse(`it offers ${listWays(document).join(', ') || 'no package of npm, PyPI or OCI and no remote'}`);
  return { way, entry, asked: inputs.asked, optional: inputs.optional };
}

interface Making {
  readonly way: Way | undefined;
  readonly origin: string | undefined;
  readonly inputs: Inputs;
}

function toEntry({ packages, remotes }: ServerJson, { way, origin, inputs }: Making): JsonObject | undefined {
  if (way === 'remote') {
    const remote = remotes.find(({ type }) => type === 'streamable-http') ?? remotes[0];
    return remote && fromRemote(remote, origin, inputs);
  }
  const found = packages.find(({ registryType }) => registryType === way);
  return found && way && fromPackage(found, way, inputs);
}

function fromPackage(written: ServerPackage, way: Exclude<Way, 'remote'>, inputs: Inputs): JsonObject {
  const { transport, runtimeArguments = [], packageArguments = [], environmentVariables = [] } = written;
  if (transport !== undefined && transport.type !== 'stdio')
    throw refuse(`the package is a server for ${show(transport.type)} that has to be started and reached apart`);
  // They steer npx, uvx or docker themselves: another registry, a mounted folder, --privileged.
  const steering = runtimeArguments.filter((one) => !(one.type === 'named' && HARMLESS.has(one.name)));
  if (steering.length > 0)
    throw refuse('it has runtimeArguments, which change what npx, uvx or docker do on this machine');
  const env = Object.fromEntries(environmentVariables.flatMap((one) => toVariable(one, inputs)));
  const words = packageArguments.flatMap((one, index) => toWords(one, `argument_${index + 1}`, inputs));
  const start = START[way](written, Object.keys(env));
  return { ...start, args: [...start.args, ...words], ...(Object.keys(env).length === 0 ? {} : { env }) };
}

/** What is there anyway. */
const HARMLESS: ReadonlySet<string> = new Set(['-y', '--yes', '-i', '--interactive', '--rm']);

type Start = (
  written: ServerPackage,
  variables: readonly string[],
) => { readonly command: string; readonly args: readonly string[] };

const START: Readonly<Record<Exclude<Way, 'remote'>, Start>> = {
  npm({ identifier, version, registryBaseUrl }) {
    checkSource(registryBaseUrl, 'https://registry.npmjs.org');
    if (!NPM_NAME.test(identifier)) throw refuse(`${show(identifier)} is no name of an npm package`);
    return { command: 'npx', args: ['-y', `${identifier}@${exact(version, NPM_VERSION)}`] };
  },
  pypi({ identifier, version, registryBaseUrl }) {
    checkSource(registryBaseUrl, 'https://pypi.org');
    if (!PYPI_NAME.test(identifier)) throw refuse(`${show(identifier)} is no name of a PyPI package`);
    return { command: 'uvx', args: [`${identifier}@${exact(version, PYPI_VERSION)}`] };
  },
  oci({ identifier, version, registryBaseUrl }, variables) {
    checkSource(registryBaseUrl, 'https://docker.io');
    const passed = variables.flatMap((name) => ['-e', name]);
    return { command: 'docker', args: ['run', '-i', '--rm', ...passed, toImage(identifier, version)] };
  },
};

// None begins with a dash: it would be an option of the program that is started.
const NPM_NAME = /^(?:@[a-z0-9~][a-z0-9._~-]{0,99}\/)?[a-z0-9~][a-z0-9._~-]{0,199}$/;
const PYPI_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/;
const NPM_VERSION = /^\d{1,9}\.\d{1,9}\.\d{1,9}(?:-[0-9A-Za-z.-]{1,64})?(?:\+[0-9A-Za-z.-]{1,64})?$/;
const PYPI_VERSION = /^\d{1,9}(?:\.\d{1,9}){0,5}(?:(?:a|b|rc)\d{1,9})?(?:\.post\d{1,9})?(?:\.dev\d{1,9})?$/;
const IMAGE_PART = /^[a-z0-9][a-z0-9._-]{0,127}$/;
const IMAGE_HOST = /^[a-z0-9][a-z0-9.-]{0,127}(?::\d{1,5})?$/;
const IMAGE_TAG = /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}$/;
const IMAGE_DIGEST = /^sha256:[0-9a-f]{64}$/;

/** The same name in another registry is another package. */
function checkSource(written: string | undefined, own: string): void {
  if (written !== undefined && written.replace(/\/$/, '') !== own)
    throw refuse(`its package is not at ${own}, where the command looks for it`);
}

function exact(version: string | undefined, pattern: RegExp): string {
  if (version === undefined || !pattern.test(version))
    throw refuse(`${version === undefined ? 'no version' : show(version)} is given where one exact version must be`);
  return version;
}

/** `host/path:tag` or `host/path@sha256:…`. */
function toImage(identifier: string, version: string | undefined): string {
  const [name = '', digest, ...rest] = identifier.split('@');
  const colon = name.lastIndexOf(':');
  const hasTag = colon > name.lastIndexOf('/');
  const tag = hasTag ? name.slice(colon + 1) : undefined;
  const parts = (hasTag ? name.slice(0, colon) : name).split('/');
  const [first = ''] = parts;
  const isHost = parts.length > 1 && /[.:]/.test(first);
  const isName = parts.every((part, i) => (i === 0 && isHost ? IMAGE_HOST : IMAGE_PART).test(part));
  if (!isName || rest.length > 0 || (isHost && !isPublicHost(first.replace(/:\d+$/, ''))))
    throw refuse(`${show(identifier)} is no name of an image in a public registry`);
  if (digest !== undefined) {
    if (!IMAGE_DIGEST.test(digest) || (tag !== undefined && !IMAGE_TAG.test(tag)))
      throw refuse(`${show(identifier)} has no digest of SHA-256`);
    return identifier;
  }
  const exactTag = tag ?? version;
  // `latest`, `main` and `1` are other images tomorrow.
  if (exactTag === undefined || !IMAGE_TAG.test(exactTag) || !/\d[._-]\d/.test(exactTag))
    throw refuse(`${show(exactTag ?? '')} is given where one exact tag or digest of the image must be`);
  return `${parts.join('/')}:${exactTag}`;
}

/** Variables that decide what is loaded or whom a program trusts, whatever the package is. */
const STEERING_VARIABLE =
  /^(?:ld_.*|dyld_.*|npm_config_.*|uv_.*|pip_.*|docker_.*|git_.*|node_(?:options|path|extra_ca_certs|tls_reject_unauthorized)|python(?:path|home|startup|executable)|path|home|shell|env|bash_env|ifs|(?:https?|all|no)_proxy|ssl_cert_.*|requests_ca_bundle)$/i;

function toVariable(written: KeyedInput, inputs: Inputs): readonly [string, Json][] {
  const { name } = written;
  if (!/^[A-Za-z_][A-Za-z0-9_]{0,127}$/.test(name)) throw refuse(`${show(name)} is no name of a variable`);
  const value = inputs.fill(name, written);
  if (value === undefined) return [];
  // A value that the person gives is the person's choice.
  if (STEERING_VARIABLE.test(name) && !/^\$\{[A-Z0-9_]{1,64}\}$/.test(value))
    throw refuse(`it sets ${name}, which changes what is loaded on this machine`);
  if (/\p{Cc}/u.test(value)) throw refuse(`the value of ${name} has control characters`);
  return [[name, value]];
}

/** What only a shell makes something of. Nothing here is given to one, and `npx` on Windows is. */
const FOR_A_SHELL = /[\p{Cc}`;|&<>"]|\$\(/u;

function toWords(written: ServerArgument, place: string, inputs: Inputs): readonly string[] {
  if (written.type === 'positional') {
    const value = inputs.fill(written.valueHint ?? place, written);
    return value === undefined ? [] : [toWord(value)];
  }
  if (!/^-{0,2}[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(written.name))
    throw refuse(`${show(written.name)} is no name of an option`);
  const value = written.value ?? written.default;
  if (written.format === 'boolean' && (value === undefined || value === 'true' || value === 'false'))
    return value === 'true' || (value === undefined && written.isRequired === true) ? [written.name] : [];
  const filled = inputs.fill(written.name.replace(/^-+/, ''), written);
  return filled === undefined ? [] : [written.name, toWord(filled)];
}

function toWord(word: string): string {
  if (FOR_A_SHELL.test(word)) throw refuse('an argument has characters that a shell could read as commands');
  return word;
}

function fromRemote(remote: ServerRemote, origin: string | undefined, inputs: Inputs): JsonObject {
  const type = REMOTE_TYPES.get(remote.type);
  if (type === undefined) throw refuse(`its remote is of the unknown type ${show(remote.type)}`);
  checkRemote(remote.url, origin);
  const headers = Object.fromEntries(
    (remote.headers ?? []).flatMap((written) => {
      const value = inputs.fill(written.name, written);
      if (!isHeader(written.name, value ?? '')) throw refuse(`${show(written.name)} is no header that can be sent`);
      return value === undefined ? [] : [[written.name, value]];
    }),
  );
  const url = inputs.fillIn(remote.url, { variables: remote.variables });
  return { type, url, ...(Object.keys(headers).length === 0 ? {} : { headers }) };
}

const REMOTE_TYPES: ReadonlyMap<string, string> = new Map([
  ['streamable-http', 'http'],
  ['sse', 'sse'],
]);

/** A stranger's document must not lead into the network that this machine is in (server-side request forgery). */
function checkRemote(address: string, origin: string | undefined): void {
  if (!URL.canParse(address)) throw refuse('its remote has no URL');
  const url = new URL(address);
  // A host in braces would be whatever the variable says.
  if (!address.startsWith(url.origin) || /[{}$]/.test(url.origin))
    throw refuse('the host of its remote is not written plainly');
  if (url.username !== '' || url.password !== '') throw refuse('its remote has a user name or password');
  if (url.origin === origin) return;
  if (url.protocol !== 'https:') throw refuse('its remote is not https');
  if (!isPublicHost(url.hostname)) throw refuse('its remote is in a private network');
}

const PRIVATE_NAME = /(?:^|\.)(?:localhost|local|internal|lan|home|corp|arpa|test)$/;

function isPublicHost(host: string): boolean {
  const bare = host.replace(/\.$/, '').toLowerCase();
  if (isIpAddress(bare)) return isPublicAddress(bare);
  return bare.includes('.') && !bare.startsWith('[') && !PRIVATE_NAME.test(bare);
}
