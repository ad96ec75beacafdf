// One try over HTTP: a question in the words of a service → POST → what was said, or why not. The two dialects differ
// in words alone. What a service turns out not to know is left out from then on, instead of failing every question.
import { isHttpAddress, jsonOf, mayPass, reasonIn, retryAfterMs, textOf } from '../service.ts';
import { LanguageModelError } from './errors.ts';
import { createModel, type PricedModel, type Said, type Tried, type Try, type Utterance } from './model.ts';
import { type ModelOptions, type ModelSettings, modelSettings, refuseFaults } from './options.ts';

/** Options of the adapters over HTTP. */
export interface HttpModelOptions extends ModelOptions {
  /** The model's name, as the service knows it; of several, the later ones answer when those before cannot. */
  readonly model: string | readonly string[];
  /** Where the service is, with the version: `http://localhost:11434/v1`. Default that of the dialect's maker. */
  readonly baseUrl?: string;
  /** Never logged, never part of an error. */
  readonly apiKey?: string | undefined;
  /** How freely the model chooses words, from 0; left out where the service refuses it. Default 0. */
  readonly temperature?: number;
  /** Sent with every request. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Default the global one. */
  readonly fetch?: typeof fetch;
}

/** What a service may or may not take. */
export interface Features {
  /** The shape of the answer as a schema of its own; else it is told in words. */
  readonly schema: boolean;
  readonly temperature: boolean;
  /** The longest answer under its newer name. */
  readonly completionTokens: boolean;
}

/** The words of one kind of service. */
export interface Dialect {
  readonly name: string;
  readonly baseUrl: string;
  /** Behind the base address. */
  readonly path: string;
  readonly headers: (apiKey: string | undefined) => Record<string, string>;
  readonly body: (utterance: Utterance, features: Features, temperature: number) => object;
  /** Price of a token that is written to a cache, to one that is not; default 1. */
  readonly cacheWriteShare?: number;
  /** What an answer says; undefined when it is none. */
  readonly read: (answer: unknown, asked: string) => Said | undefined;
}

/** Said by whoever stands between when the service has not answered in time: it may have, later, and charge for it. */
export const GAVE_UP_WAITING: readonly number[] = [408, 502, 504, 520, 522, 524];
/** What one question may find out about a service; one that complains of something else each time has refused. */
const MOST_LESSONS = 4;

/** The language model behind a service. @throws LanguageModelError `invalid_options` */
export function httpModel(dialect: Dialect, options: HttpModelOptions): PricedModel {
  const { service, models, settings } = connect(dialect, options);
  const attempt: Try = (utterance, timeoutMs, signal) => service.try(utterance, timeoutMs, signal);
  return createModel(attempt, models, settings);
}

/** The service that options name, nothing sent yet. @throws LanguageModelError `invalid_options` */
export function connect(
  dialect: Dialect,
  options: HttpModelOptions,
): { readonly service: Service; readonly models: readonly string[]; readonly settings: ModelSettings } {
  const faults: string[] = [];
  const settings = modelSettings(options, faults, dialect.cacheWriteShare);
  const { model, baseUrl = dialect.baseUrl, temperature = 0 } = options;
  const models: readonly unknown[] = Array.isArray(model) ? model : [model];
  if (models.length === 0 || !models.every((name) => typeof name === 'string' && name !== ''))
    faults.push('model must be a name, or a list of names');
  if (!isHttpAddress(baseUrl))
    faults.push(`baseUrl must be an http or https address, but is ${JSON.stringify(baseUrl)}`);
  if (!(temperature >= 0)) faults.push(`temperature must be a number from 0, but is ${String(temperature)}`);
  refuseFaults(faults);
  const service = new Service(dialect, { ...options, baseUrl, temperature }, settings);
  return { service, models: models as readonly string[], settings };
}

/** One address of one dialect, and what has been learnt of it. */
class Service {
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
    // Its maker's newest models know the new name alone, most other servers the old one.
    const completionTokens = /^https:\/\/api\.openai\.com(?:\/|$)/.test(this.#address);
    this.#features = { schema: true, temperature: true, completionTokens };
  }

  /** What the service takes, as far as is known by now. */
  get features(): Features {
    return this.#features;
  }

  async try(utterance: Utterance, timeoutMs: number, signal: AbortSignal): Promise<Tried> {
    for (let lessons = 0; ; lessons++) {
      const features = this.#features;
      const tried = await this.#once(
        utterance,
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

  /** @param learning what may be learnt about; undefined when enough has been */
  async #once(
    utterance: Utterance,
    learning: Features | undefined,
    timeoutMs: number,
    signal: AbortSignal,
  ): Promise<Tried | { readonly learnt: Partial<Features> }> {
    const timeout = AbortSignal.timeout(Math.max(1, Math.ceil(timeoutMs)));
    const features = learning ?? this.#features;
    const asked = features.schema ? utterance : inWords(utterance);
    try {
      const response = await this.#fetch(this.#address + this.#dialect.path, {
        method: 'POST',
        redirect: 'error',
        headers: { ...this.#headers, 'content-type': 'application/json' },
        body: JSON.stringify(this.#dialect.body(asked, features, this.#temperature)),
        signal: AbortSignal.any([signal, timeout]),
      });
      const body = await this.#textOf(response);
      return response.ok ? this.#read(body, utterance.model) : this.#refusal(response, body, learning);
    } catch (cause) {
      signal.throwIfAborted();
      // Of an answer that was too long to be read.
      if (cause instanceof LanguageModelError) return { error: cause, again: false, mayCost: true };
      const late = timeout.aborted;
      const what = late ? `did not answer within ${timeoutMs} ms` : `could not be reached${causeOf(cause)}`;
      const code = late ? 'timed_out' : 'unavailable';
      const error = new LanguageModelError(code, `The service of the language model ${what}.`, { cause });
      return { error, again: true, waitMs: undefined, mayCost: !neverArrived(cause) };
    }
  }

  /** @throws LanguageModelError `wrong_answer` when it is longer than the limit */
  async #textOf(response: Response): Promise<string> {
    const { maxAnswerBytes } = this.#settings;
    const text = await textOf(response, maxAnswerBytes);
    if (text !== undefined) return text;
    const message = `The service of the language model answered more than ${maxAnswerBytes} bytes.`;
    throw new LanguageModelError('wrong_answer', message, { status: response.status });
  }

  #read(body: string, model: string): Tried {
    const answer = jsonOf(body);
    const said = answer === undefined ? undefined : this.#dialect.read(answer, model);
    if (said !== undefined) return { said };
    // Some pass on another service's failure in an answer that is none of their own.
    const { error } = Object(answer) as { error?: unknown };
    const { code } = Object(error) as { code?: unknown };
    if (error != null)
      return this.#failure(typeof code === 'number' ? code : 500, reasonIn(body, this.#secret), null);
    const message = `The service of the language model answered no ${this.#dialect.name} answer.`;
    return { error: new LanguageModelError('wrong_answer', message), again: false, mayCost: true };
  }

  #refusal(
    response: Response,
    body: string,
    learning: Features | undefined,
  ): Tried | { readonly learnt: Partial<Features> } {
    const { status } = response;
    const said = reasonIn(body, this.#secret);
    const learnt =
      learning !== undefined && (status === 400 || status === 422) ? learntFrom(said, learning) : undefined;
    return learnt === undefined
      ? this.#failure(status, said, response.headers.get('retry-after'))
      : { learnt };
  }

  #failure(status: number, said: string, retryAfter: string | null): Tried {
    const message = `The service of the language model answered ${status}${said === '' ? '' : `: ${said}`}.`;
    if (mayPass(status)) {
      const error = new LanguageModelError('unavailable', message, { status });
      const mayCost = GAVE_UP_WAITING.includes(status);
      return { error, again: true, waitMs: retryAfterMs(retryAfter, this.#settings.now()), mayCost };
    }
    const code = /content.?(?:filter|management)|safety/i.test(said) ? 'content_filter' : 'rejected';
    return { error: new LanguageModelError(code, message, { status }), again: false, mayCost: false };
  }
}

/** What a service says that it does not know, of what it was sent. */
function learntFrom(said: string, features: Features): Partial<Features> | undefined {
  if (features.temperature && /temperature/i.test(said)) return { temperature: false };
  if (
    /max_(?:completion_)?tokens/.test(said) &&
    /unsupported|not supported|unknown|unrecogni[sz]ed|instead|extra/i.test(said)
  ) {
    const asksForNewer = said.includes('max_completion_tokens') && !features.completionTokens;
    if (asksForNewer) return { completionTokens: true };
    if (features.completionTokens && !/use .{0,3}max_completion_tokens/i.test(said))
      return { completionTokens: false };
  }
  if (features.schema && /response_format|json_?schema|output_config|structured|grammar/i.test(said))
    return { schema: false };
  return undefined;
}

/** A question that asks for the shape of the answer in words. */
function inWords(utterance: Utterance): Utterance {
  const words = `Answer with JSON alone, valid by this JSON Schema: ${JSON.stringify(utterance.schema)}`;
  const [first, ...rest] = utterance.messages;
  const messages =
    first?.role === 'system'
      ? [{ role: 'system' as const, content: `${first.content}\n\n${words}` }, ...rest]
      : [{ role: 'system' as const, content: words }, ...utterance.messages];
  return { ...utterance, messages };
}

/** True when a connection was never made, so that nobody can have read the question. */
function neverArrived(error: unknown): boolean {
  const { code } = Object((Object(error) as { cause?: unknown }).cause) as { code?: unknown };
  return code === 'ECONNREFUSED' || code === 'ENOTFOUND' || code === 'EAI_AGAIN' || code === 'EHOSTUNREACH';
}

/** ` (ECONNREFUSED)`, when the system says so much. */
function causeOf(error: unknown): string {
  const { code } = Object((Object(error) as { cause?: unknown }).cause) as { code?: unknown };
  return typeof code === 'string' ? ` (${code})` : '';
}
