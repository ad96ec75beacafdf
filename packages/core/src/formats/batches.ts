// Splits records into slices for one request each, by count and by bytes.
import type { Warning } from '../document.ts';
import { ChunkError, type OptionIssue, assertNoIssues, show, unknownOptionIssues } from '../errors.ts';
import { jsonBytes } from './bytes.ts';
import { type BatchLimits, type Format, UNLIMITED } from './format.ts';
import { FORMATS, type FormatId, type StoreRecord } from './registry.ts';

/**
 * The number of requests for records that one request cannot hold: `calls` requests of at most `max_records` each, in
 * order.
 */
export interface UpsertAdvice {
  readonly calls: number;
  readonly max_records: number;
}

/**
 * Yields the records in slices, in order. Each slice is as long as the store accepts in one request, and none is empty.
 * Each record is measured once. Pass limits to override the store's own, for example for a server that you have set up
 * to take more.
 *
 * @throws ChunkError `invalid_options` at once; `record_too_large`, when its turn comes, for a record that no request
 * can hold. Slices yielded before it are good.
 * @example
 * for (const points of batches(records, 'qdrant')) await client.upsert('handbook', { points });
 */
export function batches<Id extends FormatId, Entry extends StoreRecord<Id>>(
  records: readonly Entry[],
  format: Id,
  limits: Partial<BatchLimits> = {},
): Generator<Entry[], void, undefined> {
  assertNoIssues(batchIssues(records, format, limits));
  const shape: Format = FORMATS[format];
  const own = limitsOf(records, shape);
  return slices(records, shape, { ...own, ...limits });
}

/**
 * Advice for writing the records; undefined when one request holds them all, or when a record is too large for any
 * request.
 */
export function adviseUpsert(records: readonly unknown[], shape: Format): UpsertAdvice | undefined {
  const { maxRecords, maxBytes } = limitsOf(records, shape);
  if (maxRecords === Infinity && maxBytes === Infinity) return undefined;
  const longest = Math.min(maxRecords, shortestFullRun(records.map(jsonBytes), maxBytes));
  if (longest >= records.length || longest === 0) return undefined;
  return { calls: Math.ceil(records.length / longest), max_records: longest };
}

/** A warning for each record that is too large for its store. */
export function oversizedRecords(records: readonly unknown[], shape: Format): Warning[] {
  const { maxRecordBytes = Infinity } = limitsOf(records, shape);
  if (maxRecordBytes === Infinity) return [];
  return records.flatMap((record, index) => {
    const bytes = jsonBytes(shape.measured(record));
    if (bytes <= maxRecordBytes) return [];
    return [{ code: 'record_too_large', message: tooLarge(record, index, bytes, maxRecordBytes, shape) }];
  });
}

function limitsOf(records: readonly unknown[], shape: Format): BatchLimits {
  return records.length === 0 ? UNLIMITED : shape.limits(records[0]);
}

function* slices<Entry>(
  records: readonly Entry[],
  shape: Format,
  limits: BatchLimits,
): Generator<Entry[], void, undefined> {
  let slice: Entry[] = [];
  let bytes = BRACKETS;
  for (const [index, record] of records.entries()) {
    const added = jsonBytes(record);
    if (slice.length === limits.maxRecords || (slice.length > 0 && bytes + COMMA + added > limits.maxBytes)) {
      yield slice;
      slice = [];
      bytes = BRACKETS;
    }
    assertFits(record, index, added, shape, limits);
    bytes += added + (slice.length > 0 ? COMMA : 0);
    slice.push(record);
  }
  if (slice.length > 0) yield slice;
}

const BRACKETS = 2;
const COMMA = 1;

function assertFits(record: unknown, index: number, bytes: number, shape: Format, limits: BatchLimits): void {
  if (bytes + BRACKETS > limits.maxBytes) {
    throw new ChunkError(
      'record_too_large',
      tooLarge(record, index, bytes + BRACKETS, limits.maxBytes, shape),
    );
  }
  if (limits.maxRecordBytes === undefined) return;
  const measured = jsonBytes(shape.measured(record));
  if (measured <= limits.maxRecordBytes) return;
  throw new ChunkError('record_too_large', tooLarge(record, index, measured, limits.maxRecordBytes, shape));
}

function tooLarge(record: unknown, index: number, bytes: number, most: number, { id }: Format): string {
  const ids = record as { readonly id?: unknown; readonly _id?: unknown };
  const name = show(ids.id ?? ids._id);
  return `Record ${index} (${name}) takes ${bytes} bytes, but ${id} takes at most ${most}; cut smaller chunks.`;
}

/**
 * The length that every run of consecutive records may have without passing `maxBytes`; 0 when one record alone is too
 * long. Linear: both ends of the run only move forward.
 */
function shortestFullRun(sizes: readonly number[], maxBytes: number): number {
  let shortest = sizes.length;
  let bytes = BRACKETS - COMMA;
  let start = 0;
  for (let end = 0; end < sizes.length; end++) {
    bytes += (sizes[end] ?? 0) + COMMA;
    while (bytes > maxBytes) {
      shortest = Math.min(shortest, end - start);
      bytes -= (sizes[start] ?? 0) + COMMA;
      start++;
    }
  }
  return shortest;
}

function batchIssues(records: unknown, format: string, limits: Partial<BatchLimits>): OptionIssue[] {
  const issues: OptionIssue[] = [];
  const expect = (holds: boolean, option: string, expected: string, received: unknown): void => {
    if (!holds) issues.push({ option, expected, received: show(received) });
  };
  expect(Array.isArray(records), 'records', 'an array of records', records);
  expect(Object.hasOwn(FORMATS, format), 'format', `one of ${Object.keys(FORMATS).join(', ')}`, format);
  issues.push(...unknownOptionIssues(limits, LIMITS, 'batches'));
  for (const [option, value] of Object.entries(limits).filter(([name]) => LIMITS.includes(name)))
    expect(isCount(value), option, 'an integer from 1, or Infinity', value);
  return issues;
}

const LIMITS: readonly string[] = [
  'maxRecords',
  'maxBytes',
  'maxRecordBytes',
] satisfies (keyof BatchLimits)[];

function isCount(value: unknown): boolean {
  return value === Infinity || (Number.isSafeInteger(value) && (value as number) >= 1);
}
