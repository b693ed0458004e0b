import type { GatewaySettings } from '../config/settings.ts';
import { FaultError } from '../core/errors.ts';
import type { HttpRequest } from './http-exchange.ts';

const LOOPBACK_NAMES = new Set(['localhost', '127.0.0.1', '[::1]']);

/** Headers that decide something and may therefore stand only once, as do all of ours: Node joins or drops repeats in silence. */
const ONCE = ['host', 'origin', 'authorization', 'content-length', 'content-type', 'last-event-id'];

/**
 * What is checked of an HTTP request before its body is read: DNS rebinding and browsers on other sites (Host and
 * Origin), and targets that name another host.
 * @throws FaultError `forbidden` or `invalid_request`.
 */
export function checkHttpRequest(request: HttpRequest, settings: GatewaySettings): void {
  const host = request.headers.host;
  if (host === undefined || !isAllowedHost(host, settings)) {
    throw new FaultError('forbidden', 'The Host header names no address of this Sallyport.');
  }
  const target = request.url ?? '';
  if (!target.startsWith('/')) {
    const authority = /^https?:\/\/([^/?#]+)/i.exec(target)?.[1];
    if (authority === undefined || authority.toLowerCase() !== host.toLowerCase()) {
      throw new FaultError('invalid_request', 'The request target names another host than the Host header.');
    }
  }
  const { origin } = request.headers;
  if (origin !== undefined && !isAllowedOrigin(origin, settings)) {
    throw new FaultError('forbidden', 'The Origin header names a site that may not use this Sallyport.');
  }
}

/** A bit for each name that may stand once, by the name as written; 0 for all others. Clients write names alike. */
const bits = new Map<string, number>();
const names: string[] = [];
const MAX_SPELLINGS = 512;
const MAX_BITS = 31;

/** Repeated headers are what request smuggling lives on. @param raw names and values in turns. @throws FaultError `invalid_request`. */
export function checkHeadersOnce(raw: readonly string[]): void {
  let seen = 0;
  for (let i = 0; i < raw.length; i += 2) {
    const written = raw[i] ?? '';
    const bit = bits.get(written) ?? toBit(written);
    if (bit === UNSURE) {
      checkHeadersSlowly(raw);
      return;
    }
    if ((seen & bit) !== 0) throw repeated(written);
    seen |= bit;
  }
}

const UNSURE = -1;

function toBit(written: string): number {
  const name = written.toLowerCase();
  const once = isOnce(name);
  let at = once ? names.indexOf(name) : -1;
  if (once && at < 0 && names.length < MAX_BITS) at = names.push(name) - 1;
  if (once && at < 0) return UNSURE;
  const bit = once ? 1 << at : 0;
  if (bits.size < MAX_SPELLINGS) bits.set(written, bit);
  return bit;
}

function checkHeadersSlowly(raw: readonly string[]): void {
  const seen = new Set<string>();
  for (let i = 0; i < raw.length; i += 2) {
    const name = (raw[i] ?? '').toLowerCase();
    if (!isOnce(name)) continue;
    if (seen.has(name)) throw repeated(name);
    seen.add(name);
  }
}

function isOnce(name: string): boolean {
  return ONCE.includes(name) || name.startsWith('mcp-');
}

function repeated(name: string): FaultError {
  return new FaultError('invalid_request', `The ${name.toLowerCase()} header stands twice.`);
}

let lastHost: { readonly host: string; readonly settings: GatewaySettings } | undefined;

function isAllowedHost(host: string, settings: GatewaySettings): boolean {
  // Clients repeat themselves: the host that was right a moment ago is right now.
  if (lastHost !== undefined && lastHost.host === host && lastHost.settings === settings) return true;
  const name = hostName(host);
  const allowed =
    LOOPBACK_NAMES.has(name) ||
    name === settings.host.toLowerCase() ||
    settings.allowedHosts.some((one) => one.toLowerCase() === name);
  if (allowed) lastHost = { host, settings };
  return allowed;
}

function hostName(host: string): string {
  const match = /^(\[[0-9a-f:.]+\]|[a-z0-9_.-]+)(?::(\d{1,5}))?$/i.exec(host);
  // A port that is none makes an absolute target that no URL parser takes.
  if (match === null || Number(match[2] ?? 0) > 65_535) return '';
  return match[1]?.toLowerCase() ?? '';
}

function isAllowedOrigin(origin: string, settings: GatewaySettings): boolean {
  if (settings.allowedOrigins.includes(origin)) return true;
  const match = /^https?:\/\/(\[[0-9a-f:.]+\]|[a-z0-9_.-]+)(?::\d{1,5})?$/i.exec(origin);
  return match !== null && LOOPBACK_NAMES.has(match[1]?.toLowerCase() ?? '');
}
