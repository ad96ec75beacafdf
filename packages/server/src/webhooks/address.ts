// The webhook of a request: its checked address, and the key of its signatures.
import { randomBytes } from 'node:crypto';
import { HttpError } from '../errors/http-error.ts';
import { DownloadError } from '../requests/download/errors.ts';
import { isAllowed, parseLink } from '../requests/download/link.ts';
import type { JobWebhook } from '../store/webhooks.ts';

/** Begin of a secret in the text that receivers get. */
export const SECRET_PREFIX = 'whsec_';
/** The specification requires 24 to 64. */
const SECRET_BYTES = 24;

/** The webhook of a new job, with a key of its own; undefined without an address. */
export function createWebhook(url: string | undefined): JobWebhook | undefined {
  return url === undefined ? undefined : { url, secret: createWebhookSecret() };
}

/** A new secret, as receivers get it. */
export function createWebhookSecret(): string {
  return `${SECRET_PREFIX}${randomBytes(SECRET_BYTES).toString('base64')}`;
}

/**
 * Parses the address of a receiver: as a link, with https or in FETCH_ALLOW.
 *
 * @throws DownloadError `url_invalid` or `url_forbidden`
 */
export function parseWebhookUrl(text: string, allow: ReadonlySet<string>): URL {
  const url = parseLink(text, allow);
  if (url.protocol !== 'https:' && !isAllowed(url, allow))
    throw new DownloadError('url_invalid', 'it must begin with https');
  return url;
}

/**
 * Checks the address of a request.
 *
 * @throws HttpError `invalid_fields`
 */
export function assertWebhookUrl(text: string, allow: ReadonlySet<string>): void {
  try {
    parseWebhookUrl(text, allow);
  } catch (error) {
    if (!(error instanceof DownloadError)) throw error;
    throw new HttpError('invalid_fields', { detail: `webhook_url cannot be used: ${error.detail}` });
  }
}
