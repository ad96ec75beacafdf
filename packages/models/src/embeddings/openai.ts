// Embedders behind HTTP in the format of OpenAI's API, which many others speak: texts become requests of bounded size,
// several at a time, and vectors come back in the order of the texts. Requests are retried after transient failures, no
// sooner than the service allows.
import type { Embed, Embeddings } from '@grainline/core';
import {
  addressIssue,
  causeOf,
  integerOption,
  jsonOf,
  mayPass,
  reasonIn,
  retryAfterMs,
  textOf,
  wait,
} from '../service.ts';
import { ModelError } from '../errors.ts';

/** Options of {@link openAiEmbedder}. */
export interface OpenAiOptions {
  /** The model's name at the service. */
  readonly model: string;
  /** Address of the service, without `/embeddings`. Default `https://api.openai.com/v1`. */
  readonly baseUrl?: string | undefined;
  /** The key, sent as a bearer token. It is never logged and never part of an error. */
  readonly apiKey?: string | undefined;
  /** Asks for shorter vectors, of a model that can give them: an integer from 1. Default the model's own length. */
  readonly dimensions?: number;
  /** Most texts of one request: an integer from 1. Default 256. */
  readonly maxTexts?: number;
  /**
   * Most tokens of one request, as `countTokens` counts them: an integer from 1. A text with more is sent alone.
   * Default 200,000.
   */
  readonly maxTokens?: number;
  /** Counts the tokens of a text. Default a third of its UTF-16 units, which is more than most texts have. */
  readonly countTokens?: (text: string) => number;
  /** How many requests may be open at the same time: an integer from 1. Default 4. */
  readonly concurrency?: number;
  /** Time for one answer, in milliseconds. Default 30,000. */
  readonly timeoutMs?: number;
  /** How often a request that failed is sent again: an integer from 0. Default 3. */
  readonly retries?: number;
  /**
   * Longest wait before a retry, in milliseconds. A service that demands a longer one counts as failed. Default 60,000.
   */
  readonly maxWaitMs?: number;
  /** Further headers of every request. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The function that sends requests. Default the global one. */
  readonly fetch?: typeof fetch;
  /** Waits for some milliseconds; rejects when the signal is aborted. Default a timer. */
  readonly sleep?: (ms: number, signal: AbortSignal) => Promise<void>;
  /** Milliseconds since 1970, by which a date in Retry-After is read. Default the system's clock. */
  readonly now?: () => number;
}

type Settings = Required<Omit<OpenAiOptions, 'apiKey' | 'dimensions'>> & {
  readonly dimensions: number | undefined;
};

/** Wait before the first retry without a Retry-After; it doubles each time. */
const FIRST_WAIT_MS = 500;
/** Bytes of an answer that are read for each of its texts: a vector of 4,096 numbers as JSON has some 90,000. */
const MOST_BYTES_A_TEXT = 1 << 20;

/**
 * Creates an embedder behind an OpenAI-compatible `POST {baseUrl}/embeddings`. Creating it sends nothing. Redirects are
 * not followed, so that the key goes nowhere else. Calls reject with ModelError `refused`, `unavailable`,
 * `timed_out` or `wrong_answer`, or with the signal's reason; the other requests of the call are then aborted.
 *
 * @throws ModelError `invalid_options`
 * @example
 * const embed = openAiEmbedder({ baseUrl: 'http://localhost:11434/v1', model: 'nomic-embed-text' });
 */
export function openAiEmbedder(options: OpenAiOptions): Embed {
  const settings = settingsOf(options);
  const service = new EmbeddingService(settings, options.apiKey === '' ? undefined : options.apiKey);
  return async (texts, { signal }) => {
    signal?.throwIfAborted();
    const stop = new AbortController();
    const both = signal === undefined ? stop.signal : AbortSignal.any([signal, stop.signal]);
    try {
      const batches = batchesOf(texts, settings);
      const answers = await inParallel(batches, settings.concurrency, (batch) => service.embed(batch, both));
      return embeddingsOf(answers.flat(), options);
    } catch (error) {
      signal?.throwIfAborted();
      throw error;
    } finally {
      stop.abort();
    }
  };
}

function settingsOf(options: OpenAiOptions): Settings {
  const issues: string[] = [];
  const integer = (name: keyof OpenAiOptions, fallback: number, least: number): number =>
    integerOption(issues, [name, options[name]], fallback, least);
  const baseUrl = options.baseUrl ?? 'https://api.openai.com/v1';
  const issue = addressIssue('baseUrl', baseUrl, 'apiKey or headers');
  if (issue !== undefined) issues.push(issue);
  if (typeof options.model !== 'string' || options.model === '') issues.push('model must be a name');
  const settings: Settings = {
    model: options.model,
    baseUrl: baseUrl.replace(/\/+$/, ''),
    dimensions: options.dimensions === undefined ? undefined : integer('dimensions', 1, 1),
    maxTexts: integer('maxTexts', 256, 1),
    maxTokens: integer('maxTokens', 200_000, 1),
    countTokens: options.countTokens ?? ((text) => Math.ceil(text.length / 3)),
    concurrency: integer('concurrency', 4, 1),
    timeoutMs: integer('timeoutMs', 30_000, 1),
    retries: integer('retries', 3, 0),
    maxWaitMs: integer('maxWaitMs', 60_000, 0),
    headers: options.headers ?? {},
    fetch: options.fetch ?? ((input, init) => fetch(input, init)),
    sleep: options.sleep ?? wait,
    now: options.now ?? Date.now,
  };
  if (issues.length > 0) throw new ModelError('invalid_options', `Wrong options: ${issues.join('; ')}.`);
  return settings;
}

/** Groups texts, in order, into as few requests as the limits allow. */
function batchesOf(texts: readonly string[], { maxTexts, maxTokens, countTokens }: Settings): string[][] {
  const batches: string[][] = [];
  let tokens = 0;
  for (const text of texts) {
    const own = countTokens(text);
    const last = batches.at(-1);
    if (last === undefined || last.length === maxTexts || tokens + own > maxTokens) {
      batches.push([text]);
      tokens = own;
    } else {
      last.push(text);
      tokens += own;
    }
  }
  return batches;
}

/** Works on up to `limit` items at once; results in the order of the items. */
async function inParallel<Item, Result>(
  items: readonly Item[],
  limit: number,
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  const queue = items.entries();
  const worker = async (): Promise<void> => {
    for (const [index, item] of queue) results[index] = await work(item);
  };
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, worker));
  return results;
}

/** The outcome of one try: the vectors, or an error with the advice whether to try again. */
type TryOutcome =
  | { readonly vectors: number[][] }
  | { readonly error: ModelError; readonly again: false }
  | { readonly error: ModelError; readonly again: true; readonly waitMs: number | undefined };

class EmbeddingService {
  readonly #settings: Settings;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #secret: string | undefined;

  constructor(settings: Settings, secret: string | undefined) {
    this.#settings = settings;
    this.#secret = secret;
    this.#headers = {
      ...settings.headers,
      'content-type': 'application/json',
      ...(secret === undefined ? {} : { authorization: `Bearer ${secret}` }),
    };
  }

  /** Gets the vectors of one batch, with as many retries as the settings allow. */
  async embed(texts: readonly string[], signal: AbortSignal): Promise<number[][]> {
    const { retries, maxWaitMs, sleep } = this.#settings;
    for (let attempt = 0; ; attempt++) {
      const tried = await this.#try(texts, signal);
      if ('vectors' in tried) return tried.vectors;
      if (!tried.again || attempt === retries) throw tried.error;
      const waitMs = tried.waitMs ?? Math.min(maxWaitMs, FIRST_WAIT_MS * 2 ** attempt);
      if (waitMs > maxWaitMs) throw tried.error;
      await sleep(waitMs, signal);
    }
  }

  async #try(texts: readonly string[], signal: AbortSignal): Promise<TryOutcome> {
    const { model, baseUrl, dimensions, timeoutMs, fetch: send } = this.#settings;
    const address = `${baseUrl}/embeddings`;
    const timeout = AbortSignal.timeout(timeoutMs);
    try {
      const response = await send(address, {
        method: 'POST',
        redirect: 'error',
        headers: this.#headers,
        body: JSON.stringify({ model, input: texts, encoding_format: 'float', dimensions }),
        signal: AbortSignal.any([signal, timeout]),
      });
      const body = await textOf(response, MOST_BYTES_A_TEXT * texts.length);
      if (body === undefined) return wrongAnswer(`with more than ${MOST_BYTES_A_TEXT} bytes a text`);
      return response.ok ? readVectors(body, texts.length) : this.#refusal(response, body);
    } catch (cause) {
      signal.throwIfAborted();
      const late = timeout.aborted;
      const reason = late ? `did not answer within ${timeoutMs} ms` : `could not be reached${causeOf(cause)}`;
      const code = late ? 'timed_out' : 'unavailable';
      const error = new ModelError(code, `The embedding service at ${new URL(address).host} ${reason}.`, {
        cause,
      });
      return { error, again: true, waitMs: undefined };
    }
  }

  #refusal(response: Response, body: string): TryOutcome {
    const { status } = response;
    const passing = mayPass(status);
    const complaint = reasonIn(body, this.#secret);
    const message = `The embedding service answered ${status}${complaint === '' ? '' : `: ${complaint}`}.`;
    const error = new ModelError(passing ? 'unavailable' : 'refused', message, { status });
    if (!passing) return { error, again: false };
    const waitMs = retryAfterMs(response.headers.get('retry-after'), this.#settings.now());
    return { error, again: true, waitMs };
  }
}

/** Reads the vectors of an answer, in the order of its texts. */
function readVectors(body: string, count: number): TryOutcome {
  const answer = jsonOf(body);
  if (answer === undefined) return wrongAnswer('what is no JSON');
  const { data } = Object(answer) as { data?: unknown };
  if (!Array.isArray(data) || data.length !== count) {
    const got = Array.isArray(data) ? `${data.length} vectors` : 'no list of vectors';
    return wrongAnswer(`${got} for ${count} texts`);
  }
  const vectors: number[][] = [];
  for (const [place, entry] of (data as readonly unknown[]).entries()) {
    const { index = place, embedding } = Object(entry) as { index?: unknown; embedding?: unknown };
    if (!Array.isArray(embedding)) return wrongAnswer(`no vector at ${place}`);
    if (typeof index !== 'number' || !(index in data) || vectors[index] !== undefined)
      return wrongAnswer(`the index ${JSON.stringify(index)}, which is none or stands twice`);
    vectors[index] = embedding as number[];
  }
  return { vectors };
}

function wrongAnswer(what: string): TryOutcome {
  return {
    error: new ModelError('wrong_answer', `The embedding service answered ${what}.`),
    again: false,
  };
}

function embeddingsOf(vectors: readonly number[][], { model, dimensions }: OpenAiOptions): Embeddings {
  return { model, dimensions: vectors[0]?.length ?? dimensions ?? 1, vectors };
}
