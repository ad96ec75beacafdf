// A request to the service, made from a document and the chosen options. The payment panel sends the same request.
import type { ChunkAnswer, DocumentInput, Overview, Submission } from '@grainline/client';
import type { ReadDocument } from '../document/read-document.ts';
import type { ControlValues } from '../document/options.ts';
import { kindOf, nameOfText } from '../document/kinds.ts';
import { readingFor, type ReadingValues } from '../document/reading-options.ts';

/** Origin of a document. */
export type DocumentOrigin =
  | { readonly kind: 'file'; readonly file: File }
  | { readonly kind: 'text' }
  | { readonly kind: 'url'; readonly url: string }
  /** The answer's chunks are all that is known. */
  | { readonly kind: 'answer' };

/** The document of a request. */
export type SentDocument =
  Extract<DocumentInput, { url: string } | { text: string }> | { readonly file: File };

/** A request for chunks. One with a price is sent by the payment panel. */
export interface TierRequest {
  readonly tier: string;
  readonly source: SentDocument;
  readonly options: ControlValues;
  /**
   * The options of reading that changed the text; a service gets them with the file alone. Absent in
   * stored requests from before these options.
   */
  readonly reading?: ReadingValues | undefined;
  readonly overview: Overview;
  readonly documentId: string;
}

/** The answer to a request, or its job. */
export type RawSubmission = Submission<'raw'>;
/** The chunks of an answer. */
export type RawAnswer = ChunkAnswer<'raw'>;

/** The way of a paid answer to the page: bought now, repeated by the service, or stored in the browser. */
export type AnswerOrigin = 'bought' | 'repeated' | 'stored';

/** Properties of the payment panel. */
export interface PayProps {
  readonly request: TierRequest;
  /** Stores the answer durably. */
  readonly keep: (result: RawSubmission) => Promise<void>;
  /** Receives the answer to the paid request after it is stored. */
  readonly onAnswer: (result: RawSubmission, origin: AnswerOrigin) => void;
}

/** A document to send; its text is absent while only its link is known. */
export interface RequestedDocument {
  readonly origin: DocumentOrigin;
  readonly reading?: Pick<ReadDocument, 'text' | 'filename' | 'mediaType' | 'documentId'>;
  /** The options with which a file was read. */
  readonly by?: ReadingValues;
}

/**
 * The request for a document's chunks. The service gets the file itself if it accepts the kind, otherwise the extracted
 * text.
 */
export function createTierRequest(
  document: RequestedDocument,
  tier: string,
  options: ControlValues,
  overview: Overview,
): TierRequest {
  return {
    tier,
    source: sourceFor(document, overview),
    options,
    reading: readingOf(document),
    overview,
    documentId: documentIdOf(document),
  };
}

/** A limit of the service, and the size of a document that exceeds it. */
export interface Excess {
  readonly unit: 'characters' | 'bytes';
  readonly size: number;
  readonly most: number;
}

/** Room for the options beside the text of a JSON body. */
const OPTION_BYTES = 2000;
/** Most bytes of a UTF-16 unit in JSON: `\u0000`. */
const UNIT_BYTES = 6;

/** The limit that a document exceeds: a request that cannot succeed must not be paid for. */
export function excessOf(
  { source, tier, overview: { tiers, limits } }: TierRequest,
  text: string,
): Excess | undefined {
  const longest = tiers.find(({ id }) => id === tier)?.max_characters ?? Infinity;
  if (text.length > longest) return { unit: 'characters', size: text.length, most: longest };
  if ('url' in source) return undefined;
  const most = 'file' in source ? limits.max_upload_bytes : limits.max_json_bytes - OPTION_BYTES;
  const size = 'file' in source ? source.file.size : jsonBytes(source.text, most);
  return size > most ? { unit: 'bytes', size, most } : undefined;
}

/** Bytes of a text as JSON; 0 for one that has fewer than `most` in any case. */
function jsonBytes(text: string, most: number): number {
  return text.length * UNIT_BYTES <= most ? 0 : new Blob([JSON.stringify(text)]).size;
}

/** The options of reading that have changed a document's text. */
export function readingOf({ reading, by = {} }: RequestedDocument): ReadingValues {
  return readingFor(kindOf(reading?.mediaType ?? ''), by);
}

/** The options that a request sends. */
export function sentOptions({
  tier,
  source,
  options,
  reading,
}: TierRequest): ControlValues & ReadingValues & { readonly tier: string } {
  return { tier, ...options, ...('file' in source ? reading : {}) };
}

/** The identity of a document among paid answers: the hash of its bytes, or its link. */
export function documentIdOf({ origin, reading }: RequestedDocument): string {
  return origin.kind === 'url' ? origin.url : (reading?.documentId ?? '');
}

function sourceFor({ origin, reading }: RequestedDocument, { upload_types: kinds }: Overview): SentDocument {
  const { text = '', filename = 'text.txt', mediaType = 'text/plain' } = reading ?? {};
  if (origin.kind === 'file' && kinds.includes(kindOf(mediaType))) return { file: origin.file };
  return origin.kind === 'url' ? { url: origin.url } : { text, filename: nameOfText(filename, mediaType) };
}

/** The tier, the options and the document's name of a request. */
export interface RequestSummary {
  readonly tier: string;
  readonly options: ControlValues;
  /** Absent in entries from before these options. */
  readonly reading?: ReadingValues | undefined;
  readonly filename: string;
  readonly documentId: string;
  /** Address of the document, when the service fetches it. */
  readonly url?: string | undefined;
}

/** The summary of a request. */
export function summarize({
  tier,
  source,
  options,
  reading,
  documentId,
}: Omit<TierRequest, 'overview'>): RequestSummary {
  const summary = { tier, options, reading, documentId };
  if ('url' in source) return { ...summary, url: source.url, filename: source.url };
  return { ...summary, filename: 'file' in source ? source.file.name : (source.filename ?? 'document') };
}
