// Checks of everything that a caller asks of a format, all together and before any work. A server calls them when a
// request comes in, before there are chunks.
import { faultUnless, type OptionFault, refuse, show, unknownOptionFaults } from '../errors.ts';
import { isIntegerWithin } from '../limits.ts';
import type { Format, RecordNames } from './format.ts';
import { documentIdFaults, MAX_NAME_LENGTH } from './identify.ts';
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
  readonly collection?: string;
  /** Key of the text in the formats pinecone, weaviate and qdrant. Default `text`. Refused by the other formats. */
  readonly textField?: string;
}

/**
 * Checks options before there are chunks. `vectors` are not checked, because that takes the chunks.
 *
 * @throws ChunkError `invalid_options` with every fault.
 */
export function checkRecordOptions(
  format: string,
  options: Omit<RecordOptions, 'vectors'>,
): asserts format is FormatId {
  refuse(recordFaults(format, options));
}

/** Faults of the options; when `chunks` are given, of the vectors too. */
export function recordFaults(format: string, given: unknown, chunks?: readonly unknown[]): OptionFault[] {
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
    ...documentIdFaults(options['documentId']),
    ...digestFaults('sha256', 'a text', options['sha256']),
    ...digestFaults('sha1', 'bytes', options['sha1']),
    ...TEXTS.flatMap((name) => textFaults(name, options[name])),
    ...NAMES.flatMap((name) => nameFaults(name, options[name], shape)),
    ...metadataFaults(options['metadata'], shape, options['textField']),
    ...(chunks === undefined ? [] : vectorFaults(options['vectors'], chunks.length, shape)),
    ...unknownOptionFaults(options, KNOWN, 'this call'),
  ];
}

const TEXTS = [
  'filename',
  'sourceUrl',
  'tier',
  'contentType',
  'language',
] as const satisfies (keyof SourceOptions)[];
const NAMES = ['collection', 'textField'] as const satisfies (keyof RecordNames)[];
const KNOWN: readonly string[] = ['documentId', 'sha256', 'sha1', ...TEXTS, ...NAMES, 'metadata', 'vectors'];

function textFaults(option: string, value: unknown): OptionFault[] {
  if (value === undefined || (typeof value === 'string' && value.length <= MAX_NAME_LENGTH)) return [];
  const received = typeof value === 'string' ? `${value.length} long` : show(value);
  return [{ option, expected: `a string of at most ${MAX_NAME_LENGTH} UTF-16 units`, received }];
}

function digestFaults(option: 'sha256' | 'sha1', of: string, digest: unknown): OptionFault[] {
  if (digest === undefined || typeof digest === 'function') return [];
  return [{ option, expected: `a function from ${of} to the digest`, received: show(digest) }];
}

function nameFaults(option: keyof RecordNames, value: unknown, { id, names }: Format): OptionFault[] {
  const rule = names[option];
  if (value === undefined || (typeof value === 'string' && rule?.allows(value) === true)) return [];
  const expected = rule?.expected ?? `left out, because records of the format ${id} have none`;
  return [{ option, expected, received: show(value) }];
}

/**
 * One fault for each key that the store would refuse or take for another, and for each value that is no {@link Scalar}.
 */
function metadataFaults(metadata: unknown, shape: Format, textField: unknown): readonly OptionFault[] {
  if (metadata === undefined) return [];
  const isObject = typeof metadata === 'object' && metadata !== null && !Array.isArray(metadata);
  if (!isObject) return faultUnless(false, 'metadata', 'an object', metadata);
  const keyOfText = textField ?? shape.names.textField?.fallback;
  return Object.entries(metadata).flatMap(([key, value]) => {
    if (!shape.ownKeys.allows(key))
      return faultUnless(false, 'a key of metadata', shape.ownKeys.expected, key);
    if (key === keyOfText)
      return faultUnless(false, 'a key of metadata', 'another than that of the text', key);
    return faultUnless(isOwnValue(value), `metadata.${key}`, OWN_VALUE, value);
  });
}

const OWN_VALUE = `a string of 1 to ${MAX_NAME_LENGTH} UTF-16 units, a finite number or a boolean`;

function isOwnValue(value: unknown): boolean {
  if (typeof value === 'string') return value.length > 0 && value.length <= MAX_NAME_LENGTH;
  return typeof value === 'boolean' || Number.isFinite(value);
}

/**
 * One fault for the list as a whole, or for the first vector that is wrong: the others are probably wrong in the same
 * way.
 */
function vectorFaults(vectors: unknown, count: number, shape: Format): OptionFault[] {
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

/** True for an array of any kind; what it holds is asked of each number. */
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
): Omit<OptionFault, 'option'> | undefined {
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
