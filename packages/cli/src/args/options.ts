// Every option of the command line with its help text. Core's table gives the options of chunking; arguments.ts reads
// the values.
import { describeOption, OPTIONS, optionsOf, type OptionTable } from '@grainline/core/options';
import type { CliOption } from './words.ts';

const HELP_OPTION: CliOption = { short: 'h', meaning: 'print this' };

/** Options of payments. */
export const PAYING_OPTIONS = {
  keypair: { value: 'FILE', meaning: 'with --remote: pay from this Solana key pair' },
  'max-cost': { value: 'USDC', meaning: 'with --keypair: most that the whole run may pay' },
  network: { value: 'NAME', meaning: 'solana-mainnet (default), -devnet or -localnet' },
  rpc: { value: 'URL', meaning: 'node of that network; default its public one' },
} as const satisfies Readonly<Record<string, CliOption>>;

/** The options of chunking in a table of options. */
export function chunkOptionEntries(table: OptionTable = OPTIONS): Readonly<Record<string, CliOption>> {
  return Object.fromEntries(
    optionsOf('cli', table).map(({ key, name, entry: { short, placeholder: value } }) => [
      name,
      { short, value, meaning: describeOption('cli', key, table) },
    ]),
  );
}

const OCR_OPTION = {
  optional: 'LANGUAGES',
  meaning:
    'read scanned pages and pictures by OCR, as --ocr=deu+eng; default English; one page at a time, in spite of --workers',
} as const satisfies CliOption;

const PASSWORD_OPTION = {
  meaning: 'ask for the password of encrypted PDFs; or set GRAINLINE_PASSWORD',
} as const satisfies CliOption;

const TIMEOUT_OPTION = {
  value: 'SECONDS',
  meaning: 'time for a page of a PDF, after which the document fails and the others go on; default 60',
} as const satisfies CliOption;

/** Options of chunking that say how a document is read, without where its text stands. */
export const READING_OPTIONS = optionsOf('cli').filter(
  ({ key, entry }) => key === 'charset' || (entry.names.extract !== undefined && key !== 'regions'),
);

/** Options of commands that read documents and do not chunk them by one setting. */
const READ_OPTIONS: Readonly<Record<string, CliOption>> = {
  ...Object.fromEntries(
    READING_OPTIONS.map(({ key, name, entry: { placeholder: value } }) => [
      name,
      { value, meaning: describeOption('cli', key) },
    ]),
  ),
  password: PASSWORD_OPTION,
  ocr: OCR_OPTION,
  timeout: TIMEOUT_OPTION,
};

/** Options of `grainline FILE`, in the order of the help. */
export const CHUNK_OPTIONS = {
  ...chunkOptionEntries(),
  embedder: {
    value: 'NAME',
    meaning: 'of semantic: openai:MODEL or transformers:MODEL',
  },
  password: PASSWORD_OPTION,
  ocr: OCR_OPTION,
  jsonl: { meaning: 'a line for each chunk (the default)' },
  json: { meaning: 'a line for each file: one object with all its chunks' },
  view: { meaning: 'show the chunks for reading, boundaries marked' },
  html: { meaning: 'show them on one page for a browser, to keep or to mail' },
  'html-pages': { meaning: 'the same on the drawn pages of a PDF; --pages chooses some' },
  'dry-run': { meaning: 'only count; with --remote also say what it would cost' },
  out: { short: 'o', value: 'DIR', meaning: 'write a file per input below DIR; skip unchanged ones' },
  force: { meaning: 'with --out: write all anew, also over other files' },
  name: { value: 'FILE', meaning: 'file name of standard input' },
  workers: { value: 'N', meaning: 'processors to use; default all but one' },
  timeout: TIMEOUT_OPTION,
  concurrency: { value: 'N', meaning: 'requests at once to a service or model; default 2' },
  quiet: { short: 'q', meaning: 'no progress, no summary, no warnings; errors only' },
  remote: { value: 'URL', meaning: 'have the service at URL cut; see --keypair' },
  ...PAYING_OPTIONS,
  list: { meaning: 'print the document kinds, tiers and formats' },
  help: HELP_OPTION,
  version: { short: 'V', meaning: 'print the version' },
} as const satisfies Readonly<Record<string, CliOption>>;

/** Options of `grainline serve`. */
export const SERVE_OPTIONS = {
  port: { value: 'N', meaning: 'port to listen on; default 8402' },
  host: { value: 'ADDRESS', meaning: 'address to listen on; default 127.0.0.1' },
  payments: { value: 'on|off', meaning: 'off: tiers that cost money elsewhere cost nothing here' },
  help: HELP_OPTION,
} as const satisfies Readonly<Record<string, CliOption>>;

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
} as const satisfies Readonly<Record<string, CliOption>>;

/** Options of `grainline doctor`. */
export const DOCTOR_OPTIONS = {
  embedder: { value: 'NAME', meaning: 'try openai:MODEL or transformers:MODEL' },
  remote: { value: 'URL', meaning: 'ask the service at URL for its tiers and prices' },
  help: HELP_OPTION,
} as const satisfies Readonly<Record<string, CliOption>>;

/** Options of `grainline eval`. A LIST has commas between its values. */
export const EVAL_OPTIONS = {
  questions: { value: 'FILE', meaning: 'questions with answers, a line of JSON each' },
  'save-questions': { value: 'FILE', meaning: 'write the questions to FILE, to read and to edit' },
  tier: { value: 'LIST', meaning: 'tiers to try; default all without a language model' },
  size: { value: 'LIST', meaning: 'longest chunks to try; default 500,1000,1500, or 128,256,512 tokens' },
  unit: { value: 'UNIT', meaning: 'unit of sizes: characters, tokens' },
  encoding: { value: 'NAME', meaning: 'whose tokens: o200k, cl100k' },
  overlap: { value: 'LIST', meaning: 'overlaps to try; default 0' },
  target: { value: 'LIST', meaning: 'targets to try; default 0.55 × size' },
  min: { value: 'LIST', meaning: 'least lengths to try; default about 25 tokens' },
  context: { value: 'LIST', meaning: 'contexts of professional to try: corpus, in-document' },
  blend: { value: 'LIST', meaning: "weights of the neighbours' vectors to try; default 0,0.4" },
  search: { value: 'LIST', meaning: 'searches to try: bm25, vectors; default both' },
  peers: { value: 'LIST', meaning: 'also try splitters of other libraries' },
  top: { value: 'N', meaning: 'chunks of recall@k and IoU; default 5' },
  embedder: { value: 'NAME', meaning: 'openai:MODEL or transformers:MODEL; default the built-in one' },
  ...READ_OPTIONS,
  json: { meaning: 'one object with every measure' },
  html: { meaning: 'one page for a browser, with plots' },
  markdown: { meaning: 'tables in Markdown' },
  quiet: { short: 'q', meaning: 'no progress and no warnings; errors only' },
  help: HELP_OPTION,
} as const satisfies Readonly<Record<string, CliOption>>;

/** Options of chunking that a load does not have: its records have one shape, and their vectors are its own matter. */
const NOT_OF_LOADS: ReadonlySet<string> = new Set([
  'format',
  'collection',
  'text-field',
  'document-id',
  'embeddings',
  'blend',
]);
const CREDENTIALS = { value: 'FILE', meaning: 'read credentials from FILE: lines of NAME=value' };

/** Options of `grainline load`. */
export const LOAD_OPTIONS = {
  to: { value: 'URL', meaning: 'database: postgres://…, qdrant://…, lancedb:./folder, …' },
  embedder: { value: 'NAME', meaning: 'openai:MODEL or transformers:MODEL; default the built-in one' },
  blend: { value: 'N', meaning: "weight of the neighbours' vectors, 0 to 1; default 0.4" },
  cache: { value: 'DIR', meaning: 'folder of the vectors of earlier runs; none: keep none' },
  prune: { choices: ['all'], meaning: 'remove what the source no longer has, up to a fifth; =all: more' },
  'keep-version': { meaning: 'leave documents of other versions and options as they are' },
  'dry-run': { meaning: 'print what would be done, and do nothing' },
  price: { value: 'USD', meaning: 'with --dry-run: price of a million tokens' },
  watch: { meaning: 'keep the database in step until interrupted' },
  credentials: CREDENTIALS,
  password: PASSWORD_OPTION,
  ocr: OCR_OPTION,
  timeout: TIMEOUT_OPTION,
  workers: { value: 'N', meaning: 'processors to use; default all but one' },
  ...Object.fromEntries(Object.entries(chunkOptionEntries()).filter(([name]) => !NOT_OF_LOADS.has(name))),
  quiet: { short: 'q', meaning: 'no progress, no summary, no warnings; errors only' },
  help: HELP_OPTION,
} satisfies Readonly<Record<string, CliOption>>;

/** Options of `grainline search`. */
export const SEARCH_OPTIONS = {
  from: { value: 'URL', meaning: 'database that grainline load has filled' },
  by: { value: 'WAY', meaning: 'vectors, keywords or both (default)' },
  top: { value: 'N', meaning: 'most results; default 10' },
  embedder: { value: 'NAME', meaning: 'that of the vectors; default the built-in one' },
  credentials: CREDENTIALS,
  json: { meaning: 'a line for each result: one object' },
  quiet: { short: 'q', meaning: 'no progress and no warnings; errors only' },
  help: HELP_OPTION,
} as const satisfies Readonly<Record<string, CliOption>>;

/** Options of `grainline cite`. */
export const CITE_OPTIONS = {
  bound: { value: 'N', meaning: 'least score of a find, up to 1; default 0.8' },
  ...READ_OPTIONS,
  json: { meaning: 'a line for each quotation: one object with its spans' },
  quiet: { short: 'q', meaning: 'no progress and no warnings; errors only' },
  help: HELP_OPTION,
} as const satisfies Readonly<Record<string, CliOption>>;
