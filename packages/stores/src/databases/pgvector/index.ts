// PostgreSQL with the extension pgvector, over the client `pg`. The table has a column `embedding vector(n)` under an
// HNSW index by cosine, and a generated tsvector under a GIN index. Documented bounds of pgvector: a vector has at most
// 16,000 dimensions, an index on `vector` 2,000, and one on `halfvec` 4,000; above that the search is exact.
import type { ChunkRecord } from '@grainline/core';
import type { Adapter, Connection, ConnectionDeps, Note, ScoredChunk } from '../../connection.ts';
import { rankByWords } from '../../words.ts';

type Row = Readonly<Record<string, unknown>>;
interface Session {
  query(sql: string, values?: readonly unknown[]): Promise<{ readonly rows: readonly Row[] }>;
  release(error?: boolean): void;
}
interface Pool extends Omit<Session, 'release'> {
  connect(): Promise<Session>;
  end(): Promise<void>;
  on(event: 'error', listener: () => void): void;
}
interface PgModule {
  readonly default: { readonly Pool: new (options: object) => Pool };
}

const INDEXED_DIMENSIONS = 2000;
const HALF_INDEXED_DIMENSIONS = 4000;
/** Longest text in the tsvector, in characters: a tsvector is smaller than 1 MB. */
const SEARCHED_CHARS = 250_000;
/** Rows that are ranked by BM25, the best by `ts_rank`, which knows no rare words. */
const CANDIDATES = 400;
const SESSIONS = 4;

/** PostgreSQL with pgvector. */
export const pgvector: Adapter = {
  id: 'pgvector',
  summary: {
    database: 'PostgreSQL with pgvector',
    index: 'HNSW (m 16, ef_construction 64), cosine; halfvec from 2,001 dimensions, none from 4,001',
    keywords: 'tsvector and GIN find 400 candidates, ranked here by BM25',
  },
  url: {
    schemes: ['postgres', 'postgresql'],
    form: 'postgres://USER:PASSWORD@HOST:5432/DATABASE?collection=NAME[&sslmode=disable]',
    kind: 'server',
    port: 5432,
    path: 'database',
    parameters: ['sslmode'],
    environment: { user: 'PGUSER', secret: 'PGPASSWORD' },
  },
  clients: ['pg'],
  limits: {
    maxRecords: 500,
    maxBytes: 16 * 2 ** 20,
    maxIds: 5000,
    maxNoteBytes: Infinity,
    maxDimensions: 16_000,
  },
  classify(error) {
    const { code, message } = Object(error) as { readonly code?: unknown; readonly message?: unknown };
    const words = String(message);
    // The client's own error when the server demands a password and there is none.
    if (words.startsWith('SASL: ')) return 'unauthorized';
    if (typeof code !== 'string' || !/^[0-9A-Z]{5}$/.test(code)) return undefined;
    // Appendix A of PostgreSQL's manual: 28 is authorization, 42501 a missing privilege, 3D000 a database that does not
    // exist, 25006 a server that only reads; 08, 40, 53 and 57 pass, 42P07, 42710 and 23505 come from two that create
    // the same table at once.
    if (
      /extension (?:"vector"|control file)|type "vector"/.test(words) &&
      /^(?:0A000|58P01|42501|42704)$/.test(code)
    )
      return 'missing_extension';
    if (code.startsWith('28') || code === '42501') return 'unauthorized';
    if (code === '3D000' || code === '25006') return 'unavailable';
    if (/^(?:08|40|53|57)|^(?:55P03|42P07|42710|23505)$/.test(code)) return 'transient';
    return 'rejected';
  },
  connect: connectTo,
};

async function connectTo({ address, load, timeoutMs }: ConnectionDeps): Promise<Connection> {
  const { default: pg } = (await load('pg')) as PgModule;
  const sslmode = address.parameters.get('sslmode') ?? (address.tls ? 'verify-full' : 'disable');
  const pool = new pg.Pool({
    host: address.host.replace(/^\[|\]$/g, ''),
    port: address.port,
    database: address.database,
    user: address.user,
    password: address.secret,
    ssl: sslmode === 'disable' ? false : { rejectUnauthorized: sslmode !== 'no-verify' },
    max: SESSIONS,
    connectionTimeoutMillis: timeoutMs,
    query_timeout: timeoutMs,
  });
  // An idle session that the server ends is no error of any call; the next call opens another.
  pool.on('error', () => undefined);
  return connectionOver(pool, address.collection);
}

/** Runs a statement. */
type Rows = (sql: string, ...values: readonly unknown[]) => Promise<readonly Row[]>;

function connectionOver(pool: Pool, collection: string): Connection {
  // The rules of URLs leave letters, digits and _ in the name.
  const chunks = `"${collection}"`;
  const manifest = `"${collection}_manifest"`;
  const rowsOf: Rows = async (sql, ...values) => (await pool.query(sql, values)).rows;
  return {
    async exists() {
      const [row] = await rowsOf(
        `select to_regclass($1) is not null as chunks, to_regclass($2) is not null as manifest,
           (select count(*) from pg_attribute where attrelid = to_regclass($2) and (attname, atttypid) in
             (('id', 'uuid'::regtype), ('kind', 'text'::regtype), ('scope', 'text'::regtype), ('value', 'text'::regtype))) as columns,
           exists (select from pg_extension where extname = 'vector')
             or exists (select from pg_available_extensions where name = 'vector') as extension`,
        chunks,
        manifest,
      );
      const found = { chunks: row?.['chunks'] === true, manifest: row?.['manifest'] === true };
      const isForeign = found.manifest && Number(row?.['columns']) < 4;
      // A dry run creates nothing, and has to tell that a load could not.
      if (!found.chunks && row?.['extension'] === false) throw noExtension();
      return { ...found, foreign: isForeign ? `${collection}_manifest` : undefined };
    },
    async createManifest() {
      const found = await rowsOf("select 1 from pg_extension where extname = 'vector'");
      if (found.length === 0) await rowsOf('create extension if not exists vector');
      await rowsOf(
        `create table if not exists ${manifest} (id uuid primary key, kind text not null, scope text not null, value text not null)`,
      );
      await rowsOf(`create index if not exists "${collection}_manifest_kind" on ${manifest} (kind, scope)`);
    },
    createChunks: (dimensions) => createChunks(pool, collection, dimensions),
    async drop() {
      await rowsOf(`drop table if exists ${chunks}`);
      await rowsOf(`drop table if exists ${manifest}`);
    },
    ...notesIn(manifest, rowsOf),
    ...chunksIn(chunks, rowsOf),
    searchVector: (vector, limit) => searchVector(pool, chunks, vector, limit),
    close: () => pool.end(),
  };
}

/** The error of PostgreSQL when the extension is to be created. */
function noExtension(): Error {
  return Object.assign(new Error('extension "vector" is not available'), { code: '0A000' });
}

type Notes = Pick<Connection, 'getNotes' | 'scanNotes' | 'putNotes' | 'removeNotes'>;

function notesIn(manifest: string, rowsOf: Rows): Notes {
  return {
    getNotes: async (ids) =>
      (await rowsOf(`select * from ${manifest} where id = any($1::uuid[])`, ids)).map(noteOf),
    async *scanNotes(kind, group) {
      const page = 500;
      let after = '00000000-0000-0000-0000-000000000000';
      for (;;) {
        const rows = await rowsOf(
          `select * from ${manifest} where kind = $1 and ($2::text is null or scope = $2) and id > $3::uuid order by id limit ${page}`,
          kind,
          group ?? null,
          after,
        );
        const notes = rows.map(noteOf);
        yield notes;
        if (notes.length < page) return;
        after = notes.at(-1)?.id ?? after;
      }
    },
    async putNotes(notes) {
      await rowsOf(
        `insert into ${manifest} select * from unnest($1::uuid[], $2::text[], $3::text[], $4::text[])
         on conflict (id) do update set kind = excluded.kind, scope = excluded.scope, value = excluded.value`,
        notes.map(({ id }) => id),
        notes.map(({ kind }) => kind),
        notes.map(({ group }) => group),
        notes.map(({ value }) => value),
      );
    },
    async removeNotes(ids) {
      await rowsOf(`delete from ${manifest} where id = any($1::uuid[])`, ids);
    },
  };
}

type Chunks = Pick<
  Connection,
  'countChunks' | 'listChunks' | 'vectorsOf' | 'writeChunks' | 'removeChunks' | 'searchText'
>;

function chunksIn(chunks: string, rowsOf: Rows): Chunks {
  return {
    countChunks: async () => Number((await rowsOf(`select count(*) as count from ${chunks}`))[0]?.['count']),
    listChunks: async (documentId) =>
      (await rowsOf(`select id, chunk_index, hash from ${chunks} where document_id = $1`, documentId)).map(
        ({ id, chunk_index: chunkIndex, hash }) => ({
          id: String(id),
          chunkIndex: Number(chunkIndex),
          hash: String(hash),
        }),
      ),
    async vectorsOf(ids) {
      const rows = await rowsOf(
        `select id, embedding::text as embedding from ${chunks} where id = any($1::uuid[])`,
        ids,
      );
      return new Map(
        rows.map(({ id, embedding }) => [String(id), JSON.parse(String(embedding)) as number[]]),
      );
    },
    async writeChunks(rows) {
      await rowsOf(
        `insert into ${chunks} (id, document_id, chunk_index, hash, document, metadata, embedding)
         select id, document_id, chunk_index, hash, document, metadata::jsonb, embedding::vector
         from unnest($1::uuid[], $2::text[], $3::int[], $4::text[], $5::text[], $6::text[], $7::text[])
           as row (id, document_id, chunk_index, hash, document, metadata, embedding)
         on conflict (id) do update set document_id = excluded.document_id, chunk_index = excluded.chunk_index,
           hash = excluded.hash, document = excluded.document, metadata = excluded.metadata,
           embedding = excluded.embedding`,
        rows.map(({ id }) => id),
        rows.map(({ metadata }) => metadata.document_id),
        rows.map(({ metadata }) => metadata.chunk_index),
        rows.map(({ hash }) => hash),
        rows.map(({ document }) => document),
        rows.map(({ metadata }) => JSON.stringify(metadata)),
        rows.map(({ embedding }) => JSON.stringify(embedding)),
      );
    },
    async removeChunks(ids) {
      await rowsOf(`delete from ${chunks} where id = any($1::uuid[])`, ids);
    },
    async searchText(text, limit) {
      const rows = await rowsOf(
        `with question as (
           select string_agg('''' || replace(replace(lexeme, '\\', '\\\\'), '''', '''''') || '''', ' | ')::tsquery as words
           from unnest(tsvector_to_array(to_tsvector('simple', $1))) as lexeme)
         select id, document, metadata, (select reltuples from pg_class where oid = $2::regclass) as total
         from ${chunks}, question where chunks_words @@ question.words
         order by ts_rank(chunks_words, question.words, 1) desc, id limit ${CANDIDATES}`,
        text,
        chunks,
      );
      return rankByWords(rows.map(recordOf), text, Number(rows[0]?.['total'] ?? 0), limit);
    },
  };
}

async function createChunks(pool: Pool, collection: string, dimensions: number): Promise<void> {
  const table = `"${collection}"`;
  // Indexes first, on a table that is not there yet for others: all of it in one transaction.
  const index =
    dimensions <= INDEXED_DIMENSIONS
      ? '(embedding vector_cosine_ops)'
      : `((embedding::halfvec(${dimensions})) halfvec_cosine_ops)`;
  const statements = [
    `create table if not exists ${table} (id uuid primary key, document_id text not null, chunk_index integer not null,
       hash text not null, document text not null, metadata jsonb not null, embedding vector(${dimensions}) not null,
       chunks_words tsvector generated always as (to_tsvector('simple', left(document, ${SEARCHED_CHARS}))) stored)`,
    `create index if not exists "${collection}_document" on ${table} (document_id, chunk_index)`,
    `create index if not exists "${collection}_words" on ${table} using gin (chunks_words)`,
    ...(dimensions <= HALF_INDEXED_DIMENSIONS
      ? [`create index if not exists "${collection}_embedding" on ${table} using hnsw ${index}`]
      : []),
  ];
  await inTransaction(pool, async (session) => {
    for (const statement of statements) await session.query(statement);
  });
}

/** The nearest rows. `hnsw.ef_search` bounds the results of an index scan; its default is 40, its greatest 1000. */
async function searchVector(
  pool: Pool,
  table: string,
  vector: readonly number[],
  limit: number,
): Promise<ScoredChunk[]> {
  const { length } = vector;
  const isHalf = length > INDEXED_DIMENSIONS && length <= HALF_INDEXED_DIMENSIONS;
  const distance = isHalf
    ? `(embedding::halfvec(${length})) <=> $1::halfvec(${length})`
    : `embedding <=> $1::vector(${length})`;
  return inTransaction(pool, async (session) => {
    await session.query("select set_config('hnsw.ef_search', $1, true)", [
      String(Math.min(1000, Math.max(100, 2 * limit))),
    ]);
    const { rows } = await session.query(
      `select id, document, metadata, 1 - (embedding <=> $1::vector(${length})) as score
       from ${table} order by ${distance} limit ${limit}`,
      [JSON.stringify(vector)],
    );
    return rows.map((row) => ({ ...recordOf(row), score: Number(row['score']) }));
  });
}

async function inTransaction<Result>(
  pool: Pool,
  work: (session: Session) => Promise<Result>,
): Promise<Result> {
  const session = await pool.connect();
  let isBroken = true;
  try {
    await session.query('begin');
    const result = await work(session);
    await session.query('commit');
    isBroken = false;
    return result;
  } finally {
    // A session that failed is closed, and its transaction with it.
    session.release(isBroken);
  }
}

const noteOf = ({ id, kind, scope, value }: Row): Note => ({
  id: String(id),
  kind: kind as Note['kind'],
  group: String(scope),
  value: String(value),
});

const recordOf = ({ id, document, metadata }: Row): ChunkRecord => ({
  id: String(id),
  document: String(document),
  metadata: metadata as ChunkRecord['metadata'],
});
