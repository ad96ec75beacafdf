// From the errors of many clients to the codes of the port. Clients have no common class, so their errors are judged by
// the status of an HTTP answer and by the codes of Node's sockets; an adapter adds the codes of its own client. No
// error of a client is passed on, because some of them hold the request with its credentials.
import { VectorStoreError, type VectorStoreErrorCode } from '@grainline/core';
import { maskSecrets } from './address.ts';

/** Errors that need no translation, and the kind of all others. */
export type ErrorKind = VectorStoreErrorCode | 'transient';

/** Codes of sockets and name servers, of undici, and of gRPC (14 UNAVAILABLE, 4 DEADLINE_EXCEEDED). */
const AWAY =
  /ECONNREFUSED|ECONNRESET|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|EPIPE|EHOSTUNREACH|ENETUNREACH|UND_ERR|ERR_SOCKET|UNAVAILABLE|DEADLINE_EXCEEDED|socket hang up|fetch failed|terminated unexpectedly/i;
const UNAUTHORIZED = /unauthori[sz]ed|unauthenticated|forbidden|permission_denied|invalid api key/i;
/** Transient statuses below 500. */
const PASSING: readonly number[] = [408, 425, 429];
/** Most UTF-16 units of the database's own words that an error quotes. */
const LONGEST_REASON = 300;

/** The kind of a client's error; {@link Adapter.classify} comes before. */
export function kindOf(error: unknown): ErrorKind {
  if (error instanceof VectorStoreError) return error.code;
  const status = statusOf(error);
  if (status === 401 || status === 403) return 'unauthorized';
  if (status !== undefined && (status >= 500 || PASSING.includes(status))) return 'transient';
  if (status !== undefined && status >= 400) return 'rejected';
  const words = chainOf(error)
    .map((link) => `${String(link['name'])} ${String(link['code'])} ${String(link['message'])}`)
    .join(' ');
  if (UNAUTHORIZED.test(words)) return 'unauthorized';
  return AWAY.test(words) ? 'transient' : 'rejected';
}

/** The status of the HTTP answer behind an error, under any of the names that clients give it. */
export function statusOf(error: unknown): number | undefined {
  for (const link of chainOf(error)) {
    const meta = Object(link['meta']) as Readonly<Record<string, unknown>>;
    const response = Object(link['response']) as Readonly<Record<string, unknown>>;
    const found = [link['status'], link['statusCode'], meta['statusCode'], response['status']].find(
      (value) => typeof value === 'number' && value >= 100 && value < 600,
    );
    if (typeof found === 'number') return found;
  }
  return undefined;
}

/** The sentence of a client's error, on one line and without secrets. */
export function reasonOf(error: unknown, secrets: readonly string[]): string {
  const words = chainOf(error)
    .map((link) => wordsOf(link))
    .filter((text) => text !== '');
  const reason = maskSecrets([...new Set(words)].join(': '), secrets)
    .replaceAll(/\s+/g, ' ')
    .trim();
  return (reason.slice(0, LONGEST_REASON).toWellFormed() || 'no reason given').replace(/\.$/, '');
}

function wordsOf(link: Readonly<Record<string, unknown>>): string {
  const { data, message, code } = link;
  // Qdrant's client has the server's sentence in `data` alone.
  const { status } = Object(data) as { readonly status?: { readonly error?: unknown } };
  if (typeof status?.error === 'string') return status.error;
  if (typeof message === 'string' && message !== '') return message;
  return typeof code === 'string' ? code : '';
}

/** An error, its causes, and the errors that it collects; at most eight. */
function chainOf(error: unknown): Readonly<Record<string, unknown>>[] {
  const chain: Readonly<Record<string, unknown>>[] = [];
  const queue: unknown[] = [error];
  while (queue.length > 0 && chain.length < 8) {
    const link = queue.shift();
    if (typeof link === 'string') chain.push({ message: link });
    if (typeof link !== 'object' || link === null) continue;
    const members = link as Readonly<Record<string, unknown>>;
    chain.push(members);
    if (members['cause'] !== undefined) queue.push(members['cause']);
    if (Array.isArray(members['errors'])) queue.push(...(members['errors'] as unknown[]));
  }
  return chain;
}
