// The ledger of payments in PostgreSQL. Whoever takes a payment takes it by one INSERT … ON CONFLICT, which decides
// between any number of machines; every later step names the lease's token in its WHERE. Where nothing was written, a
// second statement reads why, and begins again when that has changed in between.
import {
  type Held,
  type Intent,
  type IntentKey,
  type Lease,
  type Ledger,
  MAX_TRIES,
  type PaymentKey,
  type PaymentRefusal,
  type Purchase,
  type ReleaseReason,
  type Reservation,
  type VerifiedPayment,
} from '@grainline/x402';
import { type PaymentRow, paymentIn, PAYMENT_COLUMNS, recordIn } from '../rows.ts';
import { type Clock, nowIn, QUICK } from './clock.ts';
import type { Database } from './database.ts';

/** What the ledger needs besides its database. */
export interface LedgerParts {
  readonly clock: Clock;
  /** A new text that nobody can guess, for every lease. */
  readonly createToken: () => string;
}

/** The ledger in a database. */
export function createLedger({ query }: Database, { clock, createToken }: LedgerParts): Ledger {
  /**
   * A lease that begins now. Its end is told by this machine's clock from before the statement, so that nobody who
   * asks that clock believes in a lease longer than the database does.
   */
  const newLease = (key: string, ms: number): Lease => ({
    key,
    token: createToken(),
    expiresMs: clock.here() + ms,
  });
  const heldIf = (rows: readonly unknown[]): Held => (rows.length === 1 ? 'held' : 'lost');

  async function find(key: PaymentKey): Promise<TimedRow | undefined> {
    // The columns are as the table's checks say.
    const [row] = await query<TimedRow>(SQL.find, [clock.parameter(), key]);
    return row;
  }

  async function reserve(key: PaymentKey, ms: number): Promise<Reservation> {
    for (;;) {
      const lease = newLease(key, ms);
      const [taken] = await query<PaymentRow>(SQL.reserve, [clock.parameter(), key, lease.token, ms]);
      if (taken !== undefined) {
        const payment = taken.state === 'verified' ? paymentIn(taken) : undefined;
        return { kind: 'reserved', lease, ...(payment === undefined ? {} : { payment }) };
      }
      const row = await find(key);
      const refusal = row === undefined ? null : refusalOf(row);
      if (refusal !== null) return refusal;
    }
  }

  /** Why the payment is not free; null when it is. */
  function refusalOf(row: TimedRow): Reservation | null {
    const fingerprint = row.fingerprint ?? '';
    if (row.state === 'processing' || row.state === 'consumed') return { kind: row.state, fingerprint };
    if (row.left_ms !== null && row.left_ms > 0n) {
      const held = { kind: 'held', expiresMs: clock.here() + Number(row.left_ms) } as const;
      return row.state === 'bound' ? { ...held, fingerprint } : held;
    }
    return Number(row.tries) >= MAX_TRIES || row.refunded_ms !== null ? { kind: 'exhausted' } : null;
  }

  async function verified(
    { key, token }: Lease,
    payment: VerifiedPayment,
    refusal: PaymentRefusal | null = null,
  ): Promise<Held | 'blocked'> {
    const { payer, credited, slot, memo = null } = payment;
    const values = [clock.parameter(), key, token, payer, credited, slot, memo, refusal];
    const [row] = await query<{ blocked: boolean }>(SQL.verified, values);
    if (row === undefined) return 'lost';
    return row.blocked ? 'blocked' : 'held';
  }

  async function bind({ key, token }: Lease, { fingerprint, price, product }: Purchase): Promise<Held> {
    return heldIf(await query(SQL.bind, [clock.parameter(), key, token, fingerprint, price, product]));
  }

  async function renew({ key, token }: Lease, ms: number): Promise<Lease | null> {
    const expiresMs = clock.here() + ms;
    const rows = await query(SQL.renew, [clock.parameter(), key, token, ms]);
    return rows.length === 1 ? { key, token, expiresMs } : null;
  }

  /** Two statements, of which one at most changes anything: only the lease's holder can verify in between. */
  async function release({ key, token }: Lease, { reason, counts }: ReleaseReason): Promise<Held> {
    if (heldIf(await query(SQL.forget, [key, token])) === 'held') return 'held';
    return heldIf(await query(SQL.release, [clock.parameter(), key, token, reason, counts ? 1 : 0]));
  }

  async function intend(key: IntentKey, ms: number): Promise<Intent> {
    for (;;) {
      const lease = newLease(key, ms);
      const values = [clock.parameter(), key, lease.token, ms];
      if ((await query(SQL.begin, values)).length === 1) return { kind: 'begun', lease };
      const [taken] = await query<{ since_ms: bigint }>(SQL.takeOverIntent, values);
      if (taken !== undefined) return { kind: 'unknown', lease, sinceMs: Number(taken.since_ms) };
      const [row] = await query<IntentRow>(SQL.findIntent, [clock.parameter(), key]);
      if (row === undefined) continue;
      if (row.settled_as !== null) return { kind: 'settled', key: row.settled_as };
      if (row.left_ms !== null && row.left_ms > 0n)
        return { kind: 'held', expiresMs: clock.here() + Number(row.left_ms) };
    }
  }

  async function settled({ key, token }: Lease, payment: PaymentKey | null): Promise<Held> {
    if (payment === null) return heldIf(await query(SQL.dropIntent, [key, token]));
    return heldIf(await query(SQL.endIntent, [key, token, payment]));
  }

  async function settledAs(key: IntentKey): Promise<PaymentKey | null> {
    const [row] = await query<IntentRow>(SQL.findIntent, [clock.parameter(), key]);
    return row?.settled_as ?? null;
  }

  async function get(key: PaymentKey) {
    const row = await find(key);
    return row === undefined ? null : recordIn(row);
  }

  return { reserve, verified, bind, renew, release, intend, settled, settledAs, get };
}

/** A payment's row, with what is left of its lease by the database's clock. */
interface TimedRow extends PaymentRow {
  readonly left_ms: bigint | null;
}

interface IntentRow {
  readonly settled_as: string | null;
  readonly left_ms: bigint | null;
}

const isBlocked = (payer: string): string =>
  `EXISTS (SELECT FROM grainline.blocked_payers AS b WHERE b.payer = ${payer})`;

const TOO_OLD: PaymentRefusal = 'payment_too_old';
/** Of the payment of the fourth parameter, with the refusal of the eighth: whether it is taken from now on. */
const IS_TAKEN = `p.state = 'reserved' AND $8::text IS NULL AND NOT ${isBlocked('coalesce(p.payer, $4)')}`;

const SQL = {
  find: `SELECT ${PAYMENT_COLUMNS}, lease_ends_ms - ${nowIn(1)} AS left_ms FROM grainline.payments WHERE key = $2`,
  // The setting stands in what is selected: a refusal has locked a row, and must not wait for the disk either.
  // A payment that was refused, or is a blocked payer's, has to be verified again.
  reserve: `INSERT INTO grainline.payments AS p (key, state, token, lease_ends_ms, created_ms, changed_ms)
    SELECT $2, 'reserved', $3, now_ms + $4::bigint, now_ms, now_ms FROM (SELECT ${nowIn(1)} AS now_ms, ${QUICK}) AS clock
    ON CONFLICT (key) DO UPDATE SET
      state = CASE WHEN p.payer IS NULL OR p.reason IS NOT DISTINCT FROM '${TOO_OLD}' OR ${isBlocked('p.payer')}
        THEN 'reserved' ELSE 'verified' END,
      token = excluded.token, lease_ends_ms = excluded.lease_ends_ms, changed_ms = excluded.changed_ms,
      fingerprint = NULL, price = NULL, product = NULL
      WHERE p.state NOT IN ('processing', 'consumed') AND p.tries < ${MAX_TRIES} AND p.refunded_ms IS NULL
        AND (p.lease_ends_ms IS NULL OR p.lease_ends_ms <= excluded.changed_ms)
    RETURNING ${PAYMENT_COLUMNS}`,
  verified: `UPDATE grainline.payments AS p SET
      payer = coalesce(p.payer, $4),
      credited = CASE WHEN p.payer IS NULL THEN $5::bigint ELSE p.credited END,
      slot = CASE WHEN p.payer IS NULL THEN $6::bigint ELSE p.slot END,
      memo = CASE WHEN p.payer IS NULL THEN $7 ELSE p.memo END,
      state = CASE WHEN ${IS_TAKEN} THEN 'verified' ELSE p.state END,
      reason = CASE WHEN ${IS_TAKEN} THEN NULL
        WHEN p.state = 'reserved' AND NOT ${isBlocked('coalesce(p.payer, $4)')} THEN $8 ELSE p.reason END,
      changed_ms = CASE WHEN ${IS_TAKEN} THEN ${nowIn(1)} ELSE p.changed_ms END
    WHERE key = $2 AND token = $3 RETURNING ${isBlocked('p.payer')} AS blocked`,
  bind: `UPDATE grainline.payments SET
      state = 'bound', fingerprint = $4, price = $5, product = $6, changed_ms = ${nowIn(1)}
    WHERE key = $2 AND token = $3 AND state IN ('verified', 'bound') RETURNING ${QUICK}`,
  renew: `UPDATE grainline.payments SET lease_ends_ms = ${nowIn(1)} + $4::bigint
    WHERE key = $2 AND token = $3 RETURNING ${QUICK}`,
  forget: `DELETE FROM grainline.payments WHERE key = $1 AND token = $2 AND payer IS NULL RETURNING ${QUICK}`,
  release: `UPDATE grainline.payments SET state = 'released', token = NULL, lease_ends_ms = NULL,
      reason = CASE WHEN state = 'reserved' AND reason = '${TOO_OLD}' THEN reason ELSE $4 END,
      tries = tries + $5::bigint, changed_ms = ${nowIn(1)}
    WHERE key = $2 AND token = $3 RETURNING 1`,
  begin: `INSERT INTO grainline.intents (key, token, lease_ends_ms, since_ms)
    SELECT $2, $3, now_ms + $4::bigint, now_ms FROM (SELECT ${nowIn(1)} AS now_ms) AS clock
    ON CONFLICT DO NOTHING RETURNING 1`,
  takeOverIntent: `UPDATE grainline.intents SET token = $3, lease_ends_ms = ${nowIn(1)} + $4::bigint
    WHERE key = $2 AND settled_as IS NULL AND lease_ends_ms <= ${nowIn(1)} RETURNING since_ms`,
  findIntent: `SELECT settled_as, lease_ends_ms - ${nowIn(1)} AS left_ms FROM grainline.intents WHERE key = $2`,
  endIntent: `UPDATE grainline.intents SET settled_as = $3, token = NULL, lease_ends_ms = NULL
    WHERE key = $1 AND token = $2 RETURNING 1`,
  dropIntent: 'DELETE FROM grainline.intents WHERE key = $1 AND token = $2 RETURNING 1',
} as const;
