// The command as plain values. arguments.ts makes them, and every later step works by them.
import type { ChunkRequestOptions as ServiceOptions } from '@grainline/client';
import type { ChunkOptions, TierId } from '@grainline/core';
import type { FormatId, RecordOptions } from '@grainline/core/formats';
import type { ReadingOptions } from '@grainline/extract';
import type { EncodingName } from '@grainline/models/tokens';

/** Words in place of files; each command has its own help. */
export const COMMANDS = ['serve', 'mcp', 'doctor', 'eval', 'cite', 'load', 'search'] as const;

/** The layouts with an option of their own. */
export const LAYOUT_FLAGS = ['jsonl', 'json', 'view', 'html', 'html-pages', 'dry-run'] as const;
/** The layout that `--format` chooses. */
export const TEXT = 'text';
/** Name of a layout. */
export type LayoutId = (typeof LAYOUT_FLAGS)[number] | typeof TEXT;

/** An embedder and its model, as `--embedder` names them. */
export type EmbedderName = `openai:${string}` | `transformers:${string}`;

/** The command that the arguments name. */
export type Request =
  | ChunkFilesRequest
  | ServeRequest
  | McpRequest
  | DoctorRequest
  | EvalRequest
  | CiteRequest
  | LoadRequest
  | SearchRequest
  | { readonly kind: 'help' | `${(typeof COMMANDS)[number]}-help` | 'version' | 'list' };

/** Chunks files. */
export interface ChunkFilesRequest {
  readonly kind: 'chunk';
  /** Files, folders, patterns, `-`; at least one. */
  readonly operands: readonly string[];
  readonly chunking: LocalChunking | RemoteChunking;
  readonly format: FormatId;
  readonly names: Pick<RecordOptions, 'collection' | 'textField'>;
  /** Id of the document, for a single input. The default is the input's name. */
  readonly documentId: string | undefined;
  readonly layout: LayoutId;
  /** Output folder; standard output when absent. */
  readonly out: string | undefined;
  /** Replaces files in `out` that grainline did not write. */
  readonly force: boolean;
  /** File name of standard input. */
  readonly stdinName: string | undefined;
  /** Declares the encoding of texts; detected when absent. */
  readonly contentType: string | undefined;
  /** Languages of scanned pages and pictures, as `deu+eng`; no OCR when absent. */
  readonly ocr: string | undefined;
  /** Files in work at the same time, where the wait is for a disk, a service or a model. */
  readonly concurrency: number;
  /** Threads that cut files; the default depends on the machine. */
  readonly workers: number | undefined;
  /** Longest time for a page of a PDF. */
  readonly timeoutMs: number;
  readonly quiet: boolean;
  /** True to ask for the password of encrypted documents. */
  readonly asksPassword: boolean;
  /** Opens encrypted documents; the run reads it before its first file. */
  readonly password?: string | undefined;
}

/** The given options of local chunking, checked by core. Core has the defaults of the others. */
export interface LocalChunking {
  readonly options: ChunkOptions & { readonly tier: TierId };
  /** The given options of reading, without a password. */
  readonly reading: Omit<ReadingOptions, 'password'>;
  /** Encoding whose tokens the sizes count; characters when absent. */
  readonly encoding: EncodingName | undefined;
  /** The embedder of tiers that embed. The default is the built-in table. */
  readonly embedder: EmbedderName | undefined;
}

/** A service and the wallet that pays it. */
export interface ServiceTarget {
  /** Address of the service, without a slash at the end. */
  readonly remote: string;
  /** Without a wallet nothing is paid. */
  readonly wallet: WalletRequest | undefined;
}

/** Chunking by a service, paid when it has a price. */
export interface RemoteChunking extends ServiceTarget {
  /** The tier's name at the service. */
  readonly tier: string;
  readonly options: ServiceOptions;
  /** True when the service only estimates. */
  readonly dryRun: boolean;
}

/** Decimals of USDC; amounts count its millionths. */
export const USDC_DECIMALS = 6;

/** The wallet and its limit. */
export interface WalletRequest {
  /** File with the key pair. */
  readonly keypair: string;
  /** Most that the run may pay, in millionths of a USDC. */
  readonly maxCost: bigint;
  readonly network: NetworkName;
  /** JSON-RPC endpoint of a node of that network. */
  readonly rpcUrl: string;
}

/** Starts the server. */
export interface ServeRequest {
  readonly kind: 'serve';
  /** Settings for its environment: `PORT`, `HOST`. */
  readonly settings: Readonly<Record<string, string>>;
}

/** Serves tools to agents over standard input and output. */
export interface McpRequest {
  readonly kind: 'mcp';
  /** Readable folders, as typed; the working folder when empty. */
  readonly roots: readonly string[];
  /** Without a target nothing leaves this machine. */
  readonly target: ServiceTarget | undefined;
}

/** Checks the installation, models and a service. */
export interface DoctorRequest {
  readonly kind: 'doctor';
  /** Address of a service. */
  readonly remote: string | undefined;
  /** Default: the built-in one. */
  readonly embedder: EmbedderName | undefined;
}

/** Layouts of an evaluation with an option of their own. */
export const EVAL_LAYOUTS = ['json', 'html', 'markdown'] as const;

/** How a command reads its documents. */
export interface ReadingRequest {
  /** The given options of reading, without a password. */
  readonly reading: Omit<ReadingOptions, 'password'>;
  /** Declares the encoding of texts; detected when absent. */
  readonly contentType: string | undefined;
  /** Languages of scanned pages and pictures, as `deu+eng`; no OCR when absent. */
  readonly ocr: string | undefined;
  /** True to ask for the password of encrypted documents. */
  readonly asksPassword: boolean;
  /** Longest time for a page of a PDF. */
  readonly timeoutMs: number;
}

/** Measures how well chunks serve retrieval. A list that is absent has the values of the evaluation's defaults. */
export interface EvalRequest extends ReadingRequest {
  readonly kind: 'eval';
  /** Files, folders, patterns; at least one. */
  readonly operands: readonly string[];
  /** File of questions; made by rules when absent. */
  readonly questions: string | undefined;
  /** File to write the questions to. */
  readonly saveQuestions: string | undefined;
  readonly tiers: readonly string[] | undefined;
  /** Splitters of other libraries. */
  readonly peers: readonly string[];
  readonly sizes: readonly number[] | undefined;
  readonly options: {
    readonly overlap: readonly number[] | undefined;
    readonly target: readonly number[] | undefined;
    readonly min: readonly number[] | undefined;
    readonly context: readonly string[] | undefined;
  };
  readonly blends: readonly number[] | undefined;
  readonly searches: readonly string[] | undefined;
  /** Chunks of the measures that count chunks. */
  readonly top: number | undefined;
  /** Encoding whose tokens the sizes count; characters when absent. */
  readonly encoding: EncodingName | undefined;
  readonly embedder: EmbedderName | undefined;
  readonly layout: (typeof EVAL_LAYOUTS)[number] | 'text';
  readonly quiet: boolean;
}

/** Finds quotations in a document. */
export interface CiteRequest extends ReadingRequest {
  readonly kind: 'cite';
  /** A file, a link, or `-`. */
  readonly file: string;
  /** At least one. */
  readonly quotes: readonly string[];
  /** The least score, above 0 and up to 1; the library has the default. */
  readonly bound: number | undefined;
  readonly layout: 'json' | 'text';
  readonly quiet: boolean;
}

/** Brings a vector database in step with sources of documents. */
export interface LoadRequest {
  readonly kind: 'load';
  /** Files, folders, patterns, links, sitemaps, buckets; at least one. */
  readonly operands: readonly string[];
  /** Address of the database. It may hold credentials. */
  readonly to: string;
  readonly chunking: LocalChunking;
  /** Declares the encoding of texts; detected when absent. */
  readonly contentType: string | undefined;
  /** The embedder of the vectors. The default is the built-in table. */
  readonly embedder: EmbedderName | undefined;
  /** Weight of the neighbours' vectors, from 0 to 1. Default: that of the database, else 0.4. */
  readonly blend: number | undefined;
  /** `few` removes vanished documents up to a fifth of the source. */
  readonly prune: 'keep' | 'few' | 'all';
  /** Folder of the vectors of earlier runs; `none` to keep none. Default: the user's cache folder. */
  readonly cache: string | undefined;
  /** Leaves documents of another version as they are. */
  readonly keepVersion: boolean;
  readonly dryRun: boolean;
  /** US dollars for a million tokens, for the plan of a dry run. */
  readonly price: number | undefined;
  /** Languages of scanned pages and pictures, as `deu+eng`; no OCR when absent. */
  readonly ocr: string | undefined;
  /** True to ask for the password of encrypted documents. */
  readonly asksPassword: boolean;
  readonly watch: boolean;
  /** Longest time for a page of a PDF. */
  readonly timeoutMs: number;
  /** Threads; the default depends on the machine. */
  readonly workers: number | undefined;
  /** File of environment variables. */
  readonly credentials: string | undefined;
  readonly quiet: boolean;
}

/** Searches of {@link SearchRequest}. */
export const SEARCH_MODES = ['both', 'vectors', 'keywords'] as const;
export type SearchMode = (typeof SEARCH_MODES)[number];

/** Finds the chunks of a vector database that answer a question. */
export interface SearchRequest {
  readonly kind: 'search';
  /** Address of the database. It may hold credentials. */
  readonly from: string;
  readonly question: string;
  readonly by: SearchMode;
  /** Most results, from 1 to 1000. */
  readonly top: number;
  /** Default: the built-in one. It must be that of the vectors. */
  readonly embedder: EmbedderName | undefined;
  readonly layout: 'json' | 'text';
  /** File of environment variables. */
  readonly credentials: string | undefined;
  readonly quiet: boolean;
}

/** Networks of payments, each with its default node. */
export const NETWORKS = {
  'solana-mainnet': 'https://api.mainnet-beta.solana.com',
  'solana-devnet': 'https://api.devnet.solana.com',
  'solana-localnet': 'http://127.0.0.1:8899',
} as const;

/** Name of a network of payments. */
export type NetworkName = keyof typeof NETWORKS;
