// Weaviate's own clients against stubs: the REST batch, which takes our records as they are, and `insertMany` over
// gRPC, from the client's own protobuf definitions. Both stubs keep one auto-schema, as a server without a defined
// class does.
import assert from 'node:assert/strict';
import { after } from 'node:test';
import { batches, formatChunks } from '../../src/formats/index.ts';
import { chunkSync } from '../../src/index.ts';
import { HOSTILE_NAMES, hostileChunks, vectorsFor } from '../formats/samples.ts';
import { describe, freePort, it, peer, peerFile, serve, type WireReply, type WireRequest } from './peers.ts';
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

interface RestResult {
  readonly result: {
    readonly status: string;
    readonly errors?: { readonly error: readonly { readonly message: string }[] };
  };
}
interface RestClient {
  readonly batch: {
    objectsBatcher(): { withObjects(objects: readonly unknown[]): { do(): Promise<RestResult[]> } };
  };
}
interface GrpcClient {
  readonly collections: {
    get(name: string): {
      readonly data: {
        insertMany(
          objects: readonly unknown[],
        ): Promise<{ hasErrors: boolean; errors: Record<string, { message: string }> }>;
      };
    };
  };
  close(): Promise<void>;
}
interface WeaviateModule {
  readonly weaviateV2: { client(options: { scheme: string; host: string }): RestClient };
  readonly default: { connectToCustom(options: object): Promise<GrpcClient> };
}
interface GrpcDefinition {
  readonly methods: object;
}
interface GrpcServer {
  add(definition: GrpcDefinition, implementation: object): void;
  listen(address: string): Promise<number>;
  forceShutdown(): void;
}
interface GrpcModule {
  readonly createServer: (options: Record<string, number>) => GrpcServer;
}
interface WireObject {
  readonly collection: string;
  readonly uuid: string;
  readonly vectorBytes: Uint8Array;
  readonly properties: { readonly nonRefProperties: Record<string, unknown> };
}

const DIMENSIONS = 8;
const MESSAGE_BYTES = 104_858_000;

/** Weaviate's auto-schema type of a value: dates and UUIDs are types of their own. */
function typeOf(value: unknown): string {
  if (typeof value !== 'string') return Array.isArray(value) ? 'array' : typeof value;
  if (/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/.test(value)) return 'date';
  const hex = value.replace(/^urn:uuid:|^\{|\}$/gi, '').replaceAll('-', '');
  return /^[0-9a-f]{32}$/i.test(hex) ? 'uuid' : 'text';
}

/** A class as it grows from the objects that come in, and the objects. */
class WeaviateStub {
  readonly stored = new Map<string, unknown>();
  private readonly types = new Map<string, string>();

  /** Stores the object, or says why not. */
  take(object: unknown): Issue {
    if (!isObject(object)) return 'object is not an object';
    const { class: name, id, properties, vector } = object;
    const issue = firstIssue(
      strangeKeys(object, ['class', 'id', 'properties', 'vector', 'vectors', 'tenant']),
      typeof name === 'string' && /^[A-Z][_0-9A-Za-z]{0,254}$/.test(name)
        ? undefined
        : `'${String(name)}' is not a valid class name`,
      typeof id === 'string' && UUID.test(id) ? undefined : 'id is no UUID',
      isObject(properties)
        ? issueAmong(Object.entries(properties), this.propertyIssue)
        : 'properties is not an object',
      vector === undefined ? undefined : badVector(vector, DIMENSIONS),
      badText(object),
    );
    if (issue === undefined) this.stored.set(String(id), object);
    return issue;
  }

  private readonly propertyIssue = ([key, value]: [string, unknown]): Issue => {
    if (!/^[_A-Za-z][_0-9A-Za-z]{0,230}$/.test(key)) return `'${key}' is not a valid property name`;
    if (['id', '_id', '_additional'].includes(key) || /_(searchable|temp)$/.test(key))
      return `'${key}' is a reserved property name`;
    if (value === null) return `${key} is null`;
    if (isObject(value)) return `${key} is nested`;
    const type = this.types.get(key) ?? typeOf(value);
    this.types.set(key, type);
    // A text property takes any string; one of another type only its own kind.
    const fits = type === 'text' ? typeof value === 'string' : type === typeOf(value);
    return fits ? undefined : `${key} is of type ${type}`;
  };

  rest = ({ method, path, body }: WireRequest): WireReply => {
    if (path === '/v1/meta') return { status: 200, body: { version: '1.39.0', hostname: 'stub' } };
    if (method !== 'POST' || !path.startsWith('/v1/batch/objects'))
      return { status: 404, body: { error: [{ message: path }] } };
    const { objects } = JSON.parse(body.toString('utf8')) as { objects: object[] };
    const results = objects.map((object) => {
      const issue = this.take(object);
      if (issue === undefined) return { ...object, result: { status: 'SUCCESS' } };
      return { ...object, result: { status: 'FAILED', errors: { error: [{ message: issue }] } } };
    });
    return { status: 200, body: results };
  };

  batchObjects = ({ objects }: { objects: WireObject[] }): object => {
    const issues = objects.map(({ collection, uuid, vectorBytes, properties }) => {
      // Floats of 32 bits, little-endian.
      const { buffer, byteOffset, byteLength } = vectorBytes;
      const vector = Array.from(
        new Float32Array(buffer.slice(byteOffset, byteOffset + byteLength) as ArrayBuffer),
      );
      const given = { class: collection, id: uuid, properties: properties.nonRefProperties };
      return this.take(byteLength === 0 ? given : { ...given, vector });
    });
    const errors = issues.flatMap((error, index) => (error === undefined ? [] : [{ index, error }]));
    return { took: 0, errors };
  };
}

async function openRest(): Promise<{
  stub: WeaviateStub;
  insert: (objects: readonly unknown[]) => Promise<string[]>;
}> {
  const { weaviateV2 } = await peer<WeaviateModule>('weaviate-client');
  const stub = new WeaviateStub();
  const port = await serve(stub.rest);
  const client = weaviateV2.client({ scheme: 'http', host: `127.0.0.1:${port}` });
  const insert = async (objects: readonly unknown[]): Promise<string[]> => {
    const results = await client.batch.objectsBatcher().withObjects(objects).do();
    return results.flatMap(({ result }) => result.errors?.error.map(({ message }) => message) ?? []);
  };
  return { stub, insert };
}

async function openGrpc(): Promise<{ stub: WeaviateStub; client: GrpcClient }> {
  const { createServer } = await peer<GrpcModule>('nice-grpc');
  const proto = 'weaviate-client/dist/node/esm/proto';
  const { WeaviateDefinition } = await peerFile<{ WeaviateDefinition: GrpcDefinition }>(
    `${proto}/v1/weaviate.js`,
  );
  const { HealthDefinition } = await peerFile<{ HealthDefinition: GrpcDefinition }>(
    `${proto}/google/health/v1/health.js`,
  );
  const stub = new WeaviateStub();
  const server = createServer({ 'grpc.max_receive_message_length': MESSAGE_BYTES });
  server.add(WeaviateDefinition, implement(WeaviateDefinition, { batchObjects: stub.batchObjects }));
  server.add(HealthDefinition, implement(HealthDefinition, { check: () => ({ status: 1 }) }));
  const grpcPort = await server.listen(`127.0.0.1:${await freePort()}`);
  after(() => {
    server.forceShutdown();
  });
  const httpPort = await serve(stub.rest);
  const { default: weaviate } = await peer<WeaviateModule>('weaviate-client');
  const hosts = {
    httpHost: '127.0.0.1',
    httpPort,
    httpSecure: false,
    grpcHost: '127.0.0.1',
    grpcPort,
    grpcSecure: false,
  };
  const client = await weaviate.connectToCustom(hosts);
  after(() => client.close());
  return { stub, client };
}

/** The server wants every method of a service; those we do not serve say so. */
function implement({ methods }: GrpcDefinition, served: object): object {
  const unserved = (): never => {
    throw new Error('not served');
  };
  return { ...Object.fromEntries(Object.keys(methods).map((name) => [name, unserved])), ...served };
}

describe('Weaviate', () => {
  const chunks = hostileChunks();
  const about = {
    documentId: 'ab\uDC00',
    filename: HOSTILE_NAMES[0] ?? '',
    contentType: 'text/plain',
    collection: 'Handbook',
  };
  const options = { ...about, vectors: vectorsFor(chunks.length, DIMENSIONS) };

  it('takes the records as they are in a batch over REST, with and without vectors, and again without growing', async () => {
    for (const given of [options, about]) {
      const { stub, insert } = await openRest();
      const { records } = formatChunks(chunks, 'weaviate', given);
      for (let round = 0; round < 2; round++) {
        for (const objects of batches(records, 'weaviate')) assert.deepEqual(await insert(objects), []);
      }
      assert.deepEqual([...stub.stored.values()], records);
    }
  });

  it('takes them over gRPC through insertMany, text unharmed', async () => {
    const { stub, client } = await openGrpc();
    const { records } = formatChunks(chunks, 'weaviate', options);
    const objects = records.map(({ id, properties, vector }) => ({ id, properties, vectors: vector }));
    const reply = await client.collections.get('Handbook').data.insertMany(objects);
    assert.deepEqual(reply.errors, {});
    assert.equal(reply.hasErrors, false);
    const stored = [...stub.stored.values()] as typeof records;
    assert.deepEqual(
      stored.map(({ id, properties }) => ({ id, properties })),
      records.map(({ id, properties }) => ({ id, properties })),
    );
    for (const [index, { vector }] of stored.entries()) {
      assert.deepEqual(vector, Array.from(Float32Array.from(records[index]?.vector ?? [])));
    }
  });

  it('fixes no property to a date or a UUID, whichever document comes first', async () => {
    const { insert } = await openRest();
    const lookalikes = ['123e4567-e89b-12d3-a456-426614174000', '2024-05-01T10:00:00Z'].flatMap((text) =>
      chunkSync(text),
    );
    for (const documentId of [
      '123e4567-e89b-12d3-a456-426614174000',
      '2024-05-01T10:00:00Z',
      'handbook.pdf',
      'f'.repeat(32),
    ]) {
      const { records } = formatChunks([...lookalikes, ...chunks], 'weaviate', {
        documentId,
        filename: documentId,
      });
      assert.deepEqual(await insert(records), []);
    }
  });

  it('takes the largest batch in one gRPC message', async () => {
    const { WeaviateDefinition } = await peerFile<{
      WeaviateDefinition: {
        methods: {
          batchObjects: { requestType: { readonly encode: (request: object) => { finish(): Uint8Array } } };
        };
      };
    }>('weaviate-client/dist/node/esm/proto/v1/weaviate.js');
    const { encode } = WeaviateDefinition.methods.batchObjects.requestType;
    const bytesOf = (records: readonly { class: string; id: string; properties: unknown }[]): number => {
      const objects = records.map(({ class: collection, id, properties }) => ({
        collection,
        uuid: id,
        tenant: '',
        vector: [],
        vectors: [],
        vectorBytes: new Uint8Array(0),
        properties: {
          nonRefProperties: properties,
          singleTargetRefProps: [],
          multiTargetRefProps: [],
          numberArrayProperties: [],
          intArrayProperties: [],
          textArrayProperties: [],
          booleanArrayProperties: [],
          objectProperties: [],
          objectArrayProperties: [],
          emptyListProps: [],
        },
      }));
      return encode({ objects }).finish().length;
    };
    // The least favourable record: short text, many numbers.
    const piece = { text: 'a', start: 0, end: 1, overlap: 1, metadata: { pageStart: 1, pageEnd: 2 } };
    const { records } = formatChunks(Array(2000).fill(piece) as (typeof piece)[], 'weaviate', {
      documentId: 'd',
    });
    const ratio = bytesOf(records) / Buffer.byteLength(JSON.stringify(records));
    assert.ok(ratio < 1.5, `protobuf takes ${ratio.toFixed(2)} times the bytes of JSON`);
    const [slice] = batches(records, 'weaviate');
    assert.equal(slice?.length, 2000);
  });

  describe('the stub refuses', () => {
    const good = formatChunks(chunks, 'weaviate', options).records[0];
    assert.ok(good !== undefined);
    const withProperty = (more: object): object => ({ ...good, properties: { ...good.properties, ...more } });
    const wrong: [string, object, string][] = [
      ['a class in lower case', { ...good, class: 'handbook' }, 'not a valid class name'],
      ['an id that is no UUID', { ...good, id: 'chunk-1' }, 'id is no UUID'],
      ['a property name with a hyphen', withProperty({ 'a-b': 'x' }), 'not a valid property name'],
      ['a reserved property name', withProperty({ _additional: 'x' }), 'reserved property name'],
      ['a reserved ending', withProperty({ body_searchable: 'x' }), 'reserved property name'],
      ['null', withProperty({ filename: null }), 'filename is null'],
      ['nested properties', withProperty({ loc: { from: 1 } }), 'loc is nested'],
      ['a vector of another length', { ...good, vector: [1] }, 'vector has 1 dimensions'],
      ['NUL', withProperty({ text: 'a\0b' }), 'U+0000'],
      ['half an emoji', withProperty({ text: '\uD83D' }), 'lone surrogate'],
      ['a field it does not know', { ...good, metadata: {} }, 'unknown field metadata'],
    ];
    for (const [what, object, message] of wrong) {
      it(what, async () => {
        const { insert } = await openRest();
        const [issue] = await insert([object]);
        assert.ok(issue?.includes(message), issue);
      });
    }

    it('text where it saw a UUID first, and a string where it saw a number', async () => {
      const { insert } = await openRest();
      assert.deepEqual(await insert([withProperty({ document_id: good.id })]), []);
      assert.match(String(await insert([good])), /document_id is of type uuid/);
      assert.match(
        String(await insert([withProperty({ document_id: good.id, chunk_index: '0' })])),
        /chunk_index is of type number/,
      );
    });

    it('the same over gRPC', async () => {
      const { client } = await openGrpc();
      const { errors } = await client.collections
        .get('Handbook')
        .data.insertMany([{ id: good.id, properties: { 'a-b': 'x' }, vectors: good.vector }]);
      assert.match(errors['0']?.message ?? '', /not a valid property name/);
    });
  });
});
