// A service in this process, for tests: a list of replies, and a clock that jumps.
import type { ClientClock, FetchPort } from '../src/transport.ts';

/** One reply: what `fetch` resolves with, or what it throws. */
export type FakeReply = Response | Error | ((url: string, init: RequestInit) => Response | Promise<Response>);

export interface Sent {
  readonly method: string;
  readonly url: string;
  readonly headers: Headers;
  readonly body: RequestInit['body'];
}

export const BASE = 'https://chunks.example/below/';

/** Replies in order; the last one again and again. */
export function fakeFetch(...replies: readonly FakeReply[]): {
  readonly fetch: FetchPort;
  readonly sent: Sent[];
} {
  const left = [...replies];
  const sent: Sent[] = [];
  return {
    sent,
    fetch: async (url, init) => {
      sent.push({ method: init.method ?? 'GET', url, headers: new Headers(init.headers), body: init.body });
      const reply = (left.length > 1 ? left.shift() : left[0]) ?? new Error('no reply is left');
      if (reply instanceof Error) throw reply;
      return typeof reply === 'function' ? reply(url, init) : reply.clone();
    },
  };
}

export function json(body: unknown, status = 200, headers: Record<string, string> = {}): Response {
  return new Response(JSON.stringify(body), { status, headers });
}

/** A failure of `fetch` as Node throws it. */
export function networkError(code = 'ECONNRESET'): TypeError {
  return new TypeError('fetch failed', { cause: Object.assign(new Error(code), { code }) });
}

/** A clock that jumps over every wait. */
export function jumpingClock(): ClientClock & { readonly waits: number[] } {
  let now = 1_700_000_000_000;
  const waits: number[] = [];
  return {
    waits,
    now: () => now,
    wait: (ms, signal) => {
      signal?.throwIfAborted();
      waits.push(ms);
      now += ms;
      return Promise.resolve();
    },
  };
}

/** A sound answer with one chunk. */
export function chunkAnswer(text = 'High water.') {
  return {
    success: true,
    tier: 'structure',
    total_chunks: 1,
    metadata: { filename: 'tides.txt', content_type: 'text/plain', size_bytes: 11, estimated_pages: 1 },
    chunks: [{ id: 'a', text, metadata: { chunk_index: 0 } }],
    payment: { amount: 0, asset: 'USDC', network: 'solana-mainnet' },
  };
}
