// Opens sockets to public addresses only. Three checks, because each alone has a gap: Node never looks up a host that
// is already an address, so a check in the lookup misses ten of fourteen spellings of loopback; a check of the name
// before the connection misses a name with a different later answer; the address of the connected socket is final.
import { lookup as lookupName } from 'node:dns';
import { Resolver } from 'node:dns/promises';
import type { LookupFunction } from 'node:net';
import { buildConnector } from 'undici';
import { isPublicAddress } from './address.ts';
import { DownloadError } from './errors.ts';

/** All addresses of a name in the order of attempts. */
export type Lookup = (host: string) => Promise<readonly Address[]>;

/** One address of a name. */
export interface Address {
  readonly address: string;
  readonly family: 4 | 6;
}

/**
 * The lookup of the operating system, with its file of hosts. It holds one of the two threads that a process has for
 * names until it ends, however long a name server is silent.
 */
export const lookupBySystem: Lookup = (host) =>
  new Promise((resolve, reject) => {
    lookupName(host, { all: true }, (error, addresses) => {
      if (error === null)
        resolve(addresses.map(({ address, family }) => ({ address, family: family === 6 ? 6 : 4 })));
      else reject(error);
    });
  });

/** Milliseconds that a name server has for its first answer, and how often it is tried. */
const RESOLVER = { timeout: 2000, tries: 2 } as const;

/**
 * The lookup of names that clients choose, by the name servers of the system over sockets of its own: a domain whose
 * name servers are silent would keep the threads of {@link lookupBySystem} from every other name, the chain's included.
 *
 * @param servers default those of the system, read for each name, because they change with the network
 */
export async function lookupByServers(
  host: string,
  servers?: readonly string[],
): Promise<readonly Address[]> {
  const resolver = new Resolver(RESOLVER);
  if (servers !== undefined) resolver.setServers(servers);
  const answers = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
  const addresses = answers.flatMap((answer, index) =>
    answer.status === 'rejected'
      ? []
      : answer.value.map((address): Address => ({ address, family: index === 0 ? 4 : 6 })),
  );
  if (addresses.length === 0) throw Object.assign(new Error('no address'), { code: 'ENOTFOUND' });
  return addresses;
}

/** Options of {@link createConnect}. */
export interface ConnectOptions {
  /** Allowed `host:port`, whatever their address. */
  readonly allow: ReadonlySet<string>;
  /** Default: the system's for allowed names, which its file of hosts may have, and its name servers for others. */
  readonly lookup?: Lookup | undefined;
  readonly timeoutMs: number;
}

/** The `connect` of an undici agent. It rejects with `url_forbidden` before the first packet and checks again after. */
export function createConnect({ allow, lookup, timeoutMs }: ConnectOptions): buildConnector.connector {
  const open = { timeout: timeoutMs, allowH2: false, keepAlive: false };
  const connectAnywhere = buildConnector({ ...open, lookup: forSockets(lookup ?? lookupBySystem) });
  const connectPublic = buildConnector({
    ...open,
    lookup: forSockets(onlyPublic(lookup ?? lookupByServers)),
  });
  return (options, callback) => {
    if (isAllowed(options, allow)) connectAnywhere(options, callback);
    else if (isPublicAddress(options.hostname) === false) callback(notPublic(), null);
    else connectPublic(options, onlyToPublic(callback));
  };
}

/** Passes on a socket to a public address and closes any other. */
function onlyToPublic(callback: buildConnector.Callback): buildConnector.Callback {
  return (...[error, socket]) => {
    if (error !== null) {
      callback(error, null);
    } else if (isPublicAddress(socket.remoteAddress ?? '') === true) {
      callback(null, socket);
    } else {
      socket.destroy();
      callback(notPublic(), null);
    }
  };
}

function isAllowed(
  { hostname, protocol, port }: buildConnector.Options,
  allow: ReadonlySet<string>,
): boolean {
  const host = hostname.includes(':') && !hostname.startsWith('[') ? `[${hostname}]` : hostname;
  return allow.has(`${host}:${port || (protocol === 'https:' ? '443' : '80')}`);
}

/** Requires that every address is public; a name with one private address is rejected. */
function onlyPublic(lookup: Lookup): Lookup {
  return async (host) => {
    const addresses = await lookup(host);
    if (addresses.every(({ address }) => isPublicAddress(address) === true)) return addresses;
    throw notPublic();
  };
}

/** Node requests all addresses when it can try several, otherwise one. */
function forSockets(lookup: Lookup): LookupFunction {
  return (host, options, callback) => {
    lookup(host).then(
      (addresses) => {
        const [first] = addresses;
        if (first === undefined)
          callback(Object.assign(new Error('no address'), { code: 'ENOTFOUND' }), '', 0);
        else if (options.all === true) callback(null, [...addresses]);
        else callback(null, first.address, first.family);
      },
      (error: unknown) => callback(error instanceof Error ? error : new Error(String(error)), '', 0),
    );
  };
}

function notPublic(): DownloadError {
  return new DownloadError('url_forbidden', 'it is not on the public internet');
}
