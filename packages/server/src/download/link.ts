// Text → URL, and what can be said of a URL without the network: scheme, port, name of the document.
import { cleanName } from '../http/names.ts';
import { isPublicAddress, isPublicName } from './address.ts';
import { DownloadError } from './errors.ts';

/** Where documents are served; other ports are other services. */
const PORTS: ReadonlySet<number> = new Set([80, 443, 8080, 8443]);
/** Longest link, longer than any address that servers take (RFC 9110 section 4.1 asks for 8000 at least). */
const MAX_LINK = 8192;

/**
 * Reads a link, or the target of a redirect relative to `base`, and refuses what must not be visited whatever its
 * name resolves to. The address is checked again when connecting.
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
  if (!allow.has(hostAndPort(url))) refusePrivate(url, it);
  return url;
}

/** `host:port` as FETCH_ALLOW spells it: the port is always there, IPv6 stands in brackets. */
function hostAndPort(url: URL): string {
  return `${url.hostname}:${portOf(url)}`;
}

/**
 * The name of a document behind a link: the last segment of the path, decoded and cleaned; the host when there is none.
 */
export function nameOf(url: URL): string {
  // Decoding may bring slashes back, and signs that turn the writing direction.
  return cleanName(decoded(url.pathname.split('/').at(-1) ?? '')) ?? url.hostname;
}

function refusePrivate(url: URL, it: string): void {
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
