import type { ResourceSettings } from '../../../config/scan-section.ts';
import { matchesGlob } from '../../../core/glob.ts';
import { isLoopbackAddress, isPublicAddress } from '../../../core/public-address.ts';

export interface UriContext {
  readonly settings: ResourceSettings;
  /** Host of the server's own address; `undefined`: it runs on this machine. */
  readonly ownHost: string | undefined;
  /** The server itself reads it: its files are its own. */
  readonly isRead?: boolean;
}

/** Content that pretends to be a place. */
const NO_PLACE: ReadonlySet<string> = new Set(['javascript', 'vbscript', 'data']);
const REACHED: ReadonlySet<string> = new Set(['http', 'https', 'ws', 'wss', 'ftp', 'ftps']);
/** Names that lead inside, whatever they resolve to: this machine, local networks, the metadata service of a cloud. */
const INSIDE = /^(?:localhost|.{1,253}\.(?:localhost|local|internal|intranet|lan|home\.arpa)|metadata)\.?$/i;
/** Names that resolve to the address written in them (nip.io and its like). */
const NAMED_ADDRESS = /(?:^|[.-])(\d{1,3})[.-](\d{1,3})[.-](\d{1,3})[.-](\d{1,3})(?=[.-])/;
/** Files that hold keys and accounts. */
const SENSITIVE_FILE =
  /\/\.(?:ssh|aws|gnupg|kube|docker|netrc|env|npmrc|pypirc|git-credentials)(?:[/.]|$)|\/etc\/(?:passwd|shadow|sudoers)|\/proc\/|\/(?:id_rsa|id_ed25519)\b/i;

/**
 * May a resource, or a link to one, lead there? Names are not resolved: whoever opens the link checks the address it
 * connects to.
 * @returns why not, for people and models; `undefined`: it may
 */
export function findForbiddenUri(uri: string, { settings, ownHost, isRead }: UriContext): string | undefined {
  const scheme = /^([a-z][a-z0-9+.-]{0,63}):/i.exec(uri)?.[1]?.toLowerCase();
  // A URI without a scheme is the server's own name for something.
  if (scheme === undefined) return uri.startsWith('//') ? 'it has no scheme' : undefined;
  if (settings.schemes !== undefined && !settings.schemes.includes(scheme))
    return `the scheme ${scheme}: is not allowed`;
  if (settings.schemes === undefined && NO_PLACE.has(scheme)) return `${scheme}: is content and no place`;
  if (scheme === 'file') return isRead === true ? undefined : findForbiddenFile(uri, { settings, ownHost });
  if (!REACHED.has(scheme)) return undefined;
  if (!URL.canParse(uri)) return 'it is no URL';
  const { hostname, username, password } = new URL(uri);
  if (username !== '' || password !== '') return 'it holds a user name or password';
  const host = hostname.toLowerCase().replace(/\.$/, '');
  if (host === ownHost) return undefined;
  if (!settings.private && leadsInside(host)) return 'it leads to this machine or a private network';
  if (settings.hosts !== undefined && !settings.hosts.some((glob) => matchesGlob(glob.toLowerCase(), host)))
    return 'its host is not allowed';
  return undefined;
}

function findForbiddenFile(uri: string, { settings, ownHost }: UriContext): string | undefined {
  if (settings.schemes === undefined && ownHost !== undefined) return 'a server on another machine has no files here';
  return SENSITIVE_FILE.test(decode(uri)) ? 'it names a file that holds keys or accounts' : undefined;
}

function decode(uri: string): string {
  try {
    return decodeURIComponent(uri);
  } catch {
    return uri;
  }
}

/** URL has made `0x7f.1` and `2130706433` the addresses they are. */
function leadsInside(host: string): boolean {
  const bare = host.replace(/^\[(.*)\]$/, '$1');
  if (INSIDE.test(bare)) return true;
  const isAddress = /^[\d.]+$/.test(bare) || bare.includes(':');
  if (isAddress) return !isPublicAddress(bare) || isLoopbackAddress(bare);
  const named = NAMED_ADDRESS.exec(bare);
  return named !== null && !isPublicAddress(named.slice(1, 5).map(Number).join('.'));
}
