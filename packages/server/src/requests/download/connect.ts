// Opens sockets to public addresses only. Three checks, because each alone has a gap: Node never looks up a host that
// is already an address, so a check in the lookup misses ten of fourteen spellings of loopback; a check of the name
// before the connection misses a name with a different later answer; the address of the connected socket is final.
import { lookup as lookupName } from 'node:dns';
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

/** The lookup of the operating system. */
export const lookupBySystem: Lookup = (host) =>
  new Promise((resolve, reject) => {
    lookupName(host, { all: true }, (error, addresses) => {
      if (error === null)
        resolve(addresses.map(({ address, family }) => ({ address, family: family === 6 ? 6 : 4 })));
      else reject(error);
    });
  });

/** Options of {@link createConnect}. */
export interface ConnectOptions {
  /** Allowed `host:port`, whatever their address. */
  readonly allow: ReadonlySet<string>;
  readonly lookup: Lookup;
  readonly timeoutMs: number;
}

/** The `connect` of an undici agent. It rejects with `url_forbidden` before the first packet and checks again after. */
export function createConnect({ allow, lookup, timeoutMs }: ConnectOptions): buildConnector.connector {
  const open = { timeout: timeoutMs, allowH2: false, keepAlive: false };
  const connectAnywhere = buildConnector({ ...open, lookup: forSockets(lookup) });
  const connectPublic = buildConnector({ ...open, lookup: forSockets(onlyPublic(lookup)) });
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
