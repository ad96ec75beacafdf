// The rules of Qdrant's REST interface, and collections that keep them: exact search by cosine and by sparse vectors
// with inverse document frequency.
import {
  cosine,
  isObject,
  isVector,
  onlyKeys,
  Rejection,
  rule,
  serve,
  UUID,
  type WireRequest,
} from './server.ts';

interface Point {
  readonly id: string;
  readonly vector: Readonly<Record<string, unknown>>;
  readonly payload: Readonly<Record<string, unknown>>;
}
interface Sparse {
  readonly indices: number[];
  readonly values: number[];
}
interface Collection {
  readonly vectors: Readonly<Record<string, { readonly size: number; readonly distance: string }>>;
  readonly sparse: readonly string[];
  readonly indexed: Set<string>;
  readonly points: Map<string, Point>;
}

const REQUEST_BYTES = 32 * 2 ** 20;
type Json = Record<string, unknown>;

/** Starts the server; requests need this key. */
export async function startQdrant(apiKey: string): Promise<{ port: number; close: () => Promise<void> }> {
  const collections = new Map<string, Collection>();
  return serve(
    (request) => {
      rule(
        request.headers['api-key'] === apiKey,
        'Must provide an API key or an Authorization bearer token',
        401,
      );
      rule(request.body.length <= REQUEST_BYTES, 'payload too large', 413);
      return { result: answer(collections, request), status: 'ok', time: 0 };
    },
    { errorBody: ({ message }) => ({ status: { error: message }, time: 0 }) },
  );
}

function answer(collections: Map<string, Collection>, { method, path, query, body }: WireRequest): unknown {
  const [, name = '', rest = ''] = /^\/collections\/([\w-]{1,255})(\/.*)?$/.exec(path) ?? [];
  const json = body.length === 0 ? {} : (JSON.parse(body.toString('utf8')) as Json);
  const route = `${method} ${rest}`;
  if (route === 'GET /exists') return { exists: collections.has(name) };
  if (route === 'PUT ') return create(collections, name, json);
  if (route === 'DELETE ') return collections.delete(name);
  const collection = collections.get(name);
  if (collection === undefined) throw new Rejection(404, `Not found: Collection \`${name}\` doesn't exist!`);
  switch (route) {
    case 'PUT /index':
      rule(json['field_schema'] === 'keyword', 'field_schema');
      collection.indexed.add(String(json['field_name']));
      return { operation_id: 0, status: 'completed' };
    case 'PUT /points':
      rule(query.get('wait') === 'true', 'this server is read after writes: wait is missing');
      return upsert(collection, json);
    case 'POST /points/delete':
      for (const id of idsOf(json['points'])) collection.points.delete(id);
      return { operation_id: 0, status: 'completed' };
    case 'POST /points':
      return idsOf(json['ids']).flatMap((id) => shown(collection.points.get(id), json));
    case 'POST /points/scroll':
      return scroll(collection, json);
    case 'POST /points/count':
      return { count: collection.points.size };
    case 'POST /points/query':
      return search(collection, json);
    default:
      throw new Rejection(404, `no route ${route}`);
  }
}

function create(collections: Map<string, Collection>, name: string, json: Json): boolean {
  rule(!collections.has(name), `Collection \`${name}\` already exists!`, 409);
  const vectors = json['vectors'] as Collection['vectors'];
  rule(isObject(vectors), 'vectors');
  for (const { size, distance } of Object.values(vectors)) {
    rule(Number.isInteger(size) && size >= 1 && size <= 65_536, 'size must be 1 to 65536');
    rule(['Cosine', 'Euclid', 'Dot', 'Manhattan'].includes(distance), 'distance');
  }
  const sparse = (json['sparse_vectors'] ?? {}) as Record<string, { modifier?: string }>;
  for (const { modifier } of Object.values(sparse)) rule(modifier === 'idf', 'modifier');
  collections.set(name, { vectors, sparse: Object.keys(sparse), indexed: new Set(), points: new Map() });
  return true;
}

function upsert(collection: Collection, json: Json): unknown {
  const points = json['points'] as unknown[];
  rule(Array.isArray(points) && points.length > 0, 'Empty update request');
  for (const point of points) {
    rule(isObject(point), 'point');
    onlyKeys(point, ['id', 'vector', 'payload']);
    const { id, vector, payload } = point;
    rule(typeof id === 'string' && UUID.test(id), `value ${String(id)} is not a valid point ID`);
    rule(isObject(vector) && isObject(payload), 'vector and payload must be objects');
    for (const [key, value] of Object.entries(vector)) {
      const config = collection.vectors[key];
      if (config !== undefined)
        rule(isVector(value, config.size), `Vector dimension error: expected dim: ${config.size}`);
      else {
        rule(collection.sparse.includes(key), `Not existing vector name error: ${key}`);
        assertSparse(value);
      }
    }
    collection.points.set(id, { id, vector: normalised(collection, vector), payload });
  }
  return { operation_id: 0, status: 'completed' };
}

/** Vectors that are compared by cosine are stored with length 1. */
function normalised(collection: Collection, vector: Json): Json {
  return Object.fromEntries(
    Object.entries(vector).map(([key, value]) => {
      if (collection.vectors[key]?.distance !== 'Cosine') return [key, value];
      const length = Math.hypot(...(value as number[]));
      return [key, (value as number[]).map((one) => Math.fround(one / length))];
    }),
  );
}

function assertSparse(value: unknown): asserts value is Sparse {
  rule(isObject(value), 'sparse vector');
  const { indices, values } = value as unknown as Sparse;
  rule(
    Array.isArray(indices) && indices.length === values.length,
    'indices and values must have the same length',
  );
  rule(new Set(indices).size === indices.length, 'indices must be unique');
  for (const index of indices)
    rule(Number.isInteger(index) && index >= 0 && index < 2 ** 32, 'index is no u32');
}

function idsOf(ids: unknown): string[] {
  rule(Array.isArray(ids), 'ids');
  for (const id of ids)
    rule(typeof id === 'string' && UUID.test(id), `${String(id)} is not a valid point ID`);
  return ids as string[];
}

function shown(point: Point | undefined, { with_payload: payload, with_vector: vector }: Json): unknown[] {
  if (point === undefined) return [];
  const entries = Object.entries(point.payload);
  const some = Array.isArray(payload) ? entries.filter(([key]) => payload.includes(key)) : entries;
  return [
    {
      id: point.id,
      ...(payload === false || payload === undefined ? {} : { payload: Object.fromEntries(some) }),
      ...(Array.isArray(vector)
        ? { vector: Object.fromEntries(vector.map((key: string) => [key, point.vector[key]])) }
        : {}),
    },
  ];
}

function scroll(collection: Collection, json: Json): unknown {
  const { limit, offset = '', filter } = json as { limit: number; offset?: string; filter: { must: Json[] } };
  rule(Number.isInteger(limit) && limit >= 1, 'limit must be at least 1');
  const found = [...collection.points.values()]
    .filter((point) => point.id >= offset && filter.must.every((one) => matches(collection, point, one)))
    .sort((one, other) => (one.id < other.id ? -1 : 1));
  return {
    points: found.slice(0, limit).flatMap((point) => shown(point, json)),
    next_page_offset: found[limit]?.id ?? null,
  };
}

function matches(collection: Collection, { payload }: Point, condition: Json): boolean {
  const { key, match } = condition as { key: string; match: { value: unknown } };
  // Strict mode refuses filters without an index.
  rule(collection.indexed.has(key), `Index required but not found for "${key}"`);
  return payload[key] === match.value;
}

function search(collection: Collection, json: Json): unknown {
  const { query, using, limit } = json as { query: unknown; using: string; limit: number };
  rule(Number.isInteger(limit) && limit >= 1, 'limit must be at least 1');
  const config = collection.vectors[using];
  const points = [...collection.points.values()];
  const score =
    config === undefined
      ? sparseScore(query, using, points)
      : (rule(isVector(query, config.size), `Vector dimension error: expected dim: ${config.size}`),
        ({ vector }: Point) => cosine(query, vector[using] as number[]));
  const scored = points
    .map((point) => ({ ...(shown(point, json)[0] as object), version: 0, score: score(point) }))
    .filter((hit) => config !== undefined || hit.score > 0)
    .sort((one, other) => other.score - one.score);
  return { points: scored.slice(0, limit) };
}

/** The documented formula of the modifier: ln((N - n + 0.5) / (n + 0.5) + 1). */
function sparseScore(query: unknown, using: string, points: readonly Point[]): (point: Point) => number {
  assertSparse(query);
  const weights = query.indices.map((index) => {
    const holders = points.filter(({ vector }) => (vector[using] as Sparse).indices.includes(index)).length;
    return Math.log((points.length - holders + 0.5) / (holders + 0.5) + 1);
  });
  return ({ vector }) => {
    const { indices, values } = vector[using] as Sparse;
    return query.indices.reduce((sum, index, at) => {
      const found = indices.indexOf(index);
      return found === -1 ? sum : sum + query.values[at]! * weights[at]! * values[found]!;
    }, 0);
  };
}
