// Text → URL, and the checks of a URL without the network: scheme, port and name.
import { cleanName } from '../../fields/file-name.ts';
import { isPublicAddress, isPublicName } from './address.ts';
import { DownloadError } from './errors.ts';

/** Usual ports of documents; other ports belong to other services. */
const PORTS: ReadonlySet<number> = new Set([80, 443, 8080, 8443]);
/** Longest accepted link. RFC 9110 section 4.1 recommends at least 8000 characters. */
const MAX_LINK = 8192;

/**
 * Parses a link, or the target of a redirect relative to `base`, and rejects forbidden targets that need no lookup. The
 * connection checks the address again.
 *
 * @throws DownloadError `url_invalid` or `url_forbidden`
 */
export function parseLink(text: string, allow: ReadonlySet<string>, base?: URL): URL {
  const it = base === undefined ? 'it' : 'the address that it redirects to';
  if (text.length > MAX_LINK)
    throw new DownloadError('url_invalid', `${it} is longer than ${MAX_LINK} characters`);
  const url = URL.parse(text, base?.href);
  if (url === null) throw new DownloadError('url_invalid', `${it} is not an address`);
  if (!['http:', 'https:'].includes(url.protocol)) {
    throw new DownloadError('url_invalid', `${it} has the scheme ${url.protocol.slice(0, 20)}`);
  }
  if (url.username !== '' || url.password !== '')
    throw new DownloadError('url_invalid', `${it} holds a user or a password`);
  if (!isAllowed(url, allow)) assertPublic(url, it);
  return url;
}

/** True for an address of FETCH_ALLOW: `host:port`, always with a port, and IPv6 in brackets. */
export function isAllowed(url: URL, allow: ReadonlySet<string>): boolean {
  return allow.has(`${url.hostname}:${portOf(url)}`);
}

/**
 * The filename of a link: the last path segment, decoded and cleaned, or the host of a link without one.
 */
export function filenameOf(url: URL): string {
  // Decoding can produce slashes and characters that reverse the writing direction.
  return cleanName(decoded(url.pathname.split('/').at(-1) ?? '')) ?? url.hostname;
}

function assertPublic(url: URL, it: string): void {
  if (!PORTS.has(portOf(url))) {
    throw new DownloadError(
      'url_forbidden',
      `${it} has the port ${portOf(url)}, and only ${[...PORTS].join(', ')} are visited`,
    );
  }
  if (!isPublicName(url.hostname) || isPublicAddress(url.hostname) === false) {
    throw new DownloadError('url_forbidden', `${it} is not on the public internet`);
  }
}

function portOf(url: URL): number {
  if (url.port !== '') return Number(url.port);
  return url.protocol === 'https:' ? 443 : 80;
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
