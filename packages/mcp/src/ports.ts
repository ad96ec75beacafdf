// What the server takes from whoever starts it: streams, the line that cuts documents here, and a service elsewhere.
// The server itself knows the protocol, the tools and their bounds, and nothing of how a document is read.
import type { ContextMode, TextKind, TierId, Warning } from '@grainline/core';
import type { Output } from './transport.ts';

/** Everything outside that the server touches, but for the files below its roots. */
export interface Ports {
  /** Version of the program, which clients are told. */
  readonly version: string;
  readonly stdin: AsyncIterable<Uint8Array | string>;
  readonly stdout: Output;
  /** Takes a line for whoever runs the server; never standard output. */
  readonly log: (line: string) => void;
  /** Ends the server at once. */
  readonly signal: AbortSignal;
  /** Absolute paths of the folders whose files may be read; none when empty. */
  readonly roots: readonly string[];
  readonly line: Line;
  /** The service for the tools that use one. Without it there are none of these tools, and no network is used. */
  readonly service: ServicePort | undefined;
  /** An error on one line, for people: what was wrong and the way out. */
  readonly describe: (error: unknown) => string;
}

/** What cuts here. */
export interface Line {
  /** Tiers that need no network, the one that is taken when none is named first. */
  readonly tiers: readonly [TierId, ...TierId[]];
  /** Encodings whose tokens can be counted, the default first. */
  readonly encodings: readonly [string, ...string[]];
  /** Reads and cuts a document. Rejects with an error for `describe`, or with the signal's reason. */
  cut(source: Source, options: CutOptions, run: Run): Promise<CutDocument>;
}

/** A document to cut. */
export interface Source {
  /** A text is cut as it is; bytes are read as the kind of document that they are. */
  readonly content: string | Uint8Array;
  readonly documentId: string;
  /** Base name. */
  readonly filename?: string | undefined;
}

/** How to cut, by the names of the library and of the command line; what is absent has core's default. */
export interface CutOptions {
  readonly tier: TierId;
  readonly size?: number | undefined;
  readonly overlap?: number | undefined;
  readonly unit?: 'characters' | 'tokens' | undefined;
  readonly encoding?: string | undefined;
  readonly target?: number | undefined;
  readonly min?: number | undefined;
  readonly context?: ContextMode | undefined;
  readonly kind?: TextKind | undefined;
  readonly language?: string | undefined;
  readonly charset?: string | undefined;
}

/** The signal and the callback of a piece of work. */
export interface Run {
  readonly signal: AbortSignal;
  /** How far it is: from 0 to 1, never back, and what is being done. */
  readonly onProgress: (share: number, message: string) => void;
}

/** A document after it was cut, here or elsewhere. */
export interface CutDocument {
  readonly tier: string;
  readonly documentId: string;
  readonly filename?: string | undefined;
  readonly contentType?: string | undefined;
  /** Number of pages; estimated when the document has none. */
  readonly pages?: number | undefined;
  /** Records of the format `raw`, in order. */
  readonly records: readonly Readonly<Record<string, unknown>>[];
  readonly outline: readonly Heading[];
  readonly warnings: readonly Warning[];
  /** The payment as the service reports it; absent when nothing was paid. */
  readonly payment?: Readonly<Record<string, unknown>> | undefined;
}

/** A heading of the document. */
export interface Heading {
  /** Level of the heading, from 1. */
  readonly depth: number;
  readonly title: string;
  /** Index of the chunk in which it stands. */
  readonly chunk: number;
}

/** A service elsewhere, with the money that may be spent there. */
export interface ServicePort {
  /** Address of the service. */
  readonly url: string;
  /**
   * Most that this server may pay while it runs, as people write it: `0.10 USDC`; undefined when nothing is ever paid.
   */
  readonly maxCost: string | undefined;
  /** Lists the service's tiers as they are now. Rejects with an error for `describe`. */
  tiers(signal: AbortSignal): Promise<readonly ServiceTier[]>;
  /**
   * Has it cut a document, and pays what that costs. Rejects with an error for `describe`, or with the signal's reason.
   */
  cut(order: ServiceOrder, run: Run): Promise<CutDocument>;
}

/** A tier as a service lists it. */
export interface ServiceTier {
  readonly id: string;
  /** Price of a document in USD. */
  readonly price: string;
  readonly available: boolean;
  readonly description?: string | undefined;
}

/** A document for a service. */
export interface ServiceOrder {
  /** The tier, as the service calls it. */
  readonly tier: string;
  readonly options: Readonly<Record<string, string | number>>;
  readonly documentId: string;
  readonly source: { readonly url: string } | { readonly bytes: Uint8Array; readonly filename: string };
}
