import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import net from 'node:net';
import path from 'node:path';
import { chunk } from '@grainline/core';
import { describe, expect, it, vi } from 'vitest';
import { MODEL, PACKED, PIECES } from '../../src/embeddings/data/static.ts';
import { staticEmbedder } from '../../src/embeddings/static.ts';
import { describeContract } from './contract.ts';
import { vocabularyOf } from './vocabulary.ts';

describe('the built-in embedder', () => {
  describeContract(staticEmbedder);

  it('is loaded once', async () => {
    expect(await staticEmbedder()).toBe(await staticEmbedder());
  });

  it('needs no network', async () => {
    const connect = vi.spyOn(net.Socket.prototype, 'connect').mockImplementation(() => {
      throw new Error('no network');
    });
    const fetched = vi.spyOn(globalThis, 'fetch').mockRejectedValue(new Error('no network'));
    try {
      vi.resetModules();
      const fresh = await import('../../src/embeddings/static.ts');
      const embed = await fresh.staticEmbedder();
      const text = 'One thing is said here. Then another. And a third one, to have pieces.';
      expect(await chunk(text, { tier: 'semantic', embed })).toHaveLength(1);
      expect(connect).not.toHaveBeenCalled();
      expect(fetched).not.toHaveBeenCalled();
    } finally {
      vi.restoreAllMocks();
    }
  });

  it('has a table of less than 5 MB, and names where it comes from', () => {
    expect(PACKED.length).toBeLessThan(4_100_000);
    expect(PIECES).toBe(30_522);
    expect(MODEL).toMatch(/^grainline-static-\d+-log-sqrt$/);
    const file = path.join(import.meta.dirname, '../../src/embeddings/data/static.ts');
    const notice = readFileSync(file, 'utf8').slice(0, 2000);
    expect(notice).toContain('Apache License 2.0');
    expect(notice).toMatch(/[0-9a-f]{64}/);
  });

  it('has the numbers that its name promises, of every piece, to the last bit', async () => {
    const embed = await staticEmbedder();
    const words = (await vocabularyOf()).map((piece) => piece.replace(/^##/, ''));
    const { model, vectors } = await embed(words, {});
    const digest = createHash('sha256');
    for (const vector of vectors) digest.update(new Uint8Array((vector as Float32Array).buffer));
    // Other numbers are another model: a store must not mix them.
    expect([model, digest.digest('hex')]).toEqual([
      'grainline-static-160-log-sqrt',
      'c92264b6ea2045c7c1cb539eb52ee0d141a69b6803c9945237763fcddeb102b7',
    ]);
  });

  it('weighs a piece by the logarithm of its count', async () => {
    const embed = await staticEmbedder();
    const { vectors } = await embed(['port', 'moon', 'port moon port port'], {});
    const [port = [], moon = [], both = []] = vectors.map((vector) => Array.from(vector));
    const expected = port.map((part, index) => (1 + Math.log(3)) * part + (moon[index] ?? 0));
    for (const [index, part] of both.entries()) expect(part).toBeCloseTo(expected[index] ?? NaN, 4);
  });

  it('weighs the figures of a text together as the square root of their number', async () => {
    const embed = await staticEmbedder();
    const { vectors } = await embed(['port', '7', '12', '9', '2019', 'port 7 12 9 2019'], {});
    const [port = [], ...others] = vectors.map((vector) => Array.from(vector));
    const all = others.pop() ?? [];
    for (const [index, part] of all.entries()) {
      const figures = others.reduce((sum, figure) => sum + (figure[index] ?? 0), 0);
      expect(part).toBeCloseTo((port[index] ?? 0) + figures / 2, 4);
    }
  });

  it('finds a table by the names of its rows, whatever figures stand there', async () => {
    const names = ['Land', 'Buildings', 'Equipment', 'Software', 'Vehicles', 'Construction in progress'];
    const rows = names.map(
      (name, row) => `| ${name} | ${17 * row + 301},${13 * row + 204} | ${11 * row + 402},915 |`,
    );
    const table = `| | 2019 | 2018 |\n| --- | --- | --- |\n${rows.join('\n')}`;
    const figures = '| 1,204 | 3,981 | 17.2 |\n| 8,114 | 2,019 | 21.5 |\n| 918 | 4,407 | 3.9 |';
    const { vectors } = await (
      await staticEmbedder()
    )(['How did vehicles and equipment change in 2019 from 2018?', table, figures], {});
    const [question = [], found = [], other = []] = vectors;
    expect(cosine(question, found)).toBeGreaterThan(cosine(question, other) + 0.2);
  });

  it('finds the row of a table, whatever rules stand below the header', async () => {
    const row = '| `timeoutMs` | The longest wait for an answer |';
    const table = `| Option | Meaning |\n| ${'-'.repeat(80)} | ${'-'.repeat(80)} |\n\n${row}`;
    const { vectors } = await (
      await staticEmbedder()
    )(['What is the meaning of timeoutMs?', table, 'Chairs'], {});
    const [question = [], found = [], other = []] = vectors;
    expect(cosine(question, found)).toBeGreaterThan(cosine(question, other) + 0.4);
  });

  it('cuts real prose the same way a hundred times, whatever the batches', async () => {
    const file = path.join(import.meta.dirname, '../../../../docs/payments.md');
    const text = readFileSync(file, 'utf8').slice(0, 12_000).replaceAll(/\s+/g, ' ');
    const embed = await staticEmbedder();
    const once = await chunk(text, { tier: 'semantic', embed, kind: 'text', boundaries: true });
    expect(once.length).toBeGreaterThan(5);
    for (let run = 0; run < 100; run++) {
      const embedBatch = [1, 7, 64][run % 3] ?? 64;
      expect(
        await chunk(text, { tier: 'semantic', embed, kind: 'text', boundaries: true, embedBatch }),
      ).toEqual(once);
    }
  });
});

function cosine(a: ArrayLike<number>, b: ArrayLike<number>): number {
  const dot = (x: ArrayLike<number>, y: ArrayLike<number>): number =>
    Array.from(x).reduce((sum, part, index) => sum + part * (y[index] ?? 0), 0);
  return dot(a, b) / Math.sqrt(dot(a, a) * dot(b, b));
}
