// One try over HTTP: writes a request in the service's format, posts it, and returns the answer or the reason for its
// absence. The two dialects differ only in formats. Parameters that a service does not know are left out from then on,
// instead of failing every request.
import { addressIssue, causeOf, jsonOf, mayPass, reasonIn, retryAfterMs, textOf } from '../service.ts';
import { ModelError } from '../errors.ts';
import {
  createModel,
  type ModelAnswer,
  type ModelRequest,
  type PricedModel,
  type TryOutcome,
  type TryRequest,
} from './model.ts';
import { type ModelOptions, type ModelSettings, modelSettings, assertNoIssues } from './options.ts';

/** Options of the adapters over HTTP. */
export interface HttpModelOptions extends ModelOptions {
  /** The model's name at the service. With several names, later models answer when earlier ones cannot. */
  readonly model: string | readonly string[];
  /**
   * Address of the service, version included: `http://localhost:11434/v1`. Default the address of the dialect's maker.
   */
  readonly baseUrl?: string | undefined;
  /** The key. It is never logged and never part of an error. */
  readonly apiKey?: string | undefined;
  /** The sampling temperature, from 0. Left out when the service rejects it. Default 0. */
  readonly temperature?: number;
  /** Further headers of every request. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The function that sends requests. Default the global one. */
  readonly fetch?: typeof fetch;
}

/** The optional parameters that a service takes. */
export interface Features {
  /** True when the service takes a schema for the answer; otherwise words describe the shape. */
  readonly schema: boolean;
  readonly temperature: boolean;
  /** True when the service limits the answer by the newer name `max_completion_tokens`. */
  readonly completionTokens: boolean;
}

/** The format of one kind of service. */
export interface Dialect {
  readonly name: string;
  readonly baseUrl: string;
  /** Path behind the base address. */
  readonly path: string;
  readonly headers: (apiKey: string | undefined) => Record<string, string>;
  readonly body: (request: ModelRequest, features: Features, temperature: number) => object;
  /** Price of a token that is written to a cache, as a multiple of one that is not. Default 1. */
  readonly cacheWriteShare?: number;
  /** Reads an answer; undefined for anything else. */
  readonly read: (answer: unknown, requestedModel: string) => ModelAnswer | undefined;
}

/** Statuses of an intermediary that gave up waiting for the service; the service may answer later and charge for it. */
export const GAVE_UP_WAITING: readonly number[] = [408, 502, 504, 520, 522, 524];
/**
 * Most parameters that one request may find to be unknown; a service that complains each time has rejected the request.
 */
const MOST_LESSONS = 4;

/**
 * Creates the language model behind a service.
 *
 * @throws ModelError `invalid_options`
 */
export function httpModel(dialect: Dialect, options: HttpModelOptions): PricedModel {
  const { service, models, settings } = connect(dialect, options);
  const attempt: TryRequest = (request, timeoutMs, signal) => service.try(request, timeoutMs, signal);
  return createModel(attempt, models, settings);
}

/**
 * Creates the service that the options describe; sends nothing.
 *
 * @throws ModelError `invalid_options`
 */
export function connect(
  dialect: Dialect,
  options: HttpModelOptions,
): { readonly service: ModelService; readonly models: readonly string[]; readonly settings: ModelSettings } {
  const issues: string[] = [];
  const settings = modelSettings(options, issues, dialect.cacheWriteShare);
  const { model, baseUrl = dialect.baseUrl, temperature = 0 } = options;
  const models: readonly unknown[] = Array.isArray(model) ? model : [model];
  if (models.length === 0 || !models.every((name) => typeof name === 'string' && name !== ''))
    issues.push('model must be a name, or a list of names');
  const issue = addressIssue('baseUrl', baseUrl, 'apiKey or headers');
  if (issue !== undefined) issues.push(issue);
  if (!(temperature >= 0)) issues.push(`temperature must be a number from 0, but is ${String(temperature)}`);
  assertNoIssues(issues);
  const service = new ModelService(dialect, { ...options, baseUrl, temperature }, settings);
  return { service, models: models as readonly string[], settings };
}

/** One address of one dialect, with the features learnt so far. */
class ModelService {
  readonly #dialect: Dialect;
  readonly #address: string;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #secret: string | undefined;
  readonly #temperature: number;
  readonly #settings: ModelSettings;
  readonly #fetch: typeof fetch;
  #features: Features;

  constructor(
    dialect: Dialect,
    options: HttpModelOptions & { readonly baseUrl: string; readonly temperature: number },
    settings: ModelSettings,
  ) {
    this.#dialect = dialect;
    this.#address = options.baseUrl.replace(/\/+$/, '');
    this.#secret = options.apiKey === '' ? undefined : options.apiKey;
    this.#headers = { ...options.headers, ...dialect.headers(this.#secret) };
    this.#temperature = options.temperature;
    this.#settings = settings;
    this.#fetch = options.fetch ?? ((input, init) => fetch(input, init));
    // OpenAI's newest models take only the new name, most other servers only the old one.
    const completionTokens = /^https:\/\/api\.openai\.com(?:\/|$)/.test(this.#address);
    this.#features = { schema: true, temperature: true, completionTokens };
  }

  /** The features of the service, as far as known. */
  get features(): Features {
    return this.#features;
  }

  async try(request: ModelRequest, timeoutMs: number, signal: AbortSignal): Promise<TryOutcome> {
    for (let lessons = 0; ; lessons++) {
      const features = this.#features;
      const tried = await this.#once(
        request,
        lessons < MOST_LESSONS ? features : undefined,
        timeoutMs,
        signal,
      );
      if (!('learnt' in tried)) return tried;
      this.#features = { ...this.#features, ...tried.learnt };
    }
  }

  /** The service's own description of a model, from `GET {baseUrl}/models`; undefined when it has none. */
  async describe(model: string, timeoutMs: number, signal: AbortSignal): Promise<unknown> {
    const timeout = AbortSignal.timeout(timeoutMs);
    try {
      const response = await this.#fetch(`${this.#address}/models`, {
        redirect: 'error',
        headers: this.#headers,
        signal: AbortSignal.any([signal, timeout]),
      });
      const { data } = Object(JSON.parse(await this.#textOf(response))) as { data?: unknown };
      if (!Array.isArray(data)) return undefined;
      return (data as readonly unknown[]).find((entry) => (Object(entry) as { id?: unknown }).id === model);
    } catch {
      signal.throwIfAborted();
      return undefined;
    }
  }

  /**
   * Sends the request once.
   *
   * @param learning the features that this try may find out about; undefined when enough has been learnt
   */
  async #once(
    request: ModelRequest,
    learning: Features | undefined,
    timeoutMs: number,
    signal: AbortSignal,
  ): Promise<TryOutcome | { readonly learnt: Partial<Features> }> {
    const timeout = AbortSignal.timeout(Math.max(1, Math.ceil(timeoutMs)));
    const features = learning ?? this.#features;
    const written = features.schema ? request : inWords(request);
    try {
      const response = await this.#fetch(this.#address + this.#dialect.path, {
        method: 'POST',
        redirect: 'error',
        headers: { ...this.#headers, 'content-type': 'application/json' },
        body: JSON.stringify(this.#dialect.body(written, features, this.#temperature)),
        signal: AbortSignal.any([signal, timeout]),
      });
      const body = await this.#textOf(response);
      return response.ok ? this.#read(body, request.model) : this.#refusal(response, body, learning);
    } catch (cause) {
      signal.throwIfAborted();
      // The answer was too long to be read.
      if (cause instanceof ModelError) return { error: cause, again: false, mayCost: true };
      const late = timeout.aborted;
      const what = late ? `did not answer within ${timeoutMs} ms` : `could not be reached${causeOf(cause)}`;
      const code = late ? 'timed_out' : 'unavailable';
      const error = new ModelError(code, `The service of the language model ${what}.`, { cause });
      return { error, again: true, waitMs: undefined, mayCost: !neverArrived(cause) };
    }
  }

  /**
   * Reads the body.
   *
   * @throws ModelError `wrong_answer` when it is longer than the limit
   */
  async #textOf(response: Response): Promise<string> {
    const { maxAnswerBytes } = this.#settings;
    const text = await textOf(response, maxAnswerBytes);
    if (text !== undefined) return text;
    const message = `The service of the language model answered more than ${maxAnswerBytes} bytes.`;
    throw new ModelError('wrong_answer', message, { status: response.status });
  }

  #read(body: string, model: string): TryOutcome {
    const answer = jsonOf(body);
    const read = answer === undefined ? undefined : this.#dialect.read(answer, model);
    if (read !== undefined) return { answer: read };
    // Some services pass on the failure of another one inside an answer with status 200.
    const { error } = Object(answer) as { error?: unknown };
    const { code } = Object(error) as { code?: unknown };
    if (error != null)
      return this.#failure(typeof code === 'number' ? code : 500, reasonIn(body, this.#secret), null);
    const message = `The service of the language model answered no ${this.#dialect.name} answer.`;
    return { error: new ModelError('wrong_answer', message), again: false, mayCost: true };
  }

  #refusal(
    response: Response,
    body: string,
    learning: Features | undefined,
  ): TryOutcome | { readonly learnt: Partial<Features> } {
    const { status } = response;
    const complaint = reasonIn(body, this.#secret);
    const learnt =
      learning !== undefined && (status === 400 || status === 422)
        ? learntFrom(complaint, learning)
        : undefined;
    return learnt === undefined
      ? this.#failure(status, complaint, response.headers.get('retry-after'))
      : { learnt };
  }

  #failure(status: number, complaint: string, retryAfter: string | null): TryOutcome {
    const message = `The service of the language model answered ${status}${complaint === '' ? '' : `: ${complaint}`}.`;
    if (mayPass(status)) {
      const error = new ModelError('unavailable', message, { status });
      const mayCost = GAVE_UP_WAITING.includes(status);
      return { error, again: true, waitMs: retryAfterMs(retryAfter, this.#settings.now()), mayCost };
    }
    const code = /content.?(?:filter|management)|safety/i.test(complaint) ? 'content_filter' : 'rejected';
    return { error: new ModelError(code, message, { status }), again: false, mayCost: false };
  }
}

/** Reads from a service's complaint which of the parameters it does not know. */
function learntFrom(complaint: string, features: Features): Partial<Features> | undefined {
  if (features.temperature && /temperature/i.test(complaint)) return { temperature: false };
  if (
    /max_(?:completion_)?tokens/.test(complaint) &&
    /unsupported|not supported|unknown|unrecogni[sz]ed|instead|extra/i.test(complaint)
  ) {
    const asksForNewer = complaint.includes('max_completion_tokens') && !features.completionTokens;
    if (asksForNewer) return { completionTokens: true };
    if (features.completionTokens && !/use .{0,3}max_completion_tokens/i.test(complaint))
      return { completionTokens: false };
  }
  if (features.schema && /response_format|json_?schema|output_config|structured|grammar/i.test(complaint))
    return { schema: false };
  return undefined;
}

/** The same request with the shape of the answer described in words. */
function inWords(request: ModelRequest): ModelRequest {
  const words = `Answer with JSON alone, valid by this JSON Schema: ${JSON.stringify(request.schema)}`;
  const [first, ...rest] = request.messages;
  const messages =
    first?.role === 'system'
      ? [{ role: 'system' as const, content: `${first.content}\n\n${words}` }, ...rest]
      : [{ role: 'system' as const, content: words }, ...request.messages];
  return { ...request, messages };
}

/** True when no connection was made, so that the request was never read. */
function neverArrived(error: unknown): boolean {
  const { code } = Object((Object(error) as { cause?: unknown }).cause) as { code?: unknown };
  return code === 'ECONNREFUSED' || code === 'ENOTFOUND' || code === 'EAI_AGAIN' || code === 'EHOSTUNREACH';
}
