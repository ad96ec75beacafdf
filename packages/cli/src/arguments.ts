// The words after `grainline`, in; what is asked, out. One table of options (options.ts) is the source of the parsing
// (words.ts), of the faults and of the help. Everything is checked here, before a file is touched, and all faults come
// together.
import {
  checkChunkOptions,
  ChunkError,
  DEFAULT_SIZE,
  type TextKind,
  type TierId,
  TIERS,
} from '@grainline/core';
import { checkRecordOptions, FORMATS, type FormatId } from '@grainline/core/formats';
import type { EncodingName } from '@grainline/models/tokens';
import { CHARSET_RULE, charsetType } from './charset.ts';
import { UsageError } from './errors.ts';
import { serviceFields } from './fields.ts';
import type { LayoutId } from './layouts.ts';
import { type EmbedderName, ENCODINGS } from './models.ts';
import { CHUNK_OPTIONS, DOCTOR_OPTIONS, MCP_OPTIONS, PAYING_OPTIONS, SERVE_OPTIONS } from './options.ts';
import {
  type ChunkRequest,
  type Cutting,
  type NetworkName,
  NETWORKS,
  type RemoteCutting,
  type Request,
  type ServicePlace,
  USDC_DECIMALS,
  type WalletRequest,
} from './request.ts';
import { suggestion } from './spelling.ts';
import { scan, show, type Words } from './words.ts';

/**
 * The most files that are worked on at once; each may hold its document in memory several times. One thread does the
 * work, so more than one only bridges the waits for a slow disk.
 */
const MAX_CONCURRENCY = 64;

/** Nobody pays here, so that the default is what the project exists for. */
const DEFAULT_TIER: TierId = 'structure';
const UNITS = ['characters', 'tokens'] as const;
const KINDS = ['markdown', 'text', 'code', 'csv'] as const satisfies readonly TextKind[];
const DEFAULT_CONCURRENCY = 2;
/** The layouts that are chosen by an option of their own; `text` is chosen as a format. */
const LAYOUT_FLAGS = ['jsonl', 'json', 'view', 'html', 'dry-run'] as const satisfies readonly LayoutId[];
const TEXT = 'text';

/** Every value of `--format`. */
export const FORMAT_NAMES: readonly string[] = [...Object.keys(FORMATS), TEXT];

/**
 * Reads the arguments.
 *
 * @throws UsageError with every fault.
 */
export function readArguments(argv: readonly string[]): Request {
  if (argv[0] === 'doctor') return readDoctor(argv.slice(1));
  if (argv[0] === 'mcp') return readMcp(argv.slice(1));
  return argv[0] === 'serve' ? readServe(argv.slice(1)) : readChunk(argv);
}

function readServe(argv: readonly string[]): Request {
  const { flags, values, operands, faults } = scan(argv, SERVE_OPTIONS);
  if (flags.has('help')) return { kind: 'serve-help' };
  if (operands.length > 0) faults.push(`serve takes no files, but got ${operands.map(show).join(', ')}.`);
  if (faults.length > 0) throw new UsageError(faults);
  const settings = [...values].map(([name, value]) => [name.toUpperCase(), value] as const);
  return { kind: 'serve', settings: Object.fromEntries(settings) };
}

function readMcp(argv: readonly string[]): Request {
  const { flags, values, lists, operands, faults } = scan(argv, MCP_OPTIONS);
  if (flags.has('help')) return { kind: 'mcp-help' };
  if (operands.length > 0)
    faults.push(`mcp takes no files, but got ${operands.map(show).join(', ')}; name folders with --root.`);
  faults.push(...payingFaults(values));
  const remote = values.get('remote');
  const place = remote === undefined ? undefined : readPlace(remote, values, faults);
  if (faults.length > 0) throw new UsageError(faults);
  return { kind: 'mcp', roots: lists.get('root') ?? [], place };
}

function readDoctor(argv: readonly string[]): Request {
  const { flags, operands, faults } = scan(argv, DOCTOR_OPTIONS);
  if (flags.has('help')) return { kind: 'doctor-help' };
  if (operands.length > 0) faults.push(`doctor takes no files, but got ${operands.map(show).join(', ')}.`);
  if (faults.length > 0) throw new UsageError(faults);
  return { kind: 'doctor' };
}

function readChunk(argv: readonly string[]): Request {
  const words = scan(argv, CHUNK_OPTIONS);
  const asked = (['help', 'version', 'list'] as const).find((name) => words.flags.has(name));
  if (asked !== undefined) return { kind: asked };
  const faults = [...words.faults, ...combinationFaults(words)];
  const { values, flags, operands } = words;
  const request: ChunkRequest = {
    kind: 'chunk',
    operands,
    cutting: values.has('remote') ? readRemote(words, faults) : readCutting(words, faults),
    ...readRecords(words, faults),
    layout: LAYOUT_FLAGS.find((name) => flags.has(name)) ?? (values.get('format') === TEXT ? TEXT : 'jsonl'),
    out: values.get('out'),
    force: flags.has('force'),
    stdinName: values.get('name'),
    contentType: readCharset(values.get('charset'), faults),
    concurrency: readConcurrency(words, faults),
    quiet: flags.has('quiet'),
  };
  if (operands.length === 0) faults.push('Name a file, a folder, a pattern, or - for standard input.');
  if (faults.length > 0) throw new UsageError(faults);
  return request;
}

function readCharset(label: string | undefined, faults: string[]): string | undefined {
  const contentType = label === undefined ? undefined : charsetType(label);
  if (label !== undefined && contentType === undefined)
    faults.push(`--charset ${CHARSET_RULE}, but is ${show(label)}.`);
  return contentType;
}

function combinationFaults({ flags, values, operands }: Words): string[] {
  const faults: string[] = [];
  const layouts = LAYOUT_FLAGS.filter((name) => flags.has(name)).map((name) => `--${name}`);
  if (values.get('format') === TEXT) layouts.push(`--format ${TEXT}`);
  if (layouts.length > 1) faults.push(`Only one of ${layouts.join(', ')} can be had at a time.`);
  for (const name of ['view', 'html'].filter((flag) => flags.has(flag))) {
    if (values.has('format') && values.get('format') !== TEXT)
      faults.push(`--${name} shows the chunks and no records; leave out --format.`);
  }
  for (const name of ['view', 'dry-run'].filter((flag) => flags.has(flag) && values.has('out'))) {
    faults.push(`--${name} writes to the terminal; leave out --out.`);
  }
  if (values.has('encoding') && values.get('unit') !== 'tokens')
    faults.push('--encoding goes with --unit tokens.');
  if (flags.has('force') && !values.has('out')) faults.push('--force goes with --out.');
  // `grainline "$FILE"` with no such variable; as a path it would be the whole working folder.
  if (operands.includes('')) faults.push('A file has an empty name; name the working folder with a dot.');
  faults.push(...payingFaults(values));
  if (values.has('name') && !operands.includes('-')) faults.push('--name goes with -, standard input.');
  return faults;
}

function payingFaults(values: Words['values']): string[] {
  return Object.keys(PAYING_OPTIONS)
    .filter((name) => values.has(name))
    .map((name) => [name, name === 'keypair' ? 'remote' : 'keypair'] as const)
    .filter(([, needed]) => !values.has(needed))
    .map(([name, needed]) => `--${name} goes with --${needed}.`);
}

/** Options that only what cuts here can follow. */
const LOCAL_OPTIONS = ['kind', 'embedder', 'view', 'html'] as const;

/** The service checks its options itself; which tiers and limits it has is not known here. */
function readRemote(words: Words, faults: string[]): RemoteCutting {
  const { values, flags } = words;
  for (const name of LOCAL_OPTIONS.filter((option) => values.has(option) || flags.has(option)))
    faults.push(`--${name} does not go with --remote.`);
  const shape = values.get('format');
  const given = { ...Object.fromEntries(values), format: shape === TEXT ? undefined : shape };
  const tier = values.get('tier') ?? DEFAULT_TIER;
  if (!/^[a-z][a-z0-9-]*$/.test(tier))
    faults.push(`--tier must be the name of a tier, but is ${show(tier)}.`);
  return {
    ...readPlace(values.get('remote') ?? '', values, faults),
    tier,
    fields: { ...serviceFields(given), ...(flags.has('embeddings') ? { embeddings: 'true' } : {}) },
    dryRun: flags.has('dry-run') ? readDryRun(words, tier, faults) : undefined,
  };
}

/** Tiers of services whose cuts are the same here; for others, structure is close enough to count by. */
const SAME_HERE: ReadonlyMap<string, TierId> = new Map([
  ['demo', 'free'],
  ['free', 'free'],
  ['standard', 'standard'],
  ['professional', 'professional'],
]);

function readDryRun({ values, ...words }: Words, tier: string, faults: string[]): Cutting {
  const counted = SAME_HERE.get(tier) ?? DEFAULT_TIER;
  const flags = new Set([...words.flags].filter((name) => name !== 'embeddings'));
  return readCutting({ ...words, flags, values: new Map([...values, ['tier', counted]]) }, faults);
}

function readPlace(remote: string, values: Words['values'], faults: string[]): ServicePlace {
  return { remote: readAddress('remote', remote, faults), wallet: readWallet(values, faults) };
}

function readWallet(values: Words['values'], faults: string[]): WalletRequest | undefined {
  const keypair = values.get('keypair');
  const cost = values.get('max-cost');
  if (keypair === undefined) return undefined;
  if (cost === undefined) faults.push('--keypair needs --max-cost: the most that the run may pay, as 0.10.');
  const named = chosen('network', values.get('network'), Object.keys(NETWORKS), faults);
  const network = (named ?? 'solana-mainnet') as NetworkName;
  const rpcUrl = readAddress('rpc', values.get('rpc') ?? NETWORKS[network], faults);
  return { keypair, maxCost: readMicroUsdc(cost ?? '0', faults), network, rpcUrl };
}

/** `0.10` → 100000n: digit by digit, because a fraction is not exact as a number. */
function readMicroUsdc(text: string, faults: string[]): bigint {
  const [, whole = '', part = ''] = /^(\d{1,9})(?:\.(\d{1,6}))?$/.exec(text) ?? [];
  if (whole === '')
    faults.push(`--max-cost must be an amount of USDC with at most six decimals, but is ${show(text)}.`);
  return BigInt(whole + part.padEnd(USDC_DECIMALS, '0'));
}

function readAddress(option: string, text: string, faults: string[]): string {
  const isHttp = URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
  // Not shown: the address of a node may hold the key to it.
  if (!isHttp) faults.push(`--${option} must be an address that begins with http:// or https://.`);
  return text.replace(/\/+$/, '');
}

/** Core's own checks decide; cutting nothing is how one asks it. */
function readCutting({ values, flags }: Words, faults: string[]): Cutting {
  const named = chosen('tier', values.get('tier'), Object.keys(TIERS), faults) ?? DEFAULT_TIER;
  const tier = named as TierId;
  const kind = chosen('kind', values.get('kind'), KINDS, faults) as TextKind | undefined;
  const unit = chosen('unit', values.get('unit'), UNITS, faults);
  const encodingName = chosen('encoding', values.get('encoding'), ENCODINGS, faults) ?? ENCODINGS[0];
  const numbers = ['size', 'overlap', 'target', 'min'].filter((name) => values.has(name));
  const given: Readonly<Record<string, unknown>> = {
    tier,
    // The library's own, but by name: the options are checked before there is a counter that would tell it.
    ...(unit === 'tokens' ? { size: DEFAULT_SIZE.tokens } : {}),
    ...Object.fromEntries(numbers.map((name) => [name, readNumber(values.get(name))])),
    ...(values.has('context') ? { context: values.get('context') } : {}),
    ...(flags.has('embeddings') ? { embeddings: true } : {}),
  };
  const { options: ofTier } = TIERS[tier];
  const others = OPTIONS_OF_TIERS.filter((name) => name in given && !ofTier.includes(name));
  for (const name of others) faults.push(`--${name} ${goesWith(name)}, not ${tier}.`);
  const options = Object.fromEntries(Object.entries(given).filter(([name]) => !others.includes(name)));
  collectFaults(faults, () => {
    checkChunkOptions(options);
  });
  return {
    // A wrong value is among the faults, which the caller throws.
    options: { ...options, tier },
    encoding: unit === 'tokens' ? (encodingName as EncodingName) : undefined,
    kind,
    embedder: readEmbedder(values.get('embedder'), tier, faults),
  };
}

function readEmbedder(name: string | undefined, tier: TierId, faults: string[]): EmbedderName | undefined {
  if (name === undefined) return undefined;
  if (!TIERS[tier].options.includes('embed')) faults.push(`--embedder ${goesWith('embed')}, not ${tier}.`);
  if (/^(?:openai|transformers):[^\s:].*$/.test(name)) return name as EmbedderName;
  if (name !== 'builtin')
    faults.push(`--embedder must be builtin, openai:MODEL or transformers:MODEL, but is ${show(name)}.`);
  return undefined;
}

/** Options that not every tier takes. */
const OPTIONS_OF_TIERS: readonly string[] = ['target', 'min', 'context', 'embeddings'];

function goesWith(option: string): string {
  const takers = Object.values(TIERS).filter(({ options }) => options.includes(option));
  return takers.length === 0
    ? 'is an option of no tier here'
    : `goes with --tier ${takers.map(({ id }) => id).join(', ')}`;
}

type RecordPart = Pick<ChunkRequest, 'format' | 'names' | 'documentId'>;

function readRecords({ values }: Words, faults: string[]): RecordPart {
  const named = chosen('format', values.get('format'), FORMAT_NAMES, faults) ?? 'raw';
  // The text layout prints no record; raw takes the options that every format takes.
  const format = named === TEXT ? 'raw' : (named as FormatId);
  const documentId = values.get('document-id');
  const collection = values.get('collection');
  const textField = values.get('text-field');
  const names = {
    ...(collection === undefined ? {} : { collection }),
    ...(textField === undefined ? {} : { textField }),
  };
  collectFaults(faults, () => checkRecordOptions(format, { documentId: documentId ?? '-', ...names }));
  return { format, names, documentId };
}

function readConcurrency({ values }: Words, faults: string[]): number {
  const text = values.get('concurrency') ?? String(DEFAULT_CONCURRENCY);
  const count = readNumber(text);
  if (typeof count === 'number' && Number.isInteger(count) && count >= 1 && count <= MAX_CONCURRENCY)
    return count;
  faults.push(`--concurrency must be an integer from 1 to ${MAX_CONCURRENCY}, but is ${show(text)}.`);
  return DEFAULT_CONCURRENCY;
}

/** A choice from a list; undefined when none was made or when it is not in the list. */
function chosen(
  option: string,
  word: string | undefined,
  list: readonly string[],
  faults: string[],
): string | undefined {
  if (word === undefined || list.includes(word)) return word;
  faults.push(
    `--${option} must be one of ${list.join(', ')}, but is ${show(word)}.${suggestion(word, list)}`,
  );
  return undefined;
}

/** A number as people write it; any other text as it is, for the check to complain of. */
function readNumber(text: string | undefined): unknown {
  return text !== undefined && /^[+-]?\d+(\.\d+)?$/.test(text) ? Number(text) : text;
}

/** Runs a check of core and renames the options in its faults to ours: `documentId` → `--document-id`. */
function collectFaults(faults: string[], check: () => unknown): void {
  try {
    check();
  } catch (error) {
    if (!(error instanceof ChunkError) || error.code !== 'invalid_options') throw error;
    for (const { option, expected, received } of error.faults) {
      const name = option.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
      faults.push(`--${name} must be ${expected}, but is ${received}.`);
    }
  }
}
