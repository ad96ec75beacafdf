// Checks of the arguments of a store's methods, all issues of a call at once and before any request.
import { type ChunkRecord, type StoreQuery, type StoreSpec, VectorStoreError } from '@grainline/core';
import { MAX_NAME_LENGTH } from '@grainline/core/formats';
import type { RequestLimits } from '../connection.ts';

/** Most results of a search; more than any reader or model takes, and within every database's limit. */
const MOST_HITS = 1000;

function assertNone(issues: readonly (string | false)[]): void {
  const found = issues.filter((issue) => issue !== false);
  if (found.length > 0) throw new VectorStoreError('invalid_options', `Wrong options: ${found.join('; ')}.`);
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isName = (value: unknown): boolean =>
  typeof value === 'string' && value !== '' && value.length <= MAX_NAME_LENGTH;

export function assertSpec(spec: StoreSpec, { maxDimensions }: RequestLimits): void {
  const { embedding, versions } = Object(spec) as Readonly<Record<string, unknown>>;
  const { model, dimensions, distance, blend = 0 } = Object(embedding) as Readonly<Record<string, unknown>>;
  const isLength = Number.isSafeInteger(dimensions) && Number(dimensions) >= 1;
  assertNone([
    !isName(model) && `embedding.model must be a name of 1 to ${MAX_NAME_LENGTH} UTF-16 units`,
    (!isLength || Number(dimensions) > maxDimensions) &&
      `embedding.dimensions must be an integer from 1 to ${maxDimensions}`,
    distance !== 'cosine' && 'embedding.distance must be cosine',
    !(typeof blend === 'number' && blend >= 0 && blend <= 1) &&
      'embedding.blend must be a number from 0 to 1',
    !(isObject(versions) && Object.values(versions).every((version) => typeof version === 'string')) &&
      'versions must be an object of texts',
  ]);
}

export function assertLock(source: string, owner: string, ttlMs: number): void {
  assertNone([
    (typeof source !== 'string' || source === '') && 'source must be a text that is not empty',
    !isName(owner) && 'owner must be a text that is not empty',
    !(Number.isSafeInteger(ttlMs) && ttlMs >= 1000) && 'ttlMs must be an integer from 1000',
  ]);
}

export function assertPlan(documentId: string, records: readonly ChunkRecord[]): void {
  const wrong = records.findIndex(({ metadata }) => metadata.document_id !== documentId);
  assertNone([
    !isName(documentId) && `documentId must be a name of 1 to ${MAX_NAME_LENGTH} UTF-16 units`,
    wrong !== -1 && `records[${wrong}] must be of the document ${documentId}`,
  ]);
}

export function assertQuery({ vector, text, limit = 1 }: StoreQuery): void {
  const numbers = vector === undefined ? undefined : Array.from(vector);
  const isUsable =
    numbers === undefined || (numbers.every(Number.isFinite) && numbers.some((one) => one !== 0));
  assertNone([
    vector === undefined && text === undefined && 'vector or text must be given',
    !isUsable && 'vector must have finite numbers, and not 0 alone',
    text !== undefined && (typeof text !== 'string' || text.trim() === '') && 'text must not be blank',
    !(Number.isSafeInteger(limit) && limit >= 1 && limit <= MOST_HITS) &&
      `limit must be an integer from 1 to ${MOST_HITS}`,
  ]);
}
