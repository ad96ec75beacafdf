// Closes the gaps of Node's permission model in a child process: connections, name lookups, signals and databases. The
// model does not cover sockets before Node 25, nor SQLite's files. All of Node's and its packages' ways (fetch, http,
// tls, WebSocket) lead through the few functions that are closed here. This is a second fence; only the operating
// system could confine native code.
import crypto from 'node:crypto';
import dgram from 'node:dgram';
import dns from 'node:dns';
import { syncBuiltinESMExports } from 'node:module';
import net from 'node:net';
import os from 'node:os';
import sqlite from 'node:sqlite';
import tracing from 'node:trace_events';

/** The error of a closed function, with the code of the permission model. */
class AccessDenied extends Error {
  readonly code = 'ERR_ACCESS_DENIED';
  constructor(what: string) {
    super(`A process that works on documents may not use ${what}.`);
    this.name = 'AccessDenied';
  }
}

/** The closed members of each owner. Members with `_` are internal and reachable all the same. */
const CLOSED: readonly (readonly [name: string, owner: object, members: readonly string[]])[] = [
  ['net.Socket', net.Socket.prototype, ['connect']],
  ['net.Server', net.Server.prototype, ['listen', '_listen2', '_setupWorker']],
  ['net', net, ['_createServerHandle']],
  ['dgram.Socket', dgram.Socket.prototype, ['bind', 'connect', 'send']],
  ['dgram', dgram, ['createSocket', '_createSocketHandle']],
  ['crypto', crypto, ['setEngine']],
  ['os', os, ['setPriority']],
  ['sqlite', sqlite, ['DatabaseSync', 'backup']],
  ['trace_events', tracing, ['createTracing']],
  ['process', process, ['kill', '_kill', '_debugProcess', '_debugEnd', 'execve', 'dlopen']],
];

/** Closes these members for the life of the process and empties its environment. JavaScript cannot undo it. */
export function confine(): void {
  for (const name of Object.keys(process.env)) Reflect.deleteProperty(process.env, name);
  for (const [name, owner, members] of CLOSED) close(name, owner, members);
  for (const pipe of new Set(openPipes())) close('pipe', pipe, ['connect', 'bind', 'listen', 'open']);
  // Every name lookup: the functions, their promises, and both kinds of resolvers.
  for (const owner of [dns, dns.promises, dns.Resolver.prototype, dns.promises.Resolver.prototype])
    close(
      'dns',
      owner,
      namesOf(owner).filter((name) => /^(?:lookup|lookupService|resolve\w*|reverse)$/.test(name)),
    );
  syncBuiltinESMExports();
}

/** The handles of the standard streams. Each leads to a class that opens sockets by a path. */
function openPipes(): object[] {
  const streams: readonly object[] = [process.stdin, process.stdout, process.stderr];
  return streams.flatMap((stream) => {
    const handle: unknown = Reflect.get(stream, '_handle');
    return typeof handle === 'object' && handle !== null ? [Object.getPrototypeOf(handle) as object] : [];
  });
}

function close(name: string, owner: object, members: readonly string[]): void {
  for (const member of members) {
    if (!(member in owner)) continue;
    // No arrow function, because some members are called with `new`.
    const deny = function (): never {
      throw new AccessDenied(`${name}.${member}`);
    };
    Object.defineProperty(owner, member, { value: deny, writable: false, configurable: false });
  }
}

/** Names on the object and its prototypes, without those of `Object.prototype`. */
function namesOf(owner: object): string[] {
  const parent = Object.getPrototypeOf(owner) as object | null;
  const inherited = parent === null || parent === Object.prototype ? [] : namesOf(parent);
  return [...Object.getOwnPropertyNames(owner), ...inherited];
}
