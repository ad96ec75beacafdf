// The end of a request: one line of the log, and its count.
import type { Logger } from 'pino';
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
  /** The reason of an incomplete answer; undefined for a complete one or none. */
  readonly brokeOff: BreakCause | undefined;
  /** Time from the request's head to the end of its answer; undefined without a head. */
  readonly seconds: number | undefined;
}

/** Reports the end of a request. */
export type OutcomeReporter = (requestId: string, outcome: ExchangeOutcome) => void;

/** @param onOutcome receives each outcome */
export function createOutcomeReporter(
  log: Logger,
  onOutcome?: (outcome: ExchangeOutcome) => void,
): OutcomeReporter {
  return (requestId, outcome) => {
    onOutcome?.(outcome);
    const { brokeOff, seconds, ...logged } = outcome;
    const ms = seconds === undefined ? undefined : Math.round(seconds * 1000);
    log.info({ request_id: requestId, ...logged, broke_off: brokeOff, ms });
  };
}
