// What the command is asked to do, as plain values: what arguments.ts reads and every step after it works by.
import type { ChunkOptions, TextKind, TierId } from '@grainline/core';
import type { FormatId, RecordOptions } from '@grainline/core/formats';
import type { EncodingName } from '@grainline/models/tokens';
import type { ServiceFields } from './fields.ts';
import type { LayoutId } from './layouts.ts';
import type { EmbedderName } from './models.ts';

/** What stands in place of files as the first word; each has a help of its own. */
export const COMMANDS = ['serve', 'mcp', 'doctor'] as const;

/** What the command is asked to do. */
export type Request =
  | ChunkRequest
  | ServeRequest
  | McpRequest
  | { readonly kind: 'help' | 'serve-help' | 'mcp-help' | 'doctor' | 'doctor-help' | 'version' | 'list' };

/** Chunk some files. */
export interface ChunkRequest {
  readonly kind: 'chunk';
  /** Files, folders, patterns, `-`; at least one. */
  readonly operands: readonly string[];
  readonly cutting: Cutting | RemoteCutting;
  readonly format: FormatId;
  readonly names: Pick<RecordOptions, 'collection' | 'textField'>;
  /** Id of the document, for a single input. Default the input's own name. */
  readonly documentId: string | undefined;
  readonly layout: LayoutId;
  /** Folder to write to; when absent, standard output. */
  readonly out: string | undefined;
  /** Whether files in `out` that are not ours may be replaced. */
  readonly force: boolean;
  /** File name of standard input. */
  readonly stdinName: string | undefined;
  /** Says in which encoding texts are that are not UTF-8, and no more; found when absent. */
  readonly contentType: string | undefined;
  /** Files that are worked on at the same time. */
  readonly concurrency: number;
  readonly quiet: boolean;
}

/** How to cut: what was given; core has the defaults of the rest, and has checked it all. */
export interface Cutting {
  readonly options: ChunkOptions & { readonly tier: TierId };
  /** Whose tokens the numbers count; characters when absent. */
  readonly encoding: EncodingName | undefined;
  /** How to read files of text; by their names when absent. */
  readonly kind: TextKind | undefined;
  /** The embedder, for tiers that embed. Default the built-in table. */
  readonly embedder: EmbedderName | undefined;
}

/** A service, and whose money is spent there. */
export interface ServicePlace {
  /** Address of the service, without a slash at the end. */
  readonly remote: string;
  /** Nothing is paid without. */
  readonly wallet: WalletRequest | undefined;
}

/** Have a service cut, and pay it when it asks for that. */
export interface RemoteCutting extends ServicePlace {
  /** The tier, as the service calls it. */
  readonly tier: string;
  readonly fields: ServiceFields;
  /** How to count what the service would make; present when it is asked for its price alone. */
  readonly dryRun: Cutting | undefined;
}

/** Decimals of USDC: amounts are counted in its millionths. */
export const USDC_DECIMALS = 6;

/** What to pay from, and how much. */
export interface WalletRequest {
  /** File with the key pair. */
  readonly keypair: string;
  /** Most that the run may pay, in millionths of a USDC. */
  readonly maxCost: bigint;
  readonly network: NetworkName;
  /** JSON-RPC endpoint of a node of that network. */
  readonly rpcUrl: string;
}

/** Start the server. */
export interface ServeRequest {
  readonly kind: 'serve';
  /** Settings for its environment: `PORT`, `HOST`. */
  readonly settings: Readonly<Record<string, string>>;
}

/** Serve tools to agents over standard input and output. */
export interface McpRequest {
  readonly kind: 'mcp';
  /** Folders whose files may be read, as they were typed; the working folder when empty. */
  readonly roots: readonly string[];
  /** Nothing is sent anywhere without. */
  readonly place: ServicePlace | undefined;
}

/** Networks to pay on, each with the node that is asked unless another is named. */
export const NETWORKS = {
  'solana-mainnet': 'https://api.mainnet-beta.solana.com',
  'solana-devnet': 'https://api.devnet.solana.com',
  'solana-localnet': 'http://127.0.0.1:8899',
} as const;

/** Name of a network to pay on. */
export type NetworkName = keyof typeof NETWORKS;
