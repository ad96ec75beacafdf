// Checks of all options of a format, together and before any work. A server runs them when a request comes in, before
// there are chunks.
import { issueUnless, type OptionIssue, assertNoIssues, show, unknownOptionIssues } from '../errors.ts';
import { isIntegerWithin } from '../limits.ts';
import type { Format, RecordNames } from './format.ts';
import { documentIdIssues, MAX_NAME_LENGTH } from './identify.ts';
import { FORMATS, type FormatId } from './registry.ts';
import type { SourceOptions } from './source.ts';

/**
 * Options of {@link toRecords} and {@link formatChunks}. Texts are at most 2048 UTF-16 units; in them U+0000 and
 * surrogates without a partner become U+FFFD.
 */
export interface RecordOptions extends SourceOptions {
  /**
   * Name that the records themselves carry, which only Weaviate has: its class. Default `Chunk`. Refused by the other
   * formats.
   */
  readonly collection?: string | undefined;
  /** Key of the text in the formats pinecone, weaviate and qdrant. Default `text`. Refused by the other formats. */
  readonly textField?: string | undefined;
}

/**
 * Checks options before there are chunks. `vectors` are not checked, because that takes the chunks.
 *
 * @throws ChunkError `invalid_options` with every issue.
 */
export function checkRecordOptions(
  format: string,
  options: Omit<RecordOptions, 'vectors'>,
): asserts format is FormatId {
  assertNoIssues(recordIssues(format, options));
}

/** Issues of the options; when `chunks` are given, of the vectors too. */
export function recordIssues(format: string, given: unknown, chunks?: readonly unknown[]): OptionIssue[] {
  if (!Object.hasOwn(FORMATS, format)) {
    return [
      { option: 'format', expected: `one of ${Object.keys(FORMATS).join(', ')}`, received: show(format) },
    ];
  }
  if (typeof given !== 'object' || given === null) {
    return [{ option: 'options', expected: 'an object with documentId', received: show(given) }];
  }
  const options: Readonly<Record<string, unknown>> = { ...given };
  const shape: Format = FORMATS[format as FormatId];
  return [
    ...documentIdIssues(options['documentId']),
    ...TEXTS.flatMap((name) => textIssues(name, options[name])),
    ...NAMES.flatMap((name) => nameIssues(name, options[name], shape)),
    ...metadataIssues(options['metadata'], shape, options['textField']),
    ...(chunks === undefined ? [] : vectorIssues(options['vectors'], chunks.length, shape)),
    ...unknownOptionIssues(options, KNOWN, 'this call'),
  ];
}

const TEXTS = [
  'filename',
  'sourceUrl',
  'tier',
  'contentType',
  'language',
  'reader',
] as const satisfies (keyof SourceOptions)[];
const NAMES = ['collection', 'textField'] as const satisfies (keyof RecordNames)[];
const KNOWN: readonly string[] = ['documentId', ...TEXTS, ...NAMES, 'metadata', 'vectors', 'embedding'];

function textIssues(option: string, value: unknown): OptionIssue[] {
  if (value === undefined || (typeof value === 'string' && value.length <= MAX_NAME_LENGTH)) return [];
  const received = typeof value === 'string' ? `${value.length} long` : show(value);
  return [{ option, expected: `a string of at most ${MAX_NAME_LENGTH} UTF-16 units`, received }];
}

function nameIssues(option: keyof RecordNames, value: unknown, { id, names }: Format): OptionIssue[] {
  const rule = names[option];
  if (value === undefined || (typeof value === 'string' && rule?.allows(value) === true)) return [];
  const expected = rule?.expected ?? `left out, because records of the format ${id} have none`;
  return [{ option, expected, received: show(value) }];
}

/** One issue for each key that the store would reject or misread, and for each value that is no {@link Scalar}. */
function metadataIssues(metadata: unknown, shape: Format, textField: unknown): readonly OptionIssue[] {
  if (metadata === undefined) return [];
  const isObject = typeof metadata === 'object' && metadata !== null && !Array.isArray(metadata);
  if (!isObject) return issueUnless(false, 'metadata', 'an object', metadata);
  const keyOfText = textField ?? shape.names.textField?.fallback;
  return Object.entries(metadata).flatMap(([key, value]) => {
    if (!shape.ownKeys.allows(key))
      return issueUnless(false, 'a key of metadata', shape.ownKeys.expected, key);
    if (key === keyOfText)
      return issueUnless(false, 'a key of metadata', 'another than that of the text', key);
    return issueUnless(isOwnValue(value), `metadata.${key}`, OWN_VALUE, value);
  });
}

const OWN_VALUE = `a string of 1 to ${MAX_NAME_LENGTH} UTF-16 units, a finite number or a boolean`;

function isOwnValue(value: unknown): boolean {
  if (typeof value === 'string') return value.length > 0 && value.length <= MAX_NAME_LENGTH;
  return typeof value === 'boolean' || Number.isFinite(value);
}

/**
 * One issue for the list as a whole, or for the first vector that is wrong: the others are probably wrong in the same
 * way.
 */
function vectorIssues(vectors: unknown, count: number, shape: Format): OptionIssue[] {
  if (vectors === undefined) return [];
  if (!Array.isArray(vectors) || vectors.length !== count) {
    return [{ option: 'vectors', expected: `one vector a chunk, ${count} in all`, received: show(vectors) }];
  }
  const dimensions = isVector(vectors[0]) ? vectors[0].length : 0;
  for (const [index, vector] of (vectors as readonly unknown[]).entries()) {
    const wrong = wrongVector(vector, dimensions, shape);
    if (wrong !== undefined) return [{ option: `vectors[${index}]`, ...wrong }];
  }
  return [];
}

/** True for an array of any kind. The component check covers its elements. */
function isVector(value: unknown): value is ArrayLike<unknown> {
  return (
    typeof value === 'object' &&
    value !== null &&
    'length' in value &&
    isIntegerWithin(0, Infinity, value.length)
  );
}

function wrongVector(
  vector: unknown,
  dimensions: number,
  shape: Format,
): Omit<OptionIssue, 'option'> | undefined {
  if (!isVector(vector)) return { expected: 'an array of numbers, plain or typed', received: show(vector) };
  const { length } = vector;
  if (length === 0 || length > shape.maxDimensions) {
    const most = shape.maxDimensions === Infinity ? '' : ` to ${shape.maxDimensions}`;
    return { expected: `of 1${most} numbers for the format ${shape.id}`, received: `of ${length}` };
  }
  if (length !== dimensions)
    return { expected: `as long as the first, ${dimensions}`, received: `${length} long` };
  const at = firstUnfit(vector);
  if (at !== -1)
    return { expected: 'of finite numbers that fit 32 bits', received: `${show(vector[at])} at ${at}` };
  if (shape.refusesZeroVector && !hasNonZero(vector)) {
    return { expected: `not all zeros for the format ${shape.id}`, received: 'all zeros' };
  }
  return undefined;
}

/** Index of the first component that a float of 32 bits cannot hold; -1 when there is none. */
function firstUnfit(vector: ArrayLike<unknown>): number {
  for (let index = 0; index < vector.length; index++) {
    const component = vector[index];
    if (typeof component !== 'number' || !Number.isFinite(Math.fround(component))) return index;
  }
  return -1;
}

function hasNonZero(vector: ArrayLike<unknown>): boolean {
  return Array.prototype.some.call(vector, (component) => component !== 0);
}
