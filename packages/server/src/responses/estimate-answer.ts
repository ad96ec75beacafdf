// The answer of POST /estimate, and its expectations: chunks and time of a tier, from the measures of a document.
import { type TierEntry, MICRO_USD } from '../catalog.ts';
import { HttpError } from '../errors/http-error.ts';
import type { RequestOptions } from '../requests/fields.ts';
import type { DocumentMeasure } from '../sandbox/index.ts';

/** Chunks and time to expect. */
export interface Expectation {
  readonly chunks: number;
  readonly seconds: number;
}

/** The estimate for one tier. */
export interface EstimatedTier {
  readonly tier: TierEntry;
  readonly expected: Expectation | undefined;
  readonly refusals: readonly HttpError[];
}

/**
 * Mean length of a chunk as a share of `chunk_size`, over PDF files and Markdown at sizes of 300 to 3000: 0.47 to 0.85
 * in the free tier, 0.44 to 0.69 in the others, which keep the structure. Short paragraphs make shorter chunks.
 */
const FILL = { free: 0.68, others: 0.55 } as const;
/** Characters that a tier without a language model cuts in a second, at least. */
const CUT_PER_S = { structure: 1_000_000, semantic: 250_000 } as const;
/** Characters of one call of a language model, its seconds, and calls at a time (catalog.ts, MAX_MODEL_CHARACTERS). */
const MODEL = { characters: 6_700, seconds: 5, atOnce: 4 } as const;
/** Calls for each call that cuts, in the tier that also enriches every section. */
const ENRICHING_CALLS = 3;
/** JSON of a record besides its text, and of one number of its vector. */
const RECORD_BYTES = 300;
const VECTOR_BYTES = 160 * 15;

/** @param readMs time of the reading, with the wait for a link */
export function expect(
  { id, offer }: TierEntry,
  { size, overlap, target, encoding }: RequestOptions,
  { characters, tokens }: DocumentMeasure,
  readMs: number,
): Expectation {
  const length = encoding === undefined ? characters : tokens;
  const fill = 'tier' in offer && offer.tier === 'free' ? FILL.free : FILL.others;
  // The overlap repeats text, so that a chunk advances by less than its length.
  const step = Math.max(1, (target ?? size * fill) - overlap * fill);
  const chunks = Math.max(1, Math.ceil(length / step));
  const calls = Math.ceil(characters / MODEL.characters) * (id === 'ai-pro' ? ENRICHING_CALLS : 1);
  const usesModel = id === 'ai' || id === 'ai-pro';
  const cutS = usesModel
    ? Math.ceil(calls / MODEL.atOnce) * MODEL.seconds
    : characters / (id === 'semantic' ? CUT_PER_S.semantic : CUT_PER_S.structure);
  return { chunks, seconds: Math.ceil((readMs / 1000 + cutS) * 10) / 10 };
}

/**
 * Rejects an answer that exceeds MAX_ANSWER_BYTES by the expected number of its chunks. The exact number is known after
 * the cut.
 *
 * @throws HttpError `answer_too_large`
 */
export function assertAnswerFits(
  { characters }: DocumentMeasure,
  { chunks }: Expectation,
  { embeddings = false }: Pick<RequestOptions, 'embeddings'>,
  maxBytes: number,
): void {
  const bytes = characters + chunks * (RECORD_BYTES + (embeddings ? VECTOR_BYTES : 0));
  if (bytes <= maxBytes) return;
  throw new HttpError('answer_too_large', {
    message: `The answer would have about ${bytes} bytes in ${chunks} chunks; at most ${maxBytes} are allowed. Choose a larger chunk_size, or send the document in parts.`,
    limit: { max_answer_bytes: maxBytes, answer_bytes: bytes },
  });
}

/** @param measure undefined for a document that cannot be read */
export function writeEstimate(measure: DocumentMeasure | undefined, tiers: readonly EstimatedTier[]): string {
  return JSON.stringify({
    ...(measure && {
      kind: measure.kind,
      content_type: measure.contentType,
      filename: measure.filename,
      size_bytes: measure.sizeBytes,
      pages: measure.pages,
      characters: measure.characters,
      tokens: measure.tokens,
    }),
    tiers: tiers.map(({ tier, expected, refusals }) => ({
      id: tier.id,
      amount: Number(tier.priceMicroUsd),
      price_usd: Number(tier.priceMicroUsd) / MICRO_USD,
      mode: tier.mode,
      expected_chunks: expected?.chunks,
      expected_seconds: expected?.seconds,
      refusals: refusals.map(({ code, status, message, retryAfterS, limit }) => ({
        code,
        status,
        message,
        retryable: retryAfterS !== undefined,
        limit,
      })),
    })),
    warnings: (measure?.warnings ?? []).map(({ code, message }) => ({ code, message })),
  });
}
