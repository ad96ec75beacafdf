// A bucket of S3, or of a service with its interface, as a source: `s3://bucket/prefix`. Credentials, region and
// address of the service come from the environment variables of AWS.
import {
  type BucketAnswer,
  BucketError,
  type BucketRequest,
  createBucketClient,
  readBucketAccess,
} from '@grainline/pipeline/bucket';
import type { LoadSource, SourceEntry } from '@grainline/pipeline/load';
import { CliError } from '../errors.ts';
import { isAccepted } from '../inputs/inputs.ts';
import type { PathSearch } from './paths.ts';
import { type Io, printable } from '../io.ts';
import { readListing, type XmlRow } from './xml.ts';

/** Most bytes of a page of the listing, which has at most 1,000 keys of at most 1,024 bytes. */
const MAX_PAGE_BYTES = 16 * 2 ** 20;
const MAX_OBJECT_BYTES = 512 * 2 ** 20;
/** Longest wait for one answer. */
const TIMEOUT_MS = 5 * 60_000;
const ATTEMPTS = 6;

/** True for `s3://bucket/prefix`. */
export function isBucket(operand: string): boolean {
  return operand.startsWith('s3://');
}

/**
 * The objects of accepted kinds below a prefix; an object that the operand names exactly is accepted whatever its kind.
 *
 * @throws CliError `bucket_unusable` without credentials, or for an operand without a bucket
 */
export function bucketSource(
  operand: string,
  { environment }: Pick<Io, 'environment'>,
  search: Pick<PathSearch, 'pictures'>,
): LoadSource {
  const [, name = '', prefix = ''] =
    /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/(.*))?$/s.exec(operand) ?? [];
  if (name === '') throw unusable(`${printable(operand)} names no bucket; write s3://bucket/prefix`);
  const bucket = new Bucket(name, environment);
  return {
    id: operand,
    isWhole: true,
    async *list(signal) {
      let token: string | undefined;
      do {
        const page = await bucket.page(prefix, token, signal);
        for (const row of page.rows) {
          const key = decodeKey(row['Key'] ?? '');
          if (!key.endsWith('/') && (key === prefix || isAccepted(key, search))) yield bucket.entry(key, row);
        }
        token = page.head['IsTruncated'] === 'true' ? page.head['NextContinuationToken'] : undefined;
      } while (token !== undefined && token !== '');
    },
  };
}

/** `encoding-type=url` encodes keys as forms do, since XML has no way to write some characters. */
function decodeKey(key: string): string {
  try {
    return decodeURIComponent(key.replaceAll('+', ' '));
  } catch {
    return key;
  }
}

class Bucket {
  readonly #name: string;
  readonly #request: (request: BucketRequest) => Promise<BucketAnswer>;

  constructor(name: string, environment: Io['environment']) {
    const { access, issues } = readBucketAccess(printable(name), environment);
    if (access === undefined) throw unusable(issues.join('; '));
    this.#name = name;
    this.#request = createBucketClient(name, access, { attempts: ATTEMPTS, timeoutMs: TIMEOUT_MS });
  }

  async page(
    prefix: string,
    token: string | undefined,
    signal: AbortSignal,
  ): Promise<ReturnType<typeof readListing>> {
    const query = new URLSearchParams({ 'list-type': '2', 'encoding-type': 'url', prefix });
    if (token !== undefined) query.set('continuation-token', token);
    const { body } = await this.#get({ path: `?${query.toString()}`, maxBytes: MAX_PAGE_BYTES, signal });
    return readListing(new TextDecoder().decode(body), 'Contents');
  }

  entry(key: string, { Size, ETag }: XmlRow): SourceEntry {
    const documentId = `s3://${this.#name}/${key}`;
    return {
      documentId,
      shown: printable(documentId),
      filename: key.slice(key.lastIndexOf('/') + 1),
      url: documentId,
      size: /^\d+$/.test(Size ?? '') ? Number(Size) : undefined,
      etag: ETag,
      read: async (signal) => {
        const { headers, body } = await this.#get({
          path: key.split('/').map(encodePart).join('/'),
          // Another version than the listed one would be taken for it in later runs.
          ...(ETag ? { headers: { 'if-match': ETag } } : {}),
          maxBytes: MAX_OBJECT_BYTES,
          signal,
        });
        return { bytes: body, contentType: headers.get('content-type') ?? undefined };
      },
    };
  }

  async #get(request: BucketRequest): Promise<BucketAnswer> {
    try {
      return await this.#request(request);
    } catch (error) {
      if (!(error instanceof BucketError)) throw error;
      const hasChanged = error.status === 412;
      const detail = hasChanged ? 'it changed while it was read; the next run reads it' : error.message;
      throw new CliError('not_readable', { detail, cause: error });
    }
  }
}

/** A part of a key in an address. `.` and `..` have no spelling that a URL keeps. */
function encodePart(part: string): string {
  if (part === '.' || part === '..')
    throw new CliError('not_readable', { detail: 'a part of its key is . or .., which no address can hold' });
  return encodeURIComponent(part).replace(
    /[!'()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

function unusable(detail: string): CliError {
  return new CliError('bucket_unusable', { detail });
}
