// The words after `grainline` → a request. One table (options.ts) gives the parser (words.ts), the issues and the help.
// Every check runs before a file is touched, and all issues are reported together.
import { DEFAULT_TIER } from '@grainline/core';
import { checkRecordOptions, FORMATS, type FormatId } from '@grainline/core/formats';
import { optionsOf, unmetNeeds } from '@grainline/core/options';
import { UsageError } from '../errors.ts';
import { readCharset } from './charset.ts';
import { patternIssue, readLocalChunking } from './chunking.ts';
import { readCite } from './cite.ts';
import { readEval } from './eval.ts';
import { readLoad, readSearch } from './load.ts';
import { CHUNK_OPTIONS, DOCTOR_OPTIONS, MCP_OPTIONS, PAYING_OPTIONS, SERVE_OPTIONS } from './options.ts';
import {
  type ChunkFilesRequest,
  LAYOUT_FLAGS,
  type NetworkName,
  NETWORKS,
  type RemoteChunking,
  type Request,
  type ServiceTarget,
  TEXT,
  USDC_DECIMALS,
  type WalletRequest,
} from './request.ts';
import {
  chosen,
  collectIssues,
  readCount,
  readEmbedderName,
  readNumber,
  readOcr,
  readTimeout,
} from './values.ts';
import { scan, show, type Words } from './words.ts';

const DEFAULT_CONCURRENCY = 2;

/** Every value of `--format`. */
export const FORMAT_NAMES: readonly string[] = [...Object.keys(FORMATS), TEXT];

/**
 * Reads the arguments.
 *
 * @throws UsageError with every issue.
 */
export function readArguments(argv: readonly string[]): Request {
  if (argv[0] === 'doctor') return readDoctor(argv.slice(1));
  if (argv[0] === 'mcp') return readMcp(argv.slice(1));
  if (argv[0] === 'eval') return readEval(argv.slice(1));
  if (argv[0] === 'cite') return readCite(argv.slice(1));
  if (argv[0] === 'load') return readLoad(argv.slice(1));
  if (argv[0] === 'search') return readSearch(argv.slice(1));
  return argv[0] === 'serve' ? readServe(argv.slice(1)) : readChunk(argv);
}

function readServe(argv: readonly string[]): Request {
  const { flags, values, operands, issues } = scan(argv, SERVE_OPTIONS);
  if (flags.has('help')) return { kind: 'serve-help' };
  if (operands.length > 0) issues.push(`serve takes no files, but got ${operands.map(show).join(', ')}.`);
  if (issues.length > 0) throw new UsageError(issues);
  const settings = [...values].map(([name, value]) => [name.toUpperCase(), value] as const);
  return { kind: 'serve', settings: Object.fromEntries(settings) };
}

function readMcp(argv: readonly string[]): Request {
  const { flags, values, lists, operands, issues } = scan(argv, MCP_OPTIONS);
  if (flags.has('help')) return { kind: 'mcp-help' };
  if (operands.length > 0)
    issues.push(`mcp takes no files, but got ${operands.map(show).join(', ')}; name folders with --root.`);
  issues.push(...payingIssues(values));
  const remote = values.get('remote');
  const target = remote === undefined ? undefined : readTarget(remote, values, issues);
  if (issues.length > 0) throw new UsageError(issues);
  return { kind: 'mcp', roots: lists.get('root') ?? [], target };
}

function readDoctor(argv: readonly string[]): Request {
  const { flags, values, operands, issues } = scan(argv, DOCTOR_OPTIONS);
  if (flags.has('help')) return { kind: 'doctor-help' };
  if (operands.length > 0) issues.push(`doctor takes no files, but got ${operands.map(show).join(', ')}.`);
  const remote = values.get('remote');
  const request: Request = {
    kind: 'doctor',
    remote: remote === undefined ? undefined : readAddress('remote', remote, issues),
    embedder: readEmbedderName(values.get('embedder'), issues),
  };
  if (issues.length > 0) throw new UsageError(issues);
  return request;
}

function readChunk(argv: readonly string[]): Request {
  const words = scan(argv, CHUNK_OPTIONS);
  const requested = (['help', 'version', 'list'] as const).find((name) => words.flags.has(name));
  if (requested !== undefined) return { kind: requested };
  const issues = [...words.issues, ...combinationIssues(words)];
  const { values, flags, operands } = words;
  const request: ChunkFilesRequest = {
    kind: 'chunk',
    operands,
    chunking: values.has('remote') ? readRemoteChunking(words, issues) : readLocalChunking(words, issues),
    ...readRecords(words, issues),
    layout: LAYOUT_FLAGS.find((name) => flags.has(name)) ?? (values.get('format') === TEXT ? TEXT : 'jsonl'),
    out: values.get('out'),
    force: flags.has('force'),
    stdinName: values.get('name'),
    contentType: readCharset(values.get('charset'), issues),
    ocr: readOcr(words, issues),
    concurrency: readCount('concurrency', words, issues) ?? DEFAULT_CONCURRENCY,
    workers: readCount('workers', words, issues),
    timeoutMs: readTimeout(words, issues),
    quiet: flags.has('quiet'),
    asksPassword: flags.has('password'),
  };
  if (operands.length === 0) issues.push('Name a file, a folder, a pattern, or - for standard input.');
  if (issues.length > 0) throw new UsageError(issues);
  return request;
}

function combinationIssues({ flags, values, operands }: Words): string[] {
  const issues: string[] = [];
  const layouts = LAYOUT_FLAGS.filter((name) => flags.has(name)).map((name) => `--${name}`);
  if (values.get('format') === TEXT) layouts.push(`--format ${TEXT}`);
  if (layouts.length > 1) issues.push(`Only one of ${layouts.join(', ')} can be had at a time.`);
  for (const name of ['view', 'html', 'html-pages'].filter((flag) => flags.has(flag))) {
    if (values.has('format') && values.get('format') !== TEXT)
      issues.push(`--${name} shows the chunks and no records; leave out --format.`);
  }
  for (const name of ['view', 'dry-run'].filter((flag) => flags.has(flag) && values.has('out'))) {
    issues.push(`--${name} writes to the terminal; leave out --out.`);
  }
  for (const { name, needed, value } of unmetNeeds('cli', Object.fromEntries(values)))
    issues.push(`--${name} goes with --${needed} ${value}.`);
  if (flags.has('force') && !values.has('out')) issues.push('--force goes with --out.');
  // `grainline "$FILE"` with no such variable; as a path it would be the whole working folder.
  if (operands.includes('')) issues.push('A file has an empty name; name the working folder with a dot.');
  issues.push(...payingIssues(values));
  if (values.has('name') && !operands.includes('-')) issues.push('--name goes with -, standard input.');
  return issues;
}

function payingIssues(values: Words['values']): string[] {
  return Object.keys(PAYING_OPTIONS)
    .filter((name) => values.has(name))
    .map((name) => [name, name === 'keypair' ? 'remote' : 'keypair'] as const)
    .filter(([, needed]) => !values.has(needed))
    .map(([name, needed]) => `--${name} goes with --${needed}.`);
}

/** Options that only local chunking supports. */
const LOCAL_OPTIONS = ['kind', 'embedder', 'ocr', 'timeout', 'view', 'html', 'html-pages'] as const;

/** Only the service knows its tiers and limits, so it checks its options itself. */
function readRemoteChunking(words: Words, issues: string[]): RemoteChunking {
  const { values, flags } = words;
  for (const name of LOCAL_OPTIONS.filter((option) => values.has(option) || flags.has(option)))
    issues.push(`--${name} does not go with --remote.`);
  const shape = values.get('format');
  const tier = values.get('tier') ?? DEFAULT_TIER;
  if (!/^[a-z][a-z0-9-]*$/.test(tier))
    issues.push(`--tier must be the name of a tier, but is ${show(tier)}.`);
  return {
    ...readTarget(values.get('remote') ?? '', values, issues),
    tier,
    options: readServiceOptions(words, shape === TEXT ? undefined : shape, issues),
    dryRun: flags.has('dry-run'),
  };
}

/**
 * The options under the names of the service's client. The service has bounds of its own and checks the values;
 * patterns are the same everywhere.
 */
function readServiceOptions(
  { values, flags }: Words,
  format: string | undefined,
  issues: string[],
): RemoteChunking['options'] {
  const sent = optionsOf('cli').filter(({ key, entry }) => entry.names.wire !== undefined && key !== 'tier');
  const read = sent.map(({ key, name, entry }) => {
    const { type } = entry;
    const issue = patternIssue(name, values.get(name), entry);
    if (issue !== undefined) issues.push(issue);
    if (type === 'flag') return [key, flags.has(name) || undefined] as const;
    return [
      key,
      type === 'integer' || type === 'number' ? readNumber(values.get(name)) : values.get(name),
    ] as const;
  });
  return Object.fromEntries([...read, ['format', format]]);
}

function readTarget(remote: string, values: Words['values'], issues: string[]): ServiceTarget {
  return { remote: readAddress('remote', remote, issues), wallet: readWallet(values, issues) };
}

function readWallet(values: Words['values'], issues: string[]): WalletRequest | undefined {
  const keypair = values.get('keypair');
  const cost = values.get('max-cost');
  if (keypair === undefined) return undefined;
  if (cost === undefined) issues.push('--keypair needs --max-cost: the most that the run may pay, as 0.10.');
  const named = chosen('network', values.get('network'), Object.keys(NETWORKS), issues);
  const network = (named ?? 'solana-mainnet') as NetworkName;
  const rpcUrl = readAddress('rpc', values.get('rpc') ?? NETWORKS[network], issues);
  return { keypair, maxCost: readMicroUsdc(cost ?? '0', issues), network, rpcUrl };
}

/** `0.10` → 100000n. The digits are read as text, because a fraction is not exact as a number. */
function readMicroUsdc(text: string, issues: string[]): bigint {
  const [, whole = '', part = ''] = /^(\d{1,9})(?:\.(\d{1,6}))?$/.exec(text) ?? [];
  if (whole === '')
    issues.push(`--max-cost must be an amount of USDC with at most six decimals, but is ${show(text)}.`);
  return BigInt(whole + part.padEnd(USDC_DECIMALS, '0'));
}

function readAddress(option: string, text: string, issues: string[]): string {
  const isHttp = URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
  // The address stays out of the message: that of a node may hold its key.
  if (!isHttp) issues.push(`--${option} must be an address that begins with http:// or https://.`);
  return text.replace(/\/+$/, '');
}

type RecordPart = Pick<ChunkFilesRequest, 'format' | 'names' | 'documentId'>;

function readRecords({ values }: Words, issues: string[]): RecordPart {
  const word = values.get('format');
  const layout = LAYOUT_FLAGS.find((name) => name === word);
  if (layout !== undefined) issues.push(`--format ${layout} is an option of its own: --${layout}.`);
  const named = (layout === undefined ? chosen('format', word, FORMAT_NAMES, issues) : undefined) ?? 'raw';
  // The text layout prints no record. `raw` takes the options of every format.
  const format = named === TEXT ? 'raw' : (named as FormatId);
  const documentId = values.get('document-id');
  const collection = values.get('collection');
  const textField = values.get('text-field');
  const names = { collection, textField };
  collectIssues(issues, () => checkRecordOptions(format, { documentId: documentId ?? '-', ...names }));
  return { format, names, documentId };
}
