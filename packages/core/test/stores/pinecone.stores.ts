// Pinecone's own client against a stub that checks the documented rules of both ways in, on the bytes as they come.
import assert from 'node:assert/strict';
import { batches, formatChunks } from '../../src/formats/index.ts';
import { HOSTILE_NAMES, hostileChunks, vectorsFor } from '../formats/samples.ts';
import { describe, it, peer, serve, type WireReply, type WireRequest } from './peers.ts';
import { badText, badVector, type Issue, issueAmong, firstIssue, isObject } from './rules.ts';

interface PineconeIndex {
  upsert(options: { records: readonly unknown[] }): Promise<void>;
  upsertRecords(options: { records: readonly unknown[] }): Promise<void>;
}
interface PineconeModule {
  readonly Pinecone: new (options: { apiKey: string; maxRetries?: number }) => {
    index(options: { host: string; namespace: string }): PineconeIndex;
  };
}

const DIMENSIONS = 8;
const REQUEST_BYTES = 2_000_000;
const METADATA_BYTES = 40_960;

function metadataIssue(metadata: unknown): Issue {
  if (!isObject(metadata)) return 'metadata is not an object';
  if (Buffer.byteLength(JSON.stringify(metadata)) > METADATA_BYTES) return 'metadata over 40 KB';
  return issueAmong(Object.entries(metadata), ([key, value]) => {
    if (key.startsWith('$')) return `key ${key} begins with $`;
    if (value === null) return `${key} is null`;
    if (Array.isArray(value))
      return value.every((member) => typeof member === 'string')
        ? undefined
        : `${key} is a list of other than strings`;
    return ['string', 'number', 'boolean'].includes(typeof value) ? undefined : `${key} is nested`;
  });
}

function idIssue(id: unknown): Issue {
  return typeof id === 'string' && /^[\x20-\x7e]{1,512}$/.test(id)
    ? undefined
    : 'id is not a string of 1 to 512 ASCII characters';
}

function vectorIssue(record: unknown): Issue {
  if (!isObject(record)) return 'record is not an object';
  const { id, values, metadata } = record;
  const zero = Array.isArray(values) && values.every((value) => value === 0);
  return firstIssue(
    idIssue(id),
    badVector(values, DIMENSIONS),
    zero ? 'vector of zeros' : undefined,
    metadataIssue(metadata),
  );
}

function textIssue(record: unknown, textField: string): Issue {
  if (!isObject(record)) return 'record is not an object';
  const { _id: id, id: otherId, ...fields } = record;
  const text = fields[textField];
  return firstIssue(
    idIssue(id ?? otherId),
    typeof text === 'string' && text !== '' ? undefined : `no text in ${textField}`,
    metadataIssue(fields),
  );
}

/** An index with its records; answers as Pinecone does, 400 with a message when a rule is broken. */
class PineconeStub {
  readonly stored = new Map<unknown, unknown>();
  readonly requests: number[] = [];

  answer = ({ path, body }: WireRequest): WireReply => {
    const ndjson = path.startsWith('/records/namespaces/');
    const text = body.toString('utf8');
    const records: unknown[] = ndjson
      ? text.split('\n').map((line): unknown => JSON.parse(line))
      : (JSON.parse(text) as { vectors: unknown[] }).vectors;
    const most = ndjson ? 96 : 1000;
    const issue = firstIssue(
      body.length > REQUEST_BYTES ? 'request over 2 MB' : undefined,
      records.length === 0 || records.length > most
        ? `${records.length} records, at most ${most}`
        : undefined,
      badText(records),
      issueAmong(records, (record) => (ndjson ? textIssue(record, 'text') : vectorIssue(record))),
    );
    if (issue !== undefined) return { status: 400, body: { code: 3, message: issue, details: [] } };
    this.requests.push(records.length);
    for (const record of records as { id?: string; _id?: string }[])
      this.stored.set(record.id ?? record._id, record);
    return { status: 200, body: { upsertedCount: records.length } };
  };
}

async function open(): Promise<{ stub: PineconeStub; index: PineconeIndex }> {
  const { Pinecone } = await peer<PineconeModule>('@pinecone-database/pinecone');
  const stub = new PineconeStub();
  const port = await serve(stub.answer);
  const index = new Pinecone({ apiKey: 'none', maxRetries: 0 }).index({
    host: `http://127.0.0.1:${port}`,
    namespace: 'handbook',
  });
  return { stub, index };
}

describe('Pinecone', () => {
  const chunks = hostileChunks();
  const vectors = vectorsFor(chunks.length, DIMENSIONS);
  const about = {
    documentId: 'lone \uD800 document',
    filename: HOSTILE_NAMES[2] ?? '',
    tier: 'free',
    contentType: 'text/plain',
  };

  it('takes hostile text with vectors, and again without growing', async () => {
    const { stub, index } = await open();
    const { records } = formatChunks(chunks, 'pinecone', { ...about, vectors });
    for (let round = 0; round < 2; round++) {
      for (const slice of batches(records, 'pinecone')) await index.upsert({ records: slice });
    }
    assert.equal(stub.stored.size, chunks.length);
    assert.deepEqual([...stub.stored.values()], records);
  });

  it('takes hostile text without vectors, in requests of at most 96', async () => {
    const { stub, index } = await open();
    const { records, extras } = formatChunks(chunks, 'pinecone', about);
    for (const slice of batches(records, 'pinecone')) await index.upsertRecords({ records: slice });
    assert.deepEqual([...stub.stored.values()], records);
    assert.equal(stub.requests.length, extras.upsert?.calls ?? 1);
    assert.ok(Math.max(...stub.requests) <= 96);
  });

  it('takes giant table rows in chunks of 32,000 units', async () => {
    const { index } = await open();
    const giant = hostileChunks(32_000, 0);
    assert.ok(giant.some(({ text }) => text.length > 31_000));
    const { records, warnings } = formatChunks(giant, 'pinecone', about);
    assert.deepEqual(warnings, []);
    for (const slice of batches(records, 'pinecone')) await index.upsertRecords({ records: slice });
  });

  it('takes every file name a user can give', async () => {
    const { index } = await open();
    for (const filename of HOSTILE_NAMES) {
      const { records } = formatChunks(chunks.slice(0, 3), 'pinecone', {
        documentId: filename,
        filename,
        sourceUrl: filename,
      });
      await index.upsertRecords({ records });
    }
  });

  it('takes thousands of records in requests of at most 1000 and 2 MB', async () => {
    const { stub, index } = await open();
    const many = Array.from({ length: 30 }, () => chunks).flat();
    const { records } = formatChunks(many, 'pinecone', {
      ...about,
      vectors: vectorsFor(many.length, DIMENSIONS),
    });
    for (const slice of batches(records, 'pinecone')) await index.upsert({ records: slice });
    assert.equal(stub.stored.size, many.length);
    assert.ok(many.length > 2000 && stub.requests.length > 2);
  });

  describe('the stub refuses', () => {
    const good = formatChunks(chunks.slice(0, 2), 'pinecone', { ...about, vectors: vectors.slice(0, 2) })
      .records[0];
    assert.ok(good !== undefined);
    const withMetadata = (more: object): object => ({ ...good, metadata: { ...good.metadata, ...more } });
    const wrong: [string, object, string][] = [
      ['an id beyond ASCII', { ...good, id: 'é' }, 'id is not'],
      ['null in metadata', withMetadata({ filename: null }), 'filename is null'],
      ['nested metadata', withMetadata({ loc: { lines: 1 } }), 'loc is nested'],
      ['a list of numbers', withMetadata({ pages: [1] }), 'pages is a list'],
      ['a key beginning with $', withMetadata({ $ref: 'x' }), '$ref begins with $'],
      ['metadata over 40 KB', withMetadata({ text: 'x'.repeat(41_000) }), 'metadata over 40 KB'],
      ['a vector of zeros', { ...good, values: Array(8).fill(0) }, 'vector of zeros'],
      ['a vector of another length', { ...good, values: [1] }, 'vector has 1 dimensions'],
      ['NUL in the text', withMetadata({ text: 'a\0' }), 'U+0000'],
      ['half an emoji in the text', withMetadata({ text: '😀'.slice(0, 1) }), 'lone surrogate'],
    ];
    for (const [what, record, message] of wrong) {
      it(what, async () => {
        const { index } = await open();
        await assert.rejects(index.upsert({ records: [record] }), (error: Error) =>
          error.message.includes(message),
        );
      });
    }

    it('more than 96 records of text, more than 1000 of vectors, more than 2 MB', async () => {
      const { index } = await open();
      const text = formatChunks(chunks.slice(0, 1), 'pinecone', about).records;
      const refuses = (call: Promise<void>, message: string) =>
        assert.rejects(call, (error: Error) => error.message.includes(message));
      await refuses(index.upsertRecords({ records: Array(97).fill(text[0]) as object[] }), 'at most 96');
      await refuses(index.upsert({ records: Array(1001).fill(good) as object[] }), 'at most 1000');
      const large = withMetadata({ text: 'x'.repeat(30_000) });
      await refuses(index.upsert({ records: Array(70).fill(large) as object[] }), 'over 2 MB');
    });

    it('a record without text in the field that the index embeds', async () => {
      const { index } = await open();
      const { records } = formatChunks(chunks.slice(0, 1), 'pinecone', { ...about, textField: 'body' });
      await assert.rejects(index.upsertRecords({ records }), /no text in text/);
    });
  });
});
