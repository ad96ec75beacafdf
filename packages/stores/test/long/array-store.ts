// A vector store in a PostgreSQL without the extension `vector`: vectors are real[], and the rest is that of
// @grainline/stores.
import { Pool } from 'pg';
import type { VectorStore } from '@grainline/core';
import { createStore } from '../../src/store/create-store.ts';
import type { Adapter, Connection, Note } from '../../src/connection.ts';
import { memory } from '../../src/databases/memory/index.ts';

const adapter: Adapter = {
  ...memory,
  id: 'arrays',
  limits: { ...memory.limits, maxRecords: 64, maxNoteBytes: 2 ** 20 },
  // A server that ends or starts, or has ended the connection.
  classify: (error) => {
    const { code, message = '' } = Object(error) as { readonly code?: unknown; readonly message?: string };
    return /^(?:57P0\d|08\d{3}|ECONN\w+|EPIPE)$/.test(String(code)) || /terminated|timeout/i.test(message)
      ? 'transient'
      : undefined;
  },
};

/** Opens the store; `close` ends its connections. */
export function openArrayStore(url: string): VectorStore {
  const pool = new Pool({ connectionString: url, max: 4, connectionTimeoutMillis: 5000 });
  // Idle connections end with their server.
  pool.on('error', () => undefined);
  const retry = {
    now: Date.now,
    random: Math.random,
    wait: (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms)),
    attempts: 8,
    timeoutMs: 10_000,
  };
  const address = { masked: 'arrays:', collection: 'kills', secrets: [], folder: '' } as never;
  return createStore({
    adapter,
    address,
    connection: connectionTo(pool),
    retry,
    newOwner: () => crypto.randomUUID(),
  });
}

function connectionTo(pool: Pool): Connection {
  const rows = async <Row>(text: string, values: readonly unknown[] = []): Promise<Row[]> =>
    (await pool.query<never>(text, [...values])).rows;
  const run = async (text: string, values: readonly unknown[] = []): Promise<void> => {
    await pool.query(text, [...values]);
  };
  return {
    async exists() {
      const found = await rows<{ chunks: boolean; manifest: boolean }>(
        `SELECT to_regclass('chunks') IS NOT NULL AS chunks, to_regclass('notes') IS NOT NULL AS manifest`,
      );
      return found[0] ?? { chunks: false, manifest: false };
    },
    createManifest: () =>
      once(() =>
        run(`CREATE TABLE IF NOT EXISTS notes (id uuid PRIMARY KEY, kind text, grp text, value text)`),
      ),
    createChunks: () =>
      once(() =>
        run(`CREATE TABLE IF NOT EXISTS chunks (id uuid PRIMARY KEY, document_id text, chunk_index int, hash text,
               text text, metadata jsonb, embedding real[]);
             CREATE INDEX IF NOT EXISTS of_document ON chunks (document_id);
             CREATE INDEX IF NOT EXISTS of_group ON notes (kind, grp)`),
      ),
    drop: () => run('DROP TABLE IF EXISTS chunks; DROP TABLE IF EXISTS notes'),
    getNotes: (ids) =>
      rows<Note>('SELECT id, kind, grp AS "group", value FROM notes WHERE id = ANY($1)', [ids]),
    async *scanNotes(kind, group) {
      yield await rows<Note>(
        'SELECT id, kind, grp AS "group", value FROM notes WHERE kind = $1 AND ($2::text IS NULL OR grp = $2)',
        [kind, group ?? null],
      );
    },
    putNotes: (notes) =>
      run(
        `INSERT INTO notes SELECT * FROM json_to_recordset($1) AS n (id uuid, kind text, "group" text, value text)
         ORDER BY id ON CONFLICT (id) DO UPDATE SET kind = excluded.kind, grp = excluded.grp, value = excluded.value`,
        [JSON.stringify(notes)],
      ),
    removeNotes: (ids) => run('DELETE FROM notes WHERE id = ANY($1)', [ids]),
    countChunks: async () => Number((await rows<{ n: string }>('SELECT count(*) AS n FROM chunks'))[0]?.n),
    listChunks: (documentId) =>
      rows('SELECT id, hash, chunk_index AS "chunkIndex" FROM chunks WHERE document_id = $1', [documentId]),
    async vectorsOf(ids) {
      const found = await rows<{ id: string; embedding: number[] }>(
        'SELECT id, embedding FROM chunks WHERE id = ANY($1)',
        [ids],
      );
      return new Map(found.map(({ id, embedding }) => [id, embedding]));
    },
    writeChunks: (records) =>
      run(
        `INSERT INTO chunks SELECT id, metadata->>'document_id', (metadata->>'chunk_index')::int, hash, document,
           metadata, embedding
         FROM json_to_recordset($1) AS r (id uuid, hash text, document text, metadata jsonb, embedding real[])
         ORDER BY id
         ON CONFLICT (id) DO UPDATE SET document_id = excluded.document_id, chunk_index = excluded.chunk_index,
           hash = excluded.hash, text = excluded.text, metadata = excluded.metadata, embedding = excluded.embedding`,
        [JSON.stringify(records)],
      ),
    removeChunks: (ids) => run('DELETE FROM chunks WHERE id = ANY($1)', [ids]),
    searchVector: () => Promise.resolve([]),
    searchText: () => Promise.resolve([]),
    close: () => pool.end(),
  };
}

/** Two workers that create a table at the same moment: one of them finds the other's. */
async function once(create: () => Promise<void>): Promise<void> {
  await create().catch(create);
}
