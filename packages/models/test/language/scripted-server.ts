// A scripted language model on loopback, in both dialects, for tests alone. It is no model: it follows a rule of a few lines, so
// that tests can say where it will cut, and it misbehaves as it is told.
import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tokenCounter } from '../../src/tokens/counter.ts';

export type DialectName = 'openai' | 'anthropic';

export interface Asked {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** As it came. */
  readonly body: Readonly<Record<string, unknown>>;
  readonly model: string;
  /** System text first, then the turns. */
  readonly texts: readonly string[];
  /** Undefined when none was sent. */
  readonly schema: Readonly<Record<string, unknown>> | undefined;
  readonly maxTokens: number;
}

/** What to answer instead of what the rule says. */
export interface Reply {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** The whole answer. */
  readonly body?: unknown;
  /** The model's words. */
  readonly says?: string;
  readonly ends?: 'stop' | 'truncated' | 'refusal' | 'content_filter';
  /** No answer at all. */
  readonly hangs?: true;
  /** The connection ends in the middle of the answer. */
  readonly breaks?: true;
  /** So many bytes of blanks before the answer. */
  readonly padding?: number;
}

export type Script = (asked: Asked, number: number) => Reply | undefined | Promise<Reply | undefined>;

export interface ScriptedServer {
  readonly baseUrl: string;
  readonly asked: readonly Asked[];
  readonly close: () => void;
}

/** Starts one; `close` it. */
export async function startScripted(
  dialect: DialectName,
  script: Script = () => undefined,
): Promise<ScriptedServer> {
  const counter = await tokenCounter('o200k');
  const asked: Asked[] = [];
  const answer = async (
    path: string,
    headers: IncomingHttpHeaders,
    raw: string,
    response: ServerResponse,
  ) => {
    if (path.endsWith('/models')) {
      response.end(JSON.stringify({ data: [{ id: 'other' }, { id: 'scripted', context_length: 8192 }] }));
      return;
    }
    const one = readAsked(dialect, path, headers, JSON.parse(raw) as Record<string, unknown>);
    const reply = (await script(one, asked.push(one) - 1)) ?? {};
    if (reply.hangs === true) return;
    const says = reply.says ?? JSON.stringify(byRule(one));
    const usage = { input: counter.count(one.texts.join('\n')), output: counter.count(says) };
    const body = JSON.stringify(
      reply.body ?? answerOf(dialect, one.model, says, reply.ends ?? 'stop', usage),
    );
    response.writeHead(reply.status ?? 200, { 'content-type': 'application/json', ...reply.headers });
    if (reply.breaks === true) {
      response.write(body.slice(0, body.length / 2));
      setImmediate(() => response.destroy());
      return;
    }
    for (let left = reply.padding ?? 0; left > 0; left -= 65_536)
      response.write(' '.repeat(Math.min(left, 65_536)));
    response.end(typeof reply.body === 'string' ? reply.body : body);
  };
  const server: Server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      void answer(request.url ?? '', request.headers, Buffer.concat(parts).toString(), response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    asked,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

function readAsked(
  dialect: DialectName,
  path: string,
  headers: IncomingHttpHeaders,
  body: Record<string, unknown>,
): Asked {
  const messages = body['messages'] as { role: string; content: string }[];
  const format = (
    dialect === 'openai'
      ? (body['response_format'] as { json_schema?: { schema: unknown } } | undefined)?.json_schema
      : (body['output_config'] as { format?: { schema: unknown } } | undefined)?.format
  )?.schema as Asked['schema'];
  const system = dialect === 'anthropic' && typeof body['system'] === 'string' ? [body['system']] : [];
  return {
    path,
    headers,
    body,
    model: String(body['model']),
    texts: [...system, ...messages.map(({ content }) => content)],
    schema: format,
    maxTokens: Number(body['max_tokens'] ?? body['max_completion_tokens']),
  };
}

/** Shared words of at least so many letters speak for one topic. */
const LEAST_LETTERS = 5;
/** Units on either side of a gap that are looked at. */
const SIDE = 2;

/** Cuts at a gap whose sides have no longer word in common; anything else it is asked, it answers with seven. */
function byRule({ texts }: Asked): unknown {
  const question = texts.find((text) => text.startsWith('=====')) ?? '';
  const [mark = '', ...lines] = question.split('\n');
  if (mark === '') return { number: 7 };
  const shown = lines.slice(0, lines.indexOf(mark)).join('\n');
  const units = shown.split(/\n?^\[\d+\] /m).slice(1);
  const words = units.map(
    (unit) =>
      unit
        .toLowerCase()
        .match(/\p{L}+/gu)
        ?.filter(isLong) ?? [],
  );
  const cuts: number[] = [];
  for (let at = 1; at < units.length; at++) {
    const before = new Set(words.slice(Math.max(0, at - SIDE), at).flat());
    if (
      !words
        .slice(at, at + SIDE)
        .flat()
        .some((word) => before.has(word))
    )
      cuts.push(at + 1);
  }
  return { cuts };
}

const isLong = (word: string): boolean => word.length >= LEAST_LETTERS;

function answerOf(
  dialect: DialectName,
  model: string,
  says: string,
  ends: NonNullable<Reply['ends']>,
  { input, output }: { input: number; output: number },
): unknown {
  if (dialect === 'openai') {
    const message = ends === 'refusal' ? { content: null, refusal: says } : { content: says };
    const finish_reason = {
      stop: 'stop',
      truncated: 'length',
      refusal: 'stop',
      content_filter: 'content_filter',
    }[ends];
    const usage = {
      prompt_tokens: input,
      completion_tokens: output,
      prompt_tokens_details: { cached_tokens: 3 },
    };
    return { object: 'chat.completion', model, choices: [{ index: 0, message, finish_reason }], usage };
  }
  const stop_reason = {
    stop: 'end_turn',
    truncated: 'max_tokens',
    refusal: 'refusal',
    content_filter: 'refusal',
  }[ends];
  const usage = { input_tokens: input - 3, cache_read_input_tokens: 3, output_tokens: output };
  return { type: 'message', model, content: [{ type: 'text', text: says }], stop_reason, usage };
}
