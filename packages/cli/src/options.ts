// Every option of the command line: how it is written, and what the help says of it. What the values mean is found out
// in arguments.ts.
import { ENCODINGS } from './models.ts';
import type { OptionEntry } from './words.ts';

const HELP_OPTION: OptionEntry = { short: 'h', meaning: 'print this' };

/** Options of whoever pays. */
export const PAYING_OPTIONS = {
  keypair: { value: 'FILE', meaning: 'with --remote: pay from this Solana key pair' },
  'max-cost': { value: 'USDC', meaning: 'with --keypair: most that the whole run may pay' },
  network: { value: 'NAME', meaning: 'solana-mainnet (default), -devnet or -localnet' },
  rpc: { value: 'URL', meaning: 'node of that network; default its public one' },
} as const satisfies Readonly<Record<string, OptionEntry>>;

/** Options of chunking, in the order of the help. */
export const CHUNK_OPTIONS = {
  tier: { value: 'TIER', meaning: 'how to cut (see --list); default structure' },
  size: { value: 'N', meaning: 'longest chunk; default 1000 characters or 512 tokens' },
  overlap: { value: 'N', meaning: 'most that is repeated of the chunk before; default 0' },
  unit: { value: 'UNIT', meaning: 'what these numbers count: characters (default), tokens' },
  encoding: {
    value: 'NAME',
    meaning: `whose tokens: ${ENCODINGS.join(', ')}; default ${ENCODINGS[0] ?? ''}`,
  },
  target: { value: 'N', meaning: 'length that chunks are drawn to; default 0.55 × size' },
  min: { value: 'N', meaning: 'shorter chunks are avoided; default about 25 tokens' },
  context: { value: 'NAME', meaning: 'of professional: corpus or in-document' },
  embeddings: { meaning: 'of semantic, ai, ai-pro: a vector in every record' },
  embedder: {
    value: 'NAME',
    meaning: 'of semantic: openai:MODEL or transformers:MODEL',
  },
  kind: { value: 'KIND', meaning: 'read text as markdown, text, code, csv; default by name' },
  charset: { value: 'NAME', meaning: 'encoding of text that is not UTF-8, as windows-1252' },
  format: { short: 'f', value: 'FORMAT', meaning: 'shape of the records (see --list); default raw' },
  jsonl: { meaning: 'a line for each chunk (the default)' },
  json: { meaning: 'a line for each file: one object with all its chunks' },
  view: { meaning: 'show the chunks for reading, boundaries marked' },
  html: { meaning: 'show them on one page for a browser, to keep or to mail' },
  'dry-run': { meaning: 'only count; with --remote also say what it would cost' },
  out: { short: 'o', value: 'DIR', meaning: 'write a file per input below DIR; skip unchanged ones' },
  force: { meaning: 'with --out: write all anew, also over other files' },
  'document-id': { value: 'ID', meaning: "the document's name in its records; default its path" },
  collection: { value: 'NAME', meaning: 'collection named in the records (weaviate)' },
  'text-field': { value: 'NAME', meaning: 'key of the text (pinecone, weaviate, qdrant)' },
  name: { value: 'FILE', meaning: 'file name of standard input' },
  concurrency: {
    value: 'N',
    meaning: 'files in work at once (on one processor); default 2',
  },
  quiet: { short: 'q', meaning: 'no progress, no summary, no warnings; errors only' },
  remote: { value: 'URL', meaning: 'have the service at URL cut; see --keypair' },
  ...PAYING_OPTIONS,
  list: { meaning: 'print the document kinds, tiers and formats' },
  help: HELP_OPTION,
  version: { short: 'V', meaning: 'print the version' },
} as const satisfies Readonly<Record<string, OptionEntry>>;

/** Options of `grainline serve`. */
export const SERVE_OPTIONS = {
  port: { value: 'N', meaning: 'port to listen on; default 8402' },
  host: { value: 'ADDRESS', meaning: 'address to listen on; default 127.0.0.1' },
  payments: { value: 'on|off', meaning: 'off: tiers that cost money elsewhere cost nothing here' },
  help: HELP_OPTION,
} as const satisfies Readonly<Record<string, OptionEntry>>;

/** Options of `grainline mcp`. */
export const MCP_OPTIONS = {
  root: {
    value: 'DIR',
    many: true,
    meaning: 'files below it may be read; default the working folder',
  },
  remote: { value: 'URL', meaning: 'also offer the tiers of the service at URL' },
  ...PAYING_OPTIONS,
  help: HELP_OPTION,
} as const satisfies Readonly<Record<string, OptionEntry>>;

/** Options of `grainline doctor`. */
export const DOCTOR_OPTIONS = { help: HELP_OPTION } as const satisfies Readonly<Record<string, OptionEntry>>;
