// Several endpoints as one that can be trusted: a question is answered when enough of them say the same. One that is
// slow, silent or lying is outvoted by the others, and where there are not enough others nothing is believed.
import { PaymentProblem } from '../../reasons.ts';
import { MalformedAnswer } from './answers.ts';
import { EndpointFault, createEndpoint, type Call, type Endpoint, type RpcEnvironment } from './endpoint.ts';

/** A question, as it is put to one endpoint. It may take several calls. */
export type Question<T> = (call: Call, signal: AbortSignal) => Promise<T>;

export interface AskOptions<T> {
  readonly signal: AbortSignal;
  /** How many endpoints must agree; default the pool's quorum. */
  readonly quorum?: number;
  /** How often this was asked before, so that another endpoint comes first each time. Default 0. */
  readonly turn?: number;
  /** How long to keep asking while the answer is not `settled`, or there is none, in milliseconds. Default 0. */
  readonly waitMs?: number;
  /** Whether an answer ends the waiting. Default true for all. */
  readonly settled?: (answer: T) => boolean;
  /** Whether an answer needs no second endpoint, because the question has checked its proof. */
  readonly proven?: (answer: T) => boolean;
}

/** What each endpoint answered. */
export type Survey<T> = readonly { readonly endpoint: number; readonly answer: T | EndpointFault }[];

/** Several endpoints that answer as one. */
export interface Pool {
  /** How many endpoints there are. */
  readonly size: number;
  readonly quorum: number;
  /**
   * The answer that `quorum` endpoints agree on.
   *
   * @throws PaymentProblem `chain_unavailable` when not enough answer, or they contradict each other
   */
  ask<T>(question: Question<T>, options: AskOptions<T>): Promise<T>;
  /** Asks every endpoint, whatever the others say. */
  survey<T>(question: Question<T>, signal: AbortSignal): Promise<Survey<T>>;
}

export interface PoolSettings {
  readonly urls: readonly string[];
  readonly quorum: number;
  /** From 0 up to 1; spreads repeated questions over time. */
  readonly random: () => number;
}

/** While a payment is not there yet: from the first pause to the longest one. */
const FIRST_PAUSE_MS = 60;
const LONGEST_PAUSE_MS = 500;

/** The outcome of one round of asking. */
type Round<T> =
  | { readonly kind: 'agreed'; readonly answer: T }
  /** Enough endpoints answered, but too few of them alike. */
  | { readonly kind: 'split' }
  | { readonly kind: 'short'; readonly faults: readonly EndpointFault[] };

export function createPool({ urls, quorum, random }: PoolSettings, environment: RpcEnvironment): Pool {
  const { now, timers, limits } = environment;
  const endpoints = urls.map((url, index) => createEndpoint(index + 1, url, environment));

  /** Those that may be asked, beginning with another one each turn. */
  const ready = (turn: number): readonly Endpoint[] => {
    const from = turn % endpoints.length;
    const turned = [...endpoints.slice(from), ...endpoints.slice(0, from)];
    return turned.filter((endpoint) => endpoint.readyMs() <= now());
  };

  const ask: Pool['ask'] = async (question, options) => {
    const {
      signal,
      waitMs = 0,
      quorum: needed = quorum,
      turn: first = 0,
      settled = () => true,
      proven = () => false,
    } = options;
    const startMs = now();
    const untilMs = startMs + waitMs;
    /** Why nobody answered in the last round that asked anybody: in later rounds all endpoints may be spared. */
    let faults: readonly EndpointFault[] = [];
    for (let tried = 0; ; tried++) {
      signal.throwIfAborted();
      // Each waiting turn begins with another endpoint, because one that lags must not hold up what another one knows.
      // A first question does not: the first endpoint in the settings is the preferred one.
      const round = await vote(ready(first + tried), question, {
        needed,
        proven,
        signal,
        timers,
        hedgeMs: limits.hedgeMs,
      });
      if (round.kind === 'agreed' && settled(round.answer)) return round.answer;
      if (round.kind === 'short' && round.faults.length > 0) faults = round.faults;
      const leftMs = untilMs - now();
      const again = round.kind !== 'agreed' && tried + 1 < limits.tries && now() - startMs < limits.totalMs;
      if (leftMs <= 0 && !again) {
        if (round.kind === 'agreed') return round.answer;
        throw unavailable(round.kind, faults, endpoints, now());
      }
      const pauseMs =
        Math.min(FIRST_PAUSE_MS * 2 ** Math.min(tried, 10), LONGEST_PAUSE_MS) * (0.75 + random() / 2);
      await timers.wait(leftMs > 0 ? Math.min(pauseMs, leftMs) : pauseMs, signal);
    }
  };

  const survey: Pool['survey'] = (question, signal) =>
    Promise.all(
      endpoints.map(async ({ number, call }) => {
        try {
          return { endpoint: number, answer: await question(call, signal) };
        } catch (error) {
          signal.throwIfAborted();
          const answer = asFault(number, error);
          if (answer === null) throw error;
          return { endpoint: number, answer };
        }
      }),
    );
  return { size: endpoints.length, quorum, ask, survey };
}

interface Vote<T> {
  readonly needed: number;
  readonly proven: (answer: T) => boolean;
  readonly signal: AbortSignal;
  readonly timers: RpcEnvironment['timers'];
  readonly hedgeMs: number;
}

/** Asks as many endpoints as are needed, and another one whenever those asked cannot agree, or not in time. */
async function vote<T>(
  candidates: readonly Endpoint[],
  question: Question<T>,
  { needed, proven, signal, timers, hedgeMs }: Vote<T>,
): Promise<Round<T>> {
  if (candidates.length < needed) return { kind: 'short', faults: [] };
  const waiting = [...candidates];
  const faults: EndpointFault[] = [];
  const votes = new Map<string, { readonly answer: T; count: number }>();
  const ended = new AbortController();
  const either = AbortSignal.any([signal, ended.signal]);
  let pending = 0;

  try {
    return await new Promise<Round<T>>((resolve, reject) => {
      const most = () => Math.max(0, ...[...votes.values()].map(({ count }) => count));
      const next = (): void => {
        const endpoint = waiting.shift();
        if (endpoint === undefined) return;
        pending++;
        question(endpoint.call, either).then(
          (answer) => {
            const text = canonical(answer);
            const counted = votes.get(text) ?? { answer, count: 0 };
            votes.set(text, counted);
            counted.count++;
            pending--;
            decide();
          },
          (error: unknown) => {
            if (either.aborted) return;
            const fault = asFault(endpoint.number, error);
            if (fault === null) {
              reject(error instanceof Error ? error : new Error(String(error)));
              return;
            }
            faults.push(fault);
            pending--;
            decide();
          },
        );
      };
      const decide = (): void => {
        for (const { answer, count } of votes.values()) {
          if (count < needed && !proven(answer)) continue;
          resolve({ kind: 'agreed', answer });
          return;
        }
        while (most() + pending < needed && waiting.length > 0) next();
        if (pending > 0) return;
        resolve(votes.size > 1 ? { kind: 'split' } : { kind: 'short', faults });
      };
      const hedge = async (): Promise<void> => {
        while (waiting.length > 0) {
          await timers.wait(hedgeMs, either);
          next();
        }
      };
      signal.addEventListener('abort', () => reject(signal.reason as Error), {
        once: true,
        signal: ended.signal,
      });
      for (let asked = 0; asked < needed; asked++) next();
      hedge().catch(() => undefined);
    });
  } finally {
    ended.abort(ENDED);
  }
}

/**
 * The reason for aborting what nobody waits for any more. Without one, each abort would make an exception with a stack.
 */
const ENDED = 'ended';

/** The error as a fault of the endpoint; null when it is not the endpoint's. */
function asFault(number: number, error: unknown): EndpointFault | null {
  if (error instanceof EndpointFault) return error;
  if (!(error instanceof MalformedAnswer)) return null;
  return new EndpointFault(number, 'malformed', { detail: error.message, cause: error });
}

/**
 * Text that is equal for equal answers. Each question builds its answers in one place, so their members have one order.
 */
function canonical(answer: unknown): string {
  return JSON.stringify(answer, (_, value: unknown) => (typeof value === 'bigint' ? `${value}n` : value));
}

function unavailable(
  kind: 'split' | 'short',
  said: readonly EndpointFault[],
  endpoints: readonly Endpoint[],
  nowMs: number,
): PaymentProblem {
  if (kind === 'split') {
    return new PaymentProblem('chain_unavailable', { detail: 'What its nodes say is not the same.' });
  }
  // Where nobody was asked, it is for what was said before.
  const faults = said.length > 0 ? said : endpoints.flatMap((endpoint) => endpoint.sparedFor() ?? []);
  const readyMs = Math.min(...endpoints.map((endpoint) => endpoint.readyMs()));
  const retryAfterS = Math.ceil((readyMs - nowMs) / 1000);
  return new PaymentProblem('chain_unavailable', {
    ...(Number.isFinite(retryAfterS) && retryAfterS > 5 && { retryAfterS }),
    ...(faults.length > 0 && {
      cause: new AggregateError(faults, faults.map(String).join(' ')),
    }),
  });
}
