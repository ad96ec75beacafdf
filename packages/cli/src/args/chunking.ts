// The options of chunking on this machine, checked by core.
import { checkChunkOptions, DEFAULT_SIZE, DEFAULT_TIER, type TierId } from '@grainline/core';
import {
  OPTIONS,
  optionsOf,
  type OptionEntry,
  type OptionValues,
  pickOptions,
  takesText,
} from '@grainline/core/options';
import { readCharset } from './charset.ts';
import { READING_OPTIONS } from './options.ts';
import type { EmbedderName, LocalChunking, ReadingRequest } from './request.ts';
import { chosen, collectIssues, readEmbedderName, readNumber, readOcr, readTimeout } from './values.ts';
import { show, type Words } from './words.ts';

/** Core checks the options; `checkChunkOptions` checks them without a document. */
export function readLocalChunking(words: Words, issues: string[]): LocalChunking {
  const {
    unit,
    encoding = OPTIONS.encoding.default,
    tier = DEFAULT_TIER,
    ...given
  } = readOptions(words, issues);
  const others = optionsOf('cli').filter(
    ({ key, entry }) => key in given && entry.tiers?.includes(tier) === false,
  );
  for (const { name, entry } of others) issues.push(`--${name} ${goesWith(entry.tiers)}, not ${tier}.`);
  const options = {
    // The library has the same default, but these options are checked without a counter, which selects it there.
    ...(unit === 'tokens' ? { size: DEFAULT_SIZE.tokens } : {}),
    ...pickOptions('library', given),
    ...Object.fromEntries(others.map(({ key }) => [key, undefined])),
    tier,
  };
  collectIssues(issues, () => {
    checkChunkOptions(options);
  });
  return {
    options,
    reading: pickOptions('extract', given),
    encoding: unit === 'tokens' ? encoding : undefined,
    embedder: readEmbedder(words.values.get('embedder'), tier, issues),
  };
}

/** The options of a command that reads documents and does not chunk them by one setting. */
export function readReading(words: Words, issues: string[]): ReadingRequest {
  return {
    reading: pickOptions('extract', readOptions(words, issues, READING_OPTIONS)),
    contentType: readCharset(words.values.get('charset'), issues),
    ocr: readOcr(words, issues),
    asksPassword: words.flags.has('password'),
    timeoutMs: readTimeout(words, issues),
  };
}

/**
 * The given options by their keys in core's table, without the format. A wrong choice is left out and becomes an issue;
 * a wrong number stays for core's check.
 */
function readOptions(
  { values, flags }: Words,
  issues: string[],
  options = optionsOf('cli').filter(({ key }) => key !== 'format'),
): OptionValues {
  const read = options.map(({ key, name, entry }) => {
    const { type, choices = [] } = entry;
    const word = values.get(name);
    const issue = patternIssue(name, word, entry);
    if (issue !== undefined) issues.push(issue);
    if (type === 'flag') return [key, flags.has(name) || undefined] as const;
    if (type === 'choice') return [key, chosen(name, word, choices, issues)] as const;
    return [key, type === 'integer' || type === 'number' ? readNumber(word) : word] as const;
  });
  return Object.fromEntries(read.filter(([, value]) => value !== undefined));
}

/** The issue of a text that breaks the pattern of its option. */
export function patternIssue(name: string, word: string | undefined, entry: OptionEntry): string | undefined {
  const { pattern } = entry;
  if (word === undefined || pattern === undefined || takesText(entry, word)) return undefined;
  return `--${name} must be ${pattern[1]}, but is ${show(word)}.`;
}

function readEmbedder(name: string | undefined, tier: TierId, issues: string[]): EmbedderName | undefined {
  if (name === undefined) return undefined;
  const { tiers } = OPTIONS.embed;
  if (!tiers.includes(tier)) issues.push(`--embedder ${goesWith(tiers)}, not ${tier}.`);
  return readEmbedderName(name, issues);
}

function goesWith(tiers: readonly TierId[] = []): string {
  return `goes with --tier ${tiers.join(', ')}`;
}
