import { chunk } from '../src/chunk.ts';
import { hostileEmbedder, wordEmbedder } from './embedders.ts';
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
    { perKind: 10 },
  );
}
