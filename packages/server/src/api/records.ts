// The schemas of records, one for each output format of core.
import type { FormatId } from '@grainline/core/formats';
import { arrayOf, count, flag, objectOf, ref, type Schema, text } from '../fields/schema.ts';

const UUID: Schema = {
  type: 'string',
  pattern: '^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$',
  description: 'UUID of version 5, made from `document_id` and content alone; equal in every format.',
};
const VECTOR = arrayOf(
  { type: 'number' },
  { minItems: 1, description: 'Vector of the text, with embeddings.' },
);

/** A chunk's metadata in every format. An inapplicable key is absent, never null. */
const PLACE = {
  chunk_index: count('Position among the chunks of the document, from 0.'),
  char_count: count('Length of the text in UTF-16 code units, context included.'),
  start_offset: count('Start of the chunk in the extracted text, in UTF-16 code units, overlap included.'),
  end_offset: count('End of the chunk in the extracted text, in UTF-16 code units.'),
  overlap_chars: {
    type: 'integer',
    minimum: 1,
    description: 'Leading units that repeat the chunk before.',
  },
  content_start: {
    type: 'integer',
    minimum: 1,
    description: "Start of the document's own text within `text`, after context and enrichment.",
  },
  page_start: { type: 'integer', minimum: 1, description: 'First page, from 1.' },
  page_end: { type: 'integer', minimum: 1, description: 'Last page.' },
  paragraph: {
    type: 'integer',
    minimum: 1,
    description: 'With `regions`: number of the paragraph of a DOCX in which the chunk begins.',
  },
  fragment: text('With `regions`: text fragment of a link to the chunk on an HTML page, `:~:text=…`.'),
  heading_path: text('The headings of the whole chunk, outermost first, joined by " > ".'),
  oversize: { const: true, description: 'One code point alone exceeds `chunk_size`.' },
  section_id: { ...UUID, description: 'With `parents`: id of the section that holds the chunk.' },
  section_start: count('Start of that section in the extracted text.'),
  section_end: count('End of that section.'),
  parent_id: { ...UUID, description: 'With `parents`: id of the section one level above.' },
  parent_start: count('Start of the section above.'),
  parent_end: count('End of the section above.'),
} as const satisfies Readonly<Record<string, Schema>>;

const OF_DOCUMENT = {
  document_id: text('Id of the document.'),
  total_chunks: { type: 'integer', minimum: 1, description: 'Number of chunks of the document.' },
  filename: text('Name of the document.'),
  source_url: text('Link to the document.'),
  links: text('Links in the chunk: the JSON text of a list as `links` of the format `raw`.'),
  regions: text('With `regions`: the JSON text of a list as `regions` of the format `raw`.'),
  overlap_regions: text('The JSON text of a list as `overlap_regions` of the format `raw`.'),
  context_regions: text('The JSON text of a list of such lists, one for each part of the context.'),
  tier: text('Tier of the chunks.'),
  content_type: text('Media type of the document.'),
  language: text('Language of the document.'),
  reader: text(
    'Reader of the document and its version, as `pdf-3`; the version rises with each change of texts.',
  ),
} as const satisfies Readonly<Record<string, Schema>>;

const STATUS = {
  type: 'string',
  enum: ['complete', 'partial', 'failed'],
  description: 'Tier `ai-pro`: completeness of the enrichment.',
} as const satisfies Schema;
/** The enrichment of a chunk in a flat record of the tier `ai-pro`. A list is one text. */
const DESCRIBED = {
  title: text('Title of the chunk.'),
  summary: text('Summary of the chunk.'),
  keywords: text('Keywords, joined by ", ".'),
  questions: text('Questions that the chunk answers, one a line.'),
  entities: text('Named entities, joined by ", ".'),
  context: text('Place of the chunk in the document; also the first line of the text.'),
  enrichment_status: STATUS,
} as const satisfies Readonly<Record<string, Schema>>;
/** The weight of neighbours in a vector. */
const BLEND = {
  type: 'number',
  exclusiveMinimum: 0,
  maximum: 1,
  description: "Weight of the neighbours' vectors in the vector; absent at 0.",
} as const satisfies Schema;
/** The source of the vector of a flat record. */
const EMBEDDED = {
  embedding_model: text('With embeddings: name of the embedder.'),
  embedding_dimensions: {
    type: 'integer',
    minimum: 1,
    description: 'With embeddings: length of the vector.',
  },
  embedding_blend: BLEND,
} as const satisfies Readonly<Record<string, Schema>>;

const FLAT = { ...PLACE, ...OF_DOCUMENT, ...DESCRIBED, ...EMBEDDED };
const REQUIRED = new Set([
  'chunk_index',
  'char_count',
  'start_offset',
  'end_offset',
  'document_id',
  'total_chunks',
]);
const optional = Object.keys(FLAT).filter((name) => !REQUIRED.has(name));
/** A list of boxes. */
export const BOXES = arrayOf(arrayOf({ type: 'integer' }, { minItems: 5, maxItems: 5 }), {
  description:
    'With `regions`: the boxes of the own text on the pages of a PDF. Page from 1, then left, top, right and bottom edge in hundredths of a point from the top left corner of the page as a viewer shows it.',
});

/** The one further key is the text's: `text_field`. */
const flatRecord = objectOf(FLAT, { optional, additionalProperties: text() });

const RECORDS: Readonly<Record<FormatId, Schema>> = {
  raw: objectOf(
    {
      id: UUID,
      text: text('The text to embed: the context, an empty line, then the text of the chunk.'),
      metadata: ref('ChunkMetadata'),
      context: arrayOf(
        objectOf(
          {
            kind: text('For example `title`, `heading-path`, `table-header`.'),
            text: text('The part as it stands in `text`.'),
            start_offset: count('Start of its source in the extracted text.'),
            end_offset: count('End of its source.'),
            regions: { ...BOXES, description: 'With `regions`: the boxes of its source.' },
          },
          { optional: ['regions'] },
        ),
        { description: 'Parts of `text` before the text of the chunk, on tiers that add context.' },
      ),
      links: arrayOf(
        objectOf({
          start_offset: count('Start of the words in the extracted text.'),
          end_offset: count('End of the words.'),
          href: text('The target; relative when the document does not tell its own address.'),
        }),
        { description: 'Links in the chunk, at most 100, when their targets are not in the text.' },
      ),
      regions: BOXES,
      overlap_regions: { ...BOXES, description: 'With `regions`: the boxes of its overlap.' },
      embedding: VECTOR,
      enrichment: objectOf(
        {
          title: text('Title of the chunk.'),
          summary: text('Summary of the chunk.'),
          keywords: arrayOf(text(), { description: 'Keywords.' }),
          questions: arrayOf(text(), { description: 'Questions that the chunk answers.' }),
          entities: arrayOf(text(), { description: 'Named entities.' }),
          context: text('Place of the chunk in the document; the first line of `text`.'),
        },
        {
          optional: ['title', 'summary', 'context'],
          description: 'Tier `ai-pro`: the description of the chunk by a language model.',
        },
      ),
      enrichment_status: STATUS,
      enrichment_reasons: arrayOf(
        objectOf(
          {
            field: text('Name of the missing field; absent for all of them.'),
            reason: text('For example `missing`, `invented`, `too_long`.'),
          },
          { optional: ['field'] },
        ),
        { description: 'Missing fields of the enrichment with their reasons.' },
      ),
    },
    {
      optional: [
        'context',
        'links',
        'regions',
        'overlap_regions',
        'embedding',
        'enrichment',
        'enrichment_status',
        'enrichment_reasons',
      ],
    },
  ),
  pinecone: {
    anyOf: [
      objectOf(
        { _id: UUID, ...PLACE, ...OF_DOCUMENT, ...DESCRIBED },
        {
          optional,
          additionalProperties: text(),
          description: 'For `index.upsertRecords`; the text stands under `text_field`.',
        },
      ),
      objectOf(
        { id: UUID, values: VECTOR, metadata: ref('FlatMetadata') },
        { description: 'With embeddings, for `index.upsert`.' },
      ),
    ],
  },
  weaviate: objectOf(
    { class: text('The `collection`.'), id: UUID, properties: ref('FlatMetadata'), vector: VECTOR },
    { optional: ['vector'] },
  ),
  chroma: objectOf(
    {
      id: UUID,
      document: text('The text to embed.'),
      metadata: objectOf(FLAT, { optional, description: 'As FlatMetadata.' }),
      embedding: VECTOR,
    },
    { optional: ['embedding'] },
  ),
  qdrant: objectOf({
    id: UUID,
    vector: {
      anyOf: [{ type: 'object', maxProperties: 0 }, VECTOR],
      description: 'Vector of the text; empty without embeddings.',
    },
    payload: ref('FlatMetadata'),
  }),
};

/** The component's name of a format's record. */
function recordName(format: string): string {
  return `${format.charAt(0).toUpperCase()}${format.slice(1)}Record`;
}

/** Every schema of a record, by component name. */
export const RECORD_SCHEMAS: Readonly<Record<string, Schema>> = {
  ChunkMetadata: objectOf(PLACE, { optional }),
  FlatMetadata: {
    ...flatRecord,
    description: 'Flat, one type a key, no null. The text stands under `text_field`.',
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

/** Members of some formats beside the chunks. */
export const BESIDE_CHUNKS = {
  source: objectOf(
    {
      sha256: {
        type: 'string',
        pattern: '^[0-9a-f]{64}$',
        description: 'SHA-256 of the extracted text in UTF-8.',
      },
      characters: count('Length of that text in UTF-16 code units.'),
      gaps: arrayOf(
        { type: 'string', pattern: '^\\s*$' },
        { description: 'Blank text before each chunk and after the last.' },
      ),
    },
    { description: '`raw` only: proof that no text is missing.' },
  ),
  columns: objectOf(
    {
      ids: arrayOf(UUID, { description: 'Column of ids.' }),
      documents: arrayOf(text(), { description: 'Column of texts.' }),
      metadatas: arrayOf({ type: 'object' }, { description: 'Column of metadata.' }),
      embeddings: arrayOf(VECTOR, { description: 'Column of vectors, with embeddings.' }),
    },
    { optional: ['embeddings'], description: '`chroma` only: the argument of `collection.upsert`.' },
  ),
  upsert: objectOf(
    { calls: count('Number of requests.'), max_records: count('Most records in one request.') },
    { description: 'Only when one request to the database would be too large.' },
  ),
  embedding: objectOf(
    {
      model: text('Name of the embedder.'),
      dimensions: { type: 'integer', minimum: 1, description: 'Length of each vector.' },
      normalized: flag('Every vector has length 1.'),
      distance: { const: 'cosine' },
      blend: BLEND,
    },
    { optional: ['blend'], description: 'With embeddings: the kind of the vectors.' },
  ),
} as const satisfies Readonly<Record<string, Schema>>;
