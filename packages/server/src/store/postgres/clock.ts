// Whose clock decides. Machines that share a database may disagree about the time by seconds, and a lease must end for
// all of them at one moment: so it is the database's, asked within each statement, and costs no question of its own.

/** The time for statements and for callers. */
export interface Clock {
  /** What stands for the time as a parameter: null lets the database use its own. */
  readonly parameter: () => number | null;
  /** Milliseconds since 1970 on this machine, for moments that it compares with its own clock. */
  readonly here: () => number;
}

/** The database's clock, or the given one for everything. */
export function createClock(now: (() => number) | undefined): Clock {
  return now === undefined ? { parameter: () => null, here: Date.now } : { parameter: now, here: now };
}

/** SQL for the time in milliseconds since 1970, when the parameter of this number is {@link Clock.parameter}. */
export function nowIn(parameter: number): string {
  return `coalesce($${parameter}::bigint, floor(extract(epoch FROM statement_timestamp()) * 1000)::bigint)`;
}

/**
 * SQL that lets the transaction around it answer before it is on disk: a server that ends at once, by a kill or without
 * power, may lose the last half a second of such, never less than what a later one stands on. So it is for what is told
 * to nobody. It has to be among what a statement returns or selects.
 */
export const QUICK = `set_config('synchronous_commit', 'off', true)`;
