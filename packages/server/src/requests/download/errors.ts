// The errors of links. A released code keeps its meaning. No message holds a resolved address, because the addresses of
// internal names are private.
import type { ErrorCode } from '../../errors/codes.ts';

/** The sentence of each code. `{detail}` is filled in. */
const MESSAGES = {
  url_invalid: 'The link cannot be used: {detail}. Send an absolute http or https address.',
  url_forbidden:
    'The link leads to a place that this service does not fetch from: {detail}. Send a public link, or upload the document instead.',
  url_unreachable:
    'The host of the link does not answer: {detail}. Check the address, or upload the document instead.',
  url_status:
    'The host of the link answered with status {detail} instead of a document. Check that the link opens without signing in.',
  url_redirects: 'The link was redirected {detail}. Send the final address.',
  url_too_large: 'The document behind the link is larger than {detail}. Send it in parts.',
  url_timeout: 'The host of the link is too slow: {detail}. Try again later, or upload the document instead.',
  url_interrupted: 'The host of the link broke off: {detail}. Try again, or upload the document instead.',
} as const satisfies Partial<Record<ErrorCode, string>>;

/** The code of a failed download. */
export type DownloadErrorCode = keyof typeof MESSAGES;

/** The error of a failed download, caused by the link or its host. */
export class DownloadError extends Error {
  readonly code: DownloadErrorCode;
  /** The value of `{detail}` in the message. */
  readonly detail: string;
  /** HTTP status of the host's answer, when the code is `url_status`. */
  readonly status?: number;

  constructor(
    code: DownloadErrorCode,
    detail: string,
    { status, cause }: { readonly status?: number; readonly cause?: unknown } = {},
  ) {
    super(
      MESSAGES[code].replace('{detail}', () => detail),
      cause === undefined ? undefined : { cause },
    );
    this.name = 'DownloadError';
    this.code = code;
    this.detail = detail;
    if (status !== undefined) this.status = status;
  }
}
