// The answers of the service, by the names of the wire (docs/http-reference.md), and their checks.
import type { RegionBox, Warning } from '@grainline/core';
import type { ExtrasOf, FormatId, SourceCoverage, StoreRecord, UpsertAdvice } from '@grainline/core/formats';
import { badAnswer } from './errors.ts';
import { isMembers, type Members } from './transport.ts';

/** The chunks of one document. */
export type ChunkAnswer<Format extends FormatId = FormatId> = ExtrasOf<Format> & {
  /** The tier that made them, by its name in the deployment. */
  readonly tier: string;
  readonly total_chunks: number;
  readonly metadata: DocumentMetadata;
  /** One record a chunk, in order, in the shape of the format. */
  readonly chunks: readonly StoreRecord<Format>[];
  /** Format `raw`: proves that no text is missing. */
  readonly source?: SourceCoverage;
  /** Present when one request to the database would be too large. */
  readonly upsert?: UpsertAdvice;
  /** Present with embeddings. */
  readonly embedding?: EmbeddingDescription;
  readonly payment: PaymentReceipt;
  readonly warnings?: readonly Warning[];
  /** Id of the kept answer, for an hour; absent when the service does not keep it. */
  readonly result_id?: string;
};

/** The place of a quotation in a kept answer. */
export interface CiteAnswer {
  /** False when no place reaches the bound. */
  readonly found: boolean;
  /** The share of the quotation's letters and digits that stand there; absent when it was not found. */
  readonly score?: number;
  /** One, or one for each part between ellipses, in the order of the document. */
  readonly passages: readonly PassageAnswer[];
}

/** The answer to a request for an estimate. The members of the document are absent when it cannot be read. */
export interface EstimateAnswer {
  /** Kind of the document, by its content: `pdf`. */
  readonly kind?: string;
  readonly content_type?: string;
  readonly filename?: string;
  readonly size_bytes?: number;
  /** Pages that count against the quota. */
  readonly pages?: number;
  /** Length of the text in UTF-16 units, and in tokens of `encoding`. */
  readonly characters?: number;
  readonly tokens?: number;
  /** The tier of the option `tier`, or without one all tiers. */
  readonly tiers: readonly TierEstimate[];
  readonly warnings: readonly { readonly code: string; readonly message: string }[];
}

/** A document on one tier. */
export interface TierEstimate {
  readonly id: string;
  /** Price of the request, in millionths of a USDC. */
  readonly amount: number;
  readonly price_usd: number;
  /** `async` answers with a job. */
  readonly mode: 'sync' | 'async';
  /** To expect; documents differ by half. Absent when the document cannot be read. */
  readonly expected_chunks?: number;
  readonly expected_seconds?: number;
  /** The errors that the request for chunks would get now; empty for one that is accepted. */
  readonly refusals: readonly TierRefusal[];
}

/** An error that a request would get. */
export interface TierRefusal {
  readonly code: string;
  readonly status: number;
  /** The cause and the way out. */
  readonly message: string;
  /** True when the same request can succeed later. */
  readonly retryable: boolean;
  readonly limit?: Readonly<Record<string, number | string>>;
}

/** A passage of a document. */
export interface PassageAnswer {
  /** Range in the extracted text, in UTF-16 units. */
  readonly start_offset: number;
  readonly end_offset: number;
  /** First and last page of the chunks that hold it, from 1; absent when the document has no pages. */
  readonly page_start?: number;
  readonly page_end?: number;
  readonly text: string;
  /** Ids of the chunks that hold it, in order. */
  readonly chunk_ids: readonly string[];
  /** Boxes that hold it, with other text of these chunks. Absent when the answer was made without `regions`. */
  readonly regions?: readonly RegionBox[];
  /** Anchor of the first of these chunks: the paragraph of a DOCX in which it begins, or a text fragment of HTML. */
  readonly paragraph?: number;
  readonly fragment?: string;
}

/** Properties of the document. */
export interface DocumentMetadata {
  /** The sent name; for a link the last part of its path. */
  readonly filename: string;
  /** Media type, by the content. */
  readonly content_type: string;
  /** The reader and its version, as `pdf-3`; the version rises with each change of texts. */
  readonly reader?: string;
  readonly size_bytes: number;
  /** A PDF's pages; otherwise the larger of the declared number and the characters over 2200. */
  readonly estimated_pages: number;
  /** Tier `semantic`: the advantage of its boundaries over those of `structure`. */
  readonly cohesion?: { readonly semantic: number; readonly structure: number; readonly gain: number };
  /** Tiers `ai` and `ai-pro`: the work of the language model. */
  readonly language_model?: Members;
}

/** Properties of the vectors. */
export interface EmbeddingDescription {
  readonly model: string;
  readonly dimensions: number;
  readonly normalized: boolean;
  readonly distance: 'cosine';
  /** Weight of the neighbours' vectors in each vector; absent for vectors of their own text alone. */
  readonly blend?: number;
}

/** The payment of an answer. */
export interface PaymentReceipt {
  /** In millionths of a USDC; 0 when nothing was paid. */
  readonly amount: number;
  readonly asset: string;
  readonly network: string;
  /** Signature of the transaction; absent when nothing was paid. */
  readonly transaction?: string;
  readonly payer?: string;
  /** Signed receipt, where the service signs them; `verifyReceipt` of `@grainline/client/receipts` checks it. */
  readonly receipt?: string;
}

/** The progress of a job. */
export interface JobStatus {
  readonly job_id: string;
  readonly status: 'processing' | 'completed' | 'failed';
  /** From 0 to 100. */
  readonly progress: number;
  /** The stage, or the reason of a failure, for people. */
  readonly message: string;
  /** Code of a failure. */
  readonly code?: string;
}

/** The service's description of itself, `GET /`. */
export interface Overview {
  readonly name: string;
  readonly version: string;
  readonly deployment: string;
  /** `solana-mainnet`, `solana-devnet` or `solana-localnet`. */
  readonly network: string;
  readonly asset: string;
  readonly payments: 'on' | 'off';
  /** Mint of the asset; null without payments. */
  readonly asset_address: string | null;
  /** The recipient's wallet; null without payments. */
  readonly pay_to: string | null;
  /** The binding of a payment to its request; null without one. */
  readonly binding: PaymentBinding | null;
  /** Cheapest first. */
  readonly tiers: readonly ServiceTier[];
  readonly default_tier: string;
  readonly output_formats: readonly string[];
  /** Accepted kinds of uploads: `txt`, `pdf`. */
  readonly upload_types: readonly string[];
  /** Accepted kinds of linked documents. */
  readonly url_types: readonly string[];
  /** OCR of scanned pages and pictures; null or absent without it. */
  readonly ocr?: { readonly engine: string; readonly languages: string } | null;
  readonly limits: ServiceLimits;
  readonly privacy: PrivacyNotice;
  readonly endpoints: readonly {
    readonly method: string;
    readonly path: string;
    readonly description: string;
  }[];
  readonly links: Readonly<Record<string, string>>;
}

/** A memo `<memo_prefix><fingerprint>` binds a payment to one request. */
export interface PaymentBinding {
  readonly required: boolean;
  readonly memo_prefix: string;
  /** A member of the fingerprint's request. */
  readonly deployment: string;
}

/** A tier and its price. */
export interface ServiceTier {
  readonly id: string;
  readonly price_usd: number;
  /** The price of one document in millionths of a USDC; 0 when nothing is charged. */
  readonly amount: number;
  readonly mode: 'sync' | 'async';
  readonly available: boolean;
  /** Reason when it is not available. */
  readonly reason?: string;
  /** Path of its uploads. */
  readonly path: string;
  readonly description: string;
  /** Fields that only some tiers take, this one among them. */
  readonly options: readonly string[];
  /** Longest document in UTF-16 units of its text; null when only the limits on bytes hold. */
  readonly max_characters: number | null;
  /** Most pages of a document that OCR reads; null or absent without OCR. */
  readonly max_scanned_pages?: number | null;
  /** The most that its language model may cost for one document; null without a model. */
  readonly max_cost_usd: number | null;
  /** The available language models. */
  readonly models?: readonly string[];
  /** True when a script stands in for the language model. */
  readonly scripted?: boolean;
}

/** Limits on requests. */
export interface ServiceLimits {
  /** null when free pages are not limited. */
  readonly free_pages_per_day: number | null;
  /** null when requests are not limited. */
  readonly requests_per_minute: number | null;
  readonly max_upload_bytes: number;
  readonly max_json_bytes: number;
  readonly max_link_bytes: number;
  readonly chunk_size: {
    readonly least: number;
    readonly most: number;
    readonly default: { readonly characters: number; readonly tokens: number };
  };
  readonly units: readonly string[];
  readonly encodings: readonly string[];
  /** From this number of chunks the service keeps the answer and sends a link. */
  readonly link_from_chunks: number;
  readonly result_lifetime_seconds: number;
  readonly job_timeout_seconds: number;
}

/** The service's retention of documents, in sentences. */
export interface PrivacyNotice {
  readonly documents: string;
  readonly results: string;
  readonly payments: string;
  readonly clients: string;
  readonly logs: string;
  /** Outside hosts that receive text. */
  readonly outside_models: readonly unknown[];
}

/**
 * Checks the tiers alone, by id and price.
 *
 * @throws ClientError `bad_answer`
 */
export function overviewOf(body: Members): Overview {
  const { tiers } = body;
  if (!Array.isArray(tiers) || !tiers.every(isTier)) throw badAnswer('its list of tiers makes no sense');
  return body as unknown as Overview;
}

function isTier(value: unknown): boolean {
  const { id, amount } = isMembers(value) ? value : {};
  return typeof id === 'string' && Number.isSafeInteger(amount) && (amount as number) >= 0;
}

/** The answer to `GET /health`. */
export interface Health {
  readonly status: 'healthy';
  readonly network: string;
}

/** The first answer to a request for chunks. */
export type FirstAnswer =
  | { readonly kind: 'chunks'; readonly answer: ChunkAnswer }
  | { readonly kind: 'kept'; readonly resultId: string }
  | { readonly kind: 'job'; readonly jobId: string; readonly webhookSecret?: string };

/** @throws ClientError `bad_answer` */
export function firstAnswerOf(body: Members, headers: Headers): FirstAnswer {
  const { chunks, download_url: link, async: isJob, status, job_id: jobId, webhook_secret: secret } = body;
  // The service may have several addresses, so the client uses the id alone.
  if (link !== undefined && chunks === undefined) return { kind: 'kept', resultId: lastSegment(link) };
  if (isJob === true && status === 'processing') {
    const webhook = typeof secret === 'string' ? { webhookSecret: secret } : {};
    return { kind: 'job', jobId: lastSegment(jobId), ...webhook };
  }
  const kept = headers.get('content-location');
  return { kind: 'chunks', answer: chunkAnswerOf(body, kept === null ? undefined : lastSegment(kept)) };
}

/**
 * Does not check the records themselves.
 *
 * @throws ClientError `bad_answer`
 */
export function chunkAnswerOf(body: Members, resultId: string | undefined): ChunkAnswer {
  const { tier, total_chunks: total, metadata, chunks, payment, warnings = [] } = body;
  const isWhole = Array.isArray(chunks) && chunks.length === total && chunks.every(isMembers);
  if (!isWhole || typeof tier !== 'string') throw badAnswer('it has not the chunks that it says');
  if (!isMembers(metadata) || !Array.isArray(warnings) || !warnings.every(isWarning))
    throw badAnswer('what it says of the document makes no sense');
  if (!isMembers(payment)) throw badAnswer('it does not say what was paid');
  const answer = { ...body, ...(resultId === undefined ? {} : { result_id: resultId }) };
  return answer as unknown as ChunkAnswer;
}

function isWarning(value: unknown): boolean {
  return isMembers(value) && typeof value['code'] === 'string' && typeof value['message'] === 'string';
}

/**
 * Checks a place by its members.
 *
 * @throws ClientError `bad_answer`
 */
export function citeAnswerOf(body: Members): CiteAnswer {
  const { found, passages } = body;
  if (typeof found !== 'boolean' || !Array.isArray(passages) || !passages.every(isMembers))
    throw badAnswer('it is no place of a quotation');
  return body as unknown as CiteAnswer;
}

/**
 * Checks the tiers by id and price, and the texts of refusals.
 *
 * @throws ClientError `bad_answer`
 */
export function estimateAnswerOf(body: Members): EstimateAnswer {
  const { tiers, warnings } = body;
  const isList = Array.isArray(tiers) && tiers.every((tier) => isTier(tier) && hasRefusals(tier));
  if (!isList || !Array.isArray(warnings) || !warnings.every(isWarning)) throw badAnswer('it is no estimate');
  return body as unknown as EstimateAnswer;
}

function hasRefusals(tier: unknown): boolean {
  const { refusals } = isMembers(tier) ? tier : {};
  return Array.isArray(refusals) && refusals.every(isWarning);
}

/** A status, with a progress from 0 to 100. */
export function jobStatusOf(body: Members, jobId: string): JobStatus {
  const { status, progress, message, code } = body;
  return {
    job_id: jobId,
    status: status === 'completed' || status === 'failed' ? status : 'processing',
    progress: typeof progress === 'number' ? Math.min(100, Math.max(0, progress)) : 0,
    message: typeof message === 'string' ? message : '',
    ...(typeof code === 'string' ? { code } : {}),
  };
}

/** The id at the end of a link. */
function lastSegment(link: unknown): string {
  const id = typeof link === 'string' ? link.slice(link.lastIndexOf('/') + 1) : '';
  if (!/^[\w-]{1,64}$/.test(id)) throw badAnswer('its link leads nowhere');
  return id;
}
