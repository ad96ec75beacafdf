/**
 * The client of a Grainline service: chunks of files, texts and links, jobs with progress, results, prices, and
 * payments by a port. Needs `fetch`, `FormData`, `Blob` and streams: Node, browsers and edge runtimes.
 */
export type {
  ChunkAnswer,
  CiteAnswer,
  DocumentMetadata,
  EmbeddingDescription,
  EstimateAnswer,
  Health,
  JobStatus,
  Overview,
  PassageAnswer,
  PaymentBinding,
  PaymentReceipt,
  PrivacyNotice,
  ServiceLimits,
  ServiceTier,
  TierEstimate,
  TierRefusal,
} from './answers.ts';
export {
  type ChunkCall,
  type CiteCall,
  type Client,
  type ClientOptions,
  createClient,
  type PayPort,
  type Submission,
} from './client.ts';
export { ClientError, type ClientErrorDetails } from './errors.ts';
export type { FollowOptions, Job, ProgressOptions } from './jobs.ts';
export type { ChunkRequestOptions, DocumentInput } from './request.ts';
export type { ReceiptKeySet } from './receipts.ts';
export type { CallOptions, ClientClock, FetchPort } from './transport.ts';
export type { UnsignedTransfer, TransferQuery, Transfers, TransferState } from './transfers.ts';
