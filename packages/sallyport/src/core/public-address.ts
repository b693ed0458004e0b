import ipaddr from 'ipaddr.js';

/**
 * Whether an IP address (as text) is one that the whole Internet reaches. Everything else is a way in: loopback, private
 * and link-local ranges, the metadata services of clouds, and IPv6 forms that wrap an IPv4 address. No address: false.
 */
export function isPublicAddress(text: string): boolean {
  const address = parse(text);
  return address !== undefined && address.range() === 'unicast';
}

/** Whether an IP address (as text) leads to this machine only. */
export function isLoopbackAddress(text: string): boolean {
  return parse(text)?.range() === 'loopback';
}

/** An IPv4 address within an IPv6 one (`::ffff:127.0.0.1`) counts as itself. Short forms (`0x7f.1`) are no addresses. */
function parse(text: string): ReturnType<typeof ipaddr.process> | undefined {
  const bare = text.replace(/^\[(.*)\]$/, '$1');
  const isWritten = ipaddr.IPv4.isValidFourPartDecimal(bare) || (bare.includes(':') && ipaddr.IPv6.isValid(bare));
  return isWritten ? ipaddr.process(bare) : undefined;
}

/** Ranges of a network of one's own. The metadata services of clouds are never among them. */
const OWN_NETWORK: ReadonlySet<string> = new Set(['private', 'uniqueLocal', 'carrierGradeNat']);
/** Where Amazon's and Alibaba's metadata services answer beside the link-local address. */
const METADATA: ReadonlySet<string> = new Set(['fd00:ec2::254', '100.100.100.200']);

/** Whether an IP address (as text) belongs to a private network; link-local addresses do not. */
export function isPrivateAddress(text: string): boolean {
  const address = parse(text);
  return address !== undefined && OWN_NETWORK.has(address.range()) && !METADATA.has(address.toString());
}
