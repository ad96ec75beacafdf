// Quotations in the records of one document, of any format: for results that are stored or sent as records alone.
import {
  type Anchor,
  type Chunk,
  ChunkError,
  cite,
  type CiteOptions,
  type RegionBox,
  type Span,
} from '@grainline/core';
import type { ChunkFields } from '@grainline/core/formats';

/** A passage that {@link citeRecords} found, by the names of the wire. */
export interface CitedPassage {
  /** Range in the text of the document, in UTF-16 units. */
  readonly start_offset: number;
  readonly end_offset: number;
  /** First and last page of the chunks that hold the passage, from 1; absent when the document has no pages. */
  readonly page_start?: number;
  readonly page_end?: number;
  /** Text of the passage; one blank stands for those that no chunk holds. */
  readonly text: string;
  /** Ids of the records that hold a part of the passage, in the order of the document. */
  readonly chunk_ids: readonly string[];
  /**
   * Boxes on the pages that hold the passage: those of the parts of chunks where it stands, with their other text.
   * Absent when the records have no regions.
   */
  readonly regions?: readonly RegionBox[];
  /** The anchor of the first chunk that holds the passage: paragraph of a DOCX, text fragment of an HTML page. */
  readonly paragraph?: number;
  readonly fragment?: string;
}

/** The place of a quotation in records. */
export interface RecordCitation {
  /** The share of the quotation's letters and digits that stand there, from the bound to 1. */
  readonly score: number;
  /** In the order of the document: one, or one for each part between ellipses that was found. */
  readonly passages: readonly CitedPassage[];
}

/**
 * Finds the place that a quotation was taken from in the records of one document, as `cite` does in its chunks.
 * Injected context is no text of the document, so no quotation is found there. Linear in the records.
 *
 * @param records of any format, with and without vectors, in any order; some may be missing
 * @returns undefined when no place reaches the bound
 * @throws ChunkError `invalid_options` with every issue
 */
export function citeRecords(
  records: readonly object[],
  quote: string,
  options: CiteOptions = {},
): RecordCitation | undefined {
  const placed = placedChunks(records);
  const citation = cite(placed, quote, options);
  if (citation === undefined) return undefined;
  const passages = citation.spans.map(({ start, end, pageStart, pageEnd }): CitedPassage => {
    const holders = placed.filter((chunk) => chunk.start < end && chunk.end > start);
    const regions = boxesOf(holders, { start, end });
    return {
      start_offset: start,
      end_offset: end,
      ...(pageStart === undefined ? undefined : { page_start: pageStart }),
      ...(pageEnd === undefined ? undefined : { page_end: pageEnd }),
      text: textOf(holders, start, end),
      chunk_ids: holders.map(({ id }) => id),
      ...(regions.length > 0 ? { regions } : undefined),
      ...holders[0]?.metadata.anchor,
    };
  });
  return { score: citation.score, passages };
}

interface PlacedChunk extends Chunk {
  readonly id: string;
}

function placedChunks(records: readonly object[]): PlacedChunk[] {
  const chunks = Array.isArray(records) ? records.map(readRecord) : [undefined];
  const placed = chunks.filter((chunk) => chunk !== undefined);
  if (placed.length === chunks.length) return placed.sort((one, other) => one.start - other.start);
  const expected = 'an array of records of one document';
  throw new ChunkError('invalid_options', `The option records must be ${expected}.`, {
    issues: [{ option: 'records', expected, received: 'something else' }],
  });
}

/** The chunk of a record, with its place alone as metadata; undefined for another value. */
function readRecord(record: unknown): PlacedChunk | undefined {
  const { id, _id: key = id, ...members } = Object(record) as Fields;
  // Most formats have an object with the place and, but for raw and chroma, the text; the caller may call the text so.
  const nested = [members['metadata'], members['properties'], members['payload']];
  const fields = (nested.find((value) => typeof value === 'object') ?? members) as Fields &
    Partial<ChunkFields>;
  const { start_offset: start = NaN, end_offset: end = NaN, content_start: own = 0 } = fields;
  // The text comes first in every format; its key is the caller's.
  const text = members['text'] ?? members['document'] ?? Object.values(fields)[0];
  if (typeof key !== 'string' || typeof text !== 'string') return undefined;
  if (![start, end, own].every((offset) => Number.isSafeInteger(offset))) return undefined;
  const { page_start: pageStart, page_end: pageEnd } = fields;
  const [regions, overlapRegions] = ['regions', 'overlap_regions'].map((name) =>
    readBoxes(members[name] ?? (fields as Fields)[name]),
  );
  const anchor = readAnchor(fields);
  return {
    id: key,
    // A record of weaviate may have a blank behind its text.
    text: text.slice(own, own + end - start),
    start,
    end,
    overlap: fields.overlap_chars ?? 0,
    metadata: {
      ...(typeof pageStart === 'number' && { pageStart }),
      ...(typeof pageEnd === 'number' && { pageEnd }),
      ...(regions !== undefined && { regions }),
      ...(overlapRegions !== undefined && { overlapRegions }),
      ...(anchor !== undefined && { anchor }),
    },
  };
}

type Fields = Readonly<Record<string, unknown>>;

/** The anchor of a record. Metadata of the caller may have other values under its names, and under those of boxes. */
function readAnchor({ paragraph, fragment }: Partial<Record<keyof Anchor, unknown>>): Anchor | undefined {
  if (typeof paragraph === 'number') return { paragraph };
  return typeof fragment === 'string' ? { fragment } : undefined;
}

/** Boxes of a record: a list, or its JSON text in flat metadata. */
function readBoxes(value: unknown): readonly RegionBox[] | undefined {
  let read = value;
  try {
    if (typeof value === 'string') read = JSON.parse(value);
  } catch {
    return undefined;
  }
  return isBoxes(read) ? read : undefined;
}

function isBoxes(value: unknown): value is readonly RegionBox[] {
  const isBox = (box: unknown): boolean =>
    Array.isArray(box) && box.length === 5 && box.every((edge) => Number.isSafeInteger(edge));
  return Array.isArray(value) && value.every(isBox);
}

/**
 * The boxes of the parts of chunks that hold a range. Records say where a part begins and ends, and no more, so the
 * smallest part is taken: the overlap of a chunk rather than the end of the chunk before.
 */
function boxesOf(chunks: readonly Chunk[], { start, end }: Span): RegionBox[] {
  const parts = chunks.flatMap((chunk) => {
    const { regions: content = [], overlapRegions: overlap = [] } = chunk.metadata;
    const own = chunk.start + chunk.overlap;
    return [
      { start: chunk.start, end: own, boxes: overlap },
      { start: own, end: chunk.end, boxes: content },
    ].filter(({ boxes }) => boxes.length > 0);
  });
  parts.sort((one, other) => lengthOf(one) - lengthOf(other));
  const taken = new Set<RegionBox>();
  for (let at = start; at < end;) {
    const part = parts.find((each) => each.start <= at && at < each.end);
    for (const box of part?.boxes ?? []) taken.add(box);
    at = part?.end ?? Math.min(end, ...parts.map((each) => each.start).filter((from) => from > at));
  }
  return [...taken];
}

function lengthOf({ start, end }: Span): number {
  return end - start;
}

/** The text of a range that these chunks hold; they are in order. */
function textOf(chunks: readonly Chunk[], start: number, end: number): string {
  let [text, at] = ['', start];
  for (const chunk of chunks) {
    if (chunk.end <= at) continue;
    const from = Math.max(at, chunk.start);
    text +=
      (from > at ? ' ' : '') + chunk.text.slice(from - chunk.start, Math.min(end, chunk.end) - chunk.start);
    at = chunk.end;
  }
  return text;
}
