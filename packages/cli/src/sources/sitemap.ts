// A sitemap as a source (sitemaps.org): the pages that it lists, and those of the sitemaps that an index lists.
import { gunzipSync } from 'node:zlib';
import type { LoadSource, SourceEntry, SourceIssue } from '@grainline/pipeline/load';
import { CliError } from '../errors.ts';
import { linkInput } from '../inputs/link.ts';
import { type Io, printable } from '../io.ts';
import { linkEntry } from './link.ts';
import { readListing, type XmlListing } from './xml.ts';

/** Most bytes of a sitemap, unpacked, by the protocol. */
const MAX_BYTES = 52_428_800;
/** Most pages or sitemaps of one file, by the protocol. */
const MAX_ROWS = 50_000;
/** Most sitemaps of an index that are read: 5 million pages. */
const MAX_SITEMAPS = 100;

/** True for a link whose last part is `sitemap.xml`, `sitemap_index.xml.gz` and the like. */
export function isSitemap(link: string): boolean {
  return /sitemap[^/]*\.xml(?:\.gz)?$/i.test(new URL(link).pathname);
}

/** The pages of a sitemap. An index lists sitemaps, but no further index. */
export function sitemapSource(link: string, io: Pick<Io, 'environment'>): LoadSource {
  return {
    id: link,
    isWhole: true,
    async *list(signal) {
      const seen = new Set<string>();
      const first = await readSitemap(link, io, signal);
      if (first.root !== 'sitemapindex') {
        yield* pagesOf(first, link, seen, io);
        return;
      }
      const sitemaps = rowsOf(await readSitemap(link, io, signal, 'sitemap'), link);
      for (const { loc = '' } of sitemaps.slice(0, MAX_SITEMAPS)) {
        try {
          yield* pagesOf(await readSitemap(loc, io, signal), loc, seen, io);
        } catch (error) {
          signal.throwIfAborted();
          yield { shown: printable(loc), error, hides: true };
        }
      }
      if (sitemaps.length > MAX_SITEMAPS) yield tooMany(link, `${MAX_SITEMAPS} sitemaps`);
    },
  };
}

function* pagesOf(
  listing: XmlListing,
  link: string,
  seen: Set<string>,
  io: Pick<Io, 'environment'>,
): Generator<SourceEntry | SourceIssue> {
  for (const { loc = '', lastmod } of rowsOf(listing, link)) {
    if (!URL.canParse(loc) || !/^https?:/i.test(loc)) {
      const error = new CliError('not_readable', { detail: 'the sitemap names it, but it is no link' });
      yield { shown: printable(loc), error, hides: false };
      continue;
    }
    if (seen.has(loc)) continue;
    seen.add(loc);
    // A date without a time does not change with a second edit on the same day.
    yield { ...linkEntry(loc, io), etag: lastmod?.includes('T') === true ? lastmod : undefined };
  }
  if (listing.rows.length > MAX_ROWS) yield tooMany(link, `${MAX_ROWS} pages`);
}

function rowsOf({ rows }: XmlListing, link: string): XmlListing['rows'] {
  if (rows.length === 0)
    throw new CliError('not_readable', { detail: `${printable(link)} is no sitemap with pages` });
  return rows.slice(0, MAX_ROWS);
}

function tooMany(link: string, most: string): SourceIssue {
  const error = new CliError('not_readable', { detail: `it lists more than ${most}` });
  return { shown: printable(link), error, hides: true };
}

async function readSitemap(
  link: string,
  io: Pick<Io, 'environment'>,
  signal: AbortSignal,
  rowName = 'url',
): Promise<XmlListing> {
  if (!URL.canParse(link) || !/^https?:/i.test(link))
    throw new CliError('not_readable', { detail: 'it is no link' });
  const { bytes } = await linkInput(link, io).read(signal);
  return readListing(new TextDecoder().decode(unpacked(bytes)), rowName);
}

function unpacked(bytes: Uint8Array): Uint8Array {
  const isPacked = bytes[0] === 0x1f && bytes[1] === 0x8b;
  try {
    if (isPacked) return gunzipSync(bytes, { maxOutputLength: MAX_BYTES });
  } catch (cause) {
    throw new CliError('not_readable', { detail: 'the packed sitemap is damaged or too large', cause });
  }
  if (bytes.length <= MAX_BYTES) return bytes;
  throw new CliError('not_readable', { detail: `it is larger than ${MAX_BYTES} bytes` });
}
