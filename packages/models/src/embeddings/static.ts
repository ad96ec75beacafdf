// The built-in embedder: a table with one vector for each word piece, distilled from all-MiniLM-L6-v2
// (scripts/distil.mjs). The vector of a text is the sum over its pieces, so it knows no order and no negation, and
// English only. Its similarities of neighbouring sentences correlate with the model's at 0.86; it is thousands of times
// cheaper and needs no network, native code or dependency.
import type { Embed } from '@grainline/core';
import { unpack } from '../packed.ts';
import { EmbedderError } from './errors.ts';
import type { WordPieces } from './word-pieces.ts';

/** The embedder once it is loaded, shared by all callers. */
let loaded: Promise<Embed> | undefined;

/**
 * Loads the built-in embedder. The first call loads its table (3.8 MB of JavaScript, some 50 ms in Node); later calls
 * share it. Equal texts have equal vectors on every machine. It is made for finding topics in English text. Text that
 * it does not know, such as other scripts, is like nothing else to it, so cuts then fall where the structure of the
 * text says.
 *
 * @throws EmbedderError `damaged_table`
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
    throw new EmbedderError('damaged_table', 'The table of the built-in embedder is damaged.', { cause });
  });
  const namesEnd = bytes.length - PIECES * (2 + DIMENSIONS);
  const names = new TextDecoder().decode(bytes.subarray(0, Math.max(0, namesEnd)));
  const pieces = (names.endsWith('\0') ? names.slice(0, -1) : names).split('\n');
  if (pieces.length !== PIECES)
    throw new EmbedderError('damaged_table', `The table has ${pieces.length} word pieces, not ${PIECES}.`);
  const exponents = new Uint16Array(bytes.buffer, bytes.byteOffset + namesEnd, PIECES);
  const rows = new Int8Array(bytes.buffer, bytes.byteOffset + namesEnd + 2 * PIECES, PIECES * DIMENSIONS);
  const steps = new Steps(exponents, STEP_BASE);
  const table = new Table(new WordPieces(pieces), rows, steps, DIMENSIONS);
  return (texts, { signal }) => {
    if (signal?.aborted === true) return Promise.reject(signal.reason as Error);
    const vectors = texts.map((text) => table.vectorOf(text));
    return Promise.resolve({ model: MODEL, dimensions: DIMENSIONS, vectors });
  };
}

const HALF = 2 ** 15;

/** The step between the stored numbers of a piece's row: a power, computed when the piece is first met. */
class Steps {
  readonly #exponents: Uint16Array;
  readonly #base: number;
  /** 0 where it has not been computed yet, because no power is 0. */
  readonly #known: Float64Array;

  constructor(exponents: Uint16Array, base: number) {
    this.#exponents = exponents;
    this.#base = base;
    this.#known = new Float64Array(exponents.length);
  }

  of(piece: number): number {
    const known = this.#known[piece] ?? 0;
    if (known !== 0) return known;
    return (this.#known[piece] = this.#base ** ((this.#exponents[piece] ?? HALF) - HALF));
  }
}

class Table {
  readonly #pieces: WordPieces;
  readonly #rows: Int8Array;
  readonly #steps: Steps;
  readonly #width: number;

  constructor(pieces: WordPieces, rows: Int8Array, steps: Steps, width: number) {
    this.#pieces = pieces;
    this.#rows = rows;
    this.#steps = steps;
    this.#width = width;
  }

  /** The sum over the text's pieces. A text without any (blanks or controls alone) gets a direction of its own. */
  vectorOf(text: string): Float32Array {
    const width = this.#width;
    const sum = new Float32Array(width);
    for (const piece of this.#pieces.of(text)) {
      const step = this.#steps.of(piece);
      const row = piece * width;
      for (let part = 0; part < width; part++)
        sum[part] = (sum[part] ?? 0) + step * (this.#rows[row + part] ?? 0);
    }
    if (!sum.some((value) => value !== 0)) sum[0] = 1;
    return sum;
  }
}
