// How a socket is opened, and the one place where an address is known for certain.
//
// Three checks, because each alone has a hole: Node never looks up a host that is an address already, so a guard in
// the lookup misses ten of fourteen spellings of loopback; a check of the name before connecting misses a name that
// resolves to something else a moment later; and the address that a socket is connected to is the last word.
import { lookup as lookupName } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { buildConnector } from 'undici';
import { isPublicAddress } from './address.ts';
import { DownloadError } from './errors.ts';

/** All addresses of a name, in the order in which they are to be tried. */
export type Lookup = (host: string) => Promise<readonly Address[]>;

/** One address that a name resolves to. */
export interface Address {
  readonly address: string;
  readonly family: 4 | 6;
}

/** Asks the system, as every other program on the machine does. */
export const lookupBySystem: Lookup = (host) =>
  new Promise((resolve, reject) => {
    lookupName(host, { all: true }, (error, addresses) => {
      if (error === null)
        resolve(addresses.map(({ address, family }) => ({ address, family: family === 6 ? 6 : 4 })));
      else reject(error);
    });
  });

/** What {@link createConnect} needs to know. */
export interface ConnectOptions {
  /** `host:port` that may be reached whatever their address is. */
  readonly allow: ReadonlySet<string>;
  readonly lookup: Lookup;
  readonly timeoutMs: number;
}

/** The `connect` of an undici agent. It refuses with `url_forbidden` before a packet leaves, and checks again after. */
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

/** Passes a socket on when the address that it is connected to is public, and closes it otherwise. */
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

/** Every address must be public: a name with one foot inside is not taken at all. */
function onlyPublic(lookup: Lookup): Lookup {
  return async (host) => {
    const addresses = await lookup(host);
    if (addresses.every(({ address }) => isPublicAddress(address) === true)) return addresses;
    throw notPublic();
  };
}

/** Node asks for one address or for all, depending on whether it may try several. */
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
