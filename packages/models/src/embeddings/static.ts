// The built-in embedder: a table with one vector for each word piece, distilled from all-MiniLM-L6-v2
// (scripts/distil.mjs). The vector of a text is the sum over its pieces, weighted by the logarithm of their count, and
// figures less, so it ignores order and negation, and covers English only. Its similarities of neighbouring sentences
// correlate with the model's at 0.87; it is thousands of times cheaper and needs no network, native code or dependency.
import type { Embed } from '@grainline/core';
import { unpack } from '../packed.ts';
import { ModelError } from '../errors.ts';

/** The embedder once it is loaded, shared by all callers. */
let loaded: Promise<Embed> | undefined;

/**
 * Loads the built-in embedder. The first call loads its table (3.8 MB of JavaScript, some 50 ms in Node); later calls
 * share it. Equal texts have equal vectors on every machine. It is made for finding topics in English text. Unknown
 * text, such as other scripts, is unlike all other text, so cuts then follow the structure of the text.
 *
 * @throws ModelError `damaged_table`
 * @example
 * const chunks = await chunk(transcript, { tier: 'semantic', embed: await staticEmbedder() });
 */
export function staticEmbedder(): Promise<Embed> {
  loaded ??= load().catch((error: unknown) => {
    // A module that could not be fetched now may be there the next time.
    loaded = undefined;
    throw error;
  });
  return loaded;
}

async function load(): Promise<Embed> {
  const { MODEL, PIECES, DIMENSIONS, STEP_BASE, PACKED } = await import('./data/static.ts');
  const { WordPieces } = await import('./word-pieces.ts');
  const bytes = await unpack(PACKED).catch((cause: unknown) => {
    throw new ModelError('damaged_table', 'The table of the built-in embedder is damaged.', { cause });
  });
  const namesEnd = bytes.length - PIECES * (2 + DIMENSIONS);
  const names = new TextDecoder().decode(bytes.subarray(0, Math.max(0, namesEnd)));
  const pieces = (names.endsWith('\0') ? names.slice(0, -1) : names).split('\n');
  if (pieces.length !== PIECES)
    throw new ModelError('damaged_table', `The table has ${pieces.length} word pieces, not ${PIECES}.`);
  const exponents = new Uint16Array(bytes.buffer, bytes.byteOffset + namesEnd, PIECES);
  const rows = new Int8Array(bytes.buffer, bytes.byteOffset + namesEnd + 2 * PIECES, PIECES * DIMENSIONS);
  const wordPieces = new WordPieces(pieces);
  /** 1 for a piece of a figure: digits, from the beginning of a word or behind others. */
  const isFigure = Uint8Array.from(pieces, (piece) => (FIGURE.test(piece) ? 1 : 0));
  /** Counts of the pieces of one text; all 0 between texts. */
  const counts = new Uint32Array(PIECES);
  /**
   * The sum over the text's pieces. A piece weighs `1 + ln(count)`, because a table's rules, a bracket or a name that
   * stands in every line would outweigh all other words. Different pieces of figures weigh together as much as the
   * square root of their number, because the cells of a table would outweigh its words. A text without pieces (blanks
   * or controls alone) gets a direction of its own.
   */
  const vectorOf = (text: string): Float32Array => {
    const sum = new Float32Array(DIMENSIONS);
    const found = wordPieces.of(text);
    let figures = 0;
    for (const piece of found) {
      const count = counts[piece] ?? 0;
      if (count === 0) figures += isFigure[piece] ?? 0;
      counts[piece] = count + 1;
    }
    for (const piece of found) {
      const count = counts[piece] ?? 0;
      if (count === 0) continue;
      counts[piece] = 0;
      const weight = (1 + Math.log(count)) / (isFigure[piece] === 1 ? Math.sqrt(figures) : 1);
      // Times the step between the stored numbers of a piece's row.
      const step = weight * STEP_BASE ** ((exponents[piece] ?? HALF) - HALF);
      const row = piece * DIMENSIONS;
      for (let part = 0; part < DIMENSIONS; part++)
        sum[part] = (sum[part] ?? 0) + step * (rows[row + part] ?? 0);
    }
    if (!sum.some((value) => value !== 0)) sum[0] = 1;
    return sum;
  };
  return (texts, { signal }) => {
    if (signal?.aborted === true) return Promise.reject(signal.reason as Error);
    return Promise.resolve({ model: MODEL, dimensions: DIMENSIONS, vectors: texts.map(vectorOf) });
  };
}

const FIGURE = /^(?:##)?\d+$/;
const HALF = 2 ** 15;
