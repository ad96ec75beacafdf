// The ledger of payments in the embedded engine: each call is one transaction on the connection that its weight asks
// for.
//
// Durable (synced before the promise resolves) is whatever records money or what was bought with it: verified, a
// release that counts a try, intents and how they ended. Quick is what may be lost with the power without harm, because
// every request in work is lost with it: a bare reservation, what it is bound to, a lease made longer, and a release
// that counts nothing, since the lease would run out. Keys that are made up, or paid somebody else, do not get here at
// all: even without a sync they would fill the log, and bring on its checkpoints, which sync. The sync that writes what
// was bought takes with it all that came before, since there is one log.
import type { DatabaseSync } from 'node:sqlite';
import {
  type Held,
  type Intent,
  type IntentKey,
  type Lease,
  type Ledger,
  MAX_TRIES,
  type PaymentKey,
  type PaymentRefusal,
  type PaymentState,
  type Purchase,
  type ReleaseReason,
  type Reservation,
  type VerifiedPayment,
} from '@grainline/x402';
import { type Connections, settled, transaction } from './database.ts';
import { type PaymentRow, paymentIn, PAYMENT_COLUMNS, recordIn } from '../rows.ts';

const TOO_OLD: PaymentRefusal = 'payment_too_old';

/** What the ledger needs besides its connections. */
export interface LedgerParts {
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** A new text that nobody can guess, for every lease. */
  readonly createToken: () => string;
}

/** The ledger in an open database. */
export function createLedger({ quick, durable }: Connections, parts: LedgerParts): Ledger {
  const quickly = createCalls(quick, parts);
  const durably = createCalls(durable, parts);
  const onQuick = <Value>(run: () => Value): Promise<Value> => settled(() => transaction(quick, run));
  const onDurable = <Value>(run: () => Value): Promise<Value> => settled(() => transaction(durable, run));

  return {
    reserve: (key, ms) => onQuick(() => quickly.reserve(key, ms)),
    verified: (...parameters) => onDurable(() => durably.verified(...parameters)),
    bind: (lease, purchase) => onQuick(() => quickly.bind(lease, purchase)),
    renew: (lease, ms) => onQuick(() => quickly.renew(lease, ms)),
    release: (lease, reason) =>
      reason.counts
        ? onDurable(() => durably.release(lease, reason))
        : onQuick(() => quickly.release(lease, reason)),
    intend: (key, ms) => onDurable(() => durably.intend(key, ms)),
    settled: (lease, key) => onDurable(() => durably.settled(lease, key)),
    settledAs: (key) => settled(() => quickly.paymentBehind(key)),
    get: (key) =>
      settled(() => {
        const row = quickly.find(key);
        return row === undefined ? null : recordIn(row);
      }),
  };
}

/** The calls of the port on one connection, each to be run in a transaction. */
function createCalls(database: DatabaseSync, { now, createToken }: LedgerParts) {
  const statement = createStatements(database);
  const newLease = (key: string, ms: number): Lease => ({
    key,
    token: createToken(),
    expiresMs: now() + ms,
  });
  const heldIf = ({ changes }: { readonly changes: number | bigint }): Held =>
    Number(changes) === 1 ? 'held' : 'lost';

  function find(key: PaymentKey): PaymentRow | undefined {
    // The columns are as the table's checks say.
    return statement.find.get(key) as PaymentRow | undefined;
  }

  function reserve(key: PaymentKey, ms: number): Reservation {
    const row = find(key);
    if (row === undefined) {
      const lease = newLease(key, ms);
      statement.insert.run(key, lease.token, lease.expiresMs, now(), now());
      return { kind: 'reserved', lease };
    }
    return refusalOf(row) ?? takeOver(row, ms);
  }

  /** Why the payment is not free; null when it is. */
  function refusalOf(row: PaymentRow): Reservation | null {
    const fingerprint = row.fingerprint ?? '';
    if (row.state === 'processing' || row.state === 'consumed') return { kind: row.state, fingerprint };
    if (row.lease_ends_ms !== null && now() < Number(row.lease_ends_ms)) {
      const held = { kind: 'held', expiresMs: Number(row.lease_ends_ms) } as const;
      return row.state === 'bound' ? { ...held, fingerprint } : held;
    }
    return row.tries >= MAX_TRIES || row.refunded_ms !== null ? { kind: 'exhausted' } : null;
  }

  /** A payment that was refused, or is a blocked payer's, has to be verified again. */
  function takeOver(row: PaymentRow, ms: number): Reservation {
    const lease = newLease(row.key, ms);
    const isRefused = row.reason === TOO_OLD || isBlocked(row.payer);
    const payment = isRefused ? undefined : paymentIn(row);
    const state: PaymentState = payment === undefined ? 'reserved' : 'verified';
    statement.takeOver.run(state, lease.token, lease.expiresMs, now(), row.key);
    return payment === undefined ? { kind: 'reserved', lease } : { kind: 'reserved', lease, payment };
  }

  function isBlocked(payer: string | null): boolean {
    return payer !== null && statement.isBlocked.get(payer) !== undefined;
  }

  function verified(
    { key, token }: Lease,
    payment: VerifiedPayment,
    refusal?: PaymentRefusal,
  ): Held | 'blocked' {
    const row = find(key);
    if (row?.token !== token) return 'lost';
    const { payer, credited, slot, memo = null } = payment;
    if (row.payer === null) statement.setPayment.run(payer, credited, slot, memo, key);
    if (isBlocked(row.payer ?? payer)) return 'blocked';
    if (row.state !== 'reserved') return 'held';
    if (refusal === undefined) statement.setVerified.run(now(), key);
    else statement.setRefusal.run(refusal, key);
    return 'held';
  }

  function bind({ key, token }: Lease, { fingerprint, price, product }: Purchase): Held {
    return heldIf(statement.bind.run(fingerprint, price, product, now(), key, token));
  }

  function renew({ key, token }: Lease, ms: number): Lease | null {
    const expiresMs = now() + ms;
    const held = heldIf(statement.renew.run(expiresMs, key, token)) === 'held';
    return held ? { key, token, expiresMs } : null;
  }

  function release({ key, token }: Lease, { reason, counts }: ReleaseReason): Held {
    if (heldIf(statement.forget.run(key, token)) === 'held') return 'held';
    return heldIf(statement.release.run(reason, counts ? 1 : 0, now(), key, token));
  }

  function paymentBehind(key: IntentKey): PaymentKey | null {
    return (statement.findIntent.get(key) as IntentRow | undefined)?.settled_as ?? null;
  }

  function intend(key: IntentKey, ms: number): Intent {
    const row = statement.findIntent.get(key) as IntentRow | undefined;
    if (row === undefined) {
      const lease = newLease(key, ms);
      statement.begin.run(key, lease.token, lease.expiresMs, now());
      return { kind: 'begun', lease };
    }
    if (row.settled_as !== null) return { kind: 'settled', key: row.settled_as };
    if (row.lease_ends_ms !== null && now() < row.lease_ends_ms)
      return { kind: 'held', expiresMs: row.lease_ends_ms };
    const lease = newLease(key, ms);
    statement.takeOverIntent.run(lease.token, lease.expiresMs, key);
    return { kind: 'unknown', lease, sinceMs: row.since_ms };
  }

  function settledAs({ key, token }: Lease, payment: PaymentKey | null): Held {
    if (payment === null) return heldIf(statement.dropIntent.run(key, token));
    return heldIf(statement.endIntent.run(payment, key, token));
  }

  return { find, reserve, verified, bind, renew, release, intend, settled: settledAs, paymentBehind };
}

interface IntentRow {
  readonly token: string | null;
  readonly lease_ends_ms: number | null;
  readonly since_ms: number;
  readonly settled_as: string | null;
}

function createStatements(database: DatabaseSync) {
  const prepare = (sql: string) => database.prepare(sql);
  const find = prepare(`SELECT ${PAYMENT_COLUMNS} FROM payments WHERE key = ?`);
  // Amounts are beyond what a double holds exactly.
  find.setReadBigInts(true);
  return {
    find,
    insert: prepare(
      `INSERT INTO payments (key, state, token, lease_ends_ms, created_ms, changed_ms)
       VALUES (?, 'reserved', ?, ?, ?, ?)`,
    ),
    takeOver: prepare(
      `UPDATE payments SET state = ?, token = ?, lease_ends_ms = ?, changed_ms = ?,
       fingerprint = NULL, price = NULL, product = NULL WHERE key = ?`,
    ),
    isBlocked: prepare('SELECT 1 FROM blocked_payers WHERE payer = ?'),
    setPayment: prepare('UPDATE payments SET payer = ?, credited = ?, slot = ?, memo = ? WHERE key = ?'),
    setVerified: prepare(
      `UPDATE payments SET state = 'verified', reason = NULL, changed_ms = ? WHERE key = ?`,
    ),
    setRefusal: prepare('UPDATE payments SET reason = ? WHERE key = ?'),
    bind: prepare(
      `UPDATE payments SET state = 'bound', fingerprint = ?, price = ?, product = ?, changed_ms = ?
       WHERE key = ? AND token = ? AND state IN ('verified', 'bound')`,
    ),
    renew: prepare('UPDATE payments SET lease_ends_ms = ? WHERE key = ? AND token = ?'),
    forget: prepare('DELETE FROM payments WHERE key = ? AND token = ? AND payer IS NULL'),
    release: prepare(
      `UPDATE payments SET state = 'released', token = NULL, lease_ends_ms = NULL,
       reason = CASE WHEN state = 'reserved' AND reason = '${TOO_OLD}' THEN reason ELSE ? END,
       tries = tries + ?, changed_ms = ? WHERE key = ? AND token = ?`,
    ),
    findIntent: prepare('SELECT token, lease_ends_ms, since_ms, settled_as FROM intents WHERE key = ?'),
    begin: prepare('INSERT INTO intents (key, token, lease_ends_ms, since_ms) VALUES (?, ?, ?, ?)'),
    takeOverIntent: prepare('UPDATE intents SET token = ?, lease_ends_ms = ? WHERE key = ?'),
    endIntent: prepare(
      'UPDATE intents SET settled_as = ?, token = NULL, lease_ends_ms = NULL WHERE key = ? AND token = ?',
    ),
    dropIntent: prepare('DELETE FROM intents WHERE key = ? AND token = ?'),
  };
}
