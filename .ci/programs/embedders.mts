// The embedders that people have, and the built-in one.
import assert from 'node:assert/strict';
import { chunk, staticEmbedder, tokenCounter } from 'grainline';

const text = Array.from(
  { length: 30 },
  (_, at) => `Sentence ${at} is about ${at < 15 ? 'tides' : 'bread'}.`,
).join(' ');
const vectors = (texts: readonly string[]): Promise<number[][]> =>
  Promise.resolve(texts.map((one) => [one.includes('tides') ? 1 : 0, 1]));
const embeddings = {
  embedDocuments: (texts: string[]) => vectors(texts),
  embedQuery: async (one: string) => (await vectors([one]))[0] ?? [],
};
for (const embed of [vectors, embeddings, await staticEmbedder(), undefined]) {
  const chunks = await chunk(text, { tier: 'semantic', size: 400, embeddings: true, embed });
  assert.ok(chunks.length > 1 && chunks.every(({ embedding }) => embedding !== undefined));
}
const measure = await tokenCounter('gpt-4o');
assert.deepEqual(
  await chunk(text, { size: 40, measure }),
  await chunk(text, { size: 40, measure: 'gpt-4o' }),
);
