import { isLoopbackAddress, isMetadataAddress, isPublicAddress } from '../../core/public-address.ts';

/** Names that lead inside, whatever they resolve to: this machine, local networks, the metadata service of a cloud. */
const INSIDE =
  /^(?:localhost|.{1,253}\.(?:localhost|localdomain|local|internal|intranet|lan|corp|home\.arpa)|metadata)$/i;
/** Names that resolve to the address written in them (nip.io and its like). */
const NAMED_ADDRESS = /(?:^|[.-])(\d{1,3})[.-](\d{1,3})[.-](\d{1,3})[.-](\d{1,3})(?=[.-])/;

/** Is this host the machine that Sallyport runs on? */
export function isThisMachine(host: string): boolean {
  return /^(?:.{1,253}\.)?localhost$/.test(host) || isLoopbackAddress(host);
}

/** Is this host an IP address, as `URL` writes it? */
export function isAddress(host: string): boolean {
  return /^[\d.]+$/.test(host) || host.includes(':');
}

/**
 * Does a host lead to this machine, a private network or a metadata service, as far as its text says?
 * @param host as `URL` gives it, or an address as a resolver does
 */
export function findInside(host: string): 'address' | 'name' | undefined {
  const bare = host.replace(/^\[(.*)\]$/, '$1').split('%', 1)[0] ?? '';
  if (isAddress(bare))
    return !isPublicAddress(bare) || isLoopbackAddress(bare) || isMetadataAddress(bare) ? 'address' : undefined;
  // A name without a dot is one of the local network: no public one is.
  if (INSIDE.test(bare) || !bare.includes('.')) return 'name';
  const named = NAMED_ADDRESS.exec(bare);
  return named !== null && !isPublicAddress(named.slice(1, 5).map(Number).join('.')) ? 'name' : undefined;
}
