// The schemas of records, one for each output format, as core's formats write them.
import type { FormatId } from '@grainline/core/formats';
import { arrayOf, count, objectOf, ref, type Schema, text } from './schema.ts';

const UUID: Schema = {
  type: 'string',
  pattern: '^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$',
  description: 'UUID of version 5, of document_id and content alone: the same in every format.',
};
const VECTOR = arrayOf({ type: 'number' }, { minItems: 1 });

/** What a chunk's metadata say in every format. Absent where it has no meaning, never null. */
const PLACE = {
  chunk_index: count('Position among the chunks of the document, from 0.'),
  char_count: count('Length of the text in UTF-16 code units, context included.'),
  start_offset: count(
    'Where the chunk starts in the extracted text, in UTF-16 code units, overlap included.',
  ),
  end_offset: count(),
  overlap_chars: { type: 'integer', minimum: 1, description: 'Units that repeat the chunk before.' },
  content_start: { type: 'integer', minimum: 1, description: "Where the document's own text starts." },
  page_start: { type: 'integer', minimum: 1 },
  page_end: { type: 'integer', minimum: 1 },
  heading_path: text('The headings over all of the chunk, outermost first, joined by " > ".'),
  oversize: { const: true, description: 'One code point alone is longer than the maximum.' },
} as const satisfies Readonly<Record<string, Schema>>;
const OPTIONAL_PLACE = [
  'overlap_chars',
  'content_start',
  'page_start',
  'page_end',
  'heading_path',
  'oversize',
] as const satisfies readonly (keyof typeof PLACE)[];

const OF_DOCUMENT = {
  document_id: text(),
  total_chunks: { type: 'integer', minimum: 1 },
  filename: text(),
  source_url: text(),
  tier: text(),
  content_type: text(),
  language: text(),
} as const satisfies Readonly<Record<string, Schema>>;
const OPTIONAL_OF_DOCUMENT = ['filename', 'source_url', 'tier', 'content_type', 'language'];

const STATUS = { type: 'string', enum: ['complete', 'partial', 'failed'] } as const satisfies Schema;
/** What a language model says of a chunk, where a record is flat: lists are one text. Tier `ai-pro`. */
const DESCRIBED = {
  title: text(),
  summary: text(),
  keywords: text('Joined by ", ".'),
  questions: text('One a line.'),
  entities: text('Joined by ", ".'),
  context: text('Also the first line of the text.'),
  enrichment_status: STATUS,
} as const satisfies Readonly<Record<string, Schema>>;

const optional = [...Object.keys(DESCRIBED), ...OPTIONAL_PLACE, ...OPTIONAL_OF_DOCUMENT];
/** The one further key is that of the text: `text_field`. */
const flatRecord = objectOf(
  { ...PLACE, ...OF_DOCUMENT, ...DESCRIBED },
  { optional, additionalProperties: text() },
);

const RECORDS: Readonly<Record<FormatId, Schema>> = {
  raw: objectOf(
    {
      id: UUID,
      text: text('What to embed: the context, then the text of the chunk.'),
      metadata: ref('ChunkMetadata'),
      context: arrayOf(objectOf({ kind: text(), text: text(), start_offset: count(), end_offset: count() }), {
        description: 'What stands in `text` before the text of the chunk.',
      }),
      embedding: VECTOR,
      enrichment: objectOf(
        {
          title: text(),
          summary: text(),
          keywords: arrayOf(text()),
          questions: arrayOf(text()),
          entities: arrayOf(text()),
          context: text('Stands in `text` before everything else.'),
        },
        {
          optional: ['title', 'summary', 'context'],
          description: 'Tier `ai-pro`: what a language model says of the chunk.',
        },
      ),
      enrichment_status: STATUS,
      enrichment_reasons: arrayOf(objectOf({ field: text(), reason: text() }, { optional: ['field'] }), {
        description: 'What is missing of it, and why.',
      }),
    },
    { optional: ['context', 'embedding', 'enrichment', 'enrichment_status', 'enrichment_reasons'] },
  ),
  pinecone: {
    anyOf: [
      objectOf(
        { _id: UUID, ...PLACE, ...OF_DOCUMENT, ...DESCRIBED },
        { optional, additionalProperties: text(), description: 'For index.upsertRecords.' },
      ),
      objectOf(
        { id: UUID, values: VECTOR, metadata: ref('FlatMetadata') },
        { description: 'With embeddings, for index.upsert.' },
      ),
    ],
  },
  weaviate: objectOf(
    { class: text(), id: UUID, properties: ref('FlatMetadata'), vector: VECTOR },
    { optional: ['vector'] },
  ),
  chroma: objectOf(
    {
      id: UUID,
      document: text(),
      metadata: objectOf({ ...PLACE, ...OF_DOCUMENT, ...DESCRIBED }, { optional }),
      embedding: VECTOR,
    },
    { optional: ['embedding'] },
  ),
  qdrant: objectOf({
    id: UUID,
    vector: { anyOf: [{ type: 'object', maxProperties: 0 }, VECTOR] },
    payload: ref('FlatMetadata'),
  }),
};

/** Name of a format's record among the components. */
function recordName(format: string): string {
  return `${format.charAt(0).toUpperCase()}${format.slice(1)}Record`;
}

/** Every schema of a record, by its name among the components. */
export const RECORD_SCHEMAS: Readonly<Record<string, Schema>> = {
  ChunkMetadata: objectOf(PLACE, { optional: [...OPTIONAL_PLACE] }),
  FlatMetadata: {
    ...flatRecord,
    description: 'Flat, one type a key, no null; the one further key is that of the text: `text_field`.',
  },
  ...Object.fromEntries(Object.entries(RECORDS).map(([format, schema]) => [recordName(format), schema])),
};

/** The chunks of an answer, in the shape of `output_format`. */
export const CHUNKS: Schema = {
  type: 'array',
  minItems: 1,
  description: 'One entry a chunk, in order, in the shape of `output_format`.',
  anyOf: Object.keys(RECORDS).map((format) => ({ items: ref(recordName(format)) })),
};

/** What formats put beside the chunks. */
export const BESIDE_CHUNKS = {
  source: objectOf(
    {
      sha256: { type: 'string', pattern: '^[0-9a-f]{64}$' },
      characters: count(),
      gaps: arrayOf({ type: 'string', pattern: '^\\s*$' }),
    },
    { description: '`raw` only: what proves that nothing of the text is missing.' },
  ),
  columns: objectOf(
    {
      ids: arrayOf(UUID),
      documents: arrayOf(text()),
      metadatas: arrayOf({ type: 'object' }),
      embeddings: arrayOf(VECTOR),
    },
    { optional: ['embeddings'], description: '`chroma` only: what collection.upsert takes.' },
  ),
  upsert: objectOf(
    { calls: count(), max_records: count() },
    { description: 'When one request to the database would be too large: how many, of how many records.' },
  ),
  embedding: objectOf(
    {
      model: text(),
      dimensions: { type: 'integer', minimum: 1 },
      normalized: { type: 'boolean' },
      distance: { const: 'cosine' },
    },
    { description: 'With embeddings: what the vectors are.' },
  ),
} as const satisfies Readonly<Record<string, Schema>>;
