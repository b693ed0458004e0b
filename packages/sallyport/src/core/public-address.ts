import ipaddr from 'ipaddr.js';

/**
 * Whether an IP address (as text) is one that the whole Internet reaches. Everything else is a way in: loopback, private
 * and link-local ranges, the metadata services of clouds, and IPv6 forms that wrap an IPv4 address. No address: false.
 */
export function isPublicAddress(text: string): boolean {
  const address = parse(text);
  if (address === undefined || address.range() !== 'unicast') return false;
  // RFC 4291 section 2.4: what is given out lies in 2000::/3. `::7f00:1`, an IPv4 address without its mark, does not.
  return address.kind() === 'ipv4' || (address.toByteArray()[0] ?? 0) >> 5 === 1;
}

/** Whether a text is an IP address. */
export function isIpAddress(text: string): boolean {
  return parse(text) !== undefined;
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

/** Where clouds hand out credentials to whoever asks from within: AWS (EC2, ECS, EKS), Azure, Google, Alibaba, Tencent, Oracle. */
const METADATA_SERVICES: ReadonlySet<string> = new Set([
  ...METADATA,
  ...['169.254.169.254', '169.254.170.2', '169.254.170.23', '169.254.0.23', '168.63.129.16', '192.0.0.192'],
  ...['fd00:ec2::23', 'fd20:ce::254'],
]);
/** Prefixes that carry an IPv4 address: NAT64 (RFC 6052), and 6to4 (RFC 3056) further left. */
const NAT64 = /^64:ff9b:(?:1:)?.*?:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/;
const SIX_TO_FOUR = /^2002:([0-9a-f]{1,4}):([0-9a-f]{1,4}):/;

/** Whether an IP address (as text) is the metadata service of a cloud, wrapped in IPv6 or not. */
export function isMetadataAddress(text: string): boolean {
  const address = parse(text)?.toString();
  if (address === undefined) return false;
  const wrapped = NAT64.exec(address) ?? SIX_TO_FOUR.exec(address);
  return METADATA_SERVICES.has(wrapped === null ? address : toIpv4(wrapped[1] ?? '', wrapped[2] ?? ''));
}

function toIpv4(high: string, low: string): string {
  const [first, last] = [Number.parseInt(high, 16), Number.parseInt(low, 16)];
  return [first >> 8, first & 255, last >> 8, last & 255].join('.');
}

const NO_HOST: ReadonlySet<string> = new Set(['unspecified', 'broadcast', 'multicast']);

/**
 * Whether an address (as text) is one that nobody's own word leads to: a name that an operator wrote down and that
 * resolves there was turned (DNS rebinding). Private networks are where many servers are meant to be.
 */
export function isNeverMeant(text: string): boolean {
  const address = parse(text);
  return address === undefined || NO_HOST.has(address.range()) || isMetadataAddress(text);
}
