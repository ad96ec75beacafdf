// Several endpoints that answer as one: an answer counts when a quorum of them agrees on it. The next endpoint replaces
// one that fails. Without a quorum there is no answer.
import { PaymentProblem } from '../../gate/reasons.ts';
import { MalformedAnswer } from './answers.ts';
import {
  RpcError,
  createRpcEndpoint,
  type RpcCall,
  type RpcEndpoint,
  type RpcEnvironment,
} from './endpoint.ts';

/** A query to one endpoint, of one or more calls. */
export type RpcQuery<T> = (call: RpcCall, signal: AbortSignal) => Promise<T>;

export interface QueryOptions<T> {
  readonly signal: AbortSignal;
  /** Endpoints that must agree; default the pool's quorum. */
  readonly quorum?: number | undefined;
  /** Earlier runs of this query: each run begins with another endpoint. Default 0. */
  readonly turn?: number | undefined;
  /** Time to repeat the query while its answer is not `settled`, or missing, in milliseconds. Default 0. */
  readonly waitMs?: number | undefined;
  /** True when an answer ends the waiting. Default true for all. */
  readonly settled?: ((answer: T) => boolean) | undefined;
  /** True when an answer needs no quorum, because the query has checked its proof. Default false for all. */
  readonly proven?: ((answer: T) => boolean) | undefined;
}

/** The answer or the error of each endpoint. */
export type EndpointReplies<T> = readonly { readonly endpoint: number; readonly answer: T | RpcError }[];

/** Several endpoints that answer as one. */
export interface RpcPool {
  readonly quorum: number;
  /**
   * The answer of a quorum.
   *
   * @throws PaymentProblem `chain_unavailable` when too few endpoints answer, or they contradict each other
   */
  query<T>(query: RpcQuery<T>, options: QueryOptions<T>): Promise<T>;
  /** Queries every endpoint. */
  queryEach<T>(query: RpcQuery<T>, signal: AbortSignal): Promise<EndpointReplies<T>>;
}

/** The pause before a query is repeated doubles from the first to the longest. */
const FIRST_PAUSE_MS = 60;
const LONGEST_PAUSE_MS = 500;

/** The outcome of one round over the endpoints. */
type Round<T> =
  | { readonly kind: 'agreed'; readonly answer: T }
  /** Enough endpoints answered, and they contradict each other. */
  | { readonly kind: 'split' }
  | { readonly kind: 'short'; readonly errors: readonly RpcError[] };

export function createRpcPool(urls: readonly string[], quorum: number, environment: RpcEnvironment): RpcPool {
  const { now, timers, limits } = environment;
  const endpoints = urls.map((url, index) => createRpcEndpoint(index + 1, url, environment));

  /** The endpoints without a pause, beginning with another one each turn. */
  const readyEndpoints = (turn: number): readonly RpcEndpoint[] => {
    const from = turn % endpoints.length;
    const rotated = [...endpoints.slice(from), ...endpoints.slice(0, from)];
    return rotated.filter((endpoint) => endpoint.pause() === null);
  };

  const query: RpcPool['query'] = async (query, options) => {
    const { signal, waitMs = 0, quorum: needed = quorum, turn: first = 0, settled = () => true } = options;
    const startMs = now();
    const untilMs = startMs + waitMs;
    for (let tried = 0; ; tried++) {
      signal.throwIfAborted();
      // Each further round begins with another endpoint, so that one that lags or lies does not delay the others. The
      // first round begins with the preferred one.
      const round = await runRound(readyEndpoints(first + tried), query, { ...options, needed });
      if (round.kind === 'agreed' && settled(round.answer)) return round.answer;
      const leftMs = untilMs - now();
      const again = round.kind !== 'agreed' && tried + 1 < limits.tries && now() - startMs < limits.totalMs;
      if (leftMs <= 0 && !again) {
        if (round.kind === 'agreed') return round.answer;
        throw unavailable(round, endpoints, now());
      }
      const pauseMs = Math.min(FIRST_PAUSE_MS * 2 ** tried, LONGEST_PAUSE_MS);
      await timers.wait(leftMs > 0 ? Math.min(pauseMs, leftMs) : pauseMs, signal);
    }
  };

  const queryEach: RpcPool['queryEach'] = (query, signal) =>
    Promise.all(
      endpoints.map(async ({ number, call }) => {
        try {
          return { endpoint: number, answer: await query(call, signal) };
        } catch (error) {
          signal.throwIfAborted();
          return { endpoint: number, answer: rpcErrorOf(number, error) };
        }
      }),
    );
  return { quorum, query, queryEach };
}

/** Queries as many endpoints as must agree, and the next one in place of each that fails. */
async function runRound<T>(
  candidates: readonly RpcEndpoint[],
  query: RpcQuery<T>,
  { needed, proven, signal }: Pick<QueryOptions<T>, 'proven' | 'signal'> & { readonly needed: number },
): Promise<Round<T>> {
  if (candidates.length < needed) return { kind: 'short', errors: [] };
  const remaining = [...candidates];
  const answers: T[] = [];
  const errors: RpcError[] = [];
  const queryNext = async (): Promise<void> => {
    for (let next = remaining.shift(); next !== undefined; next = remaining.shift()) {
      try {
        answers.push(await query(next.call, signal));
        return;
      } catch (error) {
        signal.throwIfAborted();
        errors.push(rpcErrorOf(next.number, error));
      }
    }
  };
  await Promise.all(Array.from({ length: needed }, queryNext));
  const [answer] = proven === undefined ? [] : answers.filter(proven);
  if (answer !== undefined) return { kind: 'agreed', answer };
  const [first] = answers;
  if (first === undefined || answers.length < needed) return { kind: 'short', errors };
  return new Set(answers.map(canonical)).size === 1 ? { kind: 'agreed', answer: first } : { kind: 'split' };
}

/** The error as one of the endpoint. @throws the error when it is not the endpoint's */
function rpcErrorOf(number: number, error: unknown): RpcError {
  if (error instanceof RpcError) return error;
  if (!(error instanceof MalformedAnswer)) throw error;
  return new RpcError(number, 'malformed', { detail: error.message, cause: error });
}

/** Equal for equal answers: each query builds its answers in one place, so their members have one order. */
function canonical(answer: unknown): string {
  return JSON.stringify(answer, (_, value: unknown) => (typeof value === 'bigint' ? `${value}n` : value));
}

function unavailable(
  round: Exclude<Round<unknown>, { kind: 'agreed' }>,
  endpoints: readonly RpcEndpoint[],
  nowMs: number,
): PaymentProblem {
  if (round.kind === 'split')
    return new PaymentProblem('chain_unavailable', { detail: 'What its nodes say is not the same.' });
  const pauses = endpoints.flatMap((endpoint) => endpoint.pause() ?? []);
  const errors = round.errors.length > 0 ? round.errors : pauses.map(({ error }) => error);
  const isPaused = pauses.length === endpoints.length;
  const retryAfterS = Math.ceil((Math.min(...pauses.map(({ untilMs }) => untilMs)) - nowMs) / 1000);
  return new PaymentProblem('chain_unavailable', {
    retryAfterS: isPaused && retryAfterS > 5 ? retryAfterS : undefined,
    cause: errors.length > 0 ? new AggregateError(errors, errors.map(String).join(' ')) : undefined,
  });
}
