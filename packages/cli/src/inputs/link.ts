// Links as inputs. The download is that of the service: from public addresses only, checked while connecting and after
// every redirect, within limits of time and length.
import type { DownloadErrorCode } from '@grainline/server/download';
import { type Io, printable } from '../io.ts';
import { CliError } from '../errors.ts';
import type { Input } from './input.ts';

/** Limits for one user at a terminal, who waits and can interrupt; a service has narrower ones. */
const LIMITS = { fetchTimeoutMs: 15 * 60_000, fetchMaxBytes: 512 * 1024 * 1024, fetchMaxRedirects: 5 };

const HOW_TO_ALLOW =
  'A host of your own network is allowed by name and port in the environment: FETCH_ALLOW=wiki.local:80';

/** The reasons of a failed download as `{detail}` of the message. */
const REASONS: Readonly<Record<DownloadErrorCode, (detail: string) => string>> = {
  url_invalid: (detail) => detail,
  url_forbidden: (detail) => `${detail}. ${HOW_TO_ALLOW}`,
  url_unreachable: (detail) => `its host does not answer: ${detail}`,
  url_status: (detail) => `its host answers with status ${detail}. Look whether it opens without signing in`,
  url_redirects: (detail) => `it is redirected ${detail}`,
  url_too_large: (detail) => `the document is larger than ${detail}`,
  url_timeout: (detail) => `its host is too slow: ${detail}`,
  url_interrupted: (detail) => `its host broke off: ${detail}`,
};

/** True for an operand that is a link. */
export function isLink(operand: string): boolean {
  return /^https?:\/\//i.test(operand) && URL.canParse(operand);
}

/** The input of a link; reading it downloads the document. */
export function linkInput(link: string, { environment }: Pick<Io, 'environment'>): Input {
  const { host, pathname, search, href } = new URL(link);
  const [last = ''] = pathname.split('/').slice(-1);
  return {
    shown: printable(link),
    // One path for one link: `example.com/a/b.html_q_1` of `https://example.com/a/b.html?q=1`.
    name: `${host}${pathname}${search}`.replace(/\/$/, '').replaceAll(/[^\p{L}\p{N}./_-]/gu, '_'),
    filename: last === '' ? host : last,
    url: href,
    read: async (signal) => {
      const { createDownloader, DownloadError } = await import('@grainline/server/download');
      const fetchAllow = (environment['FETCH_ALLOW'] ?? '').split(/[\s,]+/).filter(Boolean);
      const downloader = createDownloader({ ...LIMITS, fetchAllow });
      try {
        const { bytes, contentType } = await downloader.download(href, signal);
        return { bytes, contentType };
      } catch (cause) {
        if (!(cause instanceof DownloadError)) throw cause;
        throw new CliError('not_fetched', { detail: REASONS[cause.code](cause.detail), cause });
      } finally {
        await downloader.close();
      }
    },
  };
}
