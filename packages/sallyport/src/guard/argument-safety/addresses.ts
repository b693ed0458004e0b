import { decodePercent } from '../../core/percent.ts';
import { isMetadataAddress, isPrivateAddress, isPublicAddress } from '../../core/public-address.ts';

/** Where a URL or host leads. `metadata`: to the service that hands out a cloud machine's credentials. */
export type Destination = 'metadata' | 'private' | 'public';

const METADATA_NAMES =
  /^(?:metadata(?:\.google\.internal|\.goog|\.tencentyun\.com|\.azure\.(?:com|internal))|instance-data(?:\.ec2\.internal)?|169-254-169-254\.[\w.-]{0,200})\.?$/;
/** Names that resolve within a network of one's own: RFC 6761, RFC 6762, ICANN's `.internal`. */
const PRIVATE_NAMES = /(?:^|\.)(?:localhost|local|internal|intranet|lan|corp|home\.arpa|localdomain)\.?$/;
/** Public DNS services that answer with the address written in the name. */
const ADDRESS_IN_NAME =
  /(?:^|[.-])((?:\d{1,3}[.-]){3}\d{1,3})\.(?:nip\.io|sslip\.io|xip\.io|traefik\.me|localtest\.me|lvh\.me|vcap\.me)$/;
const LOOPBACK_NAMES = /(?:^|\.)(?:localtest\.me|lvh\.me|vcap\.me|lacolhost\.com|yoogle\.com)$/;

/**
 * The host as a client would reach it: the WHATWG parser reads decimal, hexadecimal and octal numbers, short forms, and
 * full-width or circled digits as everybody's fetch does, and knows that what stands before an `@` is no host.
 */
export function toHost(written: string): string | undefined {
  // Other schemes leave their hosts unread.
  const url = written.replace(/^[a-z][a-z0-9+.-]{0,20}:[\\/]{2}/i, 'http://');
  try {
    return new URL(url).hostname.toLowerCase();
  } catch {
    return undefined;
  }
}

/** @param host as {@link toHost} gives it */
export function toDestination(host: string): Destination {
  const bare = host.replace(/^\[(.*)\]$/, '$1');
  if (isMetadataAddress(bare) || METADATA_NAMES.test(bare)) return 'metadata';
  const named = ADDRESS_IN_NAME.exec(bare)?.[1]?.replaceAll('-', '.');
  if (named !== undefined) return isMetadataAddress(named) ? 'metadata' : isPublicAddress(named) ? 'public' : 'private';
  if (PRIVATE_NAMES.test(bare) || LOOPBACK_NAMES.test(bare)) return 'private';
  const isAddress = /^[\d.]+$/.test(bare) || bare.includes(':');
  return isAddress && (!isPublicAddress(bare) || isPrivateAddress(bare)) ? 'private' : 'public';
}

const URL_INSIDE = /[a-z][a-z0-9+.-]{1,15}:[\\/]{2}[^\s"'`<>|;)]{1,2048}/gi;
const MAX_URLS = 64;

/** Every URL in a text, those that another one carries in its query included. */
export function urlsIn(text: string): readonly string[] {
  const urls: string[] = [];
  for (const [url] of text.matchAll(URL_INSIDE)) {
    if (urls.length >= MAX_URLS) break;
    urls.push(url);
    const query = url.indexOf('?');
    const carried =
      query < 0
        ? undefined
        : /(?:https?|gopher|ftp|dict|ldap|file)(?::|%3a)(?:\/|%2f){2}.{1,1024}/i.exec(url.slice(query));
    if (carried !== null && carried !== undefined) urls.push(decode(carried[0]));
  }
  return urls;
}

/** What cannot be decoded stays as it is. */
export function decode(text: string): string {
  const plain = decodePercent(text);
  if (plain !== undefined) return plain;
  return text.replace(/%([0-7][0-9a-f])/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
}
