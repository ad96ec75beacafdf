// A bucket of S3 on loopback, in memory. It checks each signature by its own code, after the documentation of AWS
// Signature Version 4 (docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html).
import { createHmac, hash } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import { bodyOf, close, listen, LOOPBACK } from '@grainline/testing/loopback';
import type { BucketSettings } from '../../src/settings/bucket.ts';

/** A request, as {@link BucketServer.reject} sees it. */
export interface BucketRequest {
  readonly method: string;
  /** Name of the object; empty for a listing. */
  readonly name: string;
}

export interface BucketServer {
  readonly settings: BucketSettings;
  readonly objects: Map<string, Buffer>;
  /** Every request that was signed well, such as `PUT name`. */
  readonly requests: BucketRequest[];
  /** Gives the status and code of a refusal. It is called before the request has an effect. */
  reject: (request: BucketRequest) => readonly [status: number, code: string] | undefined;
  /** Called after the effect and before the answer. False breaks the connection. */
  onDone: (request: BucketRequest) => boolean;
  close(): Promise<void>;
}

const BUCKET = 'answers';
const REGION = 'eu-test-1';
const KEY_ID = 'AKIDEXAMPLE';
export const SECRET = 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY';
const SESSION = 'session+token/of=test';

export async function startBucket(prefix = 'kept/'): Promise<BucketServer> {
  const objects = new Map<string, Buffer>();
  const requests: BucketRequest[] = [];
  const server = createServer((request, response) => {
    void (async () => {
      const body = (await bodyOf(request, 2 ** 26)) ?? Buffer.alloc(0);
      const issue = signatureIssue(request, body);
      const url = new URL(request.url ?? '', 'http://bucket');
      const name = decodeURIComponent(url.pathname.slice(`/${BUCKET}/`.length));
      const seen = { method: request.method ?? '', name };
      const refused =
        issue === undefined ? bucket.reject(seen) : ([403, 'SignatureDoesNotMatch', issue] as const);
      if (issue === undefined) requests.push(seen);
      if (refused !== undefined) {
        const [status, code] = refused;
        response
          .writeHead(status)
          .end(`<Error><Code>${code}</Code><Message>${issue ?? ''}</Message></Error>`);
        return;
      }
      const answer = effectOf(seen, body, url.searchParams, objects);
      if (bucket.onDone(seen)) response.writeHead(answer.status).end(answer.body);
      else response.destroy();
    })();
  });
  const port = await listen(server, 0);
  const bucket: BucketServer = {
    settings: {
      bucket: BUCKET,
      prefix,
      region: REGION,
      endpoint: `http://${LOOPBACK}:${port}`,
      accessKeyId: KEY_ID,
      secretAccessKey: SECRET,
      sessionToken: SESSION,
    },
    objects,
    requests,
    reject: () => undefined,
    onDone: () => true,
    close: () => close(server),
  };
  return bucket;
}

/** The environment of a server with this bucket. */
export function environmentOf({ settings }: BucketServer): Record<string, string> {
  return {
    OBJECT_STORE: `s3://${settings.bucket}/${settings.prefix}`,
    AWS_ACCESS_KEY_ID: settings.accessKeyId,
    AWS_SECRET_ACCESS_KEY: settings.secretAccessKey,
    AWS_SESSION_TOKEN: settings.sessionToken ?? '',
    AWS_REGION: settings.region,
    AWS_ENDPOINT_URL: settings.endpoint ?? '',
  };
}

function effectOf(
  { method, name }: BucketRequest,
  body: Buffer,
  query: URLSearchParams,
  objects: Map<string, Buffer>,
): { readonly status: number; readonly body?: string | Buffer } {
  if (query.get('list-type') === '2') return { status: 200, body: listing(query, objects) };
  switch (method) {
    case 'PUT':
      objects.set(name, body);
      return { status: 200 };
    case 'DELETE':
      objects.delete(name);
      return { status: 204 };
    default: {
      const found = objects.get(name);
      return found === undefined
        ? { status: 404, body: '<Error><Code>NoSuchKey</Code></Error>' }
        : { status: 200, body: found };
    }
  }
}

function listing(query: URLSearchParams, objects: ReadonlyMap<string, Buffer>): string {
  const keys = [...objects.keys()].filter((key) => key.startsWith(query.get('prefix') ?? '')).sort();
  const rows = keys
    .slice(0, Number(query.get('max-keys')))
    .map((key) => `<Contents><Key>${key}</Key></Contents>`);
  return `<?xml version="1.0"?><ListBucketResult>${rows.join('')}</ListBucketResult>`;
}

/** The difference between a request and its signature, or undefined. */
function signatureIssue(request: IncomingMessage, body: Buffer): string | undefined {
  const { headers, method = '', url = '' } = request;
  const [, keyId, day = '', region, names = '', signature] =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/s3\/aws4_request, SignedHeaders=([a-z0-9;-]+), Signature=([0-9a-f]{64})$/.exec(
      headers.authorization ?? '',
    ) ?? [];
  if (keyId !== KEY_ID || region !== REGION) return 'no signature of this key for this region';
  const signed = names.split(';');
  for (const name of ['host', 'x-amz-content-sha256', 'x-amz-date', 'x-amz-security-token'])
    if (!signed.includes(name)) return `${name} is not signed`;
  if (headers['x-amz-security-token'] !== SESSION) return 'another session';
  if (headers['x-amz-content-sha256'] !== hash('sha256', body)) return 'another body';
  const moment = String(headers['x-amz-date']);
  if (!moment.startsWith(day)) return 'another day';
  const [path = '', query = ''] = url.split('?');
  const pairs = [...new URLSearchParams(query)].map((pair) => pair.map(encodeURIComponent).join('=')).sort();
  const canonical = [
    ...[method, path, pairs.join('&')],
    ...signed.map((name) => `${name}:${String(headers[name]).trim()}`),
    ...['', names, hash('sha256', body)],
  ].join('\n');
  const scope = `${day}/${REGION}/s3/aws4_request`;
  const text = ['AWS4-HMAC-SHA256', moment, scope, hash('sha256', canonical)].join('\n');
  const key = [day, REGION, 's3', 'aws4_request'].reduce<string | Buffer>(
    (last, part) => createHmac('sha256', last).update(part).digest(),
    `AWS4${SECRET}`,
  );
  const expected = createHmac('sha256', key).update(text).digest('hex');
  return signature === expected ? undefined : 'another signature';
}
