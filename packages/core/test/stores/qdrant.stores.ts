// Qdrant's own client against a stub that checks the documented rules of `PUT /collections/{name}/points`.
import assert from 'node:assert/strict';
import { batches, formatChunks } from '../../src/formats/index.ts';
import { HOSTILE_NAMES, hostileChunks, vectorsFor } from '../formats/samples.ts';
import { describe, it, peer, serve, type WireReply, type WireRequest } from './peers.ts';
import {
  badText,
  badVector,
  type Issue,
  issueAmong,
  firstIssue,
  isObject,
  strangeKeys,
  UUID,
} from './rules.ts';

interface QdrantClient {
  upsert(
    collection: string,
    request: { wait: boolean; points: readonly unknown[] },
  ): Promise<{ status: string }>;
}
interface QdrantModule {
  readonly QdrantClient: new (options: {
    host: string;
    port: number;
    checkCompatibility: boolean;
  }) => QdrantClient;
}

const DIMENSIONS = 8;
const REQUEST_BYTES = 32 * 1024 * 1024;

function idIssue(id: unknown): Issue {
  if (typeof id === 'number')
    return Number.isInteger(id) && id >= 0 ? undefined : 'id is no unsigned integer';
  return typeof id === 'string' && UUID.test(id) ? undefined : 'id is neither an unsigned integer nor a UUID';
}

function pointIssue(point: unknown): Issue {
  if (!isObject(point)) return 'point is not an object';
  const { id, vector, payload } = point;
  const bare = isObject(vector) && Object.keys(vector).length === 0;
  return firstIssue(
    strangeKeys(point, ['id', 'vector', 'payload']),
    idIssue(id),
    'vector' in point ? undefined : 'vector is missing',
    bare ? undefined : badVector(vector, DIMENSIONS),
    payload == null || isObject(payload) ? undefined : 'payload is not an object',
  );
}

/** A collection with its points. */
class QdrantStub {
  readonly stored = new Map<unknown, unknown>();

  answer = ({ method, path, body }: WireRequest): WireReply => {
    if (method !== 'PUT' || !path.startsWith('/collections/handbook/points')) {
      return { status: 404, body: { status: { error: `no route ${method} ${path}` } } };
    }
    if (body.length > REQUEST_BYTES) return { status: 413, body: { status: { error: 'payload too large' } } };
    const { points } = JSON.parse(body.toString('utf8')) as { points: { id: unknown }[] };
    const issue = firstIssue(
      points.length === 0 ? 'no points' : undefined,
      badText(points),
      issueAmong(points, pointIssue),
    );
    if (issue !== undefined) return { status: 400, body: { status: { error: issue } } };
    for (const point of points) this.stored.set(point.id, point);
    return { status: 200, body: { result: { operation_id: 0, status: 'completed' }, status: 'ok', time: 0 } };
  };
}

async function open(): Promise<{ stub: QdrantStub; client: QdrantClient }> {
  const { QdrantClient } = await peer<QdrantModule>('@qdrant/js-client-rest');
  const stub = new QdrantStub();
  const port = await serve(stub.answer);
  return { stub, client: new QdrantClient({ host: '127.0.0.1', port, checkCompatibility: false }) };
}

describe('Qdrant', () => {
  const chunks = hostileChunks();
  const about = {
    documentId: 'nul\0document',
    filename: HOSTILE_NAMES[0] ?? '',
    tier: 'free',
    language: 'mul',
  };
  const options = { ...about, vectors: vectorsFor(chunks.length, DIMENSIONS) };

  for (const [what, given] of [
    ['with vectors', options],
    ['without vectors', about],
  ] as const) {
    it(`takes hostile text ${what}, and again without growing`, async () => {
      const { stub, client } = await open();
      const { records } = formatChunks(chunks, 'qdrant', given);
      for (let round = 0; round < 2; round++) {
        for (const points of batches(records, 'qdrant')) {
          assert.equal((await client.upsert('handbook', { wait: true, points })).status, 'completed');
        }
      }
      assert.deepEqual([...stub.stored.values()], records);
    });
  }

  it('takes text by the megabyte in requests that the server accepts', async () => {
    const { stub, client } = await open();
    const piece = { start: 0, end: 4_000_000, overlap: 0, metadata: {} };
    const large = Array.from({ length: 5 }, (_, index) => ({
      ...piece,
      text: `${index}${'漢'.repeat(3_999_999)}`,
    }));
    const { records, extras } = formatChunks(large, 'qdrant', about);
    const slices = [...batches(records, 'qdrant')];
    assert.ok(slices.length > 1);
    assert.ok((extras.upsert?.calls ?? 0) >= slices.length);
    for (const points of slices) await client.upsert('handbook', { wait: true, points });
    assert.equal(stub.stored.size, 5);
    await assert.rejects(client.upsert('handbook', { wait: true, points: records }));
  });

  describe('the stub refuses', () => {
    const good = formatChunks(chunks, 'qdrant', options).records[0];
    assert.ok(good !== undefined);
    const wrong: [string, object, string][] = [
      ['an id that is no UUID', { ...good, id: 'chunk-1' }, 'id is neither'],
      ['a negative id', { ...good, id: -1 }, 'no unsigned integer'],
      ['a missing vector', { id: good.id, payload: good.payload }, 'vector is missing'],
      ['a vector of another length', { ...good, vector: [1, 2] }, 'vector has 2 dimensions'],
      [
        'a vector of strings',
        { ...good, vector: Array(DIMENSIONS).fill('1') },
        'something else than numbers',
      ],
      ['a payload that is a list', { ...good, payload: [] }, 'payload is not an object'],
      ['NUL', { ...good, payload: { text: '\0' } }, 'U+0000'],
      ['half an emoji', { ...good, payload: { text: '\uDE00' } }, 'lone surrogate'],
      ['a field it does not know', { ...good, values: [1] }, 'unknown field values'],
    ];
    for (const [what, point, message] of wrong) {
      it(what, async () => {
        const { client } = await open();
        await assert.rejects(
          client.upsert('handbook', { wait: true, points: [point] }),
          (error: { data?: unknown }) => JSON.stringify(error.data).includes(message),
        );
      });
    }
  });
});
