// Requests to a bucket of S3, or of a service with its interface: the environment variables that AWS's own tools read,
// the address of the bucket, signatures, repetitions, and messages without credentials or text of the service.
import { hash } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import type { AwsClient } from 'aws4fetch';

/** A service of buckets, and the credentials for it. */
export interface BucketAccess {
  readonly region: string;
  /** Address of another service than AWS, without its final slash. */
  readonly endpoint: string | undefined;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken: string | undefined;
}

/**
 * Reads the access to a bucket from the environment. The issues name variables, never their values.
 *
 * @param subject the setting or the bucket that needs credentials, for messages
 */
export function readBucketAccess(
  subject: string,
  environment: Readonly<Record<string, string | undefined>>,
): { readonly access: BucketAccess | undefined; readonly issues: readonly string[] } {
  const set = (name: string): string | undefined => {
    const text = environment[name]?.trim();
    return text === '' ? undefined : text;
  };
  const [accessKeyId, secretAccessKey] = [set('AWS_ACCESS_KEY_ID'), set('AWS_SECRET_ACCESS_KEY')];
  const region = set('AWS_REGION') ?? set('AWS_DEFAULT_REGION') ?? 'us-east-1';
  const endpoint = set('AWS_ENDPOINT_URL_S3') ?? set('AWS_ENDPOINT_URL');
  const issues: string[] = [];
  if (accessKeyId === undefined || secretAccessKey === undefined)
    issues.push(`${subject} needs AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY`);
  if (!/^[a-z0-9-]+$/.test(region)) issues.push('AWS_REGION must be the name of a region');
  if (endpoint !== undefined && !/^https?:$/.test(URL.parse(endpoint)?.protocol ?? ''))
    issues.push('AWS_ENDPOINT_URL must be an http or https address');
  if (accessKeyId === undefined || secretAccessKey === undefined || issues.length > 0)
    return { access: undefined, issues };
  const [address, sessionToken] = [endpoint?.replace(/\/+$/, ''), set('AWS_SESSION_TOKEN')];
  return { access: { region, endpoint: address, accessKeyId, secretAccessKey, sessionToken }, issues };
}

/** A request to a bucket. */
export interface BucketRequest {
  /** Default `GET`. */
  readonly method?: 'GET' | 'PUT' | 'DELETE';
  /** The key of an object as an address has it, or `?` and a query. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array | undefined;
  /** Most bytes of the answer. Default: no limit. */
  readonly maxBytes?: number;
  readonly signal?: AbortSignal;
}

/** An answer of success. */
export interface BucketAnswer {
  readonly headers: Headers;
  readonly body: Uint8Array;
}

/** An answer that is no success, or none at all. Its message holds no credentials and no text of the service. */
export class BucketError extends Error {
  /** Absent without an answer. */
  readonly status: number | undefined;
  /** The service's own code, such as `NoSuchKey`; may be empty. */
  readonly code: string;
  /** True when the request may succeed the next time. */
  readonly isTransient: boolean;

  constructor(
    message: string,
    details: {
      readonly status?: number;
      readonly code?: string;
      readonly isTransient?: boolean;
    } & ErrorOptions,
  ) {
    super(message, details);
    this.name = 'BucketError';
    this.status = details.status;
    this.code = details.code ?? '';
    this.isTransient = details.isTransient ?? false;
  }
}

/** The patience of requests. */
export interface BucketPatience {
  /** Attempts of a request: connections that were idle may be closed, and services answer 503 to many requests. */
  readonly attempts: number;
  /** Longest wait for the answer to an attempt, in milliseconds. */
  readonly timeoutMs: number;
  /** Wait before the second attempt; it doubles with each further one. Default 100. */
  readonly pauseMs?: number | undefined;
}

/**
 * Creates the function that sends signed requests to a bucket. It rejects with a {@link BucketError}, or with the
 * signal's reason. `aws4fetch` is loaded with the first request.
 */
export function createBucketClient(
  bucket: string,
  access: BucketAccess,
  { attempts, timeoutMs, pauseMs = 100 }: BucketPatience,
): (request: BucketRequest) => Promise<BucketAnswer> {
  const base = baseOf(bucket, access);
  let client: Promise<Pick<AwsClient, 'fetch'>> | undefined;
  const attempt = async (request: BucketRequest): Promise<BucketAnswer> => {
    const { method = 'GET', path, headers, body, maxBytes = Infinity, signal } = request;
    const timeout = AbortSignal.timeout(timeoutMs);
    const init: RequestInit = {
      method,
      // The signature covers the body, so that a path without TLS cannot change it.
      headers: { ...headers, 'X-Amz-Content-Sha256': hash('sha256', body ?? '') },
      signal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]),
      // Redirects would leave the signed host.
      redirect: 'manual',
      ...(body === undefined ? {} : { body: Buffer.from(body) }),
    };
    const signer = await (client ??= signerOf(access));
    let response: Response;
    let answer: Uint8Array;
    try {
      response = await signer.fetch(`${base}/${path}`, init);
      answer = await bodyOf(response, maxBytes);
    } catch (cause) {
      signal?.throwIfAborted();
      if (cause instanceof BucketError) throw cause;
      throw new BucketError(`${new URL(base).host} does not answer`, { isTransient: true, cause });
    }
    if (response.ok) return { headers: response.headers, body: answer };
    throw refusal(bucket, method, response, codeOf(answer));
  };
  return async (request) => {
    for (let count = 1; ; count++) {
      try {
        return await attempt(request);
      } catch (error) {
        if (count === attempts || !(error instanceof BucketError && error.isTransient)) throw error;
        const { signal } = request;
        await wait(pauseMs * 2 ** (count - 1), undefined, signal && { signal }).catch(() => undefined);
        signal?.throwIfAborted();
      }
    }
  };
}

async function signerOf({
  accessKeyId,
  secretAccessKey,
  sessionToken,
  region,
}: BucketAccess): Promise<Pick<AwsClient, 'fetch'>> {
  const { AwsClient } = await import('aws4fetch');
  const keys = { accessKeyId, secretAccessKey, ...(sessionToken === undefined ? {} : { sessionToken }) };
  return new AwsClient({ ...keys, region, service: 's3', retries: 0 });
}

/** A bucket whose name has dots does not match the certificate of its own host. */
function baseOf(bucket: string, { region, endpoint }: BucketAccess): string {
  if (endpoint !== undefined) return `${endpoint}/${bucket}`;
  const host = `s3.${region}.amazonaws.com`;
  return bucket.includes('.') ? `https://${host}/${bucket}` : `https://${bucket}.${host}`;
}

async function bodyOf(response: Response, maxBytes: number): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  for await (const piece of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    length += piece.length;
    if (length > maxBytes) throw new BucketError(`it is larger than ${maxBytes / 2 ** 20} MiB`, {});
    pieces.push(piece);
  }
  const { buffer, byteOffset } = Buffer.concat(pieces);
  return new Uint8Array(buffer, byteOffset, length);
}

/** The code in the XML of an error. */
function codeOf(answer: Uint8Array): string {
  const head = new TextDecoder().decode(answer.subarray(0, 4096));
  return /<Code>([A-Za-z]{1,60})<\/Code>/.exec(head)?.[1] ?? '';
}

function refusal(bucket: string, method: string, { status, headers }: Response, code: string): BucketError {
  const region = headers.get('x-amz-bucket-region') ?? '';
  if ((status === 301 || code === 'AuthorizationHeaderMalformed') && /^[a-z0-9-]+$/.test(region))
    return new BucketError(`the bucket ${bucket} is in another region; set AWS_REGION=${region}`, {
      status,
      code,
    });
  const [name, action] = [code === '' ? '' : ` ${code}`, method === 'GET' ? '' : ` to ${method}`];
  return new BucketError(`the bucket ${bucket} answers ${status}${name}${action}`, {
    status,
    code,
    isTransient: status >= 500 || status === 429,
  });
}
