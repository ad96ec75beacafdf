// The rules of Pinecone's REST interfaces, control plane and data plane on one port, and namespaces that keep them:
// exact search by the sum of dense and sparse products.
import { isObject, isVector, onlyKeys, Rejection, rule, serve, type WireRequest } from './server.ts';

type Json = Record<string, unknown>;
interface Stored {
  readonly id: string;
  readonly values: number[];
  readonly sparseValues?: { readonly indices: number[]; readonly values: number[] };
  readonly metadata: Json;
}
interface Index {
  readonly dimension: number;
  readonly namespaces: Map<string, Map<string, Stored>>;
}

const REQUEST_BYTES = 2_000_000;
const METADATA_BYTES = 40_960;

/** Starts the server; requests need this key. */
export async function startPinecone(apiKey: string): Promise<{ port: number; close: () => Promise<void> }> {
  const indexes = new Map<string, Index>();
  let port = 0;
  const server = await serve(
    (request) => {
      rule(request.headers['api-key'] === apiKey, 'Invalid API Key', 401);
      rule(
        typeof request.headers['x-pinecone-api-version'] === 'string',
        'X-Pinecone-Api-Version is missing',
      );
      return answer(indexes, request, `http://127.0.0.1:${port}`);
    },
    {
      errorBody: ({ message, status }) => ({
        error: { code: 'ERROR', message },
        status,
        message,
        code: 3,
        details: [],
      }),
    },
  );
  port = server.port;
  return server;
}

function answer(indexes: Map<string, Index>, request: WireRequest, host: string): unknown {
  const { method, path, query, body } = request;
  const json = body.length === 0 ? {} : (JSON.parse(body.toString('utf8')) as Json);
  const modelOf = (name: string, { dimension }: Index): Json => ({
    name,
    host,
    deletion_protection: 'disabled',
    schema: { fields: { _values: { type: 'dense_vector', dimension, metric: 'dotproduct' } } },
    deployment: { deployment_type: 'managed', cloud: 'aws', region: 'us-east-1' },
    status: { ready: true, state: 'Ready' },
  });
  if (path === '/indexes' && method === 'POST') return modelOf(...create(indexes, json));
  const name = /^\/indexes\/([a-z0-9-]{1,45})$/.exec(path)?.[1];
  if (name !== undefined) {
    const index = indexes.get(name);
    if (index === undefined) throw new Rejection(404, `Resource ${name} not found`);
    return modelOf(name, index);
  }
  // The data plane of the only index of this server.
  const [index] = indexes.values();
  if (index === undefined) throw new Rejection(404, 'no index');
  return data(index, `${method} ${path}`, { json, query, bytes: body.length });
}

/** The reserved field `_values` holds the dense vector, as the version 2026-07 of the interface has it. */
function create(indexes: Map<string, Index>, json: Json): [string, Index] {
  onlyKeys(json, ['name', 'schema', 'deployment', 'deletion_protection', 'tags', 'read_capacity']);
  const { name, schema, deployment } = json as { name: string; schema: Json; deployment: Json };
  rule(/^[a-z0-9-]{1,45}$/.test(name), 'Name must consist of lower case alphanumeric characters or -');
  const { type, dimension, metric } = (schema['fields'] as Record<string, Json>)['_values']!;
  const size = Number(dimension);
  rule(type === 'dense_vector' && Number.isInteger(size) && size >= 1 && size <= 20_000, 'dimension');
  rule(metric === 'dotproduct', 'sparse values need the metric dotproduct');
  rule(deployment['deployment_type'] === 'managed', 'deployment_type');
  rule(
    typeof deployment['cloud'] === 'string' && typeof deployment['region'] === 'string',
    'cloud and region',
  );
  rule(!indexes.has(name), 'Resource already exists', 409);
  const index: Index = { dimension: size, namespaces: new Map() };
  indexes.set(name, index);
  return [name, index];
}

function data(
  index: Index,
  route: string,
  { json, query, bytes }: { json: Json; query: URLSearchParams; bytes: number },
): unknown {
  const namespace = (json['namespace'] as string | undefined) ?? query.get('namespace') ?? '';
  const records = index.namespaces.get(namespace) ?? new Map<string, Stored>();
  switch (route) {
    case 'POST /vectors/upsert':
      rule(bytes <= REQUEST_BYTES, `Error, message length too large: found ${bytes} bytes`);
      return upsert(index, namespace, json);
    case 'POST /vectors/delete':
      return remove(index, namespace, json);
    case 'GET /vectors/fetch': {
      const ids = query.getAll('ids');
      rule(ids.length <= 1000, 'too many ids');
      return {
        namespace,
        vectors: Object.fromEntries(ids.flatMap((id) => (records.has(id) ? [[id, records.get(id)]] : []))),
      };
    }
    case 'POST /vectors/fetch_by_metadata': {
      const {
        limit,
        paginationToken = '0',
        filter,
      } = json as { limit: number; paginationToken?: string; filter: Json };
      rule(limit >= 1 && limit <= 10_000, 'limit');
      const found = [...records.values()].filter(({ metadata }) => matches(metadata, filter));
      const first = Number(paginationToken);
      const page = found.slice(first, first + limit);
      const next = first + limit < found.length ? { pagination: { next: String(first + limit) } } : {};
      return { namespace, vectors: Object.fromEntries(page.map((one) => [one.id, one])), ...next };
    }
    case 'POST /query':
      return search(index, namespace, records, json);
    case 'POST /describe_index_stats':
      return {
        dimension: index.dimension,
        metric: 'dotproduct',
        totalVectorCount: 0,
        namespaces: Object.fromEntries(
          [...index.namespaces].map(([name, { size }]) => [name, { vectorCount: size }]),
        ),
      };
    default:
      throw new Rejection(404, `no route ${route}`);
  }
}

function upsert(index: Index, namespace: string, json: Json): unknown {
  const vectors = json['vectors'] as Json[];
  rule(vectors.length >= 1 && vectors.length <= 1000, `${vectors.length} vectors, at most 1000`);
  const records = index.namespaces.get(namespace) ?? new Map<string, Stored>();
  for (const vector of vectors) {
    onlyKeys(vector, ['id', 'values', 'sparseValues', 'metadata']);
    const { id, values, sparseValues, metadata } = vector as unknown as Stored;
    rule(/^[\x20-\x7e]{1,512}$/.test(id), 'id is not a string of 1 to 512 ASCII characters');
    rule(
      isVector(values, index.dimension),
      `Vector dimension does not match the dimension of the index ${index.dimension}`,
    );
    rule(
      values.some((one) => one !== 0),
      'Dense vectors must contain at least one non-zero value',
    );
    if (sparseValues !== undefined) assertSparse(sparseValues);
    rule(
      Buffer.byteLength(JSON.stringify(metadata)) <= METADATA_BYTES,
      'metadata size exceeds the limit of 40960 bytes',
    );
    for (const [key, value] of Object.entries(metadata)) {
      rule(!key.startsWith('$'), `key ${key} begins with $`);
      rule(
        ['string', 'number', 'boolean'].includes(typeof value),
        `Metadata value of ${key} must be a string, number or boolean`,
      );
    }
    records.set(id, { id, values, ...(sparseValues && { sparseValues }), metadata });
  }
  index.namespaces.set(namespace, records);
  return { upsertedCount: vectors.length };
}

function assertSparse({ indices, values }: { readonly indices: number[]; readonly values: number[] }): void {
  rule(
    indices.length > 0 && indices.length === values.length,
    'Sparse vector must contain at least one value',
  );
  rule(indices.length <= 2048, 'Sparse vector must have at most 2048 non-zero values');
  rule(new Set(indices).size === indices.length, 'Sparse vector must not contain duplicate indices');
  for (const one of indices) rule(Number.isInteger(one) && one >= 0 && one < 2 ** 32, 'index is no u32');
}

function remove(index: Index, namespace: string, json: Json): unknown {
  const records = index.namespaces.get(namespace);
  if (json['deleteAll'] === true) {
    rule(records !== undefined, 'Namespace not found', 404);
    index.namespaces.delete(namespace);
    return {};
  }
  const ids = json['ids'] as string[];
  rule(ids.length >= 1 && ids.length <= 1000, 'ids must be 1 to 1000');
  for (const id of ids) records?.delete(id);
  // A namespace without records is gone.
  if (records?.size === 0) index.namespaces.delete(namespace);
  return {};
}

function matches(metadata: Json, filter: Json): boolean {
  return Object.entries(filter).every(([key, condition]) => {
    rule(isObject(condition), 'filter');
    onlyKeys(condition, ['$eq']);
    return metadata[key] === condition['$eq'];
  });
}

function search(index: Index, namespace: string, records: Map<string, Stored>, json: Json): unknown {
  const { vector, sparseVector, topK } = json as {
    vector: unknown;
    sparseVector?: { indices: number[]; values: number[] };
    topK: number;
  };
  rule(Number.isInteger(topK) && topK >= 1 && topK <= 10_000, 'topK must be 1 to 10000');
  rule(
    isVector(vector, index.dimension),
    `Vector dimension does not match the dimension of the index ${index.dimension}`,
  );
  if (sparseVector !== undefined) assertSparse(sparseVector);
  const weights = new Map(sparseVector?.indices.map((one, at) => [one, sparseVector.values[at]!]));
  const scoreOf = ({ values, sparseValues }: Stored): number => {
    const dense = values.reduce((sum, value, at) => sum + value * vector[at]!, 0);
    const sparse = sparseValues?.indices.reduce(
      (sum, one, at) => sum + sparseValues.values[at]! * (weights.get(one) ?? 0),
      0,
    );
    return dense + (sparse ?? 0);
  };
  const found = [...records.values()]
    .map((one) => ({
      id: one.id,
      score: scoreOf(one),
      metadata: json['includeMetadata'] === true ? one.metadata : undefined,
    }))
    .sort((one, other) => other.score - one.score);
  return { namespace, matches: found.slice(0, topK) };
}
