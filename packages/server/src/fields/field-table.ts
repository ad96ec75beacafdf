// Every field of a request for chunks, made from the table of options. A field is the check of a request, the sentence
// of its error, the schema in /openapi.json and a row in the docs.
import { DEFAULT_SIZE } from '@grainline/core';
import {
  describeOption,
  type OptionEntry,
  OPTIONS,
  optionsOf,
  type OptionTable,
  type SurfaceOption,
  rangeOf,
  takesText,
} from '@grainline/core/options';
import type { Schema } from './schema.ts';
import { cleanName, MAX_NAME_CHARACTERS } from './file-name.ts';

/** A field. `schema`, `expected` and `read` accept the same values, but a schema cannot tell whether ranges ascend. */
export interface RequestField {
  /** The accepted values as JSON Schema. Its lengths count characters; the check counts UTF-16 units. */
  readonly schema: Schema;
  /** The accepted values in words that continue "must be". */
  readonly expected: string;
  /** The value, or undefined for an unaccepted one. */
  readonly read: (value: unknown) => unknown;
  /** The field's meaning in Markdown, for the docs. */
  readonly meaning: string;
  /** The condition under which a form has this field of JSON bodies, for the docs. */
  readonly inForm?: string;
  /** True when no error, log or store may hold its value. */
  readonly isSecret?: true;
}

/** The range of `chunk_size`, as `GET /` reports it. */
export const CHUNK_SIZE = {
  /** Below this size the answer is a hundred times as large as its document. */
  least: 10,
  most: 100_000,
  /** Defaults by unit. */
  default: DEFAULT_SIZE,
} as const;
/** The options with the service's own ranges and defaults. */
const TABLE = {
  ...OPTIONS,
  size: { ...OPTIONS.size, min: CHUNK_SIZE.least, max: CHUNK_SIZE.most },
  documentId: { ...OPTIONS.documentId, default: 'the link, else the SHA-256 of the bytes' },
} as const satisfies OptionTable;

/** Longest link in UTF-16 units. Browsers and servers support less. */
const MAX_URL = 8192;
/** Longest address of a webhook in UTF-16 units. */
const MAX_WEBHOOK_URL = 2048;

/** Fields of a JSON body with the document or its link. */
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
} as const satisfies Readonly<Record<string, RequestField>>;

/** Fields of jobs, in a JSON body and in a form. They are no options: a payment does not name them. */
export const JOB_FIELDS = {
  webhook_url: field(
    `Address that is notified of the end of the job: https, at most ${MAX_WEBHOOK_URL} characters. Only with tiers of the mode \`async\`.`,
    textOf(1, MAX_WEBHOOK_URL, `a link of at most ${MAX_WEBHOOK_URL} characters`),
  ),
} as const satisfies Readonly<Record<string, RequestField>>;

/** True for an option that no error, log, store or fingerprint may hold, by core's name. */
export function isSecret(option: string): boolean {
  const table: OptionTable = OPTIONS;
  return Object.hasOwn(table, option) && table[option]?.secret === true;
}

/** Fields of the options, in a JSON body and in a form. */
export const OPTION_FIELDS = optionFields();

/** Creates the fields of all options but the tier. */
export function optionFields(table: OptionTable = TABLE): Readonly<Record<string, RequestField>> {
  const options = optionsOf('wire', table).filter(({ key }) => key !== 'tier');
  return Object.fromEntries(options.map((option) => [option.name, optionField(option, table)]));
}

function optionField(option: SurfaceOption, table: OptionTable): RequestField {
  const { key, entry } = option;
  const { default: usual, choices = [], tiers, needs } = entry;
  // A default for all requests. Other defaults depend on the tier or on another option.
  const isFixed = typeof usual === 'number' || (typeof usual === 'string' && choices.includes(usual));
  const more = isFixed && tiers === undefined && needs === undefined ? { default: usual } : {};
  return {
    ...field(sentence(describeOption('wire', key, table)), acceptedBy(option, table), more),
    ...(entry.secret === true && { isSecret: true }),
  };
}

function acceptedBy({ key, entry }: SurfaceOption, table: OptionTable): Accepted {
  const { type, choices = [], aliases, maxLength = Number.MAX_SAFE_INTEGER } = entry;
  if (type === 'choice') return oneOf(choices, aliases);
  if (type === 'text') return textLike(entry) ?? label(maxLength);
  if (type === 'flag') return truth();
  const { min, max } = rangeOf(key, table);
  return type === 'number' ? number(min, max) : integer(min, max);
}

/** `longest chunk` → `Longest chunk.` */
function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

/** Parses the text of a form's field: a number or a boolean for such fields, otherwise the text. */
export function typedText(name: string, value: string): string | number | boolean {
  const type = Object.hasOwn(OPTION_FIELDS, name) ? OPTION_FIELDS[name]?.schema['type'] : undefined;
  if (type === 'integer' && /^-?\d{1,15}$/.test(value.trim())) return Number(value);
  if (type === 'number' && /^\d{1,15}(?:\.\d{1,15})?$/.test(value.trim())) return Number(value);
  if (type === 'boolean' && (value === 'true' || value === 'false')) return value === 'true';
  return value;
}

type Accepted = Pick<RequestField, 'schema' | 'expected' | 'read'>;

export function field(meaning: string, accepted: Accepted, more: Schema = {}): RequestField {
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

function number(least: number, most: number): Accepted {
  return {
    schema: { type: 'number', minimum: least, maximum: most },
    expected: `a number from ${least} to ${most}`,
    read: (value) => (typeof value === 'number' && value >= least && value <= most ? value : undefined),
  };
}

/** Accepts the words of a list. @param aliases further words, each with the word that it stands for */
export function oneOf(words: readonly string[], aliases: Readonly<Record<string, string>> = {}): Accepted {
  const meanings = new Map([...words.map((word) => [word, word] as const), ...Object.entries(aliases)]);
  return {
    schema: { type: 'string', enum: [...meanings.keys()] },
    expected: `one of ${words.join(', ')}`,
    read: (value) => meanings.get(value as string),
  };
}

function truth(): Accepted {
  return {
    schema: { type: 'boolean' },
    expected: 'true or false',
    read: (value) => (typeof value === 'boolean' ? value : undefined),
  };
}

/** Accepts well-formed texts of so many UTF-16 units. */
export function textOf(least: number, most: number, expected: string): Accepted {
  return {
    schema: { type: 'string', minLength: least, maxLength: most },
    expected,
    read: (value) => (isText(value, most) && value.length >= least ? value : undefined),
  };
}

/** Accepts a name for records. */
function label(maxLength: number): Accepted {
  const { schema, expected, read } = textOf(1, maxLength, `a text of 1 to ${maxLength} characters`);
  return {
    schema: { ...schema, pattern: '^\\P{Cc}*$' },
    expected: `${expected} without control characters`,
    read: (value) => {
      const text = read(value);
      return typeof text === 'string' && !/\p{Cc}/u.test(text) ? text : undefined;
    },
  };
}

/** Accepts a text of a pattern; undefined for an option without one. */
function textLike(entry: OptionEntry): Accepted | undefined {
  const { pattern, maxLength = Number.MAX_SAFE_INTEGER } = entry;
  if (pattern === undefined) return undefined;
  const [source, expected] = pattern;
  const { schema, read } = textOf(1, maxLength, expected);
  return {
    schema: { ...schema, pattern: source },
    expected,
    read: (value) => {
      const text = read(value);
      return typeof text === 'string' && takesText(entry, text) ? text : undefined;
    },
  };
}

function isText(value: unknown, most: number): value is string {
  return typeof value === 'string' && value.length <= most && value.isWellFormed();
}
