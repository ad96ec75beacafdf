// A service that sells, on a real socket, and what its clients do.
import { createHash } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type CanonicalRequest, fingerprint } from '@grainline/x402';
import { startService } from '../../src/main/server.ts';
import { readSettings } from '../../src/settings/settings.ts';
import type { ServiceOverrides } from '../../src/main/server.ts';
import type { WorkerTask, WorkerPool } from '../../src/sandbox/index.ts';
import { inlineWorkerPool, memoryDownloader, memoryStore } from '../http/fake-service.ts';
import { type FakeChain, fakeChain, PAY_TO } from './fake-chain.ts';
import { fakePaymentNetwork } from './paid-service.ts';

export interface SellingService {
  readonly url: string;
  readonly chain: FakeChain;
  /** Tasks of the worker pool, in order. */
  readonly tasks: WorkerTask[];
  readonly clock: { now: number };
  stop(): Promise<void>;
}

/** Replacements for the usual dependencies. */
export interface SellingDeps extends ServiceOverrides {
  readonly environment?: Readonly<Record<string, string>>;
  readonly chain?: FakeChain;
}

export async function startSelling({
  environment = {},
  chain: given,
  ...parts
}: SellingDeps = {}): Promise<SellingService> {
  const settings = readSettings({
    PORT: '0',
    RATE_LIMIT: 'off',
    PAY_TO,
    PAYMENT_WAIT_MS: '0',
    ...environment,
  });
  const clock = { now: Date.now() };
  const now = (): number => clock.now;
  const chain = given ?? fakeChain(now);
  const tasks: WorkerTask[] = [];
  const { workerPool = inlineWorkerPool } = parts;
  const counted: WorkerPool = {
    ...workerPool,
    run(task, work) {
      tasks.push(task);
      return workerPool.run(task, work);
    },
  };
  const service = await startService(settings, {
    store: memoryStore(now),
    downloader: memoryDownloader(),
    paymentNetwork: fakePaymentNetwork(chain, settings, now),
    now,
    log: { write: () => undefined },
    connection: { lingerMs: 100, quietMs: 50 },
    ...parts,
    workerPool: counted,
  });
  await service.ready;
  return { url: service.url, stop: () => service.stop(), chain, tasks, clock };
}

/** An answer, read. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly json: AnswerBody;
}

export interface AnswerBody {
  readonly code?: string;
  readonly payment?: Readonly<Record<string, unknown>>;
  readonly paymentRequirements?: {
    readonly maxAmountRequired: string;
    readonly description: string;
    readonly extra: {
      readonly memo?: string;
      readonly binding?: {
        readonly prefix: string;
        readonly request: CanonicalRequest;
        readonly optional?: CanonicalRequest;
      };
    };
  } & Readonly<Record<string, unknown>>;
  readonly [name: string]: unknown;
}

export const OPTIONS = {
  output_format: 'raw',
  chunk_size: '1000',
  chunk_overlap: '0',
  unit: 'characters',
} as const;

export async function send(
  { url }: { readonly url: string },
  path: string,
  body: string | FormData,
  proof?: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  const type = typeof body === 'string' ? { 'Content-Type': 'application/json' } : {};
  const shown = proof === undefined ? {} : { 'X-PAYMENT': proof };
  const answer = await fetch(`${url}${path}`, {
    method: 'POST',
    headers: { ...type, ...shown, ...headers },
    body,
  });
  const text = await answer.text();
  return { status: answer.status, headers: answer.headers, text, json: JSON.parse(text) as AnswerBody };
}

/** Fingerprint of an upload, as a client computes it. */
export function uploadFingerprint(
  content: string,
  filename = 'note.txt',
  tier = 'structure',
): Promise<string> {
  const source = { file_sha256: sha256(content), filename };
  return fingerprint({ deployment: 'primary', tier, options: OPTIONS, source });
}

export function sha256(content: string): string {
  return createHash('sha256').update(content).digest('hex');
}

/** A form that begins and never ends; resolves once the chain was asked about its payment, or it was waited for. */
export async function beginUpload(
  { url, chain }: Pick<SellingService, 'url' | 'chain'>,
  path: string,
  proof: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<Socket> {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port) });
  const before = chain.lookups.length;
  const part = 'Content-Disposition: form-data; name="file"; filename="note.txt"';
  const more = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(
    `POST ${path} HTTP/1.1\r\nHost: x\r\nX-PAYMENT: ${proof}\r\n${more.join('')}Content-Length: 9000\r\n` +
      `Content-Type: multipart/form-data; boundary=cut\r\n\r\n--cut\r\n${part}\r\n\r\nLoot`,
  );
  while (chain.lookups.length === before) await nextTurn();
  // The store writes the chain's answer some turns later.
  for (let turn = 0; turn < 20; turn++) await nextTurn();
  return socket;
}
