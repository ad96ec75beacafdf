// A bucket of S3, or of a service with its interface, as a source: `s3://bucket/prefix`. Credentials, region and
// address of the service come from the environment variables of AWS.
import { AwsClient } from 'aws4fetch';
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
/** Further attempts after a status of 429 or from 500. */
const RETRIES = 5;

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
  readonly #base: string;
  readonly #client: AwsClient;

  constructor(name: string, environment: Io['environment']) {
    const set = (key: string): string | undefined => {
      const text = environment[key]?.trim();
      return text === '' ? undefined : text;
    };
    const [accessKeyId, secretAccessKey] = [set('AWS_ACCESS_KEY_ID'), set('AWS_SECRET_ACCESS_KEY')];
    if (accessKeyId === undefined || secretAccessKey === undefined)
      throw unusable(
        `${printable(name)} needs AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY in the environment`,
      );
    const region = set('AWS_REGION') ?? set('AWS_DEFAULT_REGION') ?? 'us-east-1';
    const sessionToken = set('AWS_SESSION_TOKEN');
    const endpoint = set('AWS_ENDPOINT_URL_S3') ?? set('AWS_ENDPOINT_URL');
    if (endpoint !== undefined && !/^https?:$/.test(URL.canParse(endpoint) ? new URL(endpoint).protocol : ''))
      throw unusable('AWS_ENDPOINT_URL is no http or https address');
    this.#name = name;
    this.#base = baseOf(name, region, endpoint);
    this.#client = new AwsClient({
      accessKeyId,
      secretAccessKey,
      region,
      service: 's3',
      retries: RETRIES,
      ...(sessionToken === undefined ? {} : { sessionToken }),
    });
  }

  async page(
    prefix: string,
    token: string | undefined,
    signal: AbortSignal,
  ): Promise<ReturnType<typeof readListing>> {
    const query = new URLSearchParams({ 'list-type': '2', 'encoding-type': 'url', prefix });
    if (token !== undefined) query.set('continuation-token', token);
    const response = await this.#get(`${this.#base}/?${query.toString()}`, signal);
    return readListing(new TextDecoder().decode(await bodyOf(response, MAX_PAGE_BYTES)), 'Contents');
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
        const address = `${this.#base}/${key.split('/').map(encodePart).join('/')}`;
        // Another version than the listed one would be taken for it in later runs.
        const response = await this.#get(address, signal, ETag ? { 'if-match': ETag } : {});
        const contentType = response.headers.get('content-type') ?? undefined;
        return { bytes: await bodyOf(response, MAX_OBJECT_BYTES), contentType };
      },
    };
  }

  /** An answer of the service, after the client's retries. Redirects would leave the signed host. */
  async #get(
    address: string,
    signal: AbortSignal,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Response> {
    const limit = AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]);
    let response: Response;
    try {
      response = await this.#client.fetch(address, { headers, signal: limit, redirect: 'manual' });
    } catch (cause) {
      signal.throwIfAborted();
      throw new CliError('not_readable', { detail: `the bucket ${this.#name} does not answer`, cause });
    }
    if (response.ok) return response;
    throw new CliError('not_readable', { detail: await this.#refusal(response) });
  }

  async #refusal(response: Response): Promise<string> {
    const region = response.headers.get('x-amz-bucket-region');
    const body = new TextDecoder().decode(
      await bodyOf(response, MAX_PAGE_BYTES).catch(() => new Uint8Array()),
    );
    const code = /<Code>([A-Za-z]{1,60})<\/Code>/.exec(body)?.[1] ?? '';
    const isElsewhere = response.status === 301 || code === 'AuthorizationHeaderMalformed';
    if (isElsewhere && region !== null && /^[a-z0-9-]+$/.test(region))
      return `the bucket ${this.#name} is in another region; set AWS_REGION=${region}`;
    if (response.status === 412) return 'it changed while it was read; the next run reads it';
    return `the bucket ${this.#name} answers ${response.status}${code === '' ? '' : ` ${code}`}`;
  }
}

/** A bucket whose name has dots does not match the certificate of its own host. */
function baseOf(name: string, region: string, endpoint: string | undefined): string {
  if (endpoint !== undefined) return `${endpoint.replace(/\/+$/, '')}/${name}`;
  const host = `s3.${region}.amazonaws.com`;
  return name.includes('.') ? `https://${host}/${name}` : `https://${name}.${host}`;
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

async function bodyOf(response: Response, maxBytes: number): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  for await (const piece of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    length += piece.length;
    if (length > maxBytes)
      throw new CliError('not_readable', { detail: `it is larger than ${maxBytes / 2 ** 20} MiB` });
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}

function unusable(detail: string): CliError {
  return new CliError('bucket_unusable', { detail });
}
