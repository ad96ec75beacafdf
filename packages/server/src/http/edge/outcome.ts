// A request that is over: one line of the log, and what is counted.
import type { Logger } from 'pino';
import type { BreakCause } from './exchange.ts';

/** What became of a request. */
export interface Outcome {
  /** As the request has it; undefined where it could not be read. */
  readonly method: string | undefined;
  /** Path template, or `none`: the path itself may hold a result id, which is a key. */
  readonly route: string;
  /** Of the answer; 499 when its client left before there was one. */
  readonly status: number;
  /** Why it was refused. */
  readonly code: string | undefined;
  /** Why its answer did not go out whole; undefined when it did, and when there was none. */
  readonly brokeOff: BreakCause | undefined;
  /** From its head to the end of its answer; undefined where no head has come. */
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
