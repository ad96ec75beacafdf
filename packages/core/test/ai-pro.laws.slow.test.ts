// The laws, whatever a language model says of the chunks: what is indexed of one, its context included, is no longer
// than the maximum. A model that fails at more than half of a text ends the call; then the same text is described by
// one that answers.
import { expect } from 'vitest';
import { chunk, indexedText } from '../src/chunk.ts';
import type { Complete } from '../src/complete.ts';
import { ChunkError } from '../src/errors.ts';
import type { Chunk } from '../src/slice.ts';
import { hostileModel, thirdsModel } from '@grainline/testing/language-models';
import { type Chunker, describeLaws } from './laws.ts';

const by =
  (complete: Complete): Chunker =>
  async (text, limits) => {
    const chunks = await chunk(text, { tier: 'ai-pro', complete, ...limits });
    expect(chunks.filter((piece) => isTooLong(piece, limits.size))).toEqual([]);
    return chunks;
  };

function isTooLong(piece: Chunk, size: number): boolean {
  return indexedText(piece).length > (piece.metadata.oversize === true ? piece.text.length : size);
}

// How many questions there are follows from the text, and each begins with the same part of it: the work is not counted
// here. Chunks of a few units make a question of some sixteen of them: the texts are short.
const FEW = { perKind: 8, longest: 1500, countsWork: false } as const;

describeLaws('ai-pro with a model that cuts every third unit', by(thirdsModel), FEW);

const hostile = by(hostileModel(3));
const patient = by(thirdsModel);
describeLaws(
  'ai-pro with a hostile model',
  async (text, limits) => {
    try {
      return await hostile(text, limits);
    } catch (error) {
      if (!(error instanceof ChunkError) || error.code !== 'too_many_fallbacks') throw error;
      return patient(text, limits);
    }
  },
  // The model is called repeatedly.
  { ...FEW, longest: 700 },
);
