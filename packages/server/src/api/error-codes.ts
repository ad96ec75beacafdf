// Groups of error codes. Each operation names its groups and its own codes.
import { REASONS } from '@grainline/x402';
import type { ErrorCode } from '../errors/codes.ts';

/** Errors before every operation, or at the end of the service. */
export const COMMON_CODES = [
  'invalid_http',
  'request_timeout',
  'headers_too_large',
  'rate_limited',
  'internal_error',
  'shutting_down',
] as const satisfies readonly ErrorCode[];

/** Codes for operations that read the store. */
export const STORE_CODES = ['disk_full', 'unavailable'] as const satisfies readonly ErrorCode[];
/** Codes for every small JSON body. */
export const JSON_CODES = [
  'invalid_json',
  'invalid_fields',
  'unsupported_media_type',
  'too_large',
] as const satisfies readonly ErrorCode[];
export const FORM_CODES = [
  'invalid_fields',
  'invalid_multipart',
  'missing_file',
  'too_many_files',
  'unsupported_media_type',
  'too_large',
] as const satisfies readonly ErrorCode[];
/** Codes for links to documents. */
export const LINK_CODES = [
  'url_invalid',
  'url_forbidden',
  'url_unreachable',
  'url_status',
  'url_interrupted',
  'url_too_large',
  'url_timeout',
  'url_redirects',
] as const satisfies readonly ErrorCode[];
/** Codes for documents, their options and the models of their tiers. */
export const DOCUMENT_CODES = [
  'empty_document',
  'unsupported_type',
  'corrupted',
  'encrypted',
  'wrong_password',
  'no_such_pages',
  'no_text',
  'unreadable_scan',
  'too_many_scanned_pages',
  'too_complex',
  'invalid_options',
  'ill_formed_text',
  'too_many_characters',
  'answer_too_large',
  'embedding_failed',
  'wrong_embeddings',
  'completion_failed',
  'too_many_fallbacks',
  'model_timeout',
  'too_expensive',
] as const satisfies readonly ErrorCode[];
/** Codes for requests with a payment, or without a required one. */
export const PAYMENT_CODES = Object.keys(REASONS) as readonly ErrorCode[];
/** Codes for every request for chunks. */
export const CHUNK_CODES: readonly ErrorCode[] = [
  ...FORM_CODES,
  ...DOCUMENT_CODES,
  'over_daily_limit',
  'quota_exceeded',
  'busy',
  'queue_full',
  'tier_unavailable',
  'storage_full',
  ...STORE_CODES,
  ...PAYMENT_CODES,
];
/** Codes for the operations on transfers. */
export const TRANSFER_CODES: readonly ErrorCode[] = [
  ...JSON_CODES,
  'invalid_transfer',
  'tier_unavailable',
  'chain_unavailable',
  'not_found',
];
/** Codes for every path with an id. */
export const ID_CODES: readonly ErrorCode[] = ['too_many_misses', ...STORE_CODES];
