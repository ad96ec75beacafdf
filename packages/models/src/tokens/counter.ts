// `@grainline/models/tokens`: exact token counts for core's port `TokenCounter`. The counter cuts a text into pieces
// and counts the tokens of each piece by merging, or takes them from a cache; sums up to every piece give the counts of
// ranges. It needs no network and no dependency, and loads a vocabulary at the first use of its encoding.
import type { MeasuredText, TokenCounter } from '@grainline/core';
import { writeUnits } from './characters.ts';
import { ModelError } from '../errors.ts';
import { measureText } from './measured-text.ts';
import { PieceCounts } from './piece-counts.ts';
import { cl100kPieceEnd, o200kPieceEnd, type PieceEnd } from './pieces.ts';
import { type PackedVocabulary, unpackVocabulary } from './vocabulary.ts';

export { ModelError, type ModelErrorCode } from '../errors.ts';
export { createTokenCounter } from './own-counter.ts';

interface Encoding {
  readonly pieceEnd: PieceEnd;
  readonly load: () => Promise<PackedVocabulary>;
}

const ENCODING_TABLE = {
  /** For GPT-4o, GPT-4.1, GPT-5 and the o series. */
  o200k: { pieceEnd: o200kPieceEnd, load: () => import('./data/o200k.ts') },
  /** For GPT-4, GPT-3.5, text-embedding-3 and text-embedding-ada-002. */
  cl100k: { pieceEnd: cl100kPieceEnd, load: () => import('./data/cl100k.ts') },
} satisfies Record<string, Encoding>;

/** Name of an encoding. */
export type EncodingName = keyof typeof ENCODING_TABLE;

/** The names of encodings that {@link tokenCounter} takes. */
export const ENCODINGS = Object.keys(ENCODING_TABLE) as readonly EncodingName[];

const loaded = new Map<EncodingName, Promise<TokenCounter>>();

/**
 * Loads the exact counter of an encoding. It counts as OpenAI's own tiktoken does, where strings that look like special
 * tokens are counted as ordinary text. The first call for a name unpacks its vocabulary; later calls share the counter.
 *
 * @throws ModelError `unknown_encoding`
 * @example
 * const counter = await tokenCounter('o200k');
 * counter.count('Hello, world!'); // 4
 */
export function tokenCounter(name: EncodingName): Promise<TokenCounter> {
  let counter = loaded.get(name);
  if (counter === undefined) {
    counter = createCounter(name);
    loaded.set(name, counter);
    // A vocabulary that could not be fetched now may be there the next time.
    counter.catch(() => loaded.delete(name));
  }
  return counter;
}

async function createCounter(name: EncodingName): Promise<TokenCounter> {
  if (!Object.hasOwn(ENCODING_TABLE, name)) {
    const names = ENCODINGS.join(', ');
    throw new ModelError(
      'unknown_encoding',
      `There is no encoding ${JSON.stringify(name)}; there are: ${names}.`,
    );
  }
  const { pieceEnd, load }: Encoding = ENCODING_TABLE[name];
  return new ExactCounter(name, new PieceCounts(pieceEnd, await unpackVocabulary(await load())));
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
