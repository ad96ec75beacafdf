// `node --import ../server/test/sandbox/from-sources.mjs bench/write.ts [CHUNKS]`: chunks per second into each database
// that runs here for real, the bytes of a chunk in it, and the time of a question. The chunks have 700 characters and
// vectors of 256 numbers. PGlite is PostgreSQL in WebAssembly, in the same process as the client.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { ChunkVectorRecord } from '@grainline/core';
import { openStore } from '@grainline/stores';
import { startChroma } from '../test/databases/chroma-process.ts';
import { load, temporaryFolder } from '../test/databases/peers.ts';
import { startPglite } from '../test/databases/pglite.ts';

const COUNT = Number(process.argv[2] ?? 20_000);
const [DIMENSIONS, CHARACTERS, BATCH, PER_DOCUMENT, QUESTIONS] = [256, 700, 512, 50, 20];
const WORDS =
  readFileSync(new URL('../../../docs/tiers.md', import.meta.url), 'utf8').match(/\p{L}{3,}/gu) ?? [];

function recordOf(index: number): ChunkVectorRecord {
  const bytes = createHash('shake256', { outputLength: 4 * DIMENSIONS })
    .update(String(index))
    .digest();
  const embedding = Array.from({ length: DIMENSIONS }, (_, at) =>
    Math.fround(bytes.readInt32BE(4 * at) / 2 ** 31),
  );
  const words: string[] = [];
  for (let length = 0, at = 0; length < CHARACTERS; at++) {
    const word = WORDS[bytes.readUInt16BE((2 * at) % (4 * DIMENSIONS - 1)) % WORDS.length] ?? '';
    words.push(word);
    length += word.length + 1;
  }
  const document = words.join(' ');
  const id = createHash('sha256').update(`${index}`).digest('hex');
  return {
    id: `${id.slice(0, 8)}-${id.slice(8, 12)}-5${id.slice(13, 16)}-8${id.slice(17, 20)}-${id.slice(20, 32)}`,
    document,
    metadata: {
      document_id: `docs/${Math.floor(index / PER_DOCUMENT)}.md`,
      chunk_index: index % PER_DOCUMENT,
      total_chunks: PER_DOCUMENT,
      char_count: document.length,
      start_offset: index * CHARACTERS,
      end_offset: index * CHARACTERS + document.length,
    },
    embedding,
  };
}

function bytesBelow(folder: string): number {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);
}

async function measure(name: string, url: string, bytes: () => number | Promise<number>): Promise<void> {
  const store = await openStore(url, { load });
  await store.prepare({
    embedding: { model: 'bench', dimensions: DIMENSIONS, distance: 'cosine' },
    versions: {},
  });
  let ms = 0;
  for (let first = 0; first < COUNT; first += BATCH) {
    const records = Array.from({ length: Math.min(BATCH, COUNT - first) }, (_, at) => recordOf(first + at));
    const began = performance.now();
    await store.upsert(records);
    ms += performance.now() - began;
  }
  const began = performance.now();
  for (let at = 0; at < QUESTIONS; at++) {
    const { embedding, document } = recordOf(at * 17);
    await store.search({ vector: embedding, text: document.split(' ').slice(0, 6).join(' ') });
  }
  const questionMs = (performance.now() - began) / QUESTIONS;
  await store.close();
  const size = (await bytes()) / COUNT / 1000;
  console.log(
    `${name}: ${Math.round((1000 * COUNT) / ms)} chunks a second, ${size.toFixed(1)} kB a chunk, a question in ${questionMs.toFixed(0)} ms`,
  );
}

const { folder, remove } = temporaryFolder();
await measure('LanceDB', `lancedb:${folder}?collection=bench`, () => bytesBelow(folder));
remove();

const chroma = await startChroma();
await measure('Chroma', `chroma://127.0.0.1:${chroma.port}/bench`, () => bytesBelow(chroma.folder));
await chroma.close();

const pglite = await startPglite(true);
await measure(
  'pgvector',
  `postgres://postgres@127.0.0.1:${pglite.port}/postgres?collection=bench`,
  async () => {
    const [result] = (await pglite.db.exec("select pg_total_relation_size('bench') as bytes")) as {
      rows: { bytes: number }[];
    }[];
    return Number(result?.rows[0]?.bytes);
  },
);
await pglite.close();
