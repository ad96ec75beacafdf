// Begun requests with their documents, stored until their answer arrives. The start page lists them without the other
// files of this folder.
import { indexedStore, type RecordStore } from '../service/record-store.ts';
import type { TierRequest } from '../service/chunk-request.ts';

/** A request with a begun payment. Its id is the request's key, so a repeated request has one entry. */
export interface PendingRequest extends Pick<
  TierRequest,
  'tier' | 'source' | 'options' | 'reading' | 'documentId'
> {
  readonly id: string;
  /** Milliseconds since 1970. */
  readonly beganMs: number;
  /** True when only a code for another device was shown. */
  readonly isByCode?: boolean;
}

/** The requests of this browser without an answer. */
export const pendingRequests: RecordStore<PendingRequest> = indexedStore({
  database: 'grainline',
  store: 'orders',
  version: 2,
});
