// The words after `grainline load` and `grainline search` → requests.
import { UsageError } from '../errors.ts';
import { readLocalChunking } from './chunking.ts';
import { readCharset } from './charset.ts';
import { LOAD_OPTIONS, SEARCH_OPTIONS } from './options.ts';
import { type Request, SEARCH_MODES, type SearchMode } from './request.ts';
import { chosen, readCount, readEmbedderName, readNumber, readOcr, readTimeout } from './values.ts';
import { scan, show, type Words } from './words.ts';

/** Most results of a search, which the databases have in common. */
const MOST_RESULTS = 1000;

/** Reads the arguments behind `load`. @throws UsageError with every issue */
export function readLoad(argv: readonly string[]): Request {
  const words = scan(argv, LOAD_OPTIONS);
  const { flags, values, operands, issues } = words;
  if (flags.has('help')) return { kind: 'load-help' };
  if (operands.length === 0)
    issues.push('Name the documents: files, folders, patterns, links, sitemaps or s3://bucket/prefix.');
  if (operands.includes('')) issues.push('A source has an empty name; name the working folder with a dot.');
  if (operands.includes('-')) issues.push('Standard input has no name that a later load could know it by.');
  const tier = values.get('tier');
  if (tier === 'ai' || tier === 'ai-pro')
    issues.push(
      `--tier ${tier} makes other chunks with each run; load takes the tiers without a language model.`,
    );
  const request: Request = {
    kind: 'load',
    operands,
    to: readStore('to', words),
    chunking: readLocalChunking(without(words, ['embedder', 'blend']), issues),
    contentType: readCharset(values.get('charset'), issues),
    embedder: readEmbedderName(values.get('embedder'), issues),
    blend: readAmount('blend', words, 1),
    prune: values.get('prune') === 'all' ? 'all' : flags.has('prune') ? 'few' : 'keep',
    cache: values.get('cache'),
    keepVersion: flags.has('keep-version'),
    dryRun: flags.has('dry-run'),
    price: readAmount('price', words, 1e6),
    ocr: readOcr(words, issues),
    asksPassword: flags.has('password'),
    watch: flags.has('watch'),
    workers: readCount('workers', words, issues),
    timeoutMs: readTimeout(words, issues),
    credentials: values.get('credentials'),
    quiet: flags.has('quiet'),
  };
  if (request.watch && request.dryRun) issues.push('--dry-run ends with its plan; leave out --watch.');
  if (values.has('price') && !request.dryRun) issues.push('--price goes with --dry-run.');
  if (issues.length > 0) throw new UsageError(issues);
  return request;
}

/** Reads the arguments behind `search`. @throws UsageError with every issue */
export function readSearch(argv: readonly string[]): Request {
  const words = scan(argv, SEARCH_OPTIONS);
  const { flags, values, operands, issues } = words;
  if (flags.has('help')) return { kind: 'search-help' };
  if (operands.length !== 1 || operands[0]?.trim() === '')
    issues.push('Give one question, in quotes: grainline search --from URL "When is high water?".');
  const by = chosen('by', values.get('by'), SEARCH_MODES, issues) ?? 'both';
  const request: Request = {
    kind: 'search',
    from: readStore('from', words),
    question: operands[0] ?? '',
    by: by as SearchMode,
    top: readCount('top', words, issues, { most: MOST_RESULTS }) ?? 10,
    embedder: readEmbedderName(values.get('embedder'), issues),
    layout: flags.has('json') ? 'json' : 'text',
    credentials: values.get('credentials'),
    quiet: flags.has('quiet'),
  };
  if (issues.length > 0) throw new UsageError(issues);
  return request;
}

/** The address of a store, which may hold a password and so stays out of messages. The store's package checks it. */
function readStore(option: 'to' | 'from', { values, issues }: Words): string {
  const url = values.get(option);
  if (url === undefined)
    issues.push(
      `Name the database with --${option}: --${option} postgres://localhost/docs, or lancedb:./folder.`,
    );
  return url ?? '';
}

function readAmount(name: string, { values, issues }: Words, most: number): number | undefined {
  const text = values.get(name);
  const amount = readNumber(text);
  if (typeof amount === 'number' && amount >= 0 && amount <= most) return amount;
  if (text !== undefined) issues.push(`--${name} must be a number from 0 to ${most}, but is ${show(text)}.`);
  return undefined;
}

function without(words: Words, names: readonly string[]): Words {
  return { ...words, values: new Map([...words.values].filter(([name]) => !names.includes(name))) };
}
