import { isIpAddress, isLoopbackAddress, isMetadataAddress, isPublicAddress } from '../core/public-address.ts';

/**
 * Where a host leads, as far as its text says. `metadata`: to the service that hands out a cloud machine's credentials.
 * `unclear`: a name without a dot, or with a private address in it, which may be one of the local network.
 */
export type Destination = 'metadata' | 'private' | 'unclear' | 'public';

/** Schemes that hold another URI, which is the one that is opened. */
export const WRAPPERS: ReadonlySet<string> = new Set([
  ...['jar', 'view-source', 'feed', 'blob', 'filesystem', 'url', 'jdbc'],
]);
/** Schemes that lead to a host, those of old protocols included: requests are forged through them first. */
const REACHED: ReadonlySet<string> = new Set([
  ...['http', 'https', 'ws', 'wss', 'ftp', 'ftps', 'sftp', 'tftp', 'gopher', 'dict', 'ldap', 'ldaps', 'smb', 'telnet'],
]);
const COMPOSED = /^[a-z0-9.-]{1,32}\+(https?|wss?|ftps?)$/;

export function toScheme(uri: string): string | undefined {
  return /^([a-z][a-z0-9+.-]{0,63}):/i.exec(uri)?.[1]?.toLowerCase();
}

/** The scheme that decides how the host is read; `undefined`: the scheme may be a server's own. */
export function toReached(scheme: string): string | undefined {
  return REACHED.has(scheme) ? scheme : COMPOSED.exec(scheme)?.[1];
}

/**
 * A URI as a client would open it. The WHATWG parser reads decimal, hexadecimal and octal numbers, short forms, full-width
 * or circled digits, `%31`, missing slashes and tabs as everybody's fetch does, and knows that what stands before an `@` is no
 * host. Hosts of other schemes are read as those of http are: every program that opens such a URI may do so, too.
 * @returns `undefined`: it leads to no host
 */
export function readUrl(uri: string): URL | undefined {
  const scheme = toScheme(uri);
  if (scheme === undefined) return undefined;
  if (/^(?:https?|wss?|ftp)$/.test(scheme)) return toUrl(uri);
  const rest = uri.slice(scheme.length + 1);
  // The path of a file on this machine has three slashes.
  const leads = scheme === 'file' ? /^[\\/]{2}(?:[\\/]{2})?[^\\/]/ : /^[\\/]{2}/;
  return toReached(scheme) !== undefined || leads.test(rest) ? toUrl(`http:${rest}`) : undefined;
}

function toUrl(text: string): URL | undefined {
  return URL.canParse(text) ? new URL(text) : undefined;
}

/** Is this host the machine that Sallyport runs on? */
export function isThisMachine(host: string): boolean {
  return /^(?:.{1,253}\.)?localhost$/.test(host) || isLoopbackAddress(host);
}

/** Is this host an IP address, as `URL` writes it? */
export function isAddress(host: string): boolean {
  return /^[\d.]+$/.test(host) || host.includes(':');
}

const METADATA_NAMES =
  /^(?:metadata(?:\.google\.internal|\.goog|\.tencentyun\.com|\.azure\.(?:com|internal))|instance-data(?:\.ec2\.internal)?)$/;
/** Names that resolve within a network of one's own: RFC 6761, RFC 6762, ICANN's `.internal`. */
const PRIVATE_NAMES = /(?:^|\.)(?:localhost|local|internal|intranet|lan|corp|home\.arpa|localdomain)$/;
/** Public names that everybody's DNS answers with 127.0.0.1. */
const LOOPBACK_NAMES = /(?:^|\.)(?:localtest\.me|lvh\.me|vcap\.me|lacolhost\.com|yoogle\.com)$/;
/** Public DNS services that answer with the address written in the name: decimal, hexadecimal, or IPv6 with dashes. */
const WILDCARD_DNS =
  /^(.{1,253})\.(?:nip\.io|sslip\.io|xip\.io|xip\.name|traefik\.me|backname\.io|local-ip\.(?:co|sh)|rbndr\.us|1u\.ms)$/;
/** Every place where an address can begin, so that a number before it hides none. */
const DECIMAL = /(?<=^|[.-])(?=(\d{1,3})[.-](\d{1,3})[.-](\d{1,3})[.-](\d{1,3})(?:[.-]|$))/g;
const HEXADECIMAL = /(?<=^|[.-])[0-9a-f]{8}(?=[.-]|$)/g;

/** @param host as `URL` gives it, or an address as a resolver does */
export function toDestination(host: string): Destination {
  const bare =
    host
      .toLowerCase()
      .replace(/^\[(.*)\]$/, '$1')
      .replace(/\.$/, '')
      .split('%', 1)[0] ?? '';
  if (isAddress(bare)) return ofAddress(bare);
  if (METADATA_NAMES.test(bare)) return 'metadata';
  if (PRIVATE_NAMES.test(bare) || LOOPBACK_NAMES.test(bare)) return 'private';
  if (!bare.includes('.')) return 'unclear';
  const named = WILDCARD_DNS.exec(bare)?.[1];
  if (named !== undefined) return worstOf([...decimalsIn(named), ...hexadecimalsIn(named), ...longAddressesIn(named)]);
  // Any owner of a domain can do the same; clouds name machines so, too.
  const place = worstOf(decimalsIn(bare));
  return place === 'private' ? 'unclear' : place;
}

function ofAddress(address: string): 'metadata' | 'private' | 'public' {
  if (isMetadataAddress(address)) return 'metadata';
  return isPublicAddress(address) ? 'public' : 'private';
}

function worstOf(addresses: readonly string[]): 'metadata' | 'private' | 'public' {
  const places = new Set(addresses.map(ofAddress));
  return places.has('metadata') ? 'metadata' : places.has('private') ? 'private' : 'public';
}

function decimalsIn(name: string): readonly string[] {
  const found = [...name.matchAll(DECIMAL)].map((match) => match.slice(1, 5).map(Number));
  return found.filter((parts) => parts.every((part) => part <= 255)).map((parts) => parts.join('.'));
}

function hexadecimalsIn(name: string): readonly string[] {
  return [...name.matchAll(HEXADECIMAL)].map(([digits]) => Buffer.from(digits, 'hex').join('.'));
}

function longAddressesIn(name: string): readonly string[] {
  return name
    .split('.')
    .map((label) => label.replaceAll('-', ':'))
    .filter((label) => isIpAddress(label));
}
