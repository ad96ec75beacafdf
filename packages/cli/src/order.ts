// What a service is asked for: a document, and how it is to be cut.
import type { ServiceFields } from './fields.ts';

/** A document, and how it is to be cut. */
export interface Order {
  /** The tier, as the service calls it. */
  readonly tier: string;
  readonly fields: ServiceFields;
  readonly documentId: string;
  readonly source: Upload | Link;
}

/** A document to send. */
export interface Upload {
  readonly bytes: Uint8Array;
  readonly filename: string;
  /** Declares an encoding, and no more. */
  readonly contentType?: string | undefined;
}

/** A document for the service to fetch. */
export interface Link {
  readonly url: string;
}
