import { randomUUID } from 'node:crypto';
import { type Client, toDeclaration } from '../core/client.ts';
import { FaultError } from '../core/errors.ts';
import { isObject, type JsonObject, member } from '../core/json.ts';
import type { Request } from '../core/message.ts';
import type { Principal } from '../core/principal.ts';
import { toClientInfo } from './client-info.ts';
import { isModernRevision, SUPPORTED_REVISIONS } from './revisions.ts';

const VERSION_KEY = 'io.modelcontextprotocol/protocolVersion';
const INFO_KEY = 'io.modelcontextprotocol/clientInfo';
const CAPABILITIES_KEY = 'io.modelcontextprotocol/clientCapabilities';
const LOG_LEVEL_KEY = 'io.modelcontextprotocol/logLevel';
const LOG_LEVELS = new Set(['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency']);

/** What every modern request says about itself in `_meta` (2026-07-28 basic#meta). */
export interface ModernFacts {
  readonly client: Client;
  readonly logLevel: string | undefined;
  /** As JSON text. */
  readonly progressToken: string | undefined;
}

/** True for a request that speaks for itself instead of relying on a session. */
export function carriesModernMeta(params: JsonObject): boolean {
  return member(member(params, '_meta'), VERSION_KEY) !== undefined;
}

/**
 * Headers as the HTTP front has them, one value each; `undefined` on stdio, where there are none.
 */
export type HeaderLookup = (name: string) => string | undefined;

/**
 * Checks `_meta`, and the headers against the body: the body is the truth (2026-07-28 streamable-http#server-validation).
 * @throws FaultError `header_mismatch`, `unsupported_version`, `usage` (-32602 with HTTP 400 for malformed `_meta`).
 */
export function readModernFacts(request: Request, principal: Principal, header: HeaderLookup | undefined): ModernFacts {
  const meta = member(request.params, '_meta');
  const version = member(meta, VERSION_KEY);
  const stated = header?.('mcp-protocol-version');
  if (header !== undefined && stated === undefined) throw mismatch('The MCP-Protocol-Version header is missing.');
  if (!isObject(meta) || typeof version !== 'string')
    throw malformed(`params._meta["${VERSION_KEY}"] is missing: every request names the revision it speaks.`);
  if (header !== undefined && stated !== version)
    throw mismatch(`The MCP-Protocol-Version header says '${stated}', the body says '${version.slice(0, 32)}'.`);
  if (!isModernRevision(version)) {
    throw new FaultError('unsupported_version', `Unsupported protocol version: ${version.slice(0, 32)}`, {
      data: { supported: SUPPORTED_REVISIONS, requested: version },
    });
  }
  const capabilities = member(meta, CAPABILITIES_KEY);
  if (!isObject(capabilities))
    throw malformed(`params._meta["${CAPABILITIES_KEY}"] is missing: an empty object declares none.`);
  const logLevel = member(meta, LOG_LEVEL_KEY);
  if (logLevel !== undefined && !(typeof logLevel === 'string' && LOG_LEVELS.has(logLevel))) {
    throw new FaultError('invalid_params', `params._meta["${LOG_LEVEL_KEY}"] is one of ${[...LOG_LEVELS].join(', ')}.`);
  }
  if (header !== undefined) checkStandardHeaders(request, header);
  const token = member(meta, 'progressToken');
  return {
    client: toClient(principal, member(meta, INFO_KEY), capabilities),
    logLevel,
    progressToken: token === undefined ? undefined : request.textInParam('_meta', 'progressToken'),
  };
}

/** The client that says so in `_meta`; one that says nothing of itself has no name and no capabilities. */
export function readModernClient(params: JsonObject, principal: Principal): Client {
  const meta = member(params, '_meta');
  const capabilities = member(meta, CAPABILITIES_KEY);
  return toClient(principal, member(meta, INFO_KEY), isObject(capabilities) ? capabilities : {});
}

/** `params` member that `Mcp-Name` mirrors, by method. */
const NAMED: ReadonlyMap<string, string> = new Map([
  ['tools/call', 'name'],
  ['prompts/get', 'name'],
  ['resources/read', 'uri'],
  ['tasks/get', 'taskId'],
  ['tasks/update', 'taskId'],
  ['tasks/cancel', 'taskId'],
]);

function checkStandardHeaders(request: Request, header: HeaderLookup): void {
  const method = header('mcp-method');
  if (method !== request.method) {
    throw mismatch(
      method === undefined
        ? 'The Mcp-Method header is missing.'
        : `The Mcp-Method header says '${method.slice(0, 64)}', the body says '${request.method.slice(0, 64)}'.`,
    );
  }
  const key = NAMED.get(request.method);
  const name = key === undefined ? undefined : member(request.params, key);
  if (typeof name !== 'string') return;
  const stated = header('mcp-name');
  if (stated === undefined) throw mismatch('The Mcp-Name header is missing.');
  if (decodeHeader(stated) !== name) throw mismatch(`The Mcp-Name header does not match params.${key}.`);
}

/**
 * `Mcp-Param-*` headers against the arguments they mirror.
 * @param paths header suffix -> property path, from the tool's schema
 */
export function checkParamHeaders(
  given: JsonObject,
  paths: ReadonlyMap<string, readonly string[]>,
  header: HeaderLookup,
): void {
  for (const [suffix, path] of paths) {
    const stated = header(`mcp-param-${suffix.toLowerCase()}`);
    const value = path.reduce<unknown>((at, key) => member(at, key), given);
    if (value === undefined || value === null) {
      if (stated !== undefined) throw mismatch(`The Mcp-Param-${suffix} header has no argument it could mirror.`);
      continue;
    }
    if (stated === undefined) throw mismatch(`The Mcp-Param-${suffix} header is missing.`);
    const decoded = decodeHeader(stated);
    const equal =
      typeof value === 'number' ? decoded.trim() !== '' && Number(decoded) === value : decoded === String(value);
    if (!equal) throw mismatch(`The Mcp-Param-${suffix} header does not match its argument.`);
  }
}

/** 2026-07-28 streamable-http#value-encoding. */
function decodeHeader(value: string): string {
  if (!/^[\t\x20-\x7e]*$/.test(value)) throw mismatch('A header holds characters outside visible ASCII.');
  const encoded = /^=\?base64\?(.*)\?=$/.exec(value)?.[1];
  if (encoded === undefined) return value;
  const bytes = Buffer.from(encoded, 'base64');
  // Only the one canonical spelling: a lenient decoder reads several, and two programs might differ.
  if (bytes.toString('base64') !== encoded) throw mismatch('A header is not valid Base64.');
  return bytes.toString('utf8');
}

function mismatch(message: string): FaultError {
  return new FaultError('header_mismatch', `Header mismatch: ${message}`);
}

function malformed(message: string): FaultError {
  return new FaultError('usage', message);
}

const clients = new Map<string, Client>();
const MAX_CLIENTS = 1_000;
/** A program on stdio is the only client of this process: with the next process begins another conversation. */
const THIS_PROCESS = `stdio ${randomUUID()}`;

/** The same program of the same principal is the same client, request after request. */
export function toClient(principal: Principal, info: unknown, capabilities: JsonObject): Client {
  // Cut to size first: what is remembered must not be as long as somebody likes to write it.
  const program = toClientInfo(info);
  const known = `${principal.id}\n${program.name}\n${program.version}\n${JSON.stringify(capabilities)}`;
  let client = clients.get(known);
  // A newer token of the same caller may allow more or less.
  if (client?.principal !== principal) {
    client = {
      // Parted by what ids and agents never hold: the program may call itself anything, and is not to look like another's.
      key: `${principal.kind === 'stdio' ? THIS_PROCESS : principal.id}\n${principal.agent ?? ''}\n${program.name}@${program.version}`,
      principal,
      info: program,
      ...toDeclaration('modern', capabilities),
    };
    if (clients.size >= MAX_CLIENTS) clients.clear();
    clients.set(known, client);
  }
  return client;
}
