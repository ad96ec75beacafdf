// Takes from a child process what Node's permission model leaves it, which has no word for sockets before Node 25 and
// none for SQLite's files: the ways by which JavaScript opens a connection, resolves a name, sends a signal, or opens a
// database. All that Node and its packages offer for it (fetch, http, tls, WebSocket) goes through the few functions
// that are closed here. It is a second fence and not a wall: it does not hold native code that has gone wrong, which
// only the operating system could.
import crypto from 'node:crypto';
import dgram from 'node:dgram';
import dns from 'node:dns';
import { syncBuiltinESMExports } from 'node:module';
import net from 'node:net';
import os from 'node:os';
import sqlite from 'node:sqlite';
import tracing from 'node:trace_events';

/** What is thrown instead; the code is that of the permission model. */
class AccessDenied extends Error {
  readonly code = 'ERR_ACCESS_DENIED';
  constructor(what: string) {
    super(`A process that works on documents may not use ${what}.`);
    this.name = 'AccessDenied';
  }
}

/** Members that must not work any more, by what they belong to. Those with `_` are no interface, and there. */
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

/** Closes them for the rest of the process's life, and empties its environment. Cannot be undone from JavaScript. */
export function confine(): void {
  for (const name of Object.keys(process.env)) Reflect.deleteProperty(process.env, name);
  for (const [name, owner, members] of CLOSED) close(name, owner, members);
  for (const pipe of new Set(openPipes())) close('pipe', pipe, ['connect', 'bind', 'listen', 'open']);
  // Every question to a name server: the functions, their promises, and the resolvers of either kind.
  for (const owner of [dns, dns.promises, dns.Resolver.prototype, dns.promises.Resolver.prototype])
    close(
      'dns',
      owner,
      namesOf(owner).filter((name) => /^(?:lookup|lookupService|resolve\w*|reverse)$/.test(name)),
    );
  syncBuiltinESMExports();
}

/** What the standard streams are made of: any of it leads to a class that opens sockets by a path. */
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
    // A function of the old kind, because some are called with `new`.
    const refuse = function (): never {
      throw new AccessDenied(`${name}.${member}`);
    };
    Object.defineProperty(owner, member, { value: refuse, writable: false, configurable: false });
  }
}

/** Names on the object and on what it inherits from, save what every object has. */
function namesOf(owner: object): string[] {
  const parent = Object.getPrototypeOf(owner) as object | null;
  const inherited = parent === null || parent === Object.prototype ? [] : namesOf(parent);
  return [...Object.getOwnPropertyNames(owner), ...inherited];
}
