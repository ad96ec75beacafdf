// A PostgreSQL for tests: the one that answers at POSTGRES_URL, or on this machine's usual port. Every file of tests
// makes a database of its own there and drops it. Without a server the tests are skipped, and say so; on a machine that
// checks changes (CI=true) they fail.
import { randomBytes } from 'node:crypto';
import { Client } from 'pg';

const SERVER_URL = process.env['POSTGRES_URL'] ?? 'postgresql://postgres@127.0.0.1:5432/postgres';

/** A database that is there until it is dropped. */
export interface TestDatabase {
  readonly url: string;
  /** Runs statements past the store. */
  query<Row = unknown>(text: string, values?: readonly unknown[]): Promise<Row[]>;
  /** Ends every connection to it and drops it. */
  drop(): Promise<void>;
}

/** True when a server answers. */
export async function hasPostgres(): Promise<boolean> {
  const client = new Client({ connectionString: SERVER_URL, connectionTimeoutMillis: 5_000 });
  try {
    await client.connect();
    await client.end();
    return true;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    if (process.env['CI'] === 'true')
      throw new Error(`the tests need PostgreSQL: ${reason}`, { cause: error });
    console.warn(`\nSKIPPED: no PostgreSQL answers, so that nothing of its engine is tested (${reason})\n`);
    return false;
  }
}

/** A new, empty database on the server. */
export async function createDatabase(serverUrl = SERVER_URL): Promise<TestDatabase> {
  const name = `grainline_test_${randomBytes(6).toString('hex')}`;
  await once(serverUrl, `CREATE DATABASE ${name} ENCODING 'UTF8' TEMPLATE template0`);
  const address = new URL(serverUrl);
  address.pathname = `/${name}`;
  return {
    url: address.href,
    query: (text, values) => once(address.href, text, values),
    drop: async () => {
      await once(serverUrl, `DROP DATABASE ${name} WITH (FORCE)`);
    },
  };
}

async function once<Row>(url: string, text: string, values?: readonly unknown[]): Promise<Row[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<never>(text, values === undefined ? undefined : [...values]);
    return rows;
  } finally {
    await client.end();
  }
}
