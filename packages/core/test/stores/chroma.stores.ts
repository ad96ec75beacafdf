// Chroma, for real: its own server from npm, its own client, our columns.
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { after, before } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { batches, columnsOf, diff, FORMATS, formatChunks, toRecords } from '../../src/formats/index.ts';
import {
  HOSTILE_NAMES,
  hostileChunks,
  vectorOf,
  vectorsFor,
  versionChunks,
  VERSIONS,
} from '../formats/samples.ts';
import { describe, freePort, it, peer, temporaryFolder } from './peers.ts';

interface Collection {
  upsert(columns: object): Promise<void>;
  update(columns: object): Promise<void>;
  delete(options: { ids: string[] }): Promise<unknown>;
  get(options: object): Promise<{
    ids: string[];
    documents: (string | null)[];
    metadatas: (object | null)[];
    embeddings: number[][];
  }>;
  query(options: object): Promise<{ ids: string[][] }>;
  count(): Promise<number>;
}
interface ChromaModule {
  readonly ChromaClient: new (options: { host: string; port: number; ssl: boolean }) => {
    heartbeat(): Promise<number>;
    createCollection(options: { name: string; embeddingFunction: unknown }): Promise<Collection>;
  };
}

const DIMENSIONS = 8;
const START_MS = 60_000;

/** Vectors without a model, for the way in that embeds by itself. */
const embedder = {
  name: 'test',
  generate: (texts: string[]) => Promise.resolve(vectorsFor(texts.length, DIMENSIONS)),
  getConfig: () => ({}),
  defaultSpace: () => 'cosine',
  supportedSpaces: () => ['cosine'],
};

describe('Chroma', () => {
  const chunks = hostileChunks();
  const about = {
    documentId: 'handbook.pdf',
    filename: HOSTILE_NAMES[0] ?? '',
    tier: 'free',
    contentType: 'text/plain',
  };
  const vectors = vectorsFor(chunks.length, DIMENSIONS);
  let open: (name: string, embeddingFunction?: unknown) => Promise<Collection>;
  let port = 0;
  let server: ChildProcess;
  const folder = temporaryFolder();

  before(async () => {
    port = await freePort();
    const script = new URL('./chroma-server.mjs', import.meta.url).pathname;
    server = spawn(
      process.execPath,
      [script, '--path', folder, '--port', String(port), '--host', '127.0.0.1'],
      {
        stdio: ['pipe', 'ignore', 'inherit'],
        env: { ...process.env, ANONYMIZED_TELEMETRY: 'FALSE' },
      },
    );
    const { ChromaClient } = await peer<ChromaModule>('chromadb');
    const client = new ChromaClient({ host: '127.0.0.1', port, ssl: false });
    const deadline = Date.now() + START_MS;
    for (let up = false; !up;) {
      up = await client.heartbeat().then(
        () => true,
        () => false,
      );
      assert.equal(server.exitCode, null, 'Chroma’s server ended before it was up');
      assert.ok(Date.now() < deadline, 'Chroma’s server did not start');
      if (!up) await pause(50);
    }
    open = (name, embeddingFunction = null) => client.createCollection({ name, embeddingFunction });
  });
  after(async () => {
    server.stdin?.end();
    if (server.exitCode === null && server.signalCode === null) await once(server, 'exit');
  });

  it('stores the columns of hostile text, gives them back unchanged, and does not grow the second time', async () => {
    const collection = await open('with-vectors');
    const { records, extras } = formatChunks(chunks, 'chroma', { ...about, vectors });
    for (let round = 0; round < 2; round++) await collection.upsert(extras.columns);
    assert.equal(await collection.count(), chunks.length);
    const { ids, documents, metadatas } = extras.columns;
    const stored = await collection.get({
      ids,
      include: ['documents', 'metadatas', 'embeddings'],
      limit: ids.length,
    });
    const byId = new Map(
      stored.ids.map((id, index) => [
        id,
        { document: stored.documents[index], metadata: stored.metadatas[index] },
      ]),
    );
    for (const [index, id] of ids.entries()) {
      assert.deepEqual(byId.get(id), { document: documents[index], metadata: metadatas[index] });
    }
    assert.equal(records.length, ids.length);
  });

  it('finds each chunk by its own vector, and filters by metadata', async () => {
    const collection = await open('query');
    const { extras } = formatChunks(chunks, 'chroma', { ...about, vectors });
    await collection.upsert(extras.columns);
    const found = await collection.query({ queryEmbeddings: vectors.slice(0, 20), nResults: 1 });
    assert.deepEqual(found.ids.flat(), extras.columns.ids.slice(0, 20));
    const first = await collection.get({
      where: { $and: [{ document_id: 'handbook.pdf' }, { chunk_index: { $lt: 3 } }] },
    });
    assert.equal(first.ids.length, 3);
  });

  it('takes columns without embeddings when the collection embeds by itself', async () => {
    const collection = await open('without-vectors', embedder);
    const { extras } = formatChunks(chunks, 'chroma', about);
    await collection.upsert(extras.columns);
    assert.equal(await collection.count(), chunks.length);
  });

  it('takes every file name a user can give, as document id too', async () => {
    const collection = await open('names');
    for (const name of HOSTILE_NAMES) {
      const few = chunks.slice(0, 2);
      const options = {
        documentId: name,
        filename: name,
        sourceUrl: name,
        vectors: vectorsFor(2, DIMENSIONS),
      };
      await collection.upsert(formatChunks(few, 'chroma', options).extras.columns);
    }
    assert.equal(await collection.count(), 2 * HOSTILE_NAMES.length);
  });

  it('holds after a plan what a fresh upsert of the new version holds, and only new content was embedded', async () => {
    const [edited, fresh] = [await open('edited'), await open('fresh')];
    const embeddingsOf = (records: readonly { document: string }[]) =>
      records.map(({ document }) => vectorOf(document, DIMENSIONS));
    const [before, after] = VERSIONS.map((text) => toRecords(versionChunks(text), 'chroma', about));
    assert.ok(before !== undefined && after !== undefined);
    await edited.upsert({ ...columnsOf(before), embeddings: embeddingsOf(before) });
    await fresh.upsert({ ...columnsOf(after), embeddings: embeddingsOf(after) });

    const stored = await edited.get({
      include: ['metadatas', 'documents', 'embeddings'],
      limit: before.length,
    });
    const previous = stored.ids.map((id, index) => ({
      id,
      document: stored.documents[index],
      metadata: stored.metadatas[index],
    }));
    const vectors = new Map(stored.ids.map((id, index) => [id, stored.embeddings[index]]));
    const plan = diff(previous, after);
    // Chroma adds new keys to those that a record has, in an upsert too, and its client sends no null to drop one: what
    // has moved goes and comes back, with the vector that it had.
    await edited.delete({ ids: [...plan.delete, ...plan.update.map(({ id }) => id)] });
    const columns = columnsOf([...plan.insert, ...plan.update]);
    const embedded = new Map(plan.insert.map(({ id }, index) => [id, embeddingsOf(plan.insert)[index]]));
    await edited.upsert({
      ...columns,
      embeddings: columns.ids.map((id) => vectors.get(id) ?? embedded.get(id)),
    });

    assert.ok(plan.insert.length < 12 && plan.delete.length < 12);
    const all = { include: ['metadatas', 'documents', 'embeddings'], limit: 2 * after.length };
    const [one, other] = await Promise.all([edited.get(all), fresh.get(all)]);
    const rows = ({ ids, metadatas, documents, embeddings }: typeof one) =>
      new Map(ids.map((id, index) => [id, [metadatas[index], documents[index], embeddings[index]]]));
    assert.deepEqual(rows(one), rows(other));
    assert.equal(one.ids.length, after.length);
  });

  it('allows what our limits assume', async () => {
    const checks = (await (await fetch(`http://127.0.0.1:${port}/api/v2/pre-flight-checks`)).json()) as {
      max_batch_size: number;
    };
    assert.equal(FORMATS.chroma.limits({} as never).maxRecords, checks.max_batch_size);
  });

  it('takes batches up to the limits, by count and by bytes', async () => {
    const collection = await open('batches');
    const short = Array.from({ length: 6000 }, (_, index) => ({
      text: `${index}`,
      start: index,
      end: index + 1,
      overlap: 0,
      metadata: {},
    }));
    const { records } = formatChunks(short, 'chroma', { ...about, vectors: vectorsFor(6000, 2) });
    const sizes: number[] = [];
    for (const slice of batches(records, 'chroma')) {
      sizes.push(slice.length);
      await collection.upsert(columnsOf(slice));
    }
    assert.deepEqual(sizes, [5461, 539]);
    assert.equal(await collection.count(), 6000);
    const long = await open('long');
    const pieces = Array.from({ length: 5 }, (_, index) => ({
      text: `${index}${'é'.repeat(5_000_000)}`,
      start: 0,
      end: 5_000_001,
      overlap: 0,
      metadata: {},
    }));
    const large = formatChunks(pieces, 'chroma', { ...about, vectors: vectorsFor(5, 2) });
    await assert.rejects(long.upsert(large.extras.columns), /413|too large/i);
    for (const slice of batches(large.records, 'chroma')) await long.upsert(columnsOf(slice));
    assert.equal(await long.count(), 5);
  });

  it('refuses what we promise never to send', async () => {
    const collection = await open('wrong');
    const row = { ids: ['a'], documents: ['x'], metadatas: [{ n: 1 }] as object[], embeddings: [[1, 2]] };
    await collection.upsert(row);
    for (const wrong of [
      { documents: ['\uD83D'] },
      { metadatas: [{}] },
      { metadatas: [{ path: ['a', 'b'] }] },
      { metadatas: [{ nested: { a: 1 } }] },
      { ids: [''] },
      { embeddings: [[1, 2, 3]] },
    ]) {
      await assert.rejects(collection.upsert({ ...row, ...wrong }), JSON.stringify(wrong));
    }
    assert.equal(await collection.count(), 1);
  });
});
