// A service of a language model on loopback, for tests: it speaks OpenAI's chat completions, and says what it is told
// to.
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { LanguageModel } from '../../src/models/language-model.ts';
import { startLanguageModel } from '../../src/models/language-model.ts';
import { readSettings } from '../../src/settings/settings.ts';

/** What a question held. */
export interface Asked {
  readonly key: string | undefined;
  readonly model: string;
  readonly maxTokens: number;
  /** The first turn of the user: the same when the question is asked again. */
  readonly content: string;
  /** Of a probe, not of a document. */
  readonly isProbe: boolean;
}

/** What to say: JSON, a status, or nothing at all. */
export type Say = (
  asked: Asked,
) =>
  | { readonly value: unknown; readonly tokens?: { readonly input: number; readonly output: number } }
  | { readonly status: number }
  | 'silence';

export interface ModelServer {
  readonly baseUrl: string;
  /** Questions about documents. */
  readonly asked: Asked[];
  readonly probes: Asked[];
  say: Say;
  /** Answers all that it was silent to. */
  release(say: Say): void;
  /** Resolves when so many questions about documents have come. */
  heard(count: number): Promise<void>;
  stop(): Promise<void>;
}

export const KEY = 'sk-not-to-be-told';

/** Every fourth unit begins a passage. */
export const everyFourth: Say = ({ content, isProbe }) =>
  isProbe ? { value: { number: 7 } } : { value: { cuts: fourths(content) } };

/** A probe is answered well, whatever becomes of documents. */
export const onlyProbes =
  (say: Say): Say =>
  (asked) =>
    asked.isProbe ? { value: { number: 7 } } : say(asked);

function fourths(content: string): number[] {
  const last = Number(/units 2 to (\d+)/.exec(content)?.[1] ?? 0);
  return Array.from({ length: Math.floor(last / 4) }, (_, index) => 4 * (index + 1) + 1).filter(
    (number) => number <= last,
  );
}

export async function startModelServer(first: Say = everyFourth): Promise<ModelServer> {
  const silent: { asked: Asked; response: ServerResponse }[] = [];
  const listeners = new Set<() => void>();
  const server: Server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      if (request.method === 'GET') {
        response.writeHead(404).end('{}');
        return;
      }
      const asked = readAsked(Buffer.concat(parts).toString(), request.headers.authorization);
      (asked.isProbe ? service.probes : service.asked).push(asked);
      listeners.forEach((listen) => listen());
      answer(asked, response, service.say);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));

  function answer(asked: Asked, response: ServerResponse, say: Say): void {
    const said = say(asked);
    if (said === 'silence') {
      silent.push({ asked, response });
    } else if ('status' in said) {
      // A service may repeat the key that it was given.
      response
        .writeHead(said.status, { 'retry-after': '0' })
        .end(JSON.stringify({ error: { message: `no: ${KEY}` } }));
    } else {
      const { input, output } = said.tokens ?? { input: Math.ceil(asked.content.length / 4), output: 20 };
      const message = { role: 'assistant', content: JSON.stringify(said.value) };
      response.writeHead(200, { 'content-type': 'application/json' }).end(
        JSON.stringify({
          model: asked.model,
          choices: [{ finish_reason: 'stop', message }],
          usage: { prompt_tokens: input, completion_tokens: output },
        }),
      );
    }
  }

  const service: ModelServer = {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    asked: [],
    probes: [],
    say: first,
    release(say) {
      service.say = say;
      for (const { asked, response } of silent.splice(0)) answer(asked, response, say);
    },
    heard: (count) =>
      new Promise((resolve) => {
        const look = (): void => {
          if (service.asked.length < count) return;
          listeners.delete(look);
          resolve();
        };
        listeners.add(look);
        look();
      }),
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return service;
}

function readAsked(body: string, key: string | undefined): Asked {
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

/** Settings that lead to it. */
export const environmentOf = ({
  baseUrl,
}: Pick<ModelServer, 'baseUrl'>): Readonly<Record<string, string>> => ({
  AI_BASE_URL: baseUrl,
  AI_API_KEY: KEY,
  AI_MODEL: 'small',
  AI_PRICE: '0.15,0.6',
});

/** Timers that run when they are told to. */
export interface Timers {
  readonly later: (ms: number, run: () => void) => () => void;
  /** What waits, soonest first: in how many milliseconds. */
  waiting(): number[];
  /** Runs the soonest, and lets its time pass. */
  runNext(): void;
  readonly now: () => number;
}

export function createTimers(): Timers {
  let nowMs = 0;
  const waiting = new Set<{ at: number; run: () => void }>();
  const inOrder = () => [...waiting].sort((one, other) => one.at - other.at);
  return {
    later(ms, run) {
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

/** What was logged: how important it was, and the sentence. */
export type Logged = [level: 'info' | 'warn', about: Readonly<Record<string, unknown>>, sentence: string];

/** The language model of settings, with what it logs. */
export async function languageModelOf(
  environment: Readonly<Record<string, string>>,
  timers?: Timers,
): Promise<{ model: LanguageModel; logged: Logged[] }> {
  const logged: Logged[] = [];
  const line = (level: 'info' | 'warn') => (about: object, sentence: string) =>
    void logged.push([level, { ...about }, sentence]);
  const { later, now = Date.now } = timers ?? {};
  const model = startLanguageModel({
    settings: readSettings(environment),
    log: { info: line('info') as never, warn: line('warn') as never },
    now,
    ...(later === undefined ? {} : { later }),
  });
  await model.tried;
  return { model, logged };
}
