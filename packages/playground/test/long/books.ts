// The contents of a store, read without its servers: the number of used payments, and their purchases.
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Client } from 'pg';
import type { Tally } from './traffic.ts';

/** Purchases, and the number of their payments. */
export type Bought = Pick<Tally, 'payments' | 'paidMicroUsdc' | 'sold' | 'jobs'>;

/** A look into a store that servers work on. */
export interface Books {
  read(): Promise<Counts>;
  /** Unfinished jobs that a process has. */
  held(): Promise<readonly HeldJob[]>;
}

export interface Counts {
  /** Payments that bought something. */
  readonly consumed: number;
  /** Payments that bought nothing. */
  readonly open: number;
  /** Jobs that were paid for, whatever became of them. */
  readonly jobs: number;
}

export interface HeldJob {
  readonly id: string;
  /** Names the lease: another one for each claim. */
  readonly token: string;
  /** Milliseconds since 1970. */
  readonly claimedMs: number;
  /** Later with each renewal. */
  readonly leaseEndsMs: number;
}

type Rows = (sql: string) => Promise<readonly Readonly<Record<string, unknown>>[]>;

export function embeddedBooks(dataDir: string): Books {
  const file = join(dataDir, 'grainline.db');
  return booksOn((sql) => {
    const database = new DatabaseSync(file, { readOnly: true, timeout: 5000 });
    try {
      return Promise.resolve(database.prepare(sql.replaceAll('grainline.', '')).all());
    } finally {
      database.close();
    }
  });
}

export function postgresBooks(connectionString: string): Books {
  return booksOn(async (sql) => {
    const client = new Client({ connectionString });
    // A database that is killed breaks it, and the question with it.
    client.on('error', () => undefined);
    await client.connect();
    try {
      return (await client.query<Record<string, unknown>>(sql)).rows;
    } finally {
      await client.end().catch(() => undefined);
    }
  });
}

function booksOn(rows: Rows): Books {
  return {
    async read() {
      const [counts] = await rows(
        `SELECT (SELECT count(*) FROM grainline.payments WHERE state = 'consumed') AS consumed,
           (SELECT count(*) FROM grainline.payments WHERE state <> 'consumed') AS open,
           (SELECT count(*) FROM grainline.jobs WHERE payment IS NOT NULL) AS jobs`,
      );
      return {
        consumed: Number(counts?.['consumed']),
        open: Number(counts?.['open']),
        jobs: Number(counts?.['jobs']),
      };
    },
    async held() {
      const found = await rows(
        `SELECT id, token, claimed_ms, lease_ends_ms FROM grainline.jobs WHERE state = 'processing' AND token IS NOT NULL`,
      );
      return found.map(({ id, token, claimed_ms: claimedMs, lease_ends_ms: leaseEndsMs }) => ({
        id: String(id),
        token: String(token),
        claimedMs: Number(claimedMs),
        leaseEndsMs: Number(leaseEndsMs),
      }));
    },
  };
}

/** Contradictions between the books and these purchases and payments; empty when there are none. */
export async function findDiscrepancies(books: Books, bought: Bought, earned: bigint): Promise<string[]> {
  const { consumed, open, jobs } = await books.read();
  const wants = [
    ['payments consumed', consumed, bought.payments],
    ['payments that bought nothing', open, 0],
    ['jobs', jobs, bought.jobs],
    ['sold', bought.sold + bought.jobs, bought.payments],
    ['micro-USDC earned', earned, bought.paidMicroUsdc],
  ] as const;
  return wants
    .filter(([, is, wanted]) => is !== wanted)
    .map(([what, is, wanted]) => `${what}: ${is}, not ${wanted}`);
}
