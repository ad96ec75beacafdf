// Public addresses of the internet. An address in an unlisted range counts as private.
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

/** The prefix of all global unicast addresses of IPv6 (RFC 4291 section 2.4, IANA's address space registry). */
const GLOBAL_IPV6 = ipaddr.IPv6.parseCIDR('2000::/3');
/**
 * Azure's platform inside each virtual machine: name servers, and the configuration of its agent with certificates and
 * keys. The only such address outside the special ranges.
 */
const AZURE_PLATFORM = '168.63.129.16';

/**
 * True for an address of the public internet, false for other addresses, undefined for names. Accepts brackets around
 * IPv6. Mapped IPv4 counts as the IPv4 address; translated and tunnelled IPv4 is private. `range()` returns `unicast`
 * for unknown ranges such as `::127.0.0.1` too, so the second condition is needed.
 */
export function isPublicAddress(text: string): boolean | undefined {
  const bare = text.startsWith('[') ? text.slice(1, -1) : text;
  if (!ipaddr.isValid(bare)) return undefined;
  const address = ipaddr.process(bare);
  if (address.range() !== 'unicast' || address.toString() === AZURE_PLATFORM) return false;
  return address instanceof ipaddr.IPv4 || address.match(GLOBAL_IPV6);
}

/** False for names without a dot and below private suffixes. They are rejected without a lookup. */
export function isPublicName(host: string): boolean {
  if (isPublicAddress(host) !== undefined) return true;
  const labels = host.toLowerCase().replace(/\.$/, '').split('.');
  return labels.length > 1 && !PRIVATE_SUFFIXES.has(labels.at(-1) ?? '');
}
