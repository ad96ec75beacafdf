// `@grainline/models/tokens`: exact token counts for core's port `TokenCounter`. The counter cuts a text into pieces
// and counts the tokens of each piece by merging, or takes them from a cache; sums up to every piece give the counts of
// ranges. It needs no network and no dependency, and loads a vocabulary at the first use of its encoding.
import type * as NodeModule from 'node:module';
import type { MeasuredText, TokenCounter } from '@grainline/core';
import { writeUnits } from './characters.ts';
import { ModelError } from '../errors.ts';
import { measureText } from './measured-text.ts';
import { PieceCounts } from './piece-counts.ts';
import { cl100kPieceEnd, o200kPieceEnd, type PieceEnd } from './pieces.ts';
import {
  type PackedVocabulary,
  unpackVocabulary,
  unpackVocabularyNow,
  type Vocabulary,
} from './vocabulary.ts';

export { ModelError, type ModelErrorCode } from '../errors.ts';
export { createTokenCounter } from './own-counter.ts';

interface Encoding {
  readonly pieceEnd: PieceEnd;
  /** Other names of the encoding, and the models that use it, as tiktoken's `model.py` lists them. */
  readonly names: RegExp;
  readonly load: () => Promise<PackedVocabulary>;
  /** The module that `load` imports, in the sources and in the build. */
  readonly files: readonly string[];
}

const ENCODING_TABLE = {
  /** For GPT-4o, GPT-4.1, GPT-5 and the o series. */
  o200k: {
    pieceEnd: o200kPieceEnd,
    names: /^o200k_base$|^(?:ft:)?(?:(?:chat)?gpt-4o|gpt-(?:4\.[15]|5|oss)|o[134])(?:$|[-.:])/,
    load: () => import('./data/o200k.ts'),
    files: ['./data/o200k.ts', './o200k.js'],
  },
  /** For GPT-4, GPT-3.5, text-embedding-3 and text-embedding-ada-002. */
  cl100k: {
    pieceEnd: cl100kPieceEnd,
    names:
      /^cl100k_base$|^(?:ft:)?(?:gpt-4|gpt-3\.?5(?:-turbo)?|davinci-002|babbage-002)(?:$|[-:])|^text-embedding-(?:3-(?:small|large)|ada-002)$/,
    load: () => import('./data/cl100k.ts'),
    files: ['./data/cl100k.ts', './cl100k.js'],
  },
} satisfies Record<string, Encoding>;

/** Name of an encoding. */
export type EncodingName = keyof typeof ENCODING_TABLE;

/** The names of encodings that {@link tokenCounter} takes. */
export const ENCODINGS = Object.keys(ENCODING_TABLE) as readonly EncodingName[];

/** Name of an encoding, its name in tiktoken, or the name of a model of OpenAI's. */
export type TokenizerName =
  | EncodingName
  | `${EncodingName}_base`
  | 'gpt-4o'
  | 'gpt-4o-mini'
  | 'gpt-4.1'
  | 'gpt-5'
  | 'text-embedding-3-small'
  | 'text-embedding-3-large'
  | `${'gpt-' | 'chatgpt-' | 'ft:gpt-' | 'o1' | 'o3' | 'o4' | 'text-embedding-'}${string}`;

const loading = new Map<EncodingName, Promise<TokenCounter>>();
const loaded = new Map<EncodingName, TokenCounter>();

/**
 * Loads the exact counter of an encoding or a model. It counts as OpenAI's own tiktoken does, where strings that look
 * like special tokens are counted as ordinary text. The first call for an encoding unpacks its vocabulary; later calls
 * share the counter.
 *
 * Rejects with a ModelError `unknown_encoding`.
 *
 * @example
 * const counter = await tokenCounter('gpt-4o'); // or 'o200k', 'o200k_base'
 * counter.count('Hello, world!'); // 4
 */
export async function tokenCounter(name: TokenizerName): Promise<TokenCounter> {
  const encoding = encodingOf(name);
  const counter = loading.get(encoding) ?? createCounter(encoding);
  loading.set(encoding, counter);
  // A vocabulary that could not be fetched now may be there the next time.
  counter.catch(() => loading.delete(encoding));
  return counter;
}

/**
 * Loads the counter that {@link tokenCounter} gives without a promise. Only Node can load a module so; in browsers and
 * bundles it returns undefined unless `tokenCounter` has loaded the encoding before.
 *
 * @throws ModelError `unknown_encoding`
 */
export function tokenCounterSync(name: TokenizerName): TokenCounter | undefined {
  const encoding = encodingOf(name);
  const known = loaded.get(encoding);
  if (known !== undefined) return known;
  const packed = requireOne(ENCODING_TABLE[encoding].files);
  const vocabulary = packed && unpackVocabularyNow(packed);
  return vocabulary && keep(encoding, vocabulary);
}

/** @throws ModelError `unknown_encoding` */
function encodingOf(name: string): EncodingName {
  const found = ENCODINGS.find((id) => id === name || ENCODING_TABLE[id].names.test(name));
  if (found !== undefined) return found;
  const names = `${ENCODINGS.flatMap((id) => [id, `${id}_base`]).join(', ')}, and the models of OpenAI that use them`;
  throw new ModelError(
    'unknown_encoding',
    `There is no encoding ${JSON.stringify(name)}; there are: ${names}. For another tokenizer see createTokenCounter.`,
  );
}

async function createCounter(name: EncodingName): Promise<TokenCounter> {
  const { load } = ENCODING_TABLE[name];
  const vocabulary = await unpackVocabulary(await load());
  return loaded.get(name) ?? keep(name, vocabulary);
}

function keep(name: EncodingName, vocabulary: Vocabulary): TokenCounter {
  const counter = new ExactCounter(name, new PieceCounts(ENCODING_TABLE[name].pieceEnd, vocabulary));
  loaded.set(name, counter);
  return counter;
}

/** The used part of Node. It is not imported, because bundlers for browsers would search for it. */
interface NodeProcess {
  readonly getBuiltinModule?: (name: string) => unknown;
}

/** Loads the first of some modules that is there; undefined outside of Node, and where there is none. */
function requireOne(files: readonly string[]): PackedVocabulary | undefined {
  const { process } = globalThis as { readonly process?: NodeProcess };
  const module = process?.getBuiltinModule?.('node:module') as typeof NodeModule | undefined;
  if (module === undefined) return undefined;
  const require = module.createRequire(import.meta.url);
  for (const file of files) {
    try {
      return require(file) as PackedVocabulary;
    } catch {
      // The other file is there, or none, as in a bundle.
    }
  }
  return undefined;
}

class ExactCounter implements TokenCounter {
  readonly name: EncodingName;
  readonly #counts: PieceCounts;

  constructor(name: EncodingName, counts: PieceCounts) {
    this.name = name;
    this.#counts = counts;
  }

  count(text: string): number {
    const end = lengthOf(text);
    const units = end <= KEPT_UNITS ? keptUnits : new Int32Array(end);
    writeUnits(text, units);
    return this.#counts.count(units, end);
  }

  measure(text: string): MeasuredText {
    const units = new Int32Array(lengthOf(text));
    writeUnits(text, units);
    return measureText(text, units, this.#counts);
  }
}

/**
 * Size of the shared buffer, which fits the units of most texts; a longer text gets a buffer of its own for one call.
 */
const KEPT_UNITS = 2 ** 16;
const keptUnits = new Int32Array(KEPT_UNITS);

function lengthOf(text: unknown): number {
  if (typeof text === 'string') return text.length;
  throw new ModelError(
    'not_a_string',
    `Only a string has tokens, not ${text === null ? 'null' : typeof text}.`,
  );
}
