// The rules of the REST interface that Elasticsearch and OpenSearch share, and indexes that keep them. A document is
// found by searches after a refresh alone, and by id at once, as in the real ones.
import { cosine, isObject, isVector, onlyKeys, Rejection, rule, serve, type WireRequest } from './server.ts';

type Json = Record<string, unknown>;
interface Index {
  readonly properties: Readonly<Record<string, Json>>;
  readonly written: Map<string, Json>;
  /** The documents that searches see. */
  visible: Map<string, Json>;
}
export type Product = 'Elasticsearch' | 'OpenSearch';

const REQUEST_BYTES = 100 * 2 ** 20;

/** Starts the server; requests need this value of `Authorization`. */
export async function startSearch(
  product: Product,
  authorization: string,
): Promise<{ port: number; close: () => Promise<void> }> {
  const indexes = new Map<string, Index>();
  return serve(
    (request) => {
      rule(request.headers.authorization === authorization, 'unable to authenticate user', 401);
      rule(request.body.length <= REQUEST_BYTES, 'content too large', 413);
      return answer(product, indexes, request);
    },
    {
      headers: product === 'Elasticsearch' ? { 'x-elastic-product': product } : {},
      errorBody: ({ message, status }) => ({ error: { type: 'exception', reason: message }, status }),
    },
  );
}

function answer(product: Product, indexes: Map<string, Index>, request: WireRequest): unknown {
  const { method, path, query, body } = request;
  if (path === '/_bulk' && method === 'POST') return bulk(product, indexes, request);
  const [, prefix] = /^\/_cat\/indices\/([a-z0-9_]+)\*$/.exec(decodeURIComponent(path)) ?? [];
  if (prefix !== undefined && method === 'GET') {
    rule(query.get('format') === 'json', 'format');
    return [...indexes.keys()].filter((name) => name.startsWith(prefix)).map((index) => ({ index }));
  }
  const [, name = '', action = ''] = /^\/([a-z][a-z0-9_-]{0,254})(?:\/(\w+))?$/.exec(path) ?? [];
  const json = body.length === 0 ? {} : (JSON.parse(body.toString('utf8')) as Json);
  if (method === 'PUT' && action === '') return create(product, indexes, name, json);
  const index = indexes.get(name);
  if (index === undefined) throw new Rejection(404, `no such index [${name}]`);
  switch (`${method} ${action}`) {
    case 'DELETE ':
      indexes.delete(name);
      return { acknowledged: true };
    case 'POST _refresh':
      index.visible = new Map(index.written);
      return { _shards: { total: 1, successful: 1, failed: 0 } };
    case 'POST _count':
      return { count: index.visible.size };
    case 'POST _mget':
      return {
        docs: (json['ids'] as string[]).map((id) => {
          const source = index.written.get(id);
          return { _index: name, _id: id, found: source !== undefined, ...(source && { _source: source }) };
        }),
      };
    case 'POST _search':
      return search(product, name, index, json);
    default:
      throw new Rejection(405, `no handler found for ${method} ${path}`);
  }
}

function create(product: Product, indexes: Map<string, Index>, name: string, json: Json): unknown {
  rule(!indexes.has(name), `index [${name}] already exists`);
  onlyKeys(json, ['mappings', 'settings']);
  const { properties } = json['mappings'] as { properties: Record<string, Json> };
  for (const field of Object.values(properties)) {
    if (field['type'] === 'dense_vector') {
      rule(product === 'Elasticsearch', 'No handler for type [dense_vector]');
      const dims = Number(field['dims']);
      rule(Number.isInteger(dims) && dims >= 1 && dims <= 4096, 'dims must be 1 to 4096');
      rule(field['similarity'] === 'cosine', 'similarity');
    }
    if (field['type'] === 'knn_vector') {
      rule(product === 'OpenSearch', 'No handler for type [knn_vector]');
      const method = field['method'] as Json;
      rule(method['engine'] === 'lucene' && method['space_type'] === 'cosinesimil', 'method');
      rule((json['settings'] as Json)['index.knn'] === true, 'index.knn must be true');
    }
  }
  indexes.set(name, { properties, written: new Map(), visible: new Map() });
  return { acknowledged: true, index: name };
}

function bulk(product: Product, indexes: Map<string, Index>, { headers, body }: WireRequest): unknown {
  rule(String(headers['content-type']).includes('ndjson'), 'Content-Type must be application/x-ndjson', 406);
  const text = body.toString('utf8');
  rule(text.endsWith('\n'), 'The bulk request must be terminated by a newline [\\n]');
  const lines = text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Json);
  const items: Json[] = [];
  for (let at = 0; at < lines.length; at++) {
    const [[operation, target]] = Object.entries(lines[at]!) as [[string, { _index: string; _id: string }]];
    const { _index: name, _id: id } = target;
    rule(Buffer.byteLength(id) <= 512, 'id is too long');
    const index = indexes.get(name);
    if (index === undefined) throw new Rejection(404, `no such index [${name}]`);
    if (operation === 'delete') {
      const status = index.written.delete(id) ? 200 : 404;
      items.push({ delete: { _id: id, status } });
      continue;
    }
    rule(operation === 'index', `Malformed action [${operation}]`);
    const source = lines[++at]!;
    const issue = issueOf(product, index, source);
    if (issue === undefined) index.written.set(id, source);
    items.push({
      index: {
        _id: id,
        ...(issue === undefined ? { status: 200 } : { status: 400, error: { reason: issue } }),
      },
    });
  }
  return {
    errors: items.some((item) => Object.values(item).some((one) => isObject(one) && 'error' in one)),
    items,
  };
}

function issueOf(product: Product, { properties }: Index, source: Json): string | undefined {
  for (const [key, value] of Object.entries(source)) {
    const field = properties[key];
    if (field === undefined) return `strict_dynamic_mapping_exception: [${key}] within [_doc] is not allowed`;
    const type = field['type'];
    if (type === 'dense_vector' || type === 'knn_vector') {
      const dimensions = Number(product === 'Elasticsearch' ? field['dims'] : field['dimension']);
      if (!isVector(value, dimensions)) return `the vector of [${key}] has not ${dimensions} dimensions`;
      if (value.every((one) => one === 0)) return 'zero vectors are not allowed with cosine';
    }
    if ((type === 'keyword' || type === 'text') && typeof value !== 'string') return `[${key}] is no text`;
    if (type === 'keyword' && field['index'] !== false && Buffer.byteLength(String(value)) > 32_766)
      return 'immense term';
    if (type === 'integer' && !Number.isInteger(value)) return `[${key}] is no integer`;
    if (type === 'object' && !isObject(value)) return `[${key}] is no object`;
  }
  return undefined;
}

function search(product: Product, name: string, index: Index, json: Json): unknown {
  onlyKeys(json, ['query', 'knn', 'size', 'sort', 'search_after', '_source', 'fields']);
  const size = Number(json['size']);
  rule(Number.isInteger(size) && size >= 0 && size <= 10_000, 'size must be at most 10000');
  const score = scorerOf(product, index, json);
  const hits = [...index.visible]
    .map(([id, source]) => ({ id, source, score: score(source) }))
    .filter((hit) => hit.score > 0);
  if (json['sort'] === undefined) hits.sort((one, other) => other.score - one.score);
  else {
    rule(JSON.stringify(json['sort']) === '[{"id":"asc"}]', 'sort');
    rule(index.properties['id']?.['type'] === 'keyword', 'Fielddata is disabled on [id]');
    hits.sort((one, other) => (one.id < other.id ? -1 : 1));
  }
  const [after] = (json['search_after'] ?? []) as string[];
  const some = hits.filter(({ id }) => after === undefined || id > after).slice(0, size);
  const wanted = json['_source'] as string[] | undefined;
  return {
    hits: {
      hits: some.map((hit) => ({
        _index: name,
        _id: hit.id,
        _score: json['sort'] === undefined ? hit.score : null,
        // Elasticsearch leaves vectors out of the source from 9.2 on.
        _source: Object.fromEntries(
          Object.entries(hit.source).filter(
            ([key]) =>
              (wanted === undefined || wanted.includes(key)) &&
              !(product === 'Elasticsearch' && key === 'embedding'),
          ),
        ),
        ...(json['fields'] === undefined ? {} : { fields: { embedding: hit.source['embedding'] } }),
        ...(json['sort'] === undefined ? {} : { sort: [hit.id] }),
      })),
    },
  };
}

function scorerOf(product: Product, index: Index, json: Json): (source: Json) => number {
  const { query, knn } = json as { query?: Json; knn?: Json };
  if (knn !== undefined) {
    rule(product === 'Elasticsearch' && query === undefined, 'unknown key [knn]');
    const { field, query_vector: vector, k, num_candidates: candidates } = knn as Record<string, never>;
    rule(
      isVector(vector, Number(index.properties[String(field)]?.['dims'])),
      'the query vector has another dimension',
    );
    rule(Number(k) >= 1 && Number(candidates) >= Number(k) && Number(candidates) <= 10_000, 'num_candidates');
    return (source) => (1 + cosine(vector, source['embedding'] as number[])) / 2;
  }
  rule(isObject(query), 'query');
  const [[kind, value]] = Object.entries(query) as [[string, Json]];
  if (kind === 'knn') {
    rule(product === 'OpenSearch', 'unknown query [knn]');
    const { vector, k } = value['embedding'] as { vector: number[]; k: number };
    rule(
      isVector(vector, Number(index.properties['embedding']?.['dimension'])),
      'Query vector has invalid dimension',
    );
    rule(k >= 1 && k <= 10_000, 'k');
    return (source) => (1 + cosine(vector, source['embedding'] as number[])) / 2;
  }
  if (kind === 'match') return bm25(index, (value['text'] as { query: string }).query);
  if (kind === 'terms') return (source) => ((value['id'] as string[]).includes(String(source['id'])) ? 1 : 0);
  rule(kind === 'bool', `unknown query [${kind}]`);
  const filters = (value['filter'] as { term: Record<string, string> }[]).map(
    ({ term }) => Object.entries(term)[0]!,
  );
  for (const [key] of filters) rule(index.properties[key]?.['type'] === 'keyword', `[${key}] is no keyword`);
  return (source) => (filters.every(([key, wanted]) => source[key] === wanted) ? 1 : 0);
}

/** BM25 with the defaults of Lucene, over words in lower case. */
function bm25(index: Index, question: string): (source: Json) => number {
  const wordsOf = (text: unknown): string[] =>
    String(text)
      .toLowerCase()
      .match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];
  const all = [...index.visible.values()].map((source) => wordsOf(source['text']));
  const mean = all.reduce((sum, words) => sum + words.length, 0) / Math.max(1, all.length);
  const weights = new Map(
    wordsOf(question).map((word) => {
      const holders = all.filter((words) => words.includes(word)).length;
      return [word, Math.log(1 + (all.length - holders + 0.5) / (holders + 0.5))];
    }),
  );
  return (source) => {
    const words = wordsOf(source['text']);
    return [...weights].reduce((sum, [word, weight]) => {
      const count = words.filter((one) => one === word).length;
      return sum + (weight * count) / (count + 1.2 * (0.25 + (0.75 * words.length) / mean));
    }, 0);
  };
}
