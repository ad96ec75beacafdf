// The built-in embedder: a table of one vector a word piece, distilled from all-MiniLM-L6-v2 (scripts/distil.mjs). A
// text's vector is the sum over its pieces: no order, no negation, English alone, but as near to the model as 0.86 of
// correlation between neighbouring sentences, thousands of times cheaper, without network, native code or dependency.
import type { Embed } from '@grainline/core';
import { unpack } from '../packed.ts';
import { EmbedderError } from './errors.ts';
import type { WordPieces } from './word-pieces.ts';

/** The embedder once it is loaded: one for everybody. */
let loaded: Promise<Embed> | undefined;

/**
 * The built-in embedder. The first call loads its table (3.8 MB of JavaScript, some 50 ms in Node), later ones share
 * it. Equal texts have equal vectors on every machine.
 *
 * Made for finding topics in English text. What it does not know, such as other scripts, has next to no likeness to
 * anything, so that cuts fall where the structure of the text says.
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

/** How far apart the numbers of a piece's row stand: a power each, taken when the piece is first met. */
class Steps {
  readonly #exponents: Uint16Array;
  readonly #base: number;
  /** 0 where it is not known yet: no power is. */
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

  /** The sum over the text's pieces. A text without any, blank or of controls alone, gets a direction of its own. */
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
