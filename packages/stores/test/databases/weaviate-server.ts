// The rules of Weaviate's REST interface for collections and of its gRPC interface for objects, and collections that
// keep them: exact search by cosine, BM25 over words. The messages are those of the client's own protobuf definitions.
import { cosine, isObject, onlyKeys, Rejection, rule, serve, UUID, type WireRequest } from './server.ts';
import { load, loadFile } from './peers.ts';

type Json = Record<string, unknown>;
interface Property {
  readonly name: string;
  readonly dataType: readonly string[];
  readonly tokenization?: string;
  readonly indexFilterable?: boolean;
  readonly indexSearchable?: boolean;
}
interface Stored {
  readonly id: string;
  readonly properties: Readonly<Record<string, string | number>>;
  readonly vector: readonly number[] | undefined;
}
interface Collection {
  readonly properties: ReadonlyMap<string, Property>;
  readonly objects: Map<string, Stored>;
  dimensions: number | undefined;
}
interface Filter {
  readonly operator: number;
  readonly filters: readonly Filter[];
  readonly target?: { readonly property?: string };
  readonly valueText?: string;
  readonly valueInt?: number;
  readonly valueTextArray?: { readonly values: readonly string[] };
}
interface SearchRequest {
  readonly collection: string;
  readonly limit: number;
  readonly offset: number;
  readonly after: string;
  readonly sortBy: readonly { readonly ascending: boolean; readonly path: readonly string[] }[];
  readonly filters?: Filter;
  readonly bm25Search?: { readonly query: string; readonly properties: readonly string[] };
  readonly nearVector?: { readonly vectors: readonly { readonly vectorBytes: Uint8Array }[] };
  readonly properties?: {
    readonly nonRefProperties: readonly string[];
    readonly returnAllNonrefProperties: boolean;
  };
  readonly metadata?: {
    readonly vectors: readonly string[];
    readonly distance: boolean;
    readonly score: boolean;
  };
}
interface BatchObject {
  readonly collection: string;
  readonly uuid: string;
  readonly vectors: readonly { readonly name: string; readonly vectorBytes: Uint8Array }[];
  readonly properties: { readonly nonRefProperties: Readonly<Record<string, unknown>> };
}
interface Definition {
  readonly methods: object;
}
interface CallContext {
  readonly metadata: { get(name: string): string | undefined };
}
interface GrpcModule {
  readonly createServer: (options: Record<string, number>) => {
    add(definition: Definition, implementation: object): void;
    listen(address: string): Promise<number>;
    forceShutdown(): void;
  };
  readonly ServerError: new (code: number, details: string) => Error;
}

const MESSAGE_BYTES = 104_858_000;
/** `QUERY_MAXIMUM_RESULTS`. */
const MOST_RESULTS = 10_000;
/** Operators of filters in base.proto. */
const [EQUAL, AT_LEAST, AND, CONTAINS_ANY] = [1, 4, 7, 12];
/** Codes of gRPC: INVALID_ARGUMENT and UNAUTHENTICATED. */
const [INVALID, UNAUTHENTICATED] = [3, 16];

/** Starts both servers; requests need this key. */
export async function startWeaviate(
  apiKey: string,
): Promise<{ port: number; grpcPort: number; close: () => Promise<void> }> {
  const collections = new Map<string, Collection>();
  const { createServer, ServerError } = (await load('nice-grpc')) as GrpcModule;
  const { WeaviateDefinition } = (await loadFile('weaviate-client/dist/node/esm/proto/v1/weaviate.js')) as {
    readonly WeaviateDefinition: Definition;
  };
  const rest = await serve(
    (request) => {
      rule(request.headers.authorization === `Bearer ${apiKey}`, 'anonymous access not enabled', 401);
      return schema(collections, request);
    },
    { errorBody: ({ message }) => ({ error: [{ message }] }) },
  );
  const answered =
    <Request>(answer: (request: Request) => object) =>
    (request: Request, { metadata }: CallContext): Promise<object> => {
      if (metadata.get('authorization') !== `Bearer ${apiKey}`)
        return Promise.reject(new ServerError(UNAUTHENTICATED, 'unauthorized: invalid api key'));
      try {
        return Promise.resolve(answer(request));
      } catch (error) {
        return Promise.reject(new ServerError(INVALID, (error as Error).message));
      }
    };
  const unserved = (): never => {
    throw new Error('not served');
  };
  const server = createServer({ 'grpc.max_receive_message_length': MESSAGE_BYTES });
  server.add(WeaviateDefinition, {
    ...Object.fromEntries(Object.keys(WeaviateDefinition.methods).map((name) => [name, unserved])),
    batchObjects: answered((request: { objects: BatchObject[] }) => insert(collections, request.objects)),
    batchDelete: answered((request: { collection: string; filters: Filter; dryRun: boolean }) =>
      remove(collectionOf(collections, request.collection), request),
    ),
    search: answered((request: SearchRequest) =>
      search(collectionOf(collections, request.collection), request),
    ),
    aggregate: answered(({ collection }: { collection: string }) => ({
      singleResult: { objectsCount: collectionOf(collections, collection).objects.size },
    })),
  });
  const grpcPort = await server.listen('127.0.0.1:0');
  return {
    port: rest.port,
    grpcPort,
    close: () => {
      server.forceShutdown();
      return rest.close();
    },
  };
}

function collectionOf(collections: Map<string, Collection>, name: string): Collection {
  const found = collections.get(name);
  rule(found !== undefined, `could not find class ${name} in schema`);
  return found;
}

function schema(collections: Map<string, Collection>, { method, path, body }: WireRequest): unknown {
  if (path === '/v1/meta') return { version: '1.39.0', hostname: 'loopback' };
  if (method === 'GET' && path === '/v1/schema')
    return { classes: [...collections.keys()].map((name) => ({ class: name })) };
  if (method === 'POST' && path === '/v1/schema')
    return create(collections, JSON.parse(body.toString('utf8')) as Json);
  const [, name] = /^\/v1\/schema\/(\w+)$/.exec(path) ?? [];
  if (method === 'DELETE' && name !== undefined) return collections.delete(name);
  throw new Rejection(404, `no route ${method} ${path}`);
}

function create(collections: Map<string, Collection>, json: Json): Json {
  onlyKeys(json, ['class', 'properties', 'vectorConfig', 'invertedIndexConfig']);
  const {
    class: name,
    properties,
    vectorConfig,
  } = json as {
    class: string;
    properties: Property[];
    vectorConfig: Record<string, { vectorizer: Json; vectorIndexType: string; vectorIndexConfig: Json }>;
  };
  rule(/^[A-Z][_0-9A-Za-z]{0,254}$/.test(name), `'${name}' is not a valid class name`, 422);
  rule(!collections.has(name), `class name ${name} already exists`, 422);
  for (const property of properties) {
    onlyKeys(property, ['name', 'dataType', 'tokenization', 'indexFilterable', 'indexSearchable']);
    rule(
      /^[_A-Za-z][_0-9A-Za-z]{0,230}$/.test(property.name),
      `'${property.name}' is not a valid property name`,
      422,
    );
    rule(
      !['id', '_id', '_additional'].includes(property.name),
      `'${property.name}' is a reserved property name`,
      422,
    );
    const isText = property.dataType[0] === 'text';
    rule(isText || property.indexSearchable !== true, '`indexSearchable` is allowed only for text', 422);
    rule(
      isText || property.tokenization === undefined,
      'Tokenization is not allowed for this data type',
      422,
    );
  }
  for (const { vectorizer, vectorIndexType, vectorIndexConfig } of Object.values(vectorConfig)) {
    rule(isObject(vectorizer) && Object.keys(vectorizer).length === 1, 'vectorizer must be one module', 422);
    rule(['hnsw', 'flat', 'dynamic'].includes(vectorIndexType), 'vectorIndexType', 422);
    rule(vectorIndexConfig['distance'] === 'cosine', 'distance', 422);
  }
  collections.set(name, {
    properties: new Map(properties.map((property) => [property.name, property])),
    objects: new Map(),
    dimensions: undefined,
  });
  return json;
}

function insert(collections: Map<string, Collection>, objects: readonly BatchObject[]): object {
  const errors = objects.flatMap((object, index) => {
    try {
      take(collectionOf(collections, object.collection), object);
      return [];
    } catch (error) {
      return [{ index, error: (error as Error).message }];
    }
  });
  return { took: 0, errors };
}

function take(collection: Collection, { uuid, vectors, properties }: BatchObject): void {
  rule(UUID.test(uuid), `invalid UUID ${uuid}`);
  const taken: Record<string, string | number> = {};
  for (const [key, value] of Object.entries(properties.nonRefProperties)) {
    const property = collection.properties.get(key);
    rule(property !== undefined, `auto-schema would add the property ${key}`);
    const isText = property.dataType[0] === 'text';
    rule(typeof value === (isText ? 'string' : 'number'), `${key}: not a ${property.dataType[0] ?? ''}`);
    taken[key] = value as string | number;
  }
  const [vector] = vectors.map(({ name, vectorBytes }) => {
    rule(name === 'default', `vector ${name} is not configured`);
    return floats(vectorBytes);
  });
  if (vector !== undefined) {
    collection.dimensions ??= vector.length;
    rule(
      vector.length === collection.dimensions,
      `vector lengths don't match: ${collection.dimensions} vs ${vector.length}`,
    );
  }
  collection.objects.set(uuid, { id: uuid, properties: taken, vector });
}

/** Floats of 32 bits, little-endian. */
function floats(bytes: Uint8Array): number[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return Array.from({ length: bytes.byteLength / 4 }, (_, at) => view.getFloat32(4 * at, true));
}

function remove(
  collection: Collection,
  { filters, dryRun }: { readonly filters: Filter; readonly dryRun: boolean },
): object {
  const found = [...collection.objects.values()].filter((object) => matches(collection, object, filters));
  rule(found.length <= MOST_RESULTS, 'too many matches');
  if (!dryRun) for (const { id } of found) collection.objects.delete(id);
  return { took: 0, failed: 0, matches: found.length, successful: found.length, objects: [] };
}

function matches(collection: Collection, object: Stored, filter: Filter): boolean {
  if (filter.operator === AND) return filter.filters.every((one) => matches(collection, object, one));
  const name = filter.target?.property ?? '';
  if (name === '_id') {
    rule(filter.operator === CONTAINS_ANY, 'operator of _id');
    const ids = filter.valueTextArray?.values ?? [];
    for (const id of ids) rule(UUID.test(id), `invalid UUID ${id}`);
    return ids.includes(object.id);
  }
  const property = collection.properties.get(name);
  rule(property?.indexFilterable === true, `Filtering by ${name} requires inverted index`);
  const value = object.properties[name];
  if (property.dataType[0] === 'int') {
    rule(filter.operator === AT_LEAST && filter.valueInt !== undefined, `operator of ${name}`);
    return Number(value) >= filter.valueInt;
  }
  rule(filter.operator === EQUAL && filter.valueText !== undefined, `operator of ${name}`);
  rule(property.tokenization === 'field', `${name} is compared by words`);
  // The tokenization `field` trims blanks.
  return String(value).trim() === filter.valueText.trim();
}

interface Scored {
  readonly object: Stored;
  readonly distance?: number;
  readonly score?: number;
}

function search(collection: Collection, request: SearchRequest): object {
  const { limit, offset, after, filters, sortBy, nearVector, bm25Search } = request;
  rule(limit >= 1 && limit + offset <= MOST_RESULTS, 'query maximum results exceeded');
  const hasSearch = nearVector !== undefined || bm25Search !== undefined;
  rule(
    after === '' || (filters === undefined && !hasSearch && sortBy.length === 0),
    'after cannot be combined with filters',
  );
  const objects = [...collection.objects.values()]
    .filter(({ id }) => id > after)
    .filter((object) => filters === undefined || matches(collection, object, filters))
    .sort((one, other) => (one.id < other.id ? -1 : 1));
  const found = scored(collection, objects, request);
  const [order] = sortBy;
  if (order !== undefined) {
    const [key = ''] = order.path;
    rule(collection.properties.get(key)?.dataType[0] === 'int' && order.ascending, 'sort');
    found.sort((one, other) => Number(one.object.properties[key]) - Number(other.object.properties[key]));
  }
  return { took: 0, results: found.slice(0, limit).map((hit) => resultOf(collection, hit, request)) };
}

function scored(
  collection: Collection,
  objects: readonly Stored[],
  { nearVector, bm25Search }: SearchRequest,
): Scored[] {
  if (nearVector !== undefined) {
    const vector = floats(nearVector.vectors[0]?.vectorBytes ?? new Uint8Array());
    rule(vector.length === (collection.dimensions ?? vector.length), "vector lengths don't match");
    return objects
      .flatMap((object) =>
        object.vector === undefined ? [] : [{ object, distance: 1 - cosine(vector, object.vector) }],
      )
      .sort((one, other) => one.distance - other.distance);
  }
  if (bm25Search === undefined) return objects.map((object) => ({ object }));
  const score = bm25(collection, objects, bm25Search);
  return objects
    .map((object) => ({ object, score: score(object) }))
    .filter((hit) => hit.score > 0)
    .sort((one, other) => other.score - one.score);
}

/** BM25 with k1 1.2 and b 0.75, over runs of letters and digits in lower case. */
function bm25(
  collection: Collection,
  objects: readonly Stored[],
  { query, properties }: { readonly query: string; readonly properties: readonly string[] },
): (object: Stored) => number {
  rule(properties.length === 1, 'properties');
  const [key = ''] = properties;
  const property = collection.properties.get(key);
  rule(property?.indexSearchable === true && property.tokenization === 'word', `${key} is not searchable`);
  const wordsOf = (text: unknown): string[] =>
    String(text)
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? [];
  rule(wordsOf(query).length > 0, 'invalid search term, only stopwords provided');
  const all = objects.map((object) => wordsOf(object.properties[key]));
  const mean = all.reduce((sum, words) => sum + words.length, 0) / Math.max(1, all.length);
  const weights = [...new Set(wordsOf(query))].map((word) => {
    const holders = all.filter((words) => words.includes(word)).length;
    return [word, Math.log(1 + (all.length - holders + 0.5) / (holders + 0.5))] as const;
  });
  return (object) => {
    const words = wordsOf(object.properties[key]);
    return weights.reduce((sum, [word, weight]) => {
      const count = words.filter((one) => one === word).length;
      return sum + (weight * count * 2.2) / (count + 1.2 * (0.25 + (0.75 * words.length) / mean));
    }, 0);
  };
}

function resultOf(
  collection: Collection,
  { object, distance, score }: Scored,
  { properties, metadata }: SearchRequest,
): object {
  const wanted = properties?.returnAllNonrefProperties === false ? properties.nonRefProperties : undefined;
  const fields = Object.entries(object.properties)
    .filter(([key]) => wanted === undefined || wanted.includes(key))
    .map(([key, value]) => [key, typeof value === 'string' ? { textValue: value } : { intValue: value }]);
  for (const key of wanted ?? []) rule(collection.properties.has(key), `no such property ${key}`);
  const vector = metadata?.vectors.includes('default') === true ? object.vector : undefined;
  return {
    properties: { nonRefProps: { fields: Object.fromEntries(fields) as object } },
    metadata: {
      id: object.id,
      ...(metadata?.distance === true && distance !== undefined ? { distance, distancePresent: true } : {}),
      ...(metadata?.score === true && score !== undefined ? { score, scorePresent: true } : {}),
      vectors:
        vector === undefined
          ? []
          : [{ name: 'default', type: 1, vectorBytes: new Uint8Array(Float32Array.from(vector).buffer) }],
    },
  };
}
