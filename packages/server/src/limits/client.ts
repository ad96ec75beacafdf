// Who a request comes from, as far as the quota is concerned: the socket's address, or what a trusted proxy says.
import ipaddr from 'ipaddr.js';

type Address = ReturnType<typeof ipaddr.process>;
type Network = ReturnType<typeof ipaddr.parseCIDR>;

/**
 * Names the client of a request: an IPv4 address, also where a translator has put it into an IPv6 one, or the /64
 * network of an IPv6 address.
 */
export type IdentifyClient = (remoteAddress: string | undefined, forwardedFor: string | undefined) => string;

/** Bits of an IPv6 address that a provider gives to one household; below them a client picks at will. */
const IPV6_NETWORK_BITS = 64;
/**
 * IPv4 addresses as a translator before an IPv6-only server writes them (RFC 6052). The whole IPv4 internet is one /64
 * there, and nobody but the translator can send from it. The other translating prefixes are a network's own, and
 * nothing says where in them the address stands.
 */
const TRANSLATED = ipaddr.parseCIDR('64:ff9b::/96');
const UNKNOWN = 'unknown';
/** Addresses whose names are remembered: to read one costs more than all else that is done with it. */
const MAX_REMEMBERED = 1024;

/**
 * @param trustedProxies addresses or networks (`10.0.0.0/8`) whose `X-Forwarded-For` is believed
 */
export function createClientIdentity(trustedProxies: readonly string[]): IdentifyClient {
  const networks = trustedProxies.map(parseNetwork);
  const isTrusted = (address: Address): boolean => networks.some((network) => lies(address, network));

  const identify: IdentifyClient = (remoteAddress, forwardedFor) => {
    let client = parseAddress(remoteAddress ?? '');
    if (client === undefined) return UNKNOWN;
    // Every proxy adds its peer on the right: walk leftwards for as long as the one who speaks is trusted.
    const hops = (forwardedFor ?? '').split(',').reverse();
    for (const hop of hops) {
      if (!isTrusted(client)) break;
      const before = parseAddress(hop);
      if (before === undefined) break;
      client = before;
    }
    return show(client);
  };
  const remembered = new Map<string, string>();
  return (remoteAddress, forwardedFor) => {
    if (remoteAddress === undefined || forwardedFor !== undefined)
      return identify(remoteAddress, forwardedFor);
    const name = remembered.get(remoteAddress) ?? identify(remoteAddress, undefined);
    if (remembered.size >= MAX_REMEMBERED) remembered.clear();
    remembered.set(remoteAddress, name);
    return name;
  };
}

function parseNetwork(text: string): Network {
  if (text.includes('/')) return ipaddr.parseCIDR(text);
  const address = ipaddr.process(text);
  return [address, address.kind() === 'ipv4' ? 32 : 128];
}

/** Takes `1.2.3.4:5678` and `[2001:db8::1]:443` too, because some proxies add the port. */
function parseAddress(text: string): Address | undefined {
  const bare = text
    .trim()
    .replace(/^\[([^\]]*)\](?::\d+)?$/, '$1')
    .replace(/^(\d+\.\d+\.\d+\.\d+):\d+$/, '$1')
    .replace(/%.*$/, '');
  // `isValid` alone takes `127.1` and plain numbers, which no proxy writes.
  if (!ipaddr.IPv4.isValidFourPartDecimal(bare) && !ipaddr.IPv6.isValid(bare)) return undefined;
  return ipaddr.process(bare);
}

function lies(address: Address, [network, bits]: Network): boolean {
  return address.kind() === network.kind() && address.match(network, bits);
}

function show(address: Address): string {
  if (address.kind() === 'ipv4') return address.toString();
  if (lies(address, TRANSLATED)) return address.toByteArray().slice(12).join('.');
  return `${ipaddr.IPv6.networkAddressFromCIDR(`${address.toString()}/${IPV6_NETWORK_BITS}`).toString()}/${IPV6_NETWORK_BITS}`;
}
