// A scripted language model on loopback, in both dialects. Its name shows that it is no model: it follows a rule of a
// few lines, so that tests know its answers, costs nothing, and misbehaves by a script.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { TokenCounter } from '@grainline/core';
import { tokenCounter } from '@grainline/models/tokens';
import { bodyOf, close, listen, LOOPBACK } from '../loopback.ts';
import { answerTo } from './answers.ts';
import { Prefixes } from './prefixes.ts';
import { type ModelCall, type DialectName, readModelCall } from './model-call.ts';
import { answerBody, type Reply } from './reply.ts';
import { refusal, type Script, type ScriptName, scriptOf, type ScriptSettings } from './scripts.ts';

/** Settings of a scripted model. */
export interface ScriptedModelOptions extends Partial<ScriptSettings> {
  /** 0, the default, takes any. */
  readonly port?: number;
  /** How it behaves: a name, or a function of the question. Default `right`. */
  readonly script?: ScriptName | Script;
  /** The accepted key; every other gets 401. Default: none is needed. */
  readonly apiKey?: string;
  /**
   * Tokens that an answer says were read from a cache. Default: those that an earlier question began with, from 1024
   * on.
   */
  readonly cachedTokens?: number;
}

/** A running scripted model. */
export interface ScriptedModel {
  /** Value for AI_BASE_URL, with either AI_PROVIDER. */
  readonly baseUrl: string;
  /** Name of the model, which every answer carries. */
  readonly model: typeof MODEL;
  /** The last questions, at most 2000, in order; those refused for their key included. */
  readonly calls: readonly ModelCall[];
  /** The number of questions, and the tokens of all answers. */
  readonly totals: { questions: number; input: number; cached: number; output: number };
  /** Behaves so from now on. */
  play(script: ScriptName | Script): void;
  stop(): Promise<void>;
}

const MODEL = 'scripted';
const MOST_REMEMBERED = 2000;
const MOST_BODY_BYTES = 64 << 20;
/** Shorter beginnings are kept in no service's cache. */
const LEAST_CACHED = 1024;
const DEFAULTS: ScriptSettings = { seed: 1, share: 1, slowMs: 500, retryAfterS: 1 };
const PATHS: Readonly<Record<string, DialectName>> = {
  '/v1/chat/completions': 'openai',
  '/v1/messages': 'anthropic',
};

/**
 * Starts one. It answers `/v1/chat/completions` and `/v1/models` as OpenAI has them and `/v1/messages` as Anthropic has
 * them, any schema with something of its shape, and counts tokens as o200k does. Equal questions get equal answers.
 *
 * @example
 * const scripted = await startScriptedModel({ script: 'rate-limited' });
 * const complete = openAiModel({ baseUrl: scripted.baseUrl, model: scripted.model });
 */
export async function startScriptedModel(options: ScriptedModelOptions = {}): Promise<ScriptedModel> {
  const model = new Model(options, await tokenCounter('o200k'));
  const server = createServer((request, response) => {
    // A client that has gone needs no answer.
    model.answer(request, response).catch(() => response.destroy());
  });
  const port = await listen(server, options.port ?? 0);
  return {
    baseUrl: `http://${LOOPBACK}:${port}/v1`,
    model: MODEL,
    calls: model.calls,
    totals: model.totals,
    play: (script) => {
      model.play(script);
    },
    stop: () => close(server),
  };
}

class Model {
  readonly calls: ModelCall[] = [];
  readonly totals = { questions: 0, input: 0, cached: 0, output: 0 };
  readonly #options: ScriptedModelOptions;
  readonly #settings: ScriptSettings;
  readonly #counter: TokenCounter;
  readonly #prefixes = new Prefixes();
  #script!: Script;

  constructor(options: ScriptedModelOptions, counter: TokenCounter) {
    this.#options = options;
    this.#settings = { ...DEFAULTS, ...options };
    this.#counter = counter;
    this.play(options.script ?? 'right');
  }

  play(script: ScriptName | Script): void {
    this.#script = typeof script === 'string' ? scriptOf(script, this.#settings) : script;
  }

  async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = (request.url ?? '').split('?')[0] ?? '';
    if (request.method === 'GET' && path === '/v1/models') {
      send(response, {
        body: { object: 'list', data: [{ id: MODEL, object: 'model', context_length: 131_072 }] },
      });
      return;
    }
    const dialect = PATHS[path];
    const raw = (await bodyOf(request, MOST_BODY_BYTES))?.toString();
    const call =
      dialect === undefined || raw === undefined
        ? undefined
        : readModelCall(dialect, path, request.headers, raw);
    if (call === undefined) {
      send(response, refusal(dialect === undefined ? 404 : 400, 'This is no question to a language model.'));
      return;
    }
    this.calls.push(call);
    if (this.calls.length > MOST_REMEMBERED) this.calls.shift();
    const number = this.totals.questions++;
    const reply = this.#opens(call) ? ((await this.#script(call, number)) ?? {}) : WRONG_KEY;
    if (reply.hangs === true) return;
    if (reply.afterMs !== undefined) await waited(reply.afterMs, response);
    send(response, reply, reply.body ?? this.#body(call, reply));
  }

  #opens({ headers }: ModelCall): boolean {
    const { apiKey } = this.#options;
    return (
      apiKey === undefined || headers.authorization === `Bearer ${apiKey}` || headers['x-api-key'] === apiKey
    );
  }

  #body(call: ModelCall, { says, value, ends = 'stop' }: Reply): object {
    const content = says ?? JSON.stringify(value === undefined ? answerTo(call) : value);
    const question = call.texts.join('\n');
    const repeated = this.#counter.count(question.slice(0, this.#prefixes.repeated(question)));
    const count = {
      input: this.#counter.count(question),
      cached: this.#options.cachedTokens ?? (repeated >= LEAST_CACHED ? repeated : 0),
      output: this.#counter.count(content),
    };
    this.totals.input += count.input;
    this.totals.cached += count.cached;
    this.totals.output += count.output;
    return answerBody(call, content, ends, count);
  }
}

const WRONG_KEY: Reply = refusal(401, 'Incorrect API key provided.');

function send(response: ServerResponse, reply: Reply, body: unknown = reply.body): void {
  const { status = 200, headers, breaks, padding = 0 } = reply;
  const bytes = typeof body === 'string' ? body : JSON.stringify(body);
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  if (breaks === true) {
    response.write(bytes.slice(0, bytes.length / 2));
    setImmediate(() => response.destroy());
    return;
  }
  for (let left = padding; left > 0; left -= 65_536) response.write(' '.repeat(Math.min(left, 65_536)));
  response.end(bytes);
}

/** Waits, or until the client has gone. */
function waited(ms: number, response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const go = (): void => {
      clearTimeout(timer);
      resolve();
    };
    const timer = setTimeout(go, ms);
    response.once('close', go);
  });
}
