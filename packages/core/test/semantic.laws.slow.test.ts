import { chunk } from '../src/chunk.ts';
import { hostileEmbedder, wordEmbedder } from '@grainline/testing/embedders';
import { describeLaws } from './laws.ts';

describeLaws(
  'semantic',
  (text, limits) => chunk(text, { tier: 'semantic', embed: wordEmbedder, ...limits }),
  { perKind: 20 },
);

for (const seed of [1, 2]) {
  describeLaws(
    `semantic with a hostile embedder (${seed})`,
    (text, limits) => chunk(text, { tier: 'semantic', embed: hostileEmbedder(seed), ...limits }),
    // How much of the text is looked at does not follow from what an embedder answers.
    { perKind: 10, longest: 20_000, countsWork: false },
  );
}
