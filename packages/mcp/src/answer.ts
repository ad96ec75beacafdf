// The answer of a tool about a document: a summary, then as many chunks as a context window bears, as data and as text.
// Equal results and pages give equal answers.
import * as z from 'zod';
import { McpError } from './errors.ts';
import type { DocumentResult, HeadingEntry } from './ports.ts';
import type { CachedResult } from './result-cache.ts';

/** The wanted chunks and their limits. */
export interface PageRequest {
  /** Index of the first chunk. */
  readonly from: number;
  /** Most chunks. */
  readonly limit: number;
  /** Most UTF-16 units of chunks as JSON. */
  readonly maxCharacters: number;
}

/** An answer in both forms. */
export interface ToolAnswer {
  readonly structured: Record<string, unknown>;
  readonly text: string;
}

/** Defaults and bounds of a page. */
export const PAGE = {
  limit: { default: 50, most: 500 },
  maxCharacters: { least: 1000, default: 20_000, most: 200_000 },
} as const;
/** Most headings of an answer; the deepest are left out first. */
const MOST_HEADINGS = 40;
const MOST_TITLE_LENGTH = 100;
const MOST_WARNINGS = 10;

const index = z.int().nonnegative();

const record = z.looseObject({
  id: z.string().describe('UUID, the same whenever the same text of the same document is cut'),
  text: z.string().describe('what to embed: injected context, if any, then the text of the document'),
  metadata: z
    .looseObject({
      chunk_index: index,
      char_count: index.describe('length of text in UTF-16 units'),
      start_offset: index.describe('where the chunk starts in the text of the document, in UTF-16 units'),
      end_offset: index,
      page_start: z.int().positive().optional().describe('first page, from 1'),
      page_end: z.int().positive().optional(),
      heading_path: z
        .string()
        .optional()
        .describe('headings over the chunk, outermost first, joined by " > "'),
    })
    .describe('where the chunk stands in the document'),
});

const pageFields = {
  result: z.string().describe('name of the result, for read_chunks'),
  total_chunks: index,
  from: index.describe('index of the first chunk of this answer'),
  chunks: z.array(record),
  next: index
    .optional()
    .describe('where to go on: call read_chunks with this result and from; absent when no chunk is left'),
  notice: z
    .string()
    .optional()
    .describe('why this answer has fewer chunks than there are, and how to get them'),
};

/** Schema of an answer with chunks alone. */
export const PAGE_SCHEMA = z.object(pageFields);

/** Schema of the first answer about a document. */
export const DOCUMENT_SCHEMA = z.object({
  tier: z.string(),
  document_id: z.string(),
  filename: z.string().optional(),
  content_type: z.string().optional(),
  pages: index.optional().describe('pages of the document, estimated where it has none'),
  sizes: z
    .object({ shortest: index, median: index, longest: index })
    .optional()
    .describe('lengths of all chunks in characters (UTF-16 units)'),
  outline: z
    .array(z.object({ depth: z.int().positive(), title: z.string(), chunk: index }))
    .describe('headings of the document and the chunk in which each stands'),
  outline_omitted: index.optional().describe('headings that are left out, the deepest first'),
  warnings: z.array(z.object({ code: z.string(), message: z.string() })),
  payment: z.looseObject({}).optional().describe('what the service was paid'),
  ...pageFields,
});

/** The summary and the first wanted chunks. */
export function documentAnswer(kept: CachedResult, request: PageRequest): ToolAnswer {
  const { tier, documentId, filename, contentType, pages, records, warnings, payment } = kept.document;
  const { headings, omitted } = shortOutline(kept.document.outline);
  const sizes = sizesOf(records);
  const shown = warnings.slice(0, MOST_WARNINGS).map(({ code, message }) => ({ code, message }));
  const page = pageAnswer(kept, request);
  const structured = {
    tier,
    document_id: documentId,
    filename,
    content_type: contentType,
    pages,
    sizes,
    outline: headings,
    outline_omitted: omitted === 0 ? undefined : omitted,
    warnings: shown,
    payment,
    ...page.structured,
  };
  const lines = [
    `${filename ?? 'The text'}: ${counted(records.length, 'chunk')} by the tier ${tier}${pages === undefined ? '' : `, ${counted(pages, 'page')}`}.`,
    ...(sizes === undefined
      ? []
      : [`Characters a chunk: ${sizes.shortest} to ${sizes.longest}, median ${sizes.median}.`]),
    ...(payment === undefined ? [] : [`Payment: ${JSON.stringify(payment)}`]),
    ...shown.map(({ code, message }) => `Warning: ${message} (${code})`),
    ...(headings.length === 0 ? [] : ['Outline:', ...headings.map(outlineLine)]),
    ...(omitted === 0 ? [] : [`(${omitted} deeper headings are left out.)`]),
    '',
  ];
  return { structured, text: lines.join('\n') + page.text };
}

/**
 * Consecutive chunks within the limits. Chunks are never shortened: when the first one exceeds the limit, the answer
 * has none, and its notice names the needed limit.
 *
 * @throws McpError `from_beyond`
 */
export function pageAnswer(
  { result, document }: CachedResult,
  { from, limit, maxCharacters }: PageRequest,
): ToolAnswer {
  const { records } = document;
  if (from > 0 && from >= records.length)
    throw new McpError(
      'from_beyond',
      `from must be below the number of chunks, ${records.length}, but is ${from}.`,
    );
  let end = from;
  let length = 0;
  for (; end < Math.min(records.length, from + limit); end++) {
    length += JSON.stringify(records[end]).length;
    if (length > maxCharacters) break;
  }
  const chunks = records.slice(from, end);
  const rest = records.length - end;
  const fits = chunks.length > 0 || limit === 0;
  const notice = rest === 0 ? undefined : fits ? moreOf(rest, result, end) : tooLong(result, end, length);
  const structured = {
    result,
    total_chunks: records.length,
    from,
    chunks,
    next: rest === 0 ? undefined : end,
    notice,
  };
  const head = `Chunks ${from} to ${end - 1} of ${records.length}, numbered from 0:`;
  const texts = chunks.map(
    (chunk, place) => `\n[${from + place}]${placeOf(chunk)}\n${String(chunk['text'])}\n`,
  );
  const parts = [
    ...(chunks.length === 0 ? [] : [head, ...texts]),
    ...(notice === undefined ? [] : [`\n${notice}`]),
  ];
  return { structured, text: parts.join('\n') };
}

function moreOf(rest: number, result: string, next: number): string {
  return `${rest} more: call read_chunks with result "${result}" and from ${next}.`;
}

function tooLong(result: string, index: number, length: number): string {
  const takes = `Chunk ${index} alone takes ${length} characters as JSON, more than max_characters allows.`;
  return length <= PAGE.maxCharacters.most
    ? `${takes} Call read_chunks with result "${result}", from ${index} and max_characters ${length}, or chunk again with a smaller size.`
    : `${takes} Chunk again with a smaller size, or write the chunks to a file: npx grainline FILE > chunks.jsonl`;
}

/** ` p. 3, 1200-2190, Title > Section`, from the known members. */
function placeOf({ metadata }: Readonly<Record<string, unknown>>): string {
  const known = (typeof metadata === 'object' && metadata !== null ? metadata : {}) as Readonly<
    Record<string, unknown>
  >;
  const [first, last, start, end] = ['page_start', 'page_end', 'start_offset', 'end_offset'].map((name) =>
    Number(known[name]),
  );
  const path = known['heading_path'];
  const pages =
    known['page_start'] === undefined ? [] : [`p. ${first === last ? first : `${first}-${last}`}`];
  const place = [...pages, `${start}-${end}`, ...(typeof path === 'string' ? [path] : [])];
  return ` ${place.join(', ')}`;
}

/** The headings of the upper levels, as many whole levels as fit. */
function shortOutline(outline: readonly HeadingEntry[]): {
  headings: readonly HeadingEntry[];
  omitted: number;
} {
  const depths = [...new Set(outline.map(({ depth }) => depth))].sort((a, b) => b - a);
  let headings = outline;
  for (const deepest of depths) {
    if (headings.length <= MOST_HEADINGS) break;
    const above = headings.filter(({ depth }) => depth < deepest);
    headings = above.length === 0 ? headings.slice(0, MOST_HEADINGS) : above;
  }
  return {
    headings: headings.map(({ depth, title, chunk }) => ({ depth, title: shortened(title), chunk })),
    omitted: outline.length - headings.length,
  };
}

function shortened(title: string): string {
  return title.length <= MOST_TITLE_LENGTH
    ? title
    : `${title.slice(0, MOST_TITLE_LENGTH - 1).toWellFormed()}…`;
}

function outlineLine({ depth, title, chunk }: HeadingEntry): string {
  return `${'  '.repeat(depth - 1)}- ${title} (chunk ${chunk})`;
}

function sizesOf(
  records: DocumentResult['records'],
): { shortest: number; median: number; longest: number } | undefined {
  const lengths = records.map(({ text }) => String(text).length).sort((a, b) => a - b);
  const [shortest, median, longest] = [lengths[0], lengths[lengths.length >> 1], lengths.at(-1)];
  if (shortest === undefined || median === undefined || longest === undefined) return undefined;
  return { shortest, median, longest };
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
