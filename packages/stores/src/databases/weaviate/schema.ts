// The definitions of Weaviate's collections, as its REST interface takes them. All properties are declared, so that the
// first value of one does not decide its type.

/** A text that filters compare as a whole. */
const named = (name: string): object => ({
  name,
  dataType: ['text'],
  tokenization: 'field',
  indexFilterable: true,
  indexSearchable: false,
});

/** A text without an index. */
const plain = (name: string): object => ({
  name,
  dataType: ['text'],
  indexFilterable: false,
  indexSearchable: false,
});

const vectorConfig = (more: object): object => ({
  default: {
    vectorizer: { none: {} },
    vectorIndexType: 'hnsw',
    vectorIndexConfig: { distance: 'cosine', skipDefaultQuantization: true, ...more },
  },
});

const text = { name: 'text', dataType: ['text'], tokenization: 'word' };
/** Every word of a question counts, and a document may have the name `a`. */
const invertedIndexConfig = { stopwords: { preset: 'none' } };

/** The collection of the chunks, without its name. */
export const CHUNKS: object = {
  properties: [
    { ...text, indexFilterable: false, indexSearchable: true },
    named('document_id'),
    { name: 'chunk_index', dataType: ['int'], indexFilterable: true },
    plain('hash'),
    plain('metadata'),
  ],
  vectorConfig: vectorConfig({}),
  invertedIndexConfig,
};

/** The collection of the manifest, whose objects have no vectors. */
export const MANIFEST: object = {
  properties: [named('kind'), plain('scope'), plain('value')],
  vectorConfig: vectorConfig({ skip: true }),
  invertedIndexConfig,
};
