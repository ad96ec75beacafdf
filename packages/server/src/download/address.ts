// What belongs to the public internet. Everything that is not known to be public counts as private.
import ipaddr from 'ipaddr.js';

/** Names that never resolve to a public host: RFC 6761, 6762, 8375, 9476 and ICANN's `internal`. */
const PRIVATE_SUFFIXES: ReadonlySet<string> = new Set([
  'localhost',
  'local',
  'internal',
  'arpa',
  'alt',
  'onion',
  'test',
  'invalid',
]);

/** All global unicast addresses of IPv6 begin like this (RFC 4291 section 2.4, IANA's address space registry). */
const GLOBAL_IPV6 = ipaddr.IPv6.parseCIDR('2000::/3');
/**
 * The platform of Azure, for each of its virtual machines another one: its name servers, and what its agent is told,
 * with certificates and keys. The one such address that is no special range.
 */
const AZURE_PLATFORM = '168.63.129.16';

/**
 * True when the text is an address of the public internet, false when it is another address, undefined when it is a
 * name. Brackets around IPv6 are fine. Mapped IPv4 counts as the IPv4 address; translated and tunnelled IPv4 as
 * private. `range()` calls plain addresses `unicast`, but also what it knows nothing of, such as `::127.0.0.1`: hence
 * the second condition.
 */
export function isPublicAddress(text: string): boolean | undefined {
  const bare = text.startsWith('[') ? text.slice(1, -1) : text;
  if (!ipaddr.isValid(bare)) return undefined;
  const address = ipaddr.process(bare);
  if (address.range() !== 'unicast' || address.toString() === AZURE_PLATFORM) return false;
  return address instanceof ipaddr.IPv4 || address.match(GLOBAL_IPV6);
}

/** False for names without a dot and below suffixes kept for private use; they are not even looked up. */
export function isPublicName(host: string): boolean {
  if (isPublicAddress(host) !== undefined) return true;
  const labels = host.toLowerCase().replace(/\.$/, '').split('.');
  return labels.length > 1 && !PRIVATE_SUFFIXES.has(labels.at(-1) ?? '');
}
