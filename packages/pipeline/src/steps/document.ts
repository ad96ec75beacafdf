// A document as JSON that passes through a queue or a store of files, and back, with every member checked.
import {
  BLOCK_FORMS,
  BLOCK_KINDS,
  type Document,
  FURNITURE_KINDS,
  packRegions,
  unpackRegions,
} from '@grainline/core';
import { COUNT, type Check, listOf, NUMBER, objectOf, oneOf, TEXT, TRUE } from './shape.ts';

/** Raised by each change of the shape that older programs cannot read. */
export const DOCUMENT_VERSION = 1;

/** A document as plain JSON. */
export interface DocumentJson {
  readonly version: typeof DOCUMENT_VERSION;
  /** Its `regions` are the string of `packRegions`, its `paragraphs` lists of numbers. */
  readonly document: Omit<Document, 'regions' | 'paragraphs'> & {
    readonly regions?: string;
    readonly paragraphs?: { readonly starts: readonly number[]; readonly numbers: readonly number[] };
  };
}

/** The document as plain JSON, for `JSON.stringify`. */
export function documentToJson({ regions, paragraphs, outline, ...document }: Document): DocumentJson {
  return {
    version: DOCUMENT_VERSION,
    document: {
      ...document,
      // Most kinds find it when it is read, so it is read here.
      ...(outline === undefined ? undefined : { outline }),
      ...(regions === undefined ? undefined : { regions: packRegions(regions) }),
      ...(paragraphs === undefined
        ? undefined
        : { paragraphs: { starts: [...paragraphs.starts], numbers: [...paragraphs.numbers] } }),
    },
  };
}

/**
 * The document of a value that {@link documentToJson} has made and JSON has carried.
 *
 * @throws TypeError for any other value; its message names the first member that is wrong
 */
export function documentFromJson(json: unknown): Document {
  const { version, document } = Object(json) as Partial<DocumentJson>;
  if (version !== DOCUMENT_VERSION)
    throw new TypeError(
      `A document has version ${DOCUMENT_VERSION}; this one has ${JSON.stringify(version)}.`,
    );
  const issue = DOCUMENT(document, 'document');
  if (document === undefined || issue !== undefined) throw new TypeError(issue);
  assertSpans(document);
  const { regions, paragraphs, ...members } = document;
  const read = {
    ...members,
    ...(paragraphs === undefined
      ? undefined
      : {
          paragraphs: {
            starts: Uint32Array.from(paragraphs.starts),
            numbers: Uint32Array.from(paragraphs.numbers),
          },
        }),
  };
  if (regions === undefined) return read;
  try {
    return { ...read, regions: unpackRegions(regions) };
  } catch (cause) {
    throw new TypeError('document.regions are not those of packRegions.', { cause });
  }
}

const BLOCK: Check = (value, path) =>
  objectOf(
    {
      start: COUNT,
      end: COUNT,
      kind: oneOf(...BLOCK_KINDS),
    },
    {
      depth: COUNT,
      language: TEXT,
      form: oneOf(...BLOCK_FORMS),
      ordered: TRUE,
      first: COUNT,
      header: TRUE,
      columnSpan: COUNT,
      rowSpan: COUNT,
      page: COUNT,
      children: listOf(BLOCK),
    },
  )(value, path);

const REGION = objectOf({ page: COUNT, x0: NUMBER, y0: NUMBER, x1: NUMBER, y1: NUMBER });

const DOCUMENT = objectOf(
  {
    text: TEXT,
    blocks: listOf(BLOCK),
    pages: listOf(COUNT),
    mediaType: TEXT,
    warnings: listOf(objectOf({ code: TEXT, message: TEXT })),
  },
  {
    filename: TEXT,
    title: TEXT,
    declaredPages: COUNT,
    pagesRead: COUNT,
    outline: listOf(objectOf({ title: TEXT, level: COUNT }, { page: COUNT, start: COUNT })),
    reader: TEXT,
    furniture: listOf(
      objectOf(
        {
          text: TEXT,
          kind: oneOf(...FURNITURE_KINDS),
        },
        { page: COUNT, regions: listOf(REGION) },
      ),
    ),
    links: listOf(objectOf({ start: COUNT, end: COUNT, href: TEXT })),
    paragraphs: objectOf({ starts: listOf(COUNT), numbers: listOf(COUNT) }),
    regions: TEXT,
  },
);

/** @throws TypeError for spans and pages that do not lie in the text */
function assertSpans({ text, blocks, links = [], pages }: DocumentJson['document']): void {
  const wrong = [...blocks, ...links].find(({ start, end }) => start > end || end > text.length);
  if (wrong !== undefined)
    throw new TypeError(
      `A span of document from ${wrong.start} to ${wrong.end} is not within its text of ${text.length}.`,
    );
  const page = pages.findIndex((start, index) => start > text.length || start < (pages[index - 1] ?? 0));
  if (page !== -1) throw new TypeError(`document.pages[${page}] is not within its text, or not ascending.`);
}
