// Every field of a request for chunks: what is accepted stands here once, and becomes the check of a request, the
// sentence of its refusal, the schema in /openapi.json and the table in the docs.
import { DEFAULT_SIZE } from '@grainline/core';
import { FORMATS } from '@grainline/core/formats';
import type { EncodingName } from '@grainline/models/tokens';
import type { Schema } from './schema.ts';
import { type Deployment, findTier, tierNames } from '../catalog.ts';
import { cleanName, MAX_NAME_CHARACTERS } from '../http/names.ts';

/** A field: the meanings of `schema`, `expected` and `read` are the same. */
export interface Field {
  /** The accepted values as JSON Schema, whose lengths count characters where the check counts UTF-16 units. */
  readonly schema: Schema;
  /** The accepted values in words that follow "must be". */
  readonly expected: string;
  /** The value, or undefined when it is not accepted. */
  readonly read: (value: unknown) => unknown;
  /** Meaning of the field, in Markdown, for the docs. */
  readonly meaning: string;
  /** When a form may have a field that otherwise only JSON bodies have; for the docs. */
  readonly inForm?: string;
}

/** Ranges of the options, as `GET /` shows them. */
export const CHUNK_SIZE = {
  /** Below it a document falls into so many records that the answer is a hundred times its size. */
  least: 10,
  most: 100_000,
  /** Defaults by unit. */
  default: DEFAULT_SIZE,
} as const;
/** Names that a client may know an encoding by; the first is ours. */
const ENCODINGS = {
  o200k: ['o200k', 'o200k_base'],
  cl100k: ['cl100k', 'cl100k_base'],
} as const satisfies Readonly<Record<EncodingName, readonly string[]>>;
export const ENCODING_NAMES = Object.keys(ENCODINGS) as readonly EncodingName[];
export const DEFAULT_ENCODING: EncodingName = 'o200k';
/** What sizes count. */
export const UNITS = ['characters', 'tokens'] as const;
/** Longest `document_id`, `collection` and `text_field`, in UTF-16 units. */
const MAX_LABEL = 512;
/** Longest link, in UTF-16 units: what browsers and servers agree on is less. */
const MAX_URL = 8192;

/** Fields of a JSON body that say where the document is. */
export const SOURCE_FIELDS = {
  url: field(
    `Link to the document: http or https, at most ${MAX_URL} characters. Either \`url\` or \`text\`.`,
    textOf(1, MAX_URL, `a link of at most ${MAX_URL} characters`),
  ),
  text: {
    ...field('The text itself. Well-formed: no surrogate without its partner.', {
      schema: { type: 'string' },
      expected: 'a text',
      read: (value) => (typeof value === 'string' ? value : undefined),
    }),
    inForm: 'in place of `file`',
  },
  filename: field(
    `Name of \`text\`, default \`text.txt\`; only its last part is kept, at most ${MAX_NAME_CHARACTERS} characters. \`.md\` makes it Markdown, the ending of a programming language source code, \`.txt\` what it looks like.`,
    {
      schema: { type: 'string', minLength: 1, maxLength: MAX_NAME_CHARACTERS },
      expected: `a file name of 1 to ${MAX_NAME_CHARACTERS} characters`,
      read: (value) => (isText(value, MAX_NAME_CHARACTERS) ? cleanName(value) : undefined),
    },
  ),
} as const satisfies Readonly<Record<string, Field>>;

/** How to cut, and what the records are to look like: in a JSON body and in a form. */
export const OPTION_FIELDS = {
  output_format: field(
    `\`raw\` (default), ${namesOf(Object.keys(FORMATS).filter((name) => name !== 'raw'))}.`,
    oneOf(Object.keys(FORMATS)),
    { default: 'raw' },
  ),
  chunk_size: field(
    `The longest a chunk may be, in \`unit\`: ${CHUNK_SIZE.least} to ${CHUNK_SIZE.most}. Default ${CHUNK_SIZE.default.characters} characters, or ${CHUNK_SIZE.default.tokens} tokens.`,
    integer(CHUNK_SIZE.least, CHUNK_SIZE.most),
  ),
  chunk_overlap: field(
    'The most that a chunk repeats of the one before: 0 (default), and below `chunk_size`.',
    integer(0, CHUNK_SIZE.most - 1),
    { default: 0 },
  ),
  unit: field('What sizes count: `characters` (default; UTF-16 code units) or `tokens`.', oneOf(UNITS), {
    default: 'characters',
  }),
  encoding: field(
    'Whose tokens: `o200k` (default; GPT-4o and later) or `cl100k` (GPT-4, text-embedding-3); `o200k_base` and `cl100k_base` mean the same. With `unit` `tokens` only.',
    {
      schema: { type: 'string', enum: Object.values(ENCODINGS).flat() },
      expected: `one of ${ENCODING_NAMES.join(', ')}`,
      read: (value) => ENCODING_NAMES.find((name) => (ENCODINGS[name] as readonly unknown[]).includes(value)),
    },
  ),
  chunk_target: field(
    'Tiers that pack sentences and blocks: the length that chunks are drawn to, 1 to `chunk_size`. Default 0.55 of `chunk_size`.',
    integer(1, CHUNK_SIZE.most),
  ),
  chunk_min: field(
    'The same tiers: shorter chunks are avoided; 0 to `chunk_target`, whose default it raises where it is larger.',
    integer(0, CHUNK_SIZE.most),
  ),
  context: field(
    // Which words there are, the tier itself knows.
    'Tier `professional`: what is put before a chunk. `corpus` (default), for search across documents; `in-document`, without title and headings.',
    label(),
  ),
  embeddings: field(
    'Tiers `semantic`, `ai` and `ai-pro`: `true` puts a vector into every record; default `false`.',
    {
      schema: { type: 'boolean' },
      expected: 'true or false',
      read: (value) => (typeof value === 'boolean' ? value : undefined),
    },
  ),
  document_id: field(
    'Name of the document, from which the ids of its chunks are made. Default: the link, else the SHA-256 of the bytes.',
    label(),
  ),
  collection: field("Weaviate's class, default `Chunk`.", label()),
  text_field: field('Key of the text in `pinecone`, `weaviate` and `qdrant`, default `text`.', label()),
} as const satisfies Readonly<Record<string, Field>>;

/** The field `tier`, which a path may name instead. */
export function tierField(deployment: Deployment): { readonly tier: Field } {
  const names = tierNames(deployment);
  const tier = field(`Default \`${deployment.defaultTier}\`.`, {
    schema: { type: 'string', enum: names },
    expected: `one of ${names.join(', ')}`,
    read: (value) => (typeof value === 'string' ? findTier(deployment, value) : undefined),
  });
  return { tier: { ...tier, schema: { ...tier.schema, default: deployment.defaultTier } } };
}

/**
 * The value that the text of a form's field stands for: an integer or a truth value where the field wants one, else the
 * text.
 */
export function typedText(name: string, value: string): string | number | boolean {
  const type = Object.hasOwn(OPTION_FIELDS, name)
    ? OPTION_FIELDS[name as keyof typeof OPTION_FIELDS].schema['type']
    : undefined;
  if (type === 'integer' && /^-?\d{1,15}$/.test(value.trim())) return Number(value);
  if (type === 'boolean' && (value === 'true' || value === 'false')) return value === 'true';
  return value;
}

/** The table of the docs, in Markdown. */
export function fieldsTable(deployments: readonly Deployment[]): string {
  const [first, ...others] = deployments;
  const elsewhere = others.map(({ name, defaultTier }) => `, in the ${name} deployment \`${defaultTier}\``);
  const rows = [
    ...Object.entries<Field>(SOURCE_FIELDS).map(([name, { meaning, inForm }]) => row(name, inForm, meaning)),
    row('tier', '`POST /chunk` only', `Default \`${first?.defaultTier ?? ''}\`${elsewhere.join('')}.`),
    ...Object.entries(OPTION_FIELDS).map(([name, { meaning }]) => row(name, 'yes', meaning)),
  ];
  return ['| field | JSON | form | meaning |', '| --- | --- | --- | --- |', ...rows].join('\n');
}

function row(name: string, inForm: string | undefined, meaning: string): string {
  return `| \`${name}\` | yes | ${inForm === undefined ? '' : `${inForm} `}| ${meaning} |`;
}

type Accepted = Pick<Field, 'schema' | 'expected' | 'read'>;

function field(meaning: string, accepted: Accepted, more: Schema = {}): Field {
  return { ...accepted, schema: { ...accepted.schema, description: meaning, ...more }, meaning };
}

function integer(least: number, most: number): Accepted {
  return {
    schema: { type: 'integer', minimum: least, maximum: most },
    expected: `an integer from ${least} to ${most}`,
    read: (value) =>
      Number.isInteger(value) && (value as number) >= least && (value as number) <= most ? value : undefined,
  };
}

function oneOf(words: readonly string[]): Accepted {
  return {
    schema: { type: 'string', enum: words },
    expected: `one of ${words.join(', ')}`,
    read: (value) => words.find((word) => word === value),
  };
}

function textOf(least: number, most: number, expected: string): Accepted {
  return {
    schema: { type: 'string', minLength: least, maxLength: most },
    expected,
    read: (value) => (isText(value, most) && value.length >= least ? value : undefined),
  };
}

/** A name that goes into records. */
function label(): Accepted {
  const { schema, expected, read } = textOf(1, MAX_LABEL, `a text of 1 to ${MAX_LABEL} characters`);
  return {
    schema: { ...schema, pattern: '^\\P{Cc}*$' },
    expected: `${expected} without control characters`,
    read: (value) => {
      const text = read(value);
      return typeof text === 'string' && !/\p{Cc}/u.test(text) ? text : undefined;
    },
  };
}

function isText(value: unknown, most: number): value is string {
  return typeof value === 'string' && value.length <= most && value.isWellFormed();
}

function namesOf(words: readonly string[]): string {
  return words.map((word) => `\`${word}\``).join(', ');
}
