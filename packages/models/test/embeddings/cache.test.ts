import type { Embed } from '@grainline/core';
import { describe, expect, it } from 'vitest';
import { cachedEmbedder, EmbeddingCache } from '../../src/embeddings/cache.ts';
import { staticEmbedder } from '../../src/embeddings/static.ts';
import { describeContract } from './contract.ts';

/** An embedder of one dimension that records its texts. */
function counting(model = 'm'): { embed: Embed; requests: string[] } {
  const requests: string[] = [];
  const embed: Embed = (texts) => {
    requests.push(...texts);
    return Promise.resolve({ model, dimensions: 1, vectors: texts.map((text) => [text.length]) });
  };
  return { embed, requests };
}

describe('a cached embedder', () => {
  describe('keeps the contract', () => {
    describeContract(async () => {
      const embed = await staticEmbedder();
      const { model } = await embed([], {});
      return cachedEmbedder(embed, model, new EmbeddingCache());
    });
  });

  it('asks about each text once, and about what it does not know alone', async () => {
    const { embed, requests } = counting();
    const cached = cachedEmbedder(embed, 'm', new EmbeddingCache());
    expect((await cached(['a', 'bb', 'a'], {})).vectors.map((vector) => vector[0])).toEqual([1, 2, 1]);
    expect((await cached(['ccc', 'bb'], {})).vectors.map((vector) => vector[0])).toEqual([3, 2]);
    expect(requests).toEqual(['a', 'bb', 'ccc']);
  });

  it('keeps the vectors of models apart', async () => {
    const cache = new EmbeddingCache();
    const [one, other] = [counting('one'), counting('other')];
    await cachedEmbedder(one.embed, 'one', cache)(['a'], {});
    await cachedEmbedder(other.embed, 'other', cache)(['a'], {});
    expect(other.requests).toEqual(['a']);
    await expect(cachedEmbedder(one.embed, 'other', cache)(['b'], {})).rejects.toMatchObject({
      code: 'wrong_answer',
    });
  });

  it('holds no more bytes than it may, and lets go of what was used longest ago', async () => {
    const { embed, requests } = counting();
    const cache = new EmbeddingCache({ maxBytes: 3 * 260 });
    const cached = cachedEmbedder(embed, 'm', cache);
    for (const text of ['a', 'b', 'c', 'a', 'd', 'a', 'b']) {
      await cached([text], {});
      expect(cache.bytes).toBeLessThanOrEqual(3 * 260);
    }
    expect(requests).toEqual(['a', 'b', 'c', 'd', 'b']);
    const none = new EmbeddingCache({ maxBytes: 0 });
    await cachedEmbedder(embed, 'm', none)(['a'], {});
    expect(none.bytes).toBe(0);
  });

  it('keeps nothing of an answer that fails or is unsound', async () => {
    const cache = new EmbeddingCache();
    const failing: Embed = () => Promise.reject(new Error('down'));
    await expect(cachedEmbedder(failing, 'm', cache)(['a'], {})).rejects.toThrow('down');
    // As a service's JSON may have them, and as they must reach whoever refuses them.
    const unsound = [[NaN, 1], [1], [0, 0], [null, 1], ['1', 1], [1e300, 1], []];
    const broken: Embed = (texts) =>
      Promise.resolve({ model: 'm', dimensions: 2, vectors: unsound.slice(0, texts.length) as number[][] });
    const { vectors } = await cachedEmbedder(broken, 'm', cache)(['a', 'b', 'c', 'd', 'e', 'f', 'g'], {});
    expect(vectors).toEqual(unsound);
    expect(cache.bytes).toBe(0);
  });
});
