// The end of a request: one line of the log, and its count.
import type { Logger } from 'pino';
import type { LoggedFacts } from '../message.ts';
import type { BreakCause } from './exchange.ts';

/** The outcome of a request. */
export interface ExchangeOutcome {
  /** Method of the request; undefined when it was unreadable. */
  readonly method: string | undefined;
  /** Path template, or `none`. The path itself may hold a result id, which is a key. */
  readonly route: string;
  /** Status of the answer; 499 when the client left before it. */
  readonly status: number;
  /** Code of the error. */
  readonly code: string | undefined;
  readonly facts: LoggedFacts;
  /** The client, as limits name it. */
  readonly client: string;
  /** The reason of an incomplete answer; undefined for a complete one or none. */
  readonly brokeOff: BreakCause | undefined;
  /** Time from the request's head to the end of its answer; undefined without a head. */
  readonly seconds: number | undefined;
}

/** Reports the end of a request. */
export type OutcomeReporter = (requestId: string, outcome: ExchangeOutcome) => void;

/** Dependencies of {@link createOutcomeReporter}. */
export interface ReporterDeps {
  readonly log: Logger;
  /** The client's name in the log. */
  readonly hashClient: (client: string) => string;
  /** The level of the lines of a route. */
  readonly levelOf: (route: string) => 'info' | 'debug';
  /** Receives each outcome. */
  readonly onOutcome?: ((outcome: ExchangeOutcome) => void) | undefined;
}

export function createOutcomeReporter(deps: ReporterDeps): OutcomeReporter {
  const { log, hashClient, levelOf, onOutcome } = deps;
  return (requestId, exchange) => {
    onOutcome?.(exchange);
    const { method, route, status, code, facts, client, brokeOff, seconds } = exchange;
    const ms = seconds === undefined ? undefined : Math.round(seconds * 1000);
    const line = { method, route, status, outcome: outcomeOf(status), code, ...facts };
    log[levelOf(route)]({
      request_id: requestId,
      ...line,
      client: hashClient(client),
      broke_off: brokeOff,
      ms,
    });
  };
}

/** The outcome of a request that notes none. */
function outcomeOf(status: number): 'answered' | 'refused' | 'left' | 'failed' {
  if (status === CLIENT_GONE.status) return 'left';
  if (status < 400) return 'answered';
  return status < 500 ? 'refused' : 'failed';
}

/** Status and code of a request whose client left before its answer. */
export const CLIENT_GONE = { status: 499, code: 'client_gone' } as const;
