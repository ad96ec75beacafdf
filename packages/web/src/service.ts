// The page's requests to the service it was loaded from. No other address is ever asked.
import { addressOf, type Order, sendingOf } from './order.ts';
import type { Overview } from './overview.ts';

/** What the service refused, in its own words. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly status: number;
  /** Seconds after which asking again makes sense. */
  readonly retryAfterS: number | undefined;

  constructor(message: string, status: number, retryAfterS?: number) {
    super(message);
    this.status = status;
    this.retryAfterS = retryAfterS;
  }
}

/** How far a job is. */
export interface JobStatus {
  readonly status: 'processing' | 'completed' | 'failed';
  /** From 0 to 100. */
  readonly progress: number;
  readonly message: string;
}

/** The service, as the page asks it. All reject with a {@link Refusal}, or with what `fetch` says. */
export interface Service {
  overview(): Promise<Overview>;
  /** Sends a request for chunks and gives the JSON of its answer. */
  send(order: Order, signal: AbortSignal): Promise<unknown>;
  result(id: string): Promise<unknown>;
  jobStatus(id: string): Promise<JobStatus>;
  jobResult(id: string): Promise<unknown>;
}

/**
 * The service below an address, which ends with a slash.
 *
 * @param ask `fetch`, unless a test has another one
 */
export function createService(base: string, ask: typeof fetch = fetch.bind(globalThis)): Service {
  const send = async (address: string, request: RequestInit): Promise<unknown> => {
    const headers = {
      Accept: 'application/json',
      ...(request.headers as Record<string, string> | undefined),
    };
    const response = await ask(address, { ...request, headers });
    const body: unknown = await response.json().catch(() => undefined);
    request.signal?.throwIfAborted();
    if (!response.ok) throw refusalOf(response, body);
    return body;
  };
  const call = (path: string): Promise<unknown> => send(addressOf(base, path), {});
  return {
    // The service checks what it says of itself against its own types; the page shows it and relies on nothing more.
    overview: () => call('') as Promise<Overview>,
    async send(order, signal) {
      const [address, request] = sendingOf(order, base);
      return send(address, { ...request, signal });
    },
    result: (id) => call(`results/${encodeURIComponent(id)}`),
    async jobStatus(id) {
      const body = await call(`job/${encodeURIComponent(id)}/status`);
      const { status, progress, message } = body as Partial<Record<keyof JobStatus, unknown>>;
      return {
        status: status === 'completed' || status === 'failed' ? status : 'processing',
        progress: typeof progress === 'number' ? Math.min(100, Math.max(0, progress)) : 0,
        message: typeof message === 'string' ? message : '',
      };
    },
    jobResult: (id) => call(`job/${encodeURIComponent(id)}/result`),
  };
}

/** What the service refused by an answer, whose body is JSON where it has one. */
export function refusalOf(response: Response, body: unknown): Refusal {
  const { message, error } = (body ?? {}) as { message?: unknown; error?: unknown };
  const text = [message, error].find((member) => typeof member === 'string');
  const retry = Number(response.headers.get('Retry-After') ?? Number.NaN);
  return new Refusal(
    text ?? `The service answered ${response.status}.`,
    response.status,
    Number.isFinite(retry) ? retry : undefined,
  );
}
