// A request that is over: one line of the log, and what is counted.
import type { Logger } from 'pino';
import type { BreakCause } from './exchange.ts';

/** What became of a request. */
export interface Outcome {
  /** Method of the request; undefined when it could not be read. */
  readonly method: string | undefined;
  /** Path template, or `none`: the path itself may hold a result id, which is a key. */
  readonly route: string;
  /** Status of the answer; 499 when the client left before there was one. */
  readonly status: number;
  /** Why it was refused. */
  readonly code: string | undefined;
  /** Why its answer did not go out whole; undefined when it did, and when there was none. */
  readonly brokeOff: BreakCause | undefined;
  /** Time from the request's head to the end of its answer; undefined when no head has come. */
  readonly seconds: number | undefined;
}

/** Tells of a request that is over. */
export type Report = (requestId: string, outcome: Outcome) => void;

/** @param onOutcome is told of each */
export function createReport(log: Logger, onOutcome?: (outcome: Outcome) => void): Report {
  return (requestId, outcome) => {
    onOutcome?.(outcome);
    const { brokeOff, seconds, ...told } = outcome;
    const ms = seconds === undefined ? undefined : Math.round(seconds * 1000);
    log.info({ request_id: requestId, ...told, broke_off: brokeOff, ms });
  };
}
