// A hostile request: the bytes or request to send, and the expected status and code.
import type { Ask } from '../http/fake-service.ts';
import type { HostileHost } from './hosts.ts';

/** Facts about the target that an attack may need. */
export interface Target {
  readonly proofs: Readonly<Record<string, string>>;
  readonly host: HostileHost;
  /** `127.0.0.1:40000` of who may not be visited. */
  readonly canary: string;
}

/** Bytes on a connection, or a request. */
export type Shot =
  | { readonly bytes: readonly (string | Uint8Array)[]; readonly halfClose?: boolean }
  | { readonly line: string; readonly ask?: Ask };

/** `200` alone stands for an answer without a code. `closed`: no answer, and the connection is ended. */
export type Expected = `${number} ${string}` | '200' | 'closed';

export interface Attack {
  readonly group: string;
  readonly name: string;
  readonly shot: Shot | ((target: Target) => Shot);
  readonly expected: Expected;
}

/** An attack of some group. */
export type Row = readonly [name: string, shot: Attack['shot'], expected: Expected];

export const MIB = 1024 * 1024;

export const json = (body: object): Ask => ({ body: JSON.stringify(body) });
export const sent = (line: string, ask: Ask = {}): Shot => ({ line, ask });
/** Bytes as they stand. */
export const raw = (...bytes: (string | Uint8Array)[]): Shot => ({ bytes });
export const head = (start: string, ...headers: string[]): string =>
  `${start} HTTP/1.1\r\nHost: a\r\n${headers.map((header) => `${header}\r\n`).join('')}\r\n`;
