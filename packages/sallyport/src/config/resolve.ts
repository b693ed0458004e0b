import { isAbsolute, resolve as resolvePath } from 'node:path';
import { isHeaderName, isHeaderValue } from '../core/header.ts';
import type { WrittenServer, WrittenTop } from './file-schema.ts';
import type { Report } from './report.ts';
import { resolveServerAccess } from './resolve-access.ts';
import { resolveAuth } from './resolve-auth.ts';
import { resolveUpstreamAuth } from './resolve-upstream-auth.ts';
import type { GatewaySettings, ServerSettings, Transport } from './settings.ts';

const LONGEST_DEFAULT_MS = 600_000;

/** One server as written (variables filled in, defaults set) to what the program runs on; `undefined` after a report. */
export function resolveServer(
  name: string,
  written: WrittenServer,
  from: { readonly directory: string; readonly envOfFile: Readonly<Record<string, string>>; readonly report: Report },
): ServerSettings | undefined {
  const { report } = from;
  const transport = resolveTransport(written, from);
  const { timeoutMs } = written;
  const maxTimeoutMs = written.maxTimeoutMs ?? Math.max(LONGEST_DEFAULT_MS, timeoutMs);
  if (maxTimeoutMs < timeoutMs) report('maxTimeoutMs', 'smaller than timeoutMs; make it at least as large');
  if (transport === undefined) return undefined;
  const access = resolveServerAccess(written);
  const auth = resolveUpstreamAuth(written, report);
  return {
    name,
    transport,
    prefix: written.prefix,
    era: written.era,
    timeoutMs,
    maxTimeoutMs,
    startTimeoutMs: written.startTimeoutMs,
    concurrency: written.concurrency,
    sharing: written.sharing,
    idleMs: written.idleMs,
    memoryMb: written.memoryMb,
    ...(written.user === undefined ? {} : { user: String(written.user) }),
    ...(written.isolation === 'auto' ? {} : { isolation: written.isolation }),
    breaker: written.breaker,
    listTtlMs: written.listTtlMs,
    disabledTools: written.disabledTools ?? [],
    ...(access === undefined ? {} : { access }),
    ...(auth === undefined ? {} : { auth }),
  };
}

type Kind = 'stdio' | 'http' | 'sse' | 'auto';

/** All the words clients have for the same few transports. */
const KINDS: ReadonlyMap<string, Kind> = new Map<string, Kind>([
  ['stdio', 'stdio'],
  ['local', 'stdio'],
  ['http', 'http'],
  ['streamable-http', 'http'],
  ['streamableHttp', 'http'],
  ['sse', 'sse'],
  ['auto', 'auto'],
]);

function resolveTransport(
  written: WrittenServer,
  from: { readonly directory: string; readonly envOfFile: Readonly<Record<string, string>>; readonly report: Report },
): Transport | undefined {
  const { report } = from;
  const { command } = written;
  const url = written.url ?? written.serverUrl;
  if (written.url !== undefined && written.serverUrl !== undefined && written.url !== written.serverUrl) {
    report('serverUrl', 'differs from url; keep one of them');
    return undefined;
  }
  const type = written.type ?? written.transportType ?? written.transport;
  const kind = type === undefined ? impliedKind(command, url) : KINDS.get(type);
  if (kind === undefined) {
    if (type !== undefined) report('transport', 'no transport of this name; use type "stdio", "http" or "sse"');
    else if (command === undefined) report('', 'has neither command nor url; add the one that fits');
    else report('', 'has both command and url; remove one, or say which counts with type');
    return undefined;
  }
  if (kind === 'stdio') {
    if (command === undefined) report('', 'is of type stdio but has no command; add it');
    return command === undefined ? undefined : resolveStdio(command, written, from);
  }
  if (url === undefined) {
    report('', `is of type ${kind} but has no url; add it`);
    return undefined;
  }
  const address = checkUrl(url);
  if (address !== undefined) report(written.url === undefined ? 'serverUrl' : 'url', address);
  const headers = resolveHeaders(written, report);
  return { type: kind, url, headers };
}

function impliedKind(command: string | undefined, url: string | undefined): Kind | undefined {
  if (command !== undefined && url !== undefined) return undefined;
  if (command !== undefined) return 'stdio';
  return url === undefined ? undefined : 'auto';
}

function resolveStdio(
  command: string,
  written: WrittenServer,
  from: { readonly directory: string; readonly envOfFile: Readonly<Record<string, string>>; readonly report: Report },
): Transport {
  const env = new Map(Object.entries(from.envOfFile));
  for (const [name, value] of Object.entries(written.env ?? {})) {
    if (name === '' || /[=\0]/.test(name)) from.report(`env.${name}`, 'no name of an environment variable');
    else if (value === null) env.delete(name);
    else env.set(name, String(value));
  }
  const args = (written.args ?? []).map(String);
  // The operating system ends a string there: what runs would not be what is written.
  if ([command, ...args, ...env.values()].some((text) => text.includes('\0'))) from.report('', 'holds a NUL character');
  const { cwd } = written;
  return {
    type: 'stdio',
    command,
    args,
    env: Object.fromEntries(env),
    cwd: cwd === undefined || isAbsolute(cwd) ? cwd : resolvePath(from.directory, cwd),
  };
}

/** What is wrong with an upstream's address; the address itself may hold a key and is not shown. */
export function checkUrl(url: string): string | undefined {
  if (!URL.canParse(url)) return 'no URL; write http://… or https://…';
  const { protocol, username, password } = new URL(url);
  if (protocol !== 'http:' && protocol !== 'https:') return 'neither http:// nor https://';
  if (username !== '' || password !== '')
    return 'holds a user name or password; send it in headers instead (Authorization)';
  return undefined;
}

function resolveHeaders(written: WrittenServer, report: Report): Record<string, string> {
  const headers = new Map<string, string>();
  for (const [name, value] of Object.entries(written.headers ?? {})) {
    const text = String(value);
    if (!isHeaderName(name)) report(`headers.${name}`, 'no name of a header');
    else if (!isHeaderValue(text))
      report(`headers.${name}`, 'holds a character a header cannot carry, e.g. a line break');
    else headers.set(name, text);
  }
  return Object.fromEntries(headers);
}

/** The endpoint in front. */
export function resolveGateway(written: WrittenTop['gateway'], directory: string, report: Report): GatewaySettings {
  if (written.auth === 'none' && !isLoopback(written.host)) {
    report(
      'auth',
      `"none" would let everyone who reaches ${written.host} use every tool; use "key", or host 127.0.0.1`,
    );
  }
  for (const origin of written.allowedOrigins) {
    if (!URL.canParse(origin) || new URL(origin).origin !== origin) {
      // A pattern that never matches would look like protection of a site that is in fact refused.
      report(
        'allowedOrigins',
        `${JSON.stringify(origin)} is no origin; write scheme, host and port, e.g. https://app.example.com`,
      );
    }
  }
  const auth = typeof written.auth === 'string' ? written.auth : resolveAuth(written.auth, directory, report);
  return { ...written, auth, allowedHosts: written.allowedHosts.map((host) => host.toLowerCase()) };
}

/** Addresses that only this machine reaches. */
export function isLoopback(host: string): boolean {
  const bare = host.toLowerCase().replace(/^\[(.*)\]$/, '$1');
  return bare === 'localhost' || bare === '::1' || /^127(?:\.(?:25[0-5]|2[0-4]\d|1?\d?\d)){3}$/.test(bare);
}
