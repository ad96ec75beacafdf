// The ports of the server: streams, the local chunker and a service. The server itself has the protocol, the tools and
// their limits; it reads no document.
import type {
  ChunkAnswer,
  ChunkRequestOptions,
  DocumentInput,
  PaymentReceipt,
  ServiceTier,
} from '@grainline/client';
import type { TierId, Warning } from '@grainline/core';
import type { SurfaceValues } from '@grainline/core/options';
import type { Output } from './transport.ts';

/** Everything outside of the server but the files below its roots. */
export interface Ports {
  /** Version of the program, sent to clients. */
  readonly version: string;
  readonly stdin: AsyncIterable<Uint8Array | string>;
  readonly stdout: Output;
  /** Receives a line for the operator; it never writes to standard output. */
  readonly log: (line: string) => void;
  /** Ends the server at once. */
  readonly signal: AbortSignal;
  /** Absolute paths of readable folders; without any, no file is readable. */
  readonly roots: readonly string[];
  readonly chunker: Chunker;
  /** The service of the remote tools. Without it these tools are absent, and the server uses no network. */
  readonly service: ServicePort | undefined;
  /** An error on one line: the cause and the way out. */
  readonly describe: (error: unknown) => string;
}

/** The local chunker. */
export interface Chunker {
  /** Tiers without a network; the first one is the default. */
  readonly tiers: readonly [TierId, ...TierId[]];
  /** Reads and chunks a document. Rejects with an error for `describe`, or with the signal's reason. */
  chunk(source: ChunkerSource, options: ChunkerOptions, run: CallContext): Promise<DocumentResult>;
}

/** A document to chunk. */
export interface ChunkerSource {
  /** A text stays unchanged; bytes are read by their kind. */
  readonly content: string | Uint8Array;
  readonly documentId: string;
  /** Base name. */
  readonly filename?: string | undefined;
}

/** Options of chunking; absent ones have core's defaults. */
export interface ChunkerOptions extends Omit<SurfaceValues<'mcp'>, 'tier' | 'document_id'> {
  readonly tier: TierId;
}

/** The signal and the callback of a call. */
export interface CallContext {
  readonly signal: AbortSignal;
  /** Receives the progress, from 0 to 1 and never backwards, and the stage. */
  readonly onProgress: (share: number, message: string) => void;
}

/** A document with its records, after local or remote chunking. */
export interface DocumentResult {
  readonly tier: string;
  readonly documentId: string;
  readonly filename?: string | undefined;
  readonly contentType?: string | undefined;
  /** Number of pages; estimated when the document has none. */
  readonly pages?: number | undefined;
  /** Records of the format `raw`, in order. */
  readonly records: readonly Readonly<Record<string, unknown>>[];
  readonly outline: readonly HeadingEntry[];
  readonly warnings: readonly Warning[];
  /** The receipt of the service; absent when nothing was paid. */
  readonly payment?: PaymentReceipt | undefined;
}

/** A heading of the document. */
export interface HeadingEntry {
  /** Level of the heading, from 1. */
  readonly depth: number;
  readonly title: string;
  /** Index of the chunk with its first character. */
  readonly chunk: number;
}

/** A remote service with the limit of its payments. */
export interface ServicePort {
  /** Address of the service. */
  readonly url: string;
  /**
   * Most that this server may pay while it runs, in decimal notation: `0.10 USDC`; undefined when it pays nothing.
   */
  readonly maxCost: string | undefined;
  /** Lists the current tiers of the service. Rejects with an error for `describe`. */
  tiers(signal: AbortSignal): Promise<readonly ServiceTier[]>;
  /**
   * Sends a document to the service and pays its price. Rejects with an error for `describe`, or with the signal's
   * reason.
   */
  chunk(
    source: DocumentInput,
    options: ChunkRequestOptions<'raw'>,
    run: CallContext,
  ): Promise<ChunkAnswer<'raw'>>;
}
