// Values of options: words → numbers, choices and names, with an issue for each that is wrong.
import { ChunkError } from '@grainline/core';
import { nameOn } from '@grainline/core/options';
import type { EmbedderName } from './request.ts';
import { suggestion } from './spelling.ts';
import { show, type Words } from './words.ts';

/** Most files in work at the same time; each may hold its document in memory several times. */
const MAX_AT_ONCE = 64;

export function readEmbedderName(name: string | undefined, issues: string[]): EmbedderName | undefined {
  if (name === undefined) return undefined;
  if (/^(?:openai|transformers):[^\s:].*$/.test(name)) return name as EmbedderName;
  if (name !== 'builtin')
    issues.push(`--embedder must be builtin, openai:MODEL or transformers:MODEL, but is ${show(name)}.`);
  return undefined;
}

/** Languages as Tesseract names them: `deu`, `chi_sim+eng`. */
const LANGUAGE = '[A-Za-z]{2,10}(?:_[A-Za-z]{1,10})*';
const LANGUAGES = new RegExp(`^${LANGUAGE}(?:\\+${LANGUAGE})*$`);

/** The languages of `--ocr`, English without any; undefined without the option. */
export function readOcr({ flags, values }: Words, issues: string[]): string | undefined {
  const languages = values.get('ocr') ?? (flags.has('ocr') ? 'eng' : undefined);
  if (languages !== undefined && !LANGUAGES.test(languages))
    issues.push(`--ocr must name languages, as --ocr=deu+eng does, but is ${show(languages)}.`);
  return languages;
}

/** An integer from 1 to `most`, by default as many as may be at work; undefined without the option, and for another. */
export function readCount(
  name: string,
  { values }: Words,
  issues: string[],
  { most = MAX_AT_ONCE, unit = '' }: { readonly most?: number; readonly unit?: string } = {},
): number | undefined {
  const text = values.get(name);
  const count = readNumber(text);
  if (typeof count === 'number' && Number.isInteger(count) && count >= 1 && count <= most) return count;
  if (text !== undefined)
    issues.push(`--${name} must be an integer from 1 to ${most}${unit}, but is ${show(text)}.`);
  return undefined;
}

/** The time that a page may take. The service gives it to a document. */
export const DEFAULT_TIMEOUT_MS = 60_000;
/** A day, in seconds. */
const MAX_TIMEOUT = 86_400;

/** The time that a page may take, in milliseconds; the default without the option, and for a wrong one. */
export function readTimeout(words: Words, issues: string[]): number {
  const seconds = readCount('timeout', words, issues, { most: MAX_TIMEOUT, unit: ', in seconds' });
  return seconds === undefined ? DEFAULT_TIMEOUT_MS : 1000 * seconds;
}

/** A choice from a list; undefined without one, and for a word outside the list. */
export function chosen(
  option: string,
  word: string | undefined,
  list: readonly string[],
  issues: string[],
): string | undefined {
  if (word === undefined || list.includes(word)) return word;
  issues.push(
    `--${option} must be one of ${list.join(', ')}, but is ${show(word)}.${suggestion(word, list)}`,
  );
  return undefined;
}

/** A number in decimal notation; any other text unchanged, so that the check reports it. */
export function readNumber(text: string | undefined): unknown {
  return text !== undefined && /^[+-]?\d+(\.\d+)?$/.test(text) ? Number(text) : text;
}

/** Runs a check of core and renames the options in its issues: `documentId` → `--document-id`. */
export function collectIssues(issues: string[], check: () => unknown): void {
  try {
    check();
  } catch (error) {
    if (!(error instanceof ChunkError) || error.code !== 'invalid_options') throw error;
    for (const { option, expected, received } of error.issues) {
      issues.push(`--${nameOn('cli', option)} must be ${expected}, but is ${received}.`);
    }
  }
}
