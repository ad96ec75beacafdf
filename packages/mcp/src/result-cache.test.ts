import { expect, it } from 'vitest';
import type { DocumentResult } from './ports.ts';
import { createResultCache } from './result-cache.ts';

const documentOf = (text: string): DocumentResult => ({
  tier: 'free',
  documentId: text,
  records: [{ text }],
  outline: [],
  warnings: [],
});

it('a result is made once for a recipe, and is forgotten when newer ones need its room', async () => {
  const results = createResultCache({ count: 2, characters: 100 });
  let made = 0;
  const ask = (text: string) =>
    results.of(['text', text], () => {
      made++;
      return Promise.resolve(documentOf(text));
    });
  const a = await ask('a');
  const b = await ask('b');
  expect(await ask('a')).toEqual(a);
  expect(made).toBe(2);
  const c = await ask('c');
  // The least recently used result goes first.
  expect(results.names()).toEqual([a.result, c.result]);
  expect(() => results.get(b.result)).toThrow(b.result);
  expect(results.get(a.result).document).toBe(a.document);
  // The length counts; the latest result stays at any length.
  const long = await ask('x'.repeat(200));
  expect(results.names()).toEqual([long.result]);
});

it('what could not be made is not kept', async () => {
  const results = createResultCache({ count: 2, characters: 100 });
  await expect(results.of(['x'], () => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
  expect(results.names()).toEqual([]);
});
