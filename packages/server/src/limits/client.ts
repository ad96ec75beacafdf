// The client of a request, for quota and rate limits: the address of the socket, or the one a trusted proxy reports.
import { createHmac } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import ipaddr from 'ipaddr.js';
import type { Settings } from '../settings/settings.ts';

type Address = ReturnType<typeof ipaddr.process>;
type Network = ReturnType<typeof ipaddr.parseCIDR>;

/**
 * Names the client of a request: an IPv4 address, also when a translator wrote it into an IPv6 address, or the /64
 * network of an IPv6 address.
 */
export type IdentifyClient = (remoteAddress: string | undefined, forwardedFor: string | undefined) => string;

/** Bits of an IPv6 address that a provider assigns to one household. A client chooses the lower bits freely. */
const IPV6_NETWORK_BITS = 64;
/**
 * IPv4 addresses as a translator in front of an IPv6-only server writes them (RFC 6052). The whole IPv4 internet is one
 * /64 there, and only the translator can send from it. Other translation prefixes belong to single networks; the
 * position of the address in them is unknown.
 */
const TRANSLATED = ipaddr.parseCIDR('64:ff9b::/96');
const UNKNOWN = 'unknown';
/** Cached names of addresses. Parsing an address costs more than every other step for it. */
const MAX_CACHED = 1024;

/**
 * @param trustedProxies addresses or networks (`10.0.0.0/8`) whose `X-Forwarded-For` counts
 */
export function createClientIdentity(trustedProxies: readonly string[]): IdentifyClient {
  const networks = trustedProxies.map(parseNetwork);
  const isTrusted = (address: Address): boolean => networks.some((network) => isWithin(address, network));

  const identify: IdentifyClient = (remoteAddress, forwardedFor) => {
    let client = parseAddress(remoteAddress ?? '');
    if (client === undefined) return UNKNOWN;
    // Each proxy appends its peer on the right. The walk goes left while the sender of an entry is trusted.
    const hops = (forwardedFor ?? '').split(',').reverse();
    for (const hop of hops) {
      if (!isTrusted(client)) break;
      const before = parseAddress(hop);
      if (before === undefined) break;
      client = before;
    }
    return show(client);
  };
  const cached = new Map<string, string>();
  return (remoteAddress, forwardedFor) => {
    if (remoteAddress === undefined || forwardedFor !== undefined)
      return identify(remoteAddress, forwardedFor);
    const name = cached.get(remoteAddress) ?? identify(remoteAddress, undefined);
    if (cached.size >= MAX_CACHED) cached.clear();
    cached.set(remoteAddress, name);
    return name;
  };
}

/**
 * Names clients in the log: equal clients have equal names. Addresses are few enough to try them all, so the key must
 * be secret and never stored.
 */
export function createClientHash(key: Uint8Array): (client: string) => string {
  return (client) => createHmac('sha256', key).update(client).digest('hex').slice(0, 12);
}

/** The name of clients at `::1`. */
const LOOPBACK_NETWORK = `::/${IPV6_NETWORK_BITS}`;

/**
 * False when a request does not count against the rate limit: it is one of this machine, no proxy has forwarded it, and
 * the settings do not limit such requests. A local proxy that adds no header looks like a program of this machine.
 */
export function isRateLimited(
  { client, headers }: { readonly client: string; readonly headers: IncomingHttpHeaders },
  { limitsLocal }: Pick<Settings, 'limitsLocal'>,
): boolean {
  if (limitsLocal || (client !== LOOPBACK_NETWORK && !client.startsWith('127.'))) return true;
  return Object.keys(headers).some((name) => /^(?:forwarded|via|x-real-ip|x-forwarded-.*)$/.test(name));
}

function parseNetwork(text: string): Network {
  if (text.includes('/')) return ipaddr.parseCIDR(text);
  const address = ipaddr.process(text);
  return [address, address.kind() === 'ipv4' ? 32 : 128];
}

/** Accepts `1.2.3.4:5678` and `[2001:db8::1]:443` too, because some proxies add the port. */
function parseAddress(text: string): Address | undefined {
  const bare = text
    .trim()
    .replace(/^\[([^\]]*)\](?::\d+)?$/, '$1')
    .replace(/^(\d+\.\d+\.\d+\.\d+):\d+$/, '$1')
    .replace(/%.*$/, '');
  // `isValid` alone accepts `127.1` and plain numbers, which no proxy writes.
  if (!ipaddr.IPv4.isValidFourPartDecimal(bare) && !ipaddr.IPv6.isValid(bare)) return undefined;
  return ipaddr.process(bare);
}

function isWithin(address: Address, [network, bits]: Network): boolean {
  return address.kind() === network.kind() && address.match(network, bits);
}

function show(address: Address): string {
  if (address.kind() === 'ipv4') return address.toString();
  if (isWithin(address, TRANSLATED)) return address.toByteArray().slice(12).join('.');
  return `${ipaddr.IPv6.networkAddressFromCIDR(`${address.toString()}/${IPV6_NETWORK_BITS}`).toString()}/${IPV6_NETWORK_BITS}`;
}
