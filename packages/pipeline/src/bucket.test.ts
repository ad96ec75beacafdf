// Requests to a bucket against a server that fails as services and networks do. Listings and objects are tested by the
// command line and the service.
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { BucketError, createBucketClient, readBucketAccess } from './bucket.ts';

const KEYS = { AWS_ACCESS_KEY_ID: 'AKIDEXAMPLE', AWS_SECRET_ACCESS_KEY: 'hush' };

let service: Server;
let answers: ((response: ServerResponse, request: IncomingMessage) => void)[];
let requests: string[];

beforeEach(async () => {
  [answers, requests] = [[], []];
  service = createServer((request, response) => {
    requests.push(`${request.method} ${request.url}`);
    answers.shift()?.(response, request);
  }).listen(0, '127.0.0.1');
  await once(service, 'listening');
});
afterEach(() => service.close().closeAllConnections());

function client(attempts = 3): ReturnType<typeof createBucketClient> {
  const { port } = service.address() as AddressInfo;
  const AWS_ENDPOINT_URL = `http://127.0.0.1:${port}/`;
  const { access } = readBucketAccess('b-1', { ...KEYS, AWS_ENDPOINT_URL });
  return createBucketClient('b-1', access!, { attempts, timeoutMs: 5000, pauseMs: 0 });
}

describe('a request to a bucket', () => {
  it('is repeated after a lost connection and a busy service, and signed with its body', async () => {
    answers = [
      (response) => response.destroy(),
      (response) => response.writeHead(503).end('<Error><Code>SlowDown</Code></Error>'),
      (response, { headers }) => {
        expect(headers.authorization).toMatch(/^AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE\//);
        expect(headers['x-amz-content-sha256']).toMatch(/^982d9e3eb996/);
        response.end('kept');
      },
    ];
    const { body } = await client()({ method: 'PUT', path: 'a', body: new TextEncoder().encode('text') });
    expect(new TextDecoder().decode(body)).toBe('kept');
    expect(requests).toEqual(Array(3).fill('PUT /b-1/a'));
  });

  it.each([
    [403, 'AccessDenied', {}, 1, 'the bucket b-1 answers 403 AccessDenied'],
    [301, '', { 'x-amz-bucket-region': 'eu-west-1' }, 1, 'is in another region; set AWS_REGION=eu-west-1'],
    [500, 'InternalError', {}, 3, 'the bucket b-1 answers 500 InternalError'],
  ])('that is answered with %d %s ends after its attempts', async (status, code, headers, attempts, text) => {
    const reject = (response: ServerResponse): unknown =>
      response.writeHead(status, headers).end(`<Error><Code>${code}</Code><Message>hush</Message></Error>`);
    answers = Array<typeof reject>(5).fill(reject);
    const error: unknown = await client()({ path: 'a' }).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(BucketError);
    expect(error).toMatchObject({ status, code, message: expect.stringContaining(text) as string });
    expect(String(error)).not.toContain('hush');
    expect(requests).toHaveLength(attempts);
  });

  it('ends with a sentence for a large answer, and with the reason of its signal', async () => {
    answers = [(response) => response.end('x'.repeat(2 ** 20 + 1))];
    await expect(client()({ path: 'a', maxBytes: 2 ** 20 })).rejects.toThrow('it is larger than 1 MiB');
    const abort = new AbortController();
    answers = [() => abort.abort(new Error('stopped'))];
    await expect(client()({ path: 'a', signal: abort.signal })).rejects.toThrow('stopped');
    expect(requests).toHaveLength(2);
  });
});

it('the environment names every issue, and no value', () => {
  const wrong = { AWS_SECRET_ACCESS_KEY: 'hush', AWS_REGION: 'no region', AWS_ENDPOINT_URL: 'minio:9000' };
  expect(readBucketAccess('b-1', wrong)).toEqual({
    access: undefined,
    issues: [
      'b-1 needs AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY',
      'AWS_REGION must be the name of a region',
      'AWS_ENDPOINT_URL must be an http or https address',
    ],
  });
});
