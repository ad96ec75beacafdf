// A language model's service on loopback for tests. It speaks OpenAI's chat completions with given replies.
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { LanguageModel } from '../../src/models/language-model.ts';
import { createLanguageModel } from '../../src/models/language-model.ts';
import { readSettings } from '../../src/settings/settings.ts';

/** One call of the model. */
export interface ModelRequest {
  readonly key: string | undefined;
  readonly model: string;
  readonly maxTokens: number;
  /** The first turn of the user, equal in retries. */
  readonly content: string;
  /** True for a probe. */
  readonly isProbe: boolean;
}

/** The reply to a call: JSON, a status, or no reply. */
export type Respond = (
  modelRequest: ModelRequest,
) =>
  | { readonly value: unknown; readonly tokens?: { readonly input: number; readonly output: number } }
  | { readonly status: number }
  | 'none';

export interface ModelServer {
  readonly baseUrl: string;
  /** Calls for documents. */
  readonly requests: ModelRequest[];
  readonly probes: ModelRequest[];
  respond: Respond;
  /** Answers all calls without a reply so far. */
  release(say: Respond): void;
  /** Resolves after so many calls for documents. */
  received(count: number): Promise<void>;
  stop(): Promise<void>;
}

export const KEY = 'sk-not-to-be-shown';

/** Every fourth unit begins a passage. */
export const everyFourth: Respond = ({ content, isProbe }) =>
  isProbe ? { value: { number: 7 } } : { value: { cuts: fourths(content) } };

/** Answers probes correctly and documents as given. */
export const onlyProbes =
  (say: Respond): Respond =>
  (modelRequest) =>
    modelRequest.isProbe ? { value: { number: 7 } } : say(modelRequest);

function fourths(content: string): number[] {
  const last = Number(/units 2 to (\d+)/.exec(content)?.[1] ?? 0);
  return Array.from({ length: Math.floor(last / 4) }, (_, index) => 4 * (index + 1) + 1).filter(
    (number) => number <= last,
  );
}

export async function startModelServer(first: Respond = everyFourth): Promise<ModelServer> {
  const pending: { modelRequest: ModelRequest; response: ServerResponse }[] = [];
  const listeners = new Set<() => void>();
  const server: Server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      if (request.method === 'GET') {
        response.writeHead(404).end('{}');
        return;
      }
      const modelRequest = readModelRequest(Buffer.concat(parts).toString(), request.headers.authorization);
      (modelRequest.isProbe ? service.probes : service.requests).push(modelRequest);
      listeners.forEach((listen) => listen());
      answer(modelRequest, response, service.respond);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));

  function answer(modelRequest: ModelRequest, response: ServerResponse, say: Respond): void {
    const reply = say(modelRequest);
    if (reply === 'none') {
      pending.push({ modelRequest, response });
    } else if ('status' in reply) {
      // A service may repeat the key.
      response
        .writeHead(reply.status, { 'retry-after': '0' })
        .end(JSON.stringify({ error: { message: `no: ${KEY}` } }));
    } else {
      const { input, output } = reply.tokens ?? {
        input: Math.ceil(modelRequest.content.length / 4),
        output: 20,
      };
      const message = { role: 'assistant', content: JSON.stringify(reply.value) };
      response.writeHead(200, { 'content-type': 'application/json' }).end(
        JSON.stringify({
          model: modelRequest.model,
          choices: [{ finish_reason: 'stop', message }],
          usage: { prompt_tokens: input, completion_tokens: output },
        }),
      );
    }
  }

  const service: ModelServer = {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    requests: [],
    probes: [],
    respond: first,
    release(say) {
      service.respond = say;
      for (const { modelRequest, response } of pending.splice(0)) answer(modelRequest, response, say);
    },
    received: (count) =>
      new Promise((resolve) => {
        const check = (): void => {
          if (service.requests.length < count) return;
          listeners.delete(check);
          resolve();
        };
        listeners.add(check);
        check();
      }),
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return service;
}

function readModelRequest(body: string, key: string | undefined): ModelRequest {
  const {
    model,
    messages,
    max_tokens: maxTokens,
  } = JSON.parse(body) as {
    model: string;
    messages: { role: string; content: string }[];
    max_tokens: number;
  };
  const content = messages.find(({ role }) => role === 'user')?.content ?? '';
  return { key, model, maxTokens, content, isProbe: content.startsWith('Which number comes after six') };
}

/** The settings of this service. */
export const environmentOf = ({
  baseUrl,
}: Pick<ModelServer, 'baseUrl'>): Readonly<Record<string, string>> => ({
  AI_BASE_URL: baseUrl,
  AI_API_KEY: KEY,
  AI_MODEL: 'small',
  AI_PRICE: '0.15,0.6',
});

/** Timers that run on demand. */
export interface Timers {
  readonly schedule: (ms: number, run: () => void) => () => void;
  /** Milliseconds until each pending timer, soonest first. */
  waiting(): number[];
  /** Runs the soonest timer at its time. */
  runNext(): void;
  readonly now: () => number;
}

export function createTimers(): Timers {
  let nowMs = 0;
  const waiting = new Set<{ at: number; run: () => void }>();
  const inOrder = () => [...waiting].sort((one, other) => one.at - other.at);
  return {
    schedule(ms, run) {
      const entry = { at: nowMs + ms, run };
      waiting.add(entry);
      return () => void waiting.delete(entry);
    },
    waiting: () => inOrder().map(({ at }) => at - nowMs),
    runNext() {
      const [next] = inOrder();
      if (next === undefined) throw new Error('Nothing waits.');
      waiting.delete(next);
      nowMs = next.at;
      next.run();
    },
    now: () => nowMs,
  };
}

/** A line of the log: level, fields and sentence. */
export type Logged = [level: 'info' | 'warn', about: Readonly<Record<string, unknown>>, sentence: string];

/** The language model of settings, with what it logs. */
export async function languageModelOf(
  environment: Readonly<Record<string, string>>,
  timers?: Timers,
): Promise<{ model: LanguageModel; logged: Logged[] }> {
  const logged: Logged[] = [];
  const line = (level: 'info' | 'warn') => (about: object, sentence: string) =>
    void logged.push([level, { ...about }, sentence]);
  const { schedule, now = Date.now } = timers ?? {};
  const model = createLanguageModel({
    settings: readSettings(environment),
    log: { info: line('info') as never, warn: line('warn') as never },
    now,
    ...(schedule === undefined ? {} : { schedule }),
  });
  await model.tried;
  return { model, logged };
}
