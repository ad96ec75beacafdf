// The laws, whatever a language model answers. A model that fails at more than half of a text ends the call; then there
// is nothing to keep laws about, and the same text is cut by a model that answers.
import { chunk } from '../src/chunk.ts';
import type { Complete } from '../src/complete.ts';
import { ChunkError } from '../src/errors.ts';
import { byRule, hostileModel, thirdsModel } from '@grainline/testing/language-models';
import { type Chunker, describeLaws } from './laws.ts';

const by =
  (complete: Complete): Chunker =>
  (text, limits) =>
    chunk(text, { tier: 'ai', complete, ...limits });

describeLaws('ai with a model that cuts every third unit', by(thirdsModel), {
  perKind: 15,
  workPerUnit: 96,
});

for (const seed of [1, 2]) {
  const hostile = by(hostileModel(seed));
  const patient = by(byRule((units) => units.map((_, at) => at + 1).slice(2)));
  describeLaws(
    `ai with a hostile model (${seed})`,
    async (text, limits) => {
      try {
        return await hostile(text, limits);
      } catch (error) {
        if (!(error instanceof ChunkError) || error.code !== 'too_many_fallbacks') throw error;
        return patient(text, limits);
      }
    },
    { perKind: 10, longest: 20_000, countsWork: false },
  );
}
