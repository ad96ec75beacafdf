// The client of one service: every call of the HTTP API.
import type { FormatId } from '@grainline/core/formats';
import {
  chunkAnswerOf,
  type CiteAnswer,
  citeAnswerOf,
  type ChunkAnswer,
  type EstimateAnswer,
  estimateAnswerOf,
  firstAnswerOf,
  type Health,
  type Overview,
  overviewOf,
  type ServiceTier,
} from './answers.ts';
import { ClientError, badAnswer } from './errors.ts';
import { createJob, type Job, type ProgressOptions } from './jobs.ts';
import { bodyFor, type ChunkRequestOptions, type DocumentInput } from './request.ts';
import {
  type CallOptions,
  type ClientClock,
  createTransport,
  type FetchPort,
  type Members,
  readMembers,
  type SendRequest,
} from './transport.ts';
import type { ReceiptKeySet } from './receipts.ts';
import { createTransfers, type Transfers } from './transfers.ts';

/**
 * Makes requests pay: wraps a `fetch` in one that pays a 402 answer and repeats the request with its proof.
 * `payingFetch` of `@grainline/x402/client` fits.
 *
 * @example
 * const pay: PayPort = (fetch) => payingFetch(fetch, { pay: payWithKeypair({ rpcUrl, keypair }), maxAmount: 10_000n });
 */
export type PayPort = (fetch: FetchPort) => FetchPort;

/** Options of {@link createClient}. */
export interface ClientOptions {
  /** Address of the service. */
  readonly url: string | URL;
  /** Pays for requests. Without it a price rejects with `payment_required`. */
  readonly pay?: PayPort | undefined;
  /** Default the global `fetch`. */
  readonly fetch?: FetchPort | undefined;
  /** Headers of every request. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Tries of a request with a passing failure, before any payment; at least 1. Default 5. */
  readonly tries?: number | undefined;
  /** The longest wait for the next try, in milliseconds; a longer `Retry-After` rejects. Default 60,000. */
  readonly maxWaitMs?: number | undefined;
  /** Default the machine's. */
  readonly clock?: ClientClock | undefined;
}

/** Options of a request for chunks. */
export interface ChunkCall extends ProgressOptions {
  /**
   * Pays again when an earlier payment for the same request is used up: its answer has expired, or the service rejects
   * it. Default false: the call rejects with `payment_used_up`.
   */
  readonly payAgain?: boolean | undefined;
  /**
   * Tiers with jobs: the https address that is notified of the end of the job, signed with {@link Job.webhookSecret}. A
   * payment does not name it.
   */
  readonly webhookUrl?: string | undefined;
}

/** Options of a search for a quotation. */
export interface CiteCall extends CallOptions {
  /** The least score of a find, above 0 and up to 1. Default 0.8. */
  readonly bound?: number | undefined;
}

/** Result of a request for chunks: the chunks, or the job that makes them. */
export type Submission<Format extends FormatId = FormatId> =
  | { readonly kind: 'answer'; readonly answer: ChunkAnswer<Format> }
  | { readonly kind: 'job'; readonly job: Job<ChunkAnswer<Format>> };

/**
 * A service. Calls reject with a {@link ClientError}, with the signal's reason, or with the error of the payer (with
 * `payingFetch` a `PayingError`, which says whether money has moved).
 */
export interface Client {
  /** Address of the service, with a slash at its end. */
  readonly url: string;
  /** Chunks a document: follows a job to its end, and fetches an answer behind a link. */
  chunk<Format extends FormatId = 'raw'>(
    source: DocumentInput,
    options?: ChunkRequestOptions<Format>,
    call?: ChunkCall,
  ): Promise<ChunkAnswer<Format>>;
  /**
   * Size, price and refusals of a document on each tier, or on that of the options. Free; the service reads the
   * document and cuts nothing.
   */
  estimate(source: DocumentInput, options?: ChunkRequestOptions, call?: CallOptions): Promise<EstimateAnswer>;
  /** Chunks a document without waiting for a job. */
  submit<Format extends FormatId = 'raw'>(
    source: DocumentInput,
    options?: ChunkRequestOptions<Format>,
    call?: ChunkCall,
  ): Promise<Submission<Format>>;
  /** The job of an id. Sends nothing. */
  job<Format extends FormatId = FormatId>(id: string): Job<ChunkAnswer<Format>>;
  /** A kept answer. */
  result<Format extends FormatId = FormatId>(id: string, call?: CallOptions): Promise<ChunkAnswer<Format>>;
  /** The JSON of a kept answer, as bytes. */
  download(id: string, call?: CallOptions): Promise<ReadableStream<Uint8Array>>;
  /**
   * Finds a quotation of at most 2,000 characters in a kept answer, as `cite` of the library does in chunks. Rejects
   * with `result_not_found` and `result_gone`; a quotation that is not there is no error.
   */
  cite(id: string, quote: string, call?: CiteCall): Promise<CiteAnswer>;
  /** The signed receipt of a paid, kept answer; rejects with `not_found` where there is none. */
  receipt(id: string, call?: CallOptions): Promise<string>;
  /** The public keys of receipts, to be saved and given to `verifyReceipt` of `@grainline/client/receipts`. */
  receiptKeys(call?: CallOptions): Promise<ReceiptKeySet>;
  /** Removes a kept answer, with all text of the document. */
  deleteResult(id: string, call?: CallOptions): Promise<void>;
  /** Tiers, prices, formats and limits. */
  overview(call?: CallOptions): Promise<Overview>;
  /** The tiers with their prices, cheapest first. */
  tiers(call?: CallOptions): Promise<readonly ServiceTier[]>;
  /** Resolves while the process lives. */
  health(call?: CallOptions): Promise<Health>;
  /** Resolves when the service takes requests; rejects with `not_ready`. */
  ready(call?: CallOptions): Promise<void>;
  /** Payments through the service. */
  readonly transfers: Transfers;
}

const TRIES = 5;
const MAX_WAIT_MS = 60_000;

const machineClock: ClientClock = {
  now: () => Date.now(),
  wait: (ms, signal) =>
    new Promise((resolve, reject) => {
      signal?.throwIfAborted();
      const abort = (): void => {
        clearTimeout(timer);
        reject(signal?.reason as Error);
      };
      const timer = setTimeout(() => {
        signal?.removeEventListener('abort', abort);
        resolve();
      }, ms);
      signal?.addEventListener('abort', abort, { once: true });
    }),
};

/**
 * Creates the client of a service.
 *
 * @throws TypeError when `url` is not a URL
 * @example
 * const client = createClient({ url: 'http://127.0.0.1:8402' });
 * const { chunks } = await client.chunk({ text: 'High water. Low water.' }, { tier: 'free', size: 100 });
 */
export function createClient(options: ClientOptions): Client {
  const { pay, headers = {}, tries = TRIES, maxWaitMs = MAX_WAIT_MS, clock = machineClock } = options;
  const base = `${String(options.url).replace(/\/+$/, '')}/`;
  new URL(base);
  const fetch = options.fetch ?? ((url, init) => globalThis.fetch(url, init));
  const exchange = createTransport({ base, fetch, headers, pay, tries, maxWaitMs, clock });

  const get = async (path: string, call?: CallOptions): Promise<Members> =>
    (await exchange({ path }, readMembers, call)).value;
  const result = async (id: string, call?: CallOptions): Promise<ChunkAnswer> =>
    chunkAnswerOf(await get(resultPath(id), call), id);

  const submit = async (
    source: DocumentInput,
    given: ChunkRequestOptions = {},
    call: ChunkCall = {},
  ): Promise<Submission> => {
    const body = bodyFor(source, given, call.webhookUrl);
    const { value: first, payment } = await exchange(
      { path: 'chunk', method: 'POST', body, payment: { payAgain: call.payAgain === true } },
      async (response) => firstAnswerOf(await readMembers(response), response.headers),
      call,
    );
    if (first.kind === 'job') {
      const { jobId, webhookSecret } = first;
      const job = createJob(jobId, { sendRequest: exchange, clock }, payment);
      return { kind: 'job', job: webhookSecret === undefined ? job : { ...job, webhookSecret } };
    }
    if (first.kind === 'chunks') return { kind: 'answer', answer: first.answer };
    const answer = await result(first.resultId, call).catch((error: unknown) => {
      if (error instanceof ClientError) error.payment = payment;
      throw error;
    });
    return { kind: 'answer', answer };
  };

  const overview = async (call?: CallOptions): Promise<Overview> => overviewOf(await get('', call));

  const client = {
    url: base,
    async chunk(
      source: DocumentInput,
      given?: ChunkRequestOptions,
      call: ChunkCall = {},
    ): Promise<ChunkAnswer> {
      const submitted = await submit(source, given, call);
      return submitted.kind === 'answer' ? submitted.answer : submitted.job.answer(call);
    },
    submit,
    estimate: async (source: DocumentInput, given: ChunkRequestOptions = {}, call?: CallOptions) =>
      estimateAnswerOf(
        (
          await exchange(
            { path: 'estimate', method: 'POST', body: bodyFor(source, given) },
            readMembers,
            call,
          )
        ).value,
      ),
    job: (id: string) => createJob(id, { sendRequest: exchange, clock }),
    result,
    ...createResultCalls(exchange),
    overview,
    tiers: async (call?: CallOptions) => (await overview(call)).tiers,
    health: async (call?: CallOptions) => (await get('health', call)) as unknown as Health,
    async ready(call?: CallOptions) {
      await get('ready', call);
    },
    transfers: createTransfers(exchange),
  };
  // The records have the shape of the requested format.
  return client as Client;
}

/** Path of a kept answer below the service's address. */
function resultPath(id: string): string {
  return `results/${encodeURIComponent(id)}`;
}

/** The calls for a kept answer besides its reading. */
function createResultCalls(exchange: SendRequest) {
  return {
    async download(id: string, call?: CallOptions) {
      const { value } = await exchange({ path: resultPath(id) }, ({ body }) => Promise.resolve(body), call);
      if (value === null) throw badAnswer('it is empty');
      return value as ReadableStream<Uint8Array>;
    },
    async cite(id: string, quote: string, { bound, ...call }: CiteCall = {}) {
      const json = JSON.stringify({ result_id: id, quote, bound });
      const body = new Blob([json], { type: 'application/json' });
      return citeAnswerOf((await exchange({ path: 'cite', method: 'POST', body }, readMembers, call)).value);
    },
    async receipt(id: string, call?: CallOptions) {
      const readText = (response: Response): Promise<string> => response.text();
      return (await exchange({ path: `${resultPath(id)}/receipt` }, readText, call)).value;
    },
    receiptKeys: async (call?: CallOptions) =>
      (await exchange({ path: '.well-known/jwks.json' }, readMembers, call))
        .value as unknown as ReceiptKeySet,
    async deleteResult(id: string, call?: CallOptions) {
      await exchange({ path: resultPath(id), method: 'DELETE' }, () => Promise.resolve(), call);
    },
  };
}
