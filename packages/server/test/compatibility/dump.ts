// Writes stores as SQL text, and loads them. The text holds the tables of the version that wrote it.
import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync, type SQLOutputValue } from 'node:sqlite';
import { Client } from 'pg';

const FILE_NAME = 'grainline.db';

/** Writes a store of SQLite as SQL text: its tables, its rows, then indexes and triggers. */
export function dumpSqlite(dataDir: string): string {
  const database = new DatabaseSync(join(dataDir, FILE_NAME), { readOnly: true });
  database.exec('BEGIN');
  const objects = database.prepare('SELECT type, name, sql FROM sqlite_schema WHERE sql IS NOT NULL').all();
  const sqlOf = (isWanted: (type: unknown) => boolean): string[] =>
    objects.filter(({ type }) => isWanted(type)).map(({ sql }) => `${String(sql)};`);
  const rows = objects
    .filter(({ type }) => type === 'table')
    .flatMap(({ name }) => rowsOf(database, String(name)));
  const version = Number(database.prepare('PRAGMA user_version').get()?.['user_version']);
  const lines = [
    'BEGIN;',
    ...sqlOf((type) => type === 'table'),
    ...rows,
    ...sqlOf((type) => type !== 'table'),
    `PRAGMA user_version = ${version};`,
    'COMMIT;',
  ];
  database.close();
  return `${lines.join('\n')}\n`;
}

function rowsOf(database: DatabaseSync, table: string): string[] {
  const select = database.prepare(`SELECT * FROM ${table}`);
  select.setReadBigInts(true);
  return select.all().map((row) => {
    const values = Object.values(row).map(literalOf).join(', ');
    return `INSERT INTO ${table} (${Object.keys(row).join(', ')}) VALUES (${values});`;
  });
}

function literalOf(value: SQLOutputValue): string {
  if (value instanceof Uint8Array) return `X'${Buffer.from(value).toString('hex')}'`;
  if (typeof value === 'string') return `'${value.replaceAll("'", "''")}'`;
  return String(value ?? 'NULL');
}

/** Loads a store of SQLite into a new folder. */
export function loadSqlite(dataDir: string, sql: string): void {
  mkdirSync(dataDir, { recursive: true });
  const database = new DatabaseSync(join(dataDir, FILE_NAME));
  // The rows stand in the order of their tables, which refer to each other.
  database.exec(`PRAGMA foreign_keys = OFF; ${sql}`);
  database.close();
}

/** Writes a store in PostgreSQL as SQL text that any version of PostgreSQL can load. */
export function dumpPostgres(databaseUrl: string): string {
  const options = ['--inserts', '--no-owner', '--no-privileges', '--no-comments', '--schema=grainline'];
  return (
    execFileSync('pg_dump', [...options, databaseUrl], { encoding: 'utf8' })
      // Comments name the versions of the programs; the other two are for psql, and for the program's own version.
      .replace(/^(?:--.*|\\.*|SET .*;)\n/gm, '')
      .replace(/\n{2,}/g, '\n')
      .trimStart()
  );
}

/** The address of a store. */
export interface StoreAddress {
  readonly dataDir: string;
  /** Address of a PostgreSQL database; it takes the place of the folder. */
  readonly databaseUrl?: string | undefined;
}

/** Runs a query on a store beside its server. */
export async function query(
  { dataDir, databaseUrl }: StoreAddress,
  sql: string,
): Promise<Record<string, unknown>[]> {
  if (databaseUrl === undefined) {
    const database = new DatabaseSync(join(dataDir, FILE_NAME), { readOnly: true });
    const rows = database.prepare(sql).all();
    database.close();
    return rows;
  }
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  const { rows } = await client.query<Record<string, unknown>>(sql);
  await client.end();
  return rows;
}
